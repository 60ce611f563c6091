import { InboxButton } from '../inbox/inbox-button.tsx'
import { BrandMark } from '../shell/brand-mark.tsx'
import { Icon } from '../shell/icon.tsx'
import { ThemeToggle } from '../shell/theme-toggle.tsx'
import { identity, signOut } from '../state/identity.ts'
import { openShortcuts, startNewChat } from '../state/shortcuts.ts'
import { closeDrawer, isDrawerOpen, isNarrow, isSidebarShown } from '../state/viewport.ts'
import { SessionList } from './session-list.tsx'

export function Sidebar() {
  const isShown = isNarrow.value ? isDrawerOpen.value : isSidebarShown.value
  return (
    <>
      {isNarrow.value && isDrawerOpen.value && (
        <div class="drawer-backdrop" aria-hidden="true" onClick={closeDrawer} />
      )}
      <aside id="sidebar" class="sidebar" data-shown={String(isShown)} inert={!isShown}>
        <div class="sidebar-head">
          <span class="brand">
            <BrandMark />
            Parley
          </span>
          {isNarrow.value && (
            <button type="button" class="icon-button" aria-label="Close" onClick={closeDrawer}>
              <Icon name="close" />
            </button>
          )}
        </div>
        <button type="button" class="new-chat" data-testid="new-chat" onClick={startNewChat}>
          <Icon name="plus" />
          New chat
        </button>
        <InboxButton />
        <SessionList />
        <div class="sidebar-foot">
          <ThemeToggle />
          <button
            type="button"
            class="icon-button"
            aria-label="Keyboard shortcuts"
            title="Keyboard shortcuts (?)"
            onClick={openShortcuts}
          >
            <Icon name="keyboard" />
          </button>
          <SignOut />
        </div>
      </aside>
    </>
  )
}

/** On one's own machine nobody signed in; behind Access, signing out is not Parley's to do. */
function SignOut() {
  if (identity.value.status !== 'in' || identity.value.me.mode !== 'token') return null
  const label = `Sign out ${identity.value.me.owner}`
  return (
    <button
      type="button"
      class="icon-button sign-out"
      aria-label={label}
      title={label}
      onClick={() => void signOut()}
    >
      <Icon name="leave" />
    </button>
  )
}

import { titleOf } from '#protocol/state'
import { RenameField } from '../sidebar/rename-field.tsx'
import { openSessionId } from '../state/route.ts'
import { renaming, startRename } from '../state/session-actions.ts'
import { config, isLoaded } from '../state/session.ts'
import { startNewChat } from '../state/shortcuts.ts'
import { isDrawerOpen, isNarrow, isSidebarShown, toggleSidebar } from '../state/viewport.ts'
import { Icon } from './icon.tsx'
import { ModelNote } from './model-note.tsx'

function Title() {
  const id = openSessionId.value
  if (id === null) return <h1 class="header-title">New chat</h1>
  const title = isLoaded.value ? titleOf(config.value) : ''
  if (renaming.value?.id === id && renaming.value.where === 'header') {
    return <RenameField sessionId={id} title={title} />
  }
  return (
    <h1 class="header-title">
      <button type="button" title="Rename (F2)" onClick={() => startRename(id, 'header')}>
        {title}
      </button>
    </h1>
  )
}

export function Header() {
  const isShown = isNarrow.value ? isDrawerOpen.value : isSidebarShown.value
  return (
    <header class="header">
      <button
        type="button"
        class="icon-button"
        aria-label={isShown ? 'Hide chats' : 'Show chats'}
        title={`${isShown ? 'Hide' : 'Show'} chats (Ctrl B)`}
        aria-expanded={isShown}
        aria-controls="sidebar"
        onClick={toggleSidebar}
      >
        <Icon name={isNarrow.value ? 'menu' : 'sidebar'} />
      </button>
      <Title />
      <ModelNote />
      {(isNarrow.value || !isShown) && (
        <button type="button" class="icon-button" aria-label="New chat" onClick={startNewChat}>
          <Icon name="plus" />
        </button>
      )}
    </header>
  )
}

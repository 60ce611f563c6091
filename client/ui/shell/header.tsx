import { titleOf } from '#protocol/summary'
import { Pickers } from '../composer/pickers.tsx'
import { RenameField } from '../sidebar/rename-field.tsx'
import { withFiles } from '../state/files.ts'
import { openMission } from '../state/missions.ts'
import { openSessionId } from '../state/route.ts'
import { renaming, startRename } from '../state/session-actions.ts'
import { config, isLoaded } from '../state/session.ts'
import { startNewChat } from '../state/shortcuts.ts'
import { isDrawerOpen, isNarrow, isSidebarShown, toggleSidebar } from '../state/viewport.ts'
import { Breadcrumb } from './breadcrumb.tsx'
import { Icon } from './icon.tsx'

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
      <Breadcrumb />
      <Title />
      {isNarrow.value && <Pickers isNarrow />}
      {openSessionId.value !== null && !isNarrow.value && (
        <button
          type="button"
          class="icon-button"
          aria-label="Mission"
          title="Mission"
          onClick={() => openMission()}
        >
          <Icon name="clock" />
        </button>
      )}
      {openSessionId.value !== null && (
        <button
          type="button"
          class="icon-button"
          aria-label="Workspace"
          title="Workspace"
          onClick={() => withFiles((door) => door.openWorkspace())}
        >
          <Icon name="folder" />
        </button>
      )}
      {(isNarrow.value || !isShown) && (
        <button type="button" class="icon-button" aria-label="New chat" onClick={startNewChat}>
          <Icon name="plus" />
        </button>
      )}
    </header>
  )
}

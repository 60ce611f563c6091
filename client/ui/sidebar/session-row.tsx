import type { SessionSummary } from '#protocol/http'
import { formatAge } from '../format.ts'
import { memo } from '../memo.ts'
import { Icon } from '../shell/icon.tsx'
import { isPlainClick } from '../shell/session-link.tsx'
import { now } from '../state/clock.ts'
import { openSession, openSessionId } from '../state/route.ts'
import { isUnread } from '../state/seen.ts'
import { deleteSession, pinSession, renaming, startRename } from '../state/session-actions.ts'
import { closeDrawer } from '../state/viewport.ts'
import { RenameField } from './rename-field.tsx'

const STATUS_WORDS = {
  idle: 'idle',
  running: 'running',
  waiting: 'waiting for you',
  error: 'failed',
} as const

type Props = { session: SessionSummary }

export const SessionRow = memo(({ session }: Props) => {
  const { id, title, status, pinned, updatedAt } = session
  const isOpen = openSessionId.value === id
  const isRenaming = renaming.value?.id === id && renaming.value.where === 'sidebar'
  const unread = isUnread(id, session.seq)
  const handleClick = (event: MouseEvent): void => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    openSession(id)
    closeDrawer()
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'F2' && event.key !== 'Delete') return
    event.preventDefault()
    if (event.key === 'F2') startRename(id, 'sidebar')
    else deleteSession(id)
  }
  return (
    <div class="session-row" data-session={id} data-status={status} data-unread={String(unread)}>
      {isRenaming ? (
        <RenameField sessionId={id} title={title} />
      ) : (
        <a
          class="session-link"
          href={`/s/${id}`}
          aria-current={isOpen ? 'page' : undefined}
          onClick={handleClick}
          onDblClick={() => startRename(id, 'sidebar')}
          onKeyDown={handleKey}
        >
          <span class="status-dot" data-status={status} title={STATUS_WORDS[status]} />
          <span class="session-title">{title}</span>
          <span class="visually-hidden">
            {`, ${STATUS_WORDS[status]}${unread ? ', unread' : ''}${pinned ? ', pinned' : ''}`}
          </span>
          <span class="session-age">
            {pinned && <Icon name="pin" />}
            {formatAge(updatedAt, now.value)}
          </span>
        </a>
      )}
      {!isRenaming && <RowActions session={session} isOpen={isOpen} />}
    </div>
  )
})

function RowActions({ session, isOpen }: Props & { isOpen: boolean }) {
  const { id, title, pinned } = session
  // Three stops for each of forty rows would bury the list: F2 and Delete do the same on the link.
  const tabIndex = isOpen ? 0 : -1
  const buttons = [
    ['pencil', `Rename “${title}”`, () => startRename(id, 'sidebar')],
    ['pin', `${pinned ? 'Unpin' : 'Pin'} “${title}”`, () => void pinSession(id, !pinned)],
    ['trash', `Delete “${title}”`, () => deleteSession(id)],
  ] as const
  return (
    <div class="row-actions">
      {buttons.map(([icon, label, onClick]) => (
        <button
          key={icon}
          type="button"
          class="icon-button"
          data-pressed={icon === 'pin' && pinned ? 'true' : undefined}
          aria-label={label}
          title={label}
          tabIndex={tabIndex}
          onClick={onClick}
        >
          <Icon name={icon} />
        </button>
      ))}
    </div>
  )
}

import { useComputed } from '@preact/signals'
import type { Branch } from '../state/nest-sessions.ts'
import { branches } from '../state/session-tree.ts'
import {
  listStatus,
  loadMoreSessions,
  nextCursor,
  refreshSessions,
  sessions,
} from '../state/sessions.ts'
import { SessionBranch } from './session-branch.tsx'

const PLACEHOLDERS = [0, 1, 2, 3, 4]

function Rows({ label, rows }: { label: string; rows: readonly Branch[] }) {
  if (rows.length === 0) return null
  return (
    <section aria-label={label}>
      <h2 class="list-label">{label}</h2>
      <ul class="session-rows">
        {rows.map((branch) => (
          <SessionBranch key={branch.session.id} branch={branch} />
        ))}
      </ul>
    </section>
  )
}

export function SessionList() {
  const pinned = useComputed(() => branches.value.filter(({ session }) => session.pinned))
  const others = useComputed(() => branches.value.filter(({ session }) => !session.pinned))
  return (
    <nav class="session-list" data-testid="session-list" aria-label="Chats">
      <Rows label="Pinned" rows={pinned.value} />
      <Rows label="Chats" rows={others.value} />
      {listStatus.value === 'loading' && (
        <div class="list-placeholder" aria-hidden="true">
          {PLACEHOLDERS.map((n) => (
            <span key={n} />
          ))}
        </div>
      )}
      {listStatus.value === 'failed' && (
        <p class="list-note">
          The list could not be loaded.{' '}
          <button type="button" class="text-button" onClick={() => void refreshSessions()}>
            Try again
          </button>
        </p>
      )}
      {listStatus.value === 'ready' && sessions.value.length === 0 && (
        <p class="list-note">No chats yet. The first one starts with what you send.</p>
      )}
      {nextCursor.value !== null && (
        <button type="button" class="load-more" onClick={() => void loadMoreSessions()}>
          Load more
        </button>
      )}
    </nav>
  )
}

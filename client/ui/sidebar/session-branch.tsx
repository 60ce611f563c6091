import { Icon } from '../shell/icon.tsx'
import type { Branch } from '../state/nest-sessions.ts'
import { unfold } from '../state/session-tree.ts'
import { SessionRow } from './session-row.tsx'

/** A chat, and the children that its agent started. */
export function SessionBranch({ branch }: { branch: Branch }) {
  const { session, children, count, isOpen, hidden } = branch
  const words = `${count} ${count === 1 ? 'child' : 'children'}`
  return (
    <li class="session-branch">
      <SessionRow session={session} />
      {count > 0 && (
        <button
          type="button"
          class="branch-fold"
          aria-expanded={isOpen}
          aria-label={`${words} of “${session.title}”`}
          onClick={() => unfold(branch, isOpen ? 'folded' : 'open')}
        >
          <Icon name="chevron" />
          {words}
        </button>
      )}
      {children.length > 0 && (
        <ul class="session-children" aria-label={`Children of “${session.title}”`}>
          {children.map((child) => (
            <SessionBranch key={child.session.id} branch={child} />
          ))}
        </ul>
      )}
      {hidden > 0 && (
        <button type="button" class="branch-more" onClick={() => unfold(branch, 'all')}>
          {`${hidden} more`}
        </button>
      )}
    </li>
  )
}

import { openSessionId } from '../state/route.ts'
import { config } from '../state/session.ts'
import { held } from '../state/sessions.ts'
import { Icon } from './icon.tsx'
import { SessionLink } from './session-link.tsx'

/** As deep as children of children go. */
const DEPTH = 4

/** The chats that this one works for, the first that began it all first. */
function findAncestors(): { id: string; title: string }[] {
  const ancestors: { id: string; title: string }[] = []
  let id = config.value.origin?.parent?.sessionId
  while (id !== undefined && ancestors.length < DEPTH) {
    const session = held.value.get(id)
    ancestors.unshift({ id, title: session?.title ?? 'Parent chat' })
    id = session?.parentId
  }
  return ancestors
}

/** From a child back to whoever started it. */
export function Breadcrumb() {
  if (openSessionId.value === null || config.value.id !== openSessionId.value) return null
  const ancestors = findAncestors()
  if (ancestors.length === 0) return null
  return (
    <nav class="breadcrumb" aria-label="Parent chats">
      {ancestors.map(({ id, title }) => (
        <SessionLink
          key={id}
          sessionId={id}
          class="crumb"
          title={title}
          label={`Back to “${title}”`}
        >
          <Icon name="back" />
          <span>{title}</span>
        </SessionLink>
      ))}
    </nav>
  )
}

import type { Callback } from '#protocol/agent-events'
import { Icon } from '../shell/icon.tsx'

/** What another agent did before it answered. */
export function CallList({ calls }: { calls: Callback['toolCalls'] }) {
  if (calls.length === 0) return null
  return (
    <ul class="call-list" aria-label="Tools it used">
      {calls.map(({ callId, toolName, ok }) => (
        <li key={callId} data-ok={String(ok)}>
          <Icon name={ok ? 'check' : 'alert'} />
          <span>{toolName}</span>
          <span class="visually-hidden">{ok ? ' succeeded' : ' failed'}</span>
        </li>
      ))}
    </ul>
  )
}

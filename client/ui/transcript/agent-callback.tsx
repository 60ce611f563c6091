import type { CallbackTurn } from '#protocol/turns'
import { CallbackDetails } from './callback-details.tsx'

/** What another agent answered to a message that nobody had waited for. */
export function AgentCallback({ turn }: { turn: CallbackTurn }) {
  const { callback, isRecord } = turn
  const names = ['turn', 'agent-callback', callback.ok ? 'success' : 'error']
  return (
    <article
      class={[...names, ...(isRecord ? ['record'] : [])].join(' ')}
      data-turn={turn.seq}
      aria-label={`Answer of ${callback.from}`}
    >
      <CallbackDetails view={turn} />
    </article>
  )
}

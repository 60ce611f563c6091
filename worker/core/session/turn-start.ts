// Where a turn begins: what was hot there is kept beside the log, so that a page can start from it.

import type { SessionEvent } from '#protocol/events'
import { fold } from '#protocol/reduce'
import { hot, type HotState, type SessionState } from '#protocol/state'

const TURN_STARTS = new Set<SessionEvent['type']>([
  'user_message',
  'agent_message',
  'agent_callback_result',
  'idle_prompt',
])
const startsTurn = ({ type }: SessionEvent): boolean => TURN_STARTS.has(type)

/** Where no run is active and a turn follows: also between two runs of one commit. */
export function findTurnStart(
  before: SessionState,
  events: readonly SessionEvent[],
): { seq: number; state: HotState } | null {
  const end = events.findIndex(({ type }) => type === 'run_done')
  const isIdle = before.run.status === 'idle'
  const rest = isIdle ? events : events.slice(end + 1)
  if ((!isIdle && end < 0) || !rest.some(startsTurn)) return null
  const state = isIdle ? before : fold(events.slice(0, end + 1), before)
  return { seq: state.seq, state: hot(state) }
}

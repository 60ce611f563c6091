// When a mission prompts next: derived from the state, so that no crash can lose or double it.

import type { Mission } from './mission-events.ts'
import type { HotState, MissionState } from './state.ts'

const MINUTE_MS = 60_000

/** null: no prompt is due, now or later, unless something changes. */
export function missionDueAt(
  state: Pick<HotState, 'mission' | 'run' | 'queue' | 'session'>,
): number | null {
  const { mission, run, queue, session } = state
  if (mission?.status !== 'active') return null
  // What people said goes first; a queue without a run is one that is held.
  if (run.status !== 'idle' || queue.items.length > 0) return null
  return Math.max(mission.since, session.updatedAt) + mission.everyMinutes * MINUTE_MS
}

/** As events have it, without what only the fold knows. */
export function toMission(state: MissionState | null): Mission | null {
  if (state === null) return null
  const { setSeq: _setSeq, since: _since, reason: _reason, runId: _runId, ...mission } = state
  return mission
}

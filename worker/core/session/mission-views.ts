// Missions as other programs ask for them: the one that stands, and all there were, from the log.

import type { EventOf } from '#protocol/events'
import { MISSION_PROMPTS_MAX, MISSIONS_LISTED } from '#protocol/limits'
import type { Mission, MissionStatus } from '#protocol/mission-events'
import { missionDueAt, toMission } from '#protocol/mission-schedule'
import type { HotState } from '#protocol/state'
import type { Log } from './log.ts'

export type MissionEvent = EventOf<'mission_updated' | 'idle_prompt'> & { seq: number; at: number }
export type StandingView = { mission: Mission | null; nextPromptAt: number | null }
/** `stopped`: cleared, or another took its place. `endedAt` null: it stands. */
export type MissionRecord = Omit<Mission, 'status'> & {
  status: MissionStatus | 'stopped'
  endedAt: number | null
}

/** Enough for a history that people read; the log has all of it. */
const EVENTS_READ = 5 * MISSION_PROMPTS_MAX

export const viewMission = (state: HotState): StandingView => ({
  mission: toMission(state.mission),
  nextPromptAt: missionDueAt(state),
})

/** Newest first. */
export function listMissions(log: Log): MissionRecord[] {
  const records = new Map<string, MissionRecord>()
  let standing: string | null = null
  const change = (id: string | null, fields: Partial<MissionRecord>): void => {
    const record = id === null ? undefined : records.get(id)
    if (record !== undefined) Object.assign(record, fields)
  }
  for (const event of log.missionEvents(EVENTS_READ)) {
    if (event.type === 'idle_prompt') {
      change(event.missionId, { prompts: event.n })
      continue
    }
    const { mission, at } = event
    if (mission?.missionId !== standing && records.get(standing ?? '')?.endedAt === null) {
      change(standing, { status: 'stopped', endedAt: at })
    }
    standing = mission?.missionId ?? null
    if (mission === null) continue
    const isOver = mission.status === 'done' || mission.status === 'exhausted'
    records.set(mission.missionId, { ...mission, endedAt: isOver ? at : null })
  }
  return [...records.values()].reverse().slice(0, MISSIONS_LISTED)
}

// How a mission stands, in words. Pure.

import type { MissionReason } from '#protocol/mission-events'
import { missionDueAt } from '#protocol/mission-schedule'
import type { HotState, MissionState } from '#protocol/state'
import type { MissionView } from '#protocol/http'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** What paused it, where it was not a person at the button. */
const PAUSES: Partial<Record<MissionReason, string>> = {
  stopped: ': its run was stopped',
  failed: ': a run failed',
  interrupted: ': a run was interrupted',
}

type Standing = Pick<HotState, 'run' | 'queue' | 'session'> & { mission: MissionState }

export function describeStanding(state: Standing, now: number): string {
  const { mission } = state
  const count = `${mission.prompts} of ${mission.maxPrompts}`
  switch (mission.status) {
    case 'active':
      return `${describeNext(state, now)} · ${count}`
    case 'paused':
      return `Paused${PAUSES[mission.reason] ?? ''} · ${count}`
    case 'done':
      return mission.summary === undefined ? 'Done' : `Done: ${mission.summary}`
    case 'exhausted':
      return mission.maxPrompts === 1
        ? 'Its prompt is used'
        : `All ${mission.maxPrompts} prompts used`
  }
}

function describeNext(state: Standing, now: number): string {
  const { mission, run } = state
  if (run.status === 'running') {
    return run.runId === mission.runId ? 'Working on it' : 'Waits for this answer'
  }
  const dueAt = missionDueAt(state)
  if (dueAt === null) return 'Waits for the queue'
  return `Next prompt in ${formatWait(dueAt - now)}`
}

/**
 * Coarse: it is looked at now and then. The clock here is a little behind or ahead of the one that
 * counts, so a unit begins past its first half: an hour and a second is not two hours.
 */
export function formatWait(ms: number): string {
  if (ms < MINUTE) return 'less than a minute'
  if (ms < 1.5 * HOUR) return `${Math.round(ms / MINUTE)} min`
  if (ms < 1.5 * DAY) return `${Math.round(ms / HOUR)} h`
  return `${Math.round(ms / DAY)} days`
}

const ENDINGS: Record<MissionView['status'], string> = {
  active: 'Active',
  paused: 'Paused',
  done: 'Done',
  exhausted: 'Prompts used up',
  stopped: 'Cleared',
}

export function describeRecord({ status, prompts, summary }: MissionView): string {
  const times = prompts === 1 ? '1 prompt' : `${prompts} prompts`
  return `${ENDINGS[status]} · ${times}${summary === null ? '' : ` · ${summary}`}`
}

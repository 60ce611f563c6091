// What a mission does to a session: set, paused, prompted, ended (AGT7). Pure, on a draft.

import type { CommandOf } from '#protocol/commands'
import type { Outcome, SessionEvent } from '#protocol/events'
import type { Rejection } from '#protocol/http'
import { parseRunId, toRunId } from '#protocol/ids'
import { MISSION_MINUTES, MISSION_PROMPTS, OVERRIDES_PER_SESSION } from '#protocol/limits'
import type { Mission, MissionReason, MissionStatus } from '#protocol/mission-events'
import { toMission } from '#protocol/mission-schedule'
import type { MissionState, RunState, SessionState } from '#protocol/state'
import { MISSION_DONE, parseMissionDone } from '../tools/mission-done.ts'
import type { Draft } from './draft.ts'

export type MissionCommand = CommandOf<
  'mission_set' | 'mission_clear' | 'mission_pause' | 'mission_resume'
>
type Changed = { seq: number } | { rejection: Rejection }
type Running = Extract<RunState, { status: 'running' }>

export function changeMission(draft: Draft, command: MissionCommand, by: string): Changed {
  const { mission } = draft.state
  switch (command.type) {
    case 'mission_set':
      return { seq: setMission(draft, command, by) }
    case 'mission_clear': {
      const { missionId = mission?.missionId } = command
      if (mission === null || mission.missionId !== missionId) return NO_MISSION
      return { seq: draft.add({ type: 'mission_updated', mission: null, by, reason: 'cleared' }) }
    }
    case 'mission_pause':
      if (mission === null) return NO_MISSION
      if (mission.status !== 'active') return refuse(`the mission is ${mission.status}`)
      return { seq: update(draft, mission, 'paused', 'paused', by) }
    case 'mission_resume':
      if (mission === null) return NO_MISSION
      if (mission.status !== 'paused') return refuse(`the mission is ${mission.status}`)
      return { seq: update(draft, mission, 'active', 'resumed', by) }
  }
}

/** Its id is the command's, as a message's is: whoever set it knows it without asking. */
function setMission(draft: Draft, command: CommandOf<'mission_set'>, by: string): number {
  const { id, text, everyMinutes = MISSION_MINUTES, maxPrompts = MISSION_PROMPTS } = command
  const mission: Mission = {
    missionId: id,
    text,
    everyMinutes,
    maxPrompts,
    prompts: 0,
    status: 'active',
    setAt: draft.now,
    by,
  }
  return draft.add({ type: 'mission_updated', mission, by, reason: 'set' })
}

/** Why a prompt cannot be made now; null: it can. */
export function findPromptProblem(state: SessionState): Rejection | null {
  const { mission, run, queue } = state
  if (mission === null) return NO_MISSION.rejection
  if (mission.status !== 'active') return refuse(`the mission is ${mission.status}`).rejection
  if (run.status !== 'idle') return { code: 'run_active', message: 'a run is active' }
  if (queue.items.length > 0) return refuse('messages wait in the queue').rejection
  return null
}

/** The caller starts the run right behind it: it is named here, before it has begun. */
export function addIdlePrompt(draft: Draft): number {
  const { mission, session } = draft.state
  if (mission === null) throw new Error('there is no mission to prompt for')
  const { missionId, text, prompts, maxPrompts: of } = mission
  const runId = toRunId(session.id, draft.nextSeq + 1)
  return draft.add({ type: 'idle_prompt', missionId, runId, text, n: prompts + 1, of })
}

/** `run` as it was when it ended. */
export function settleMission(draft: Draft, run: Running, outcome: Outcome, by: string): void {
  const { mission } = draft.state
  if (mission?.status !== 'active') return
  const reason = reasonAfter(mission, run, outcome)
  if (reason === null) return
  update(draft, mission, reason === 'exhausted' ? 'exhausted' : 'paused', reason, by)
}

function reasonAfter(mission: MissionState, run: Running, outcome: Outcome): MissionReason | null {
  if (mission.prompts >= mission.maxPrompts) return 'exhausted'
  switch (outcome) {
    case 'done':
    case 'step_limit':
      return null
    // Whatever broke this run would break the next prompt's too, and nobody is there to see it.
    case 'failed':
    case 'interrupted':
      return outcome
    case 'cancelled': {
      // Somebody who interrupts has something else to say; somebody who stops wants it to stop.
      const isStop = run.cancelled?.reason !== 'interrupt'
      return mission.runId === run.runId && isStop ? 'stopped' : null
    }
  }
}

/** In the same commit as the tool's result: no crash can come between them. */
export function endMissionByTool(draft: Draft, event: SessionEvent, by: string): void {
  if (event.type !== 'tool_result' || event.toolName !== MISSION_DONE || !event.ok) return
  const { mission, run, open } = draft.state
  if (mission === null || run.status !== 'running') return
  // Set while the run was at work: that is not the one its agent was told of.
  if (mission.setSeq > (parseRunId(run.runId)?.startedSeq ?? 0)) return
  const call = open?.parts.find((part) => part.kind === 'tool' && part.callId === event.callId)
  const summary = call?.kind === 'tool' ? parseMissionDone(call.arguments) : null
  const ended = summary === null ? mission : { ...mission, summary }
  update(draft, ended, 'done', 'done', by, { runId: run.runId })
}

function update(
  draft: Draft,
  mission: MissionState,
  status: MissionStatus,
  reason: MissionReason,
  by: string,
  within: { runId?: string } = {},
): number {
  const changed = toMission({ ...mission, status })
  return draft.add({ type: 'mission_updated', mission: changed, by, reason, ...within })
}

export function setOverride(
  draft: Draft,
  { agentId, override }: CommandOf<'override_set'>,
  { by, models }: { by: string; models: readonly string[] },
): Changed {
  const { overrides, session } = draft.state
  const unknown = (override?.models ?? []).find((id) => !models.includes(id))
  if (unknown !== undefined) {
    const message = `override.models: ${unknown} is not one of the models here`
    return { rejection: { code: 'unknown_model', message } }
  }
  const isNew = !overrides.some((one) => one.agentId === agentId)
  if (override !== null && isNew && overrides.length >= OVERRIDES_PER_SESSION) {
    const message = `at most ${OVERRIDES_PER_SESSION} agents can be changed in one session`
    return { rejection: { code: 'too_many_overrides', message } }
  }
  const seq = draft.add({ type: 'override_updated', agentId, override, by })
  // The mode of a session is one; an agent only says which it begins with.
  const mode = override?.mode
  if (mode !== undefined && agentId === session.agent && mode !== session.mode) {
    draft.add({ type: 'session_configured', changes: { mode } })
  }
  return { seq }
}

const refuse = (message: string): { rejection: Rejection } => ({
  rejection: { code: 'mission_state', message },
})
const NO_MISSION: { rejection: Rejection } = {
  rejection: { code: 'no_such_mission', message: 'no such mission here' },
}

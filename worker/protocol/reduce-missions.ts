// How missions and overrides change a session. Part of the reducer.

import type { EventOf, EventType } from './events.ts'
import { addMessage } from './reduce-messages.ts'
import type { SessionState } from './state.ts'
import type { IdlePromptTurn } from './turns.ts'

type Placed<T extends EventType> = EventOf<T> & { seq: number; at: number }

export function applyMissionUpdated(
  state: SessionState,
  event: Placed<'mission_updated'>,
): SessionState {
  const { mission, reason, seq, at } = event
  if (mission === null) return { ...state, mission: null }
  const held = state.mission?.missionId === mission.missionId ? state.mission : null
  const setSeq = held?.setSeq ?? seq
  const runId = held?.runId ?? null
  return { ...state, mission: { ...mission, setSeq, since: at, reason, runId } }
}

export function applyIdlePrompt(state: SessionState, event: Placed<'idle_prompt'>): SessionState {
  const { seq, at, missionId, text, n, of, runId } = event
  const { mission } = state
  const turn: IdlePromptTurn = { kind: 'idle_prompt', seq, at, missionId, text, n, of }
  const next = addMessage(state, event, turn, text)
  return mission?.missionId === missionId
    ? { ...next, mission: { ...mission, prompts: n, runId } }
    : next
}

export function applyOverrideUpdated(
  state: SessionState,
  { agentId, override }: EventOf<'override_updated'>,
): SessionState {
  const others = state.overrides.filter((one) => one.agentId !== agentId)
  return { ...state, overrides: override === null ? others : [...others, { agentId, override }] }
}

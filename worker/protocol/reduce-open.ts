// The response that is being written: found, opened, and what is noted in it. Part of the reducer.

import { parseResponseId } from './ids.ts'
import { putNotice } from './reduce-parts.ts'
import type { SessionState } from './state.ts'
import type { NoticePart, Response, Turn } from './turns.ts'

export function applyNotice(
  state: SessionState,
  event: { seq: number; at: number },
  note: Omit<NoticePart, 'kind' | 'seq'>,
): SessionState {
  const notice: NoticePart = { kind: 'notice', seq: event.seq, ...note }
  if (state.run.status === 'running') {
    const target = { responseId: state.run.responseId, seq: event.seq, at: event.at }
    return withOpen(state, target, (open) => putNotice(open, notice))
  }
  return { ...state, turns: [...state.turns, { kind: 'notice', at: event.at, notice }] }
}

/** The response an event writes to; an unseen id opens it. */
export function withOpen(
  state: SessionState,
  event: { responseId: string; seq: number; at: number },
  change: (open: Response) => Response,
): SessionState {
  const held = state.open
  if (held?.responseId === event.responseId) return { ...state, open: change(held) }
  // What was open is not dropped with the place it had.
  const turns: readonly Turn[] =
    held === null || held.parts.length === 0
      ? state.turns
      : [...state.turns, { kind: 'assistant', end: null, ...held }]
  return { ...state, turns, open: change(newResponse(state, event)) }
}

export function newResponse(
  state: SessionState,
  event: { responseId: string; seq: number; at: number },
): Response {
  const { run } = state
  return {
    responseId: event.responseId,
    runId: parseResponseId(event.responseId).runId,
    ...(run.status === 'running' && run.exchangeId !== undefined
      ? { exchangeId: run.exchangeId }
      : {}),
    model: run.status === 'running' ? run.model : state.session.model,
    agent: run.status === 'running' ? run.agent : state.session.agent,
    seq: event.seq,
    at: event.at,
    parts: [],
  }
}

// How a message, whoever sent it, changes a session. Part of the reducer.

import type { EventOf } from './events.ts'
import { parseResponseId, toResponseId } from './ids.ts'
import { applyCallback, toCallbackView } from './reduce-agents.ts'
import { applyNotice, newResponse } from './reduce-open.ts'
import type { SessionState } from './state.ts'
import { shorten } from './text.ts'
import type { Turn } from './turns.ts'

/** Enough of the first message to make a title of. */
const FIRST_TEXT_CHARS = 200

export function applyUserMessage(
  state: SessionState,
  event: EventOf<'user_message'> & { seq: number; at: number },
): SessionState {
  const turn: Turn = {
    kind: 'user',
    seq: event.seq,
    at: event.at,
    messageId: event.messageId,
    text: event.text,
    attachments: event.attachments,
    delivery: event.delivery,
    ...(event.to === undefined ? {} : { to: event.to }),
  }
  return addMessage(state, event, turn, event.text)
}

/** A message that the agent answers, whoever sent it. */
export function addMessage(
  state: SessionState,
  event: { seq: number; at: number },
  turn: Turn,
  text: string,
): SessionState {
  const settled = settleBySteer(state)
  return {
    ...settled,
    turns: [...settled.turns, turn],
    open: openAfterSteer(settled, event),
    session: {
      ...settled.session,
      firstText: settled.session.firstText ?? shorten(text, FIRST_TEXT_CHARS),
      updatedAt: event.at,
      messages: settled.session.messages + 1,
    },
  }
}

export function applyAgentMessage(
  state: SessionState,
  event: EventOf<'agent_message'> & { seq: number; at: number },
): SessionState {
  const { seq, at, messageId, from, fromSessionId, exchangeId, text } = event
  const turn: Turn = { kind: 'agent', seq, at, messageId, from, fromSessionId, exchangeId, text }
  return addMessage(state, event, turn, text)
}

export function applyAgentCallback(
  state: SessionState,
  event: EventOf<'agent_callback_result'> & { seq: number; at: number },
): SessionState {
  const next = applyCallback(state, event)
  if (event.as === 'result') return next
  const { seq, at } = event
  const view = toCallbackView(event)
  const turn: Turn = { kind: 'callback', seq, at, ...view }
  if (event.as === 'message') return addMessage(next, event, turn, event.result)
  if (next.run.status === 'idle') return { ...next, turns: [...next.turns, turn] }
  // Another run speaks by now: its answer must not be cut for it.
  const message = `${event.from} ${event.ok ? 'answered' : 'did not answer'}, and nothing followed.`
  return applyNotice(next, event, { level: 'info', code: 'late_answer', message, answer: view })
}

/** A message that enters a running run settles the answer so far. */
function settleBySteer(state: SessionState): SessionState {
  const { run, open } = state
  if (run.status !== 'running' || open === null || open.parts.length === 0) return state
  const { n } = parseResponseId(open.responseId)
  return {
    ...state,
    turns: [...state.turns, { kind: 'assistant', end: null, ...open }],
    run: { ...run, responseId: toResponseId(run.runId, n + 1) },
  }
}

/**
 * The next answer starts below the message. It opens here and not at its first word: that may be
 * a delta, which a replay leaves out.
 */
function openAfterSteer(
  state: SessionState,
  event: { seq: number; at: number },
): SessionState['open'] {
  const { run } = state
  if (run.status !== 'running') return state.open
  return newResponse(state, { responseId: run.responseId, seq: event.seq, at: event.at })
}

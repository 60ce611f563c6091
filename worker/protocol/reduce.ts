// THE reducer. Object, browser, terminal and tests fold with this and nothing else, so live and
// reloaded views cannot differ. Leaving out deltas that a later `*_done` or `tool_result`
// superseded must not change the outcome: that is why those events carry everything.

import type { EventOf, SessionEvent, SessionChanges } from './events.ts'
import { parseResponseId, toResponseId } from './ids.ts'
import {
  applyDelta,
  applyTextDone,
  newText,
  newToolCall,
  putPart,
  settleTool,
} from './reduce-parts.ts'
import type {
  AssistantTurn,
  NoticePart,
  Response,
  RunEnd,
  SessionState,
  ToolPart,
  Turn,
} from './state.ts'
import { EMPTY_STATE } from './state.ts'
import { shorten, spliceAt } from './text.ts'

/** Enough of the first message to make a title of. */
const FIRST_TEXT_CHARS = 200

export function fold(
  events: Iterable<SessionEvent>,
  from: SessionState = EMPTY_STATE,
): SessionState {
  let state = from
  for (const event of events) state = applyEvent(state, event)
  return state
}

/** Events at or below the state's seq were folded already and change nothing. */
export function applyEvent(state: SessionState, event: SessionEvent): SessionState {
  if (event.seq <= state.seq) return state
  return { ...reduce(state, event), seq: event.seq }
}

function reduce(state: SessionState, event: SessionEvent): SessionState {
  switch (event.type) {
    case 'session_created':
      return {
        ...state,
        session: {
          ...state.session,
          id: event.sessionId,
          agent: event.agent,
          model: event.model,
          createdAt: event.at,
          updatedAt: event.at,
        },
      }
    case 'session_configured':
      return { ...state, session: { ...state.session, ...withoutUndefined(event.changes) } }
    case 'session_cleared':
      return {
        ...state,
        turns: [],
        open: null,
        session: { ...state.session, messages: 0, clearedSeq: event.seq },
      }
    case 'user_message':
      return applyUserMessage(state, event)
    case 'queue_updated':
      return { ...state, queue: { items: event.items, held: event.held } }
    case 'run_started':
      return applyRunStarted(state, event)
    case 'text_delta':
      return withOpen(state, event, (open) => applyDelta(open, 'text', event))
    case 'thinking_delta':
      return withOpen(state, event, (open) => applyDelta(open, 'thinking', event))
    case 'text_done':
      return withOpen(state, event, (open) => applyTextDone(open, 'text', event))
    case 'thinking_done':
      return withOpen(state, event, (open) => applyTextDone(open, 'thinking', event))
    case 'thinking_start':
      return withOpen(state, event, (open) => putPart(open, newText('thinking', event)))
    case 'tool_call_start':
      return withOpen(state, event, (open) => putPart(open, newToolCall(event)))
    case 'tool_output_delta':
      return updateTool(state, event.callId, (tool) => ({
        ...tool,
        output: spliceAt(tool.output, event.offset, event.delta),
      }))
    case 'tool_result':
      return updateTool(state, event.callId, (tool) => settleTool(tool, event))
    case 'warning':
    case 'error':
      return applyNotice(state, event)
    case 'output_cancelled':
      return applyOutputCancelled(state, event)
    case 'run_done':
      return applyRunDone(state, event)
    default:
      // A newer server's event: an old tab keeps its place and is told to reload by the version.
      return state
  }
}

function applyUserMessage(
  state: SessionState,
  event: EventOf<'user_message'> & { seq: number; at: number },
): SessionState {
  const settled = settleBySteer(state)
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
  return {
    ...settled,
    turns: [...settled.turns, turn],
    open: openAfterSteer(settled, event),
    session: {
      ...settled.session,
      firstText: settled.session.firstText ?? shorten(event.text, FIRST_TEXT_CHARS),
      updatedAt: event.at,
      messages: settled.session.messages + 1,
    },
  }
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

function applyRunStarted(
  state: SessionState,
  event: EventOf<'run_started'> & { seq: number; at: number },
): SessionState {
  const continued = state.run.status === 'running' && state.run.runId === event.runId
  const run: SessionState['run'] = {
    status: 'running',
    runId: event.runId,
    responseId: event.responseId,
    model: event.model,
    agent: event.agent,
    attempt: event.attempt,
    startedAt: continued && state.run.status === 'running' ? state.run.startedAt : event.at,
  }
  const next = { ...state, run, session: { ...state.session, updatedAt: event.at } }
  return withOpen(next, event, (open) => open)
}

function applyOutputCancelled(
  state: SessionState,
  event: EventOf<'output_cancelled'> & { seq: number; at: number },
): SessionState {
  const next = withOpen(state, event, (open) => open)
  if (next.run.status !== 'running') return next
  return { ...next, run: { ...next.run, cancelled: { by: event.by, reason: event.reason } } }
}

function applyRunDone(
  state: SessionState,
  event: EventOf<'run_done'> & { seq: number; at: number },
): SessionState {
  const { run } = state
  const end: RunEnd = {
    outcome: event.outcome,
    stopReason: event.stopReason,
    usage: event.usage,
    durationMs: event.durationMs,
    ...(run.status === 'running' ? run.cancelled : {}),
  }
  const turns: readonly Turn[] =
    state.open === null
      ? state.turns
      : [...state.turns, { kind: 'assistant', end, ...state.open } satisfies AssistantTurn]
  return {
    ...state,
    turns,
    open: null,
    run: { status: 'idle' },
    lastRun: { runId: event.runId, outcome: event.outcome, seq: event.seq },
    usage: addUsage(state.usage, event.usage),
    session: { ...state.session, updatedAt: event.at },
  }
}

function addUsage(
  total: SessionState['usage'],
  usage: EventOf<'run_done'>['usage'],
): SessionState['usage'] {
  const costUsd =
    total.costUsd === undefined && usage.costUsd === undefined
      ? {}
      : { costUsd: (total.costUsd ?? 0) + (usage.costUsd ?? 0) }
  return {
    inputTokens: total.inputTokens + usage.inputTokens,
    outputTokens: total.outputTokens + usage.outputTokens,
    cachedTokens: total.cachedTokens + usage.cachedTokens,
    runs: total.runs + 1,
    ...costUsd,
  }
}

function applyNotice(
  state: SessionState,
  event: EventOf<'warning' | 'error'> & { seq: number; at: number },
): SessionState {
  const notice: NoticePart = {
    kind: 'notice',
    seq: event.seq,
    level: event.type,
    code: event.code,
    message: event.message,
  }
  if (state.run.status === 'running') {
    const target = { responseId: state.run.responseId, seq: event.seq, at: event.at }
    return withOpen(state, target, (open) => putPart(open, notice))
  }
  return { ...state, turns: [...state.turns, { kind: 'notice', at: event.at, notice }] }
}

/** The response an event writes to; an unseen id opens it. */
function withOpen(
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

function newResponse(
  state: SessionState,
  event: { responseId: string; seq: number; at: number },
): Response {
  const { run } = state
  return {
    responseId: event.responseId,
    runId: parseResponseId(event.responseId).runId,
    model: run.status === 'running' ? run.model : state.session.model,
    agent: run.status === 'running' ? run.agent : state.session.agent,
    seq: event.seq,
    at: event.at,
    parts: [],
  }
}

function updateTool(
  state: SessionState,
  callId: string,
  change: (tool: ToolPart) => ToolPart,
): SessionState {
  const { open } = state
  if (open === null) return state
  const index = open.parts.findLastIndex((p) => p.kind === 'tool' && p.callId === callId)
  if (index < 0) return state
  const parts = open.parts.with(index, change(open.parts[index] as ToolPart))
  return { ...state, open: { ...open, parts } }
}

function withoutUndefined(changes: SessionChanges): Partial<SessionState['session']> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
}

// The runs of a session, read from its log: nothing is stored for them (docs/decisions/0001).

import type { EventOf, SessionEvent } from '#protocol/events'
import type { RunCall, RunRecord } from '#protocol/http'
import { parseResponseId } from '#protocol/ids'
import { applyEvent } from '#protocol/reduce'
import { EMPTY_STATE, type SessionState } from '#protocol/state'

/** A page of records stays small; the whole result is in the session's events. */
const RESULT_CHARS = 300

type Draft = Omit<RunRecord, 'response_ids' | 'tool_calls'> & {
  response_ids: string[]
  tool_calls: RunCall[]
}
type Started = EventOf<'run_started'> & { at: number }

/**
 * Oldest first. The events may begin anywhere; of a run whose `run_started` is not among them
 * there is no record. Superseded deltas may be left out.
 */
export function toRunRecords(sessionId: string, events: Iterable<SessionEvent>): RunRecord[] {
  const runs = new Map<string, Draft>()
  const calls = new Map<string, RunCall>()
  let state: SessionState = EMPTY_STATE
  for (const event of events) {
    state = withoutTurns(applyEvent(state, event))
    applyToRuns(runs, calls, sessionId, event)
    // Which response a steer opens is the reducer's to say, and nobody else's.
    if (state.run.status === 'running') addResponse(runs.get(state.run.runId), state.run.responseId)
  }
  return [...runs.values()]
}

const withoutTurns = (state: SessionState): SessionState =>
  state.turns.length === 0 ? state : { ...state, turns: [] }

function applyToRuns(
  runs: Map<string, Draft>,
  calls: Map<string, RunCall>,
  sessionId: string,
  event: SessionEvent,
): void {
  if ('responseId' in event) {
    addResponse(runs.get(parseResponseId(event.responseId).runId), event.responseId)
  }
  switch (event.type) {
    case 'run_started':
      runs.set(event.runId, start(runs.get(event.runId), sessionId, event))
      return
    case 'model_fallback':
      change(runs.get(event.runId), { actual_model: event.actual })
      return
    case 'tool_call_start': {
      const call = {
        call_id: event.callId,
        tool: event.toolName,
        ok: null,
        error_code: null,
        result: null,
        duration_ms: null,
      }
      calls.set(event.callId, call)
      runs.get(parseResponseId(event.responseId).runId)?.tool_calls.push(call)
      return
    }
    case 'tool_result': {
      const call = calls.get(event.callId)
      if (call === undefined) return
      const { ok, error, result, durationMs } = event
      Object.assign(call, {
        ok,
        error_code: error?.code ?? null,
        result: beginningOf(ok ? result : error?.message),
        duration_ms: durationMs,
      } satisfies Partial<RunCall>)
      return
    }
    case 'run_done':
      change(runs.get(event.runId), {
        state: 'ended',
        outcome: event.outcome,
        stop_reason: event.stopReason,
        ended_at: event.at,
        duration_ms: event.durationMs,
        usage: event.usage,
      })
      return
    default:
  }
}

/** A continuation goes on with the model that answered last, which need not be the preferred one. */
function start(known: Draft | undefined, sessionId: string, event: Started): Draft {
  if (known !== undefined) return { ...known, attempt: event.attempt, actual_model: event.model }
  return {
    run_id: event.runId,
    session_id: sessionId,
    agent_id: event.agent,
    kind: event.kind ?? 'answer',
    model: event.model,
    actual_model: event.model,
    state: 'running',
    outcome: null,
    stop_reason: null,
    attempt: event.attempt,
    started_at: event.at,
    ended_at: null,
    duration_ms: null,
    usage: null,
    response_ids: [event.responseId],
    tool_calls: [],
    parent_run_id: event.parentRunId ?? null,
    exchange_id: event.exchangeId ?? null,
  }
}

const beginningOf = (text: string | undefined): string | null =>
  text === undefined ? null : text.slice(0, RESULT_CHARS).toWellFormed()

function change(run: Draft | undefined, fields: Partial<Draft>): void {
  if (run !== undefined) Object.assign(run, fields)
}

function addResponse(run: Draft | undefined, responseId: string): void {
  if (run !== undefined && !run.response_ids.includes(responseId)) run.response_ids.push(responseId)
}

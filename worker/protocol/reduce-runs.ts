// How a run begins, is counted and ends. Part of the reducer.

import type { EventOf, Usage } from './events.ts'
import { addresseeOf, closeContacts } from './reduce-agents.ts'
import { withWaiting } from './reduce-decisions.ts'
import { applyNotice, withOpen } from './reduce-open.ts'
import type { EndedRun, RunState, SessionState } from './state.ts'
import type { AssistantTurn, RunEnd, Turn } from './turns.ts'
import { addUsage, NO_USAGE } from './usage.ts'

export function applyRunStarted(
  state: SessionState,
  event: EventOf<'run_started'> & { seq: number; at: number },
): SessionState {
  const earlier =
    state.run.status === 'running' && state.run.runId === event.runId ? state.run : null
  const run: SessionState['run'] = {
    status: 'running',
    runId: event.runId,
    responseId: event.responseId,
    model: event.model,
    agent: event.agent,
    attempt: event.attempt,
    kind: event.kind ?? 'answer',
    startedAt: earlier?.startedAt ?? event.at,
    ...(earlier?.usage !== undefined && { usage: earlier.usage }),
    ...(event.parentRunId !== undefined && { parentRunId: event.parentRunId }),
    ...(event.exchangeId !== undefined && { exchangeId: event.exchangeId }),
    ...(event.asker !== undefined && { asker: event.asker }),
    ...(event.mode !== undefined && { mode: event.mode }),
    ...(earlier?.spent !== undefined && { spent: earlier.spent }),
    ...(earlier?.contacts !== undefined && { contacts: earlier.contacts }),
  }
  const next = { ...state, run, session: { ...state.session, updatedAt: event.at } }
  return withWaiting(withOpen(next, event, (open) => open))
}

export function applyOutputCancelled(
  state: SessionState,
  event: EventOf<'output_cancelled'> & { seq: number; at: number },
): SessionState {
  const next = withOpen(state, event, (open) => open)
  if (next.run.status !== 'running') return next
  return { ...next, run: { ...next.run, cancelled: { by: event.by, reason: event.reason } } }
}

export function applyRunDone(
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
    ...closeContacts(state, event),
    turns,
    open: null,
    run: { status: 'idle' },
    lastRun: { runId: event.runId, outcome: event.outcome, seq: event.seq, ...goesOnAs(state) },
    usage: { ...addUsage(state.usage, event.usage), runs: state.usage.runs + 1 },
    session: { ...state.session, updatedAt: event.at },
  }
}

/** Who answers where this run is continued; making room in between changes nothing of that. */
function goesOnAs({ run, lastRun }: SessionState): Pick<EndedRun, 'addressee'> {
  const isCompact = run.status === 'running' && run.kind === 'compact'
  const addressee = isCompact ? lastRun?.addressee : addresseeOf(run)
  return addressee === undefined ? {} : { addressee }
}

/** The run goes on with another model; what was streamed stays. */
export function applyFallback(
  state: SessionState,
  event: EventOf<'model_fallback'> & { seq: number; at: number },
): SessionState {
  const { preferred, actual, reason } = event
  const note = { level: 'warning', code: event.type, message: reason } as const
  const next = applyNotice(state, event, { ...note, fallback: { preferred, actual } })
  return next.run.status === 'running' ? { ...next, run: { ...next.run, model: actual } } : next
}

export function applyContextUsage(
  state: SessionState,
  event: EventOf<'context_usage'>,
): SessionState {
  const { messages, tokens, window, compacted, estimate } = event
  const upToSeq = state.context?.upToSeq ?? 0
  const context = { messages, tokens, window, compacted, estimate, upToSeq }
  return { ...state, context, run: withUsage(state.run, event) }
}

function withUsage(run: RunState, { usage }: { usage?: Usage | undefined }): RunState {
  if (run.status !== 'running' || usage === undefined) return run
  return { ...run, usage: addUsage(run.usage ?? NO_USAGE, usage) }
}

export function applyCompacted(
  state: SessionState,
  event: EventOf<'compacted'> & { seq: number; at: number },
): SessionState {
  const known = state.context ?? { messages: 0, tokens: 0, window: 0, estimate: 0 }
  const context = { ...known, compacted: true, upToSeq: event.upToSeq }
  const next = { ...state, context, run: withUsage(state.run, event) }
  return applyNotice(next, event, { level: 'info', code: event.type, message: event.summary })
}

// How exchanges and children change a session. Part of the reducer.

import type { Callback } from './agent-events.ts'
import type { Addressee, EventOf, EventType, Outcome } from './events.ts'
import { CHILD_SECONDS } from './limits.ts'
import { updateTool, withWaiting } from './reduce-decisions.ts'
import type { OpenExchange, RunState, SessionState } from './state.ts'
import type { CallbackView, ChildView } from './turns.ts'

type Running = Extract<RunState, { status: 'running' }>

type Placed<T extends EventType> = EventOf<T> & { seq: number; at: number }

/** The agent of a run that a message was addressed to; undefined: it is the session's own. */
export function addresseeOf(run: RunState): Addressee | undefined {
  if (run.status !== 'running' || run.mode === undefined) return undefined
  return { agent: run.agent, model: run.model, mode: run.mode }
}

export function applyExchangeStarted(
  state: SessionState,
  event: Placed<'exchange_started'>,
): SessionState {
  const { exchangeId, callId, runId, toSessionId, toAgent, text, wait } = event
  const { hops, budget, expiresAt } = event
  const addressee = addresseeOf(state.run)
  const open: OpenExchange = {
    exchangeId,
    callId,
    runId,
    toSessionId,
    toAgent,
    wait,
    hops,
    budget,
    expiresAt,
    ...(addressee !== undefined && { addressee }),
  }
  const exchange = { exchangeId, toSessionId, toAgent, text, wait }
  const next = updateTool(state, callId, (tool) => ({ ...tool, exchange }))
  const run = spend(next.run, 1 + budget)
  return withWaiting({ ...next, run, exchanges: [...next.exchanges, open] })
}

/** What it comes to besides its place in the transcript. */
export function applyCallback(
  state: SessionState,
  event: Placed<'agent_callback_result'>,
): SessionState {
  const { exchangeId, callId, budget } = event
  const open = state.exchanges.find((one) => one.exchangeId === exchangeId)
  const exchanges = state.exchanges.filter((one) => one !== open)
  const closed = { ...state, exchanges, run: giveBack(state.run, open?.runId, budget) }
  if (event.as !== 'result' || callId === undefined) return withWaiting(closed)
  const answered = updateTool(closed, callId, (tool) =>
    tool.exchange === undefined
      ? tool
      : { ...tool, exchange: { ...tool.exchange, answer: toCallback(event) } },
  )
  return withWaiting(answered)
}

export function toCallback(event: Callback): Callback {
  const { exchangeId, from, sessionId, runId, ok, result, toolCalls } = event
  return { exchangeId, from, sessionId, runId, ok, result, toolCalls }
}

export const toCallbackView = (event: EventOf<'agent_callback_result'>): CallbackView => ({
  callback: toCallback(event),
  isRecord: event.as === 'record',
  ...(event.because !== undefined && { because: event.because }),
})

export function applySpawned(state: SessionState, event: Placed<'subagent_spawned'>): SessionState {
  const { runId, callId, childSessionId, childRunId, agent, task, budget } = event
  const status = 'running' as const
  const child: ChildView = {
    childSessionId,
    childRunId,
    agent,
    task,
    status,
    activity: '',
    tools: 0,
    startedAt: event.at,
  }
  const expiresAt = event.at + CHILD_SECONDS * 1000
  const ids = { childSessionId, childRunId, callId, runId }
  const open = { ...ids, agent, budget, expiresAt, status, waits: [] }
  const next = updateTool(state, callId, (tool) => ({ ...tool, child }))
  const run = spend(next.run, 1 + budget)
  return withWaiting({ ...next, run, children: [...next.children, open] })
}

export function applyProgress(state: SessionState, event: EventOf<'subagent_progress'>) {
  const { childRunId, status, activity, tools, waits } = event
  const child = state.children.find((one) => one.childRunId === childRunId)
  if (child === undefined) return state
  const children = state.children.map((one) => (one === child ? { ...one, status, waits } : one))
  return updateChild({ ...state, children }, child.callId, { status, activity, tools })
}

export function applyChildResult(
  state: SessionState,
  event: EventOf<'subagent_result'>,
): SessionState {
  const { childRunId, outcome, summary, tools, durationMs, budget } = event
  const child = state.children.find((one) => one.childRunId === childRunId)
  if (child === undefined) return state
  const children = state.children.filter((one) => one !== child)
  const next = { ...state, children, run: giveBack(state.run, child.runId, budget) }
  const end = { status: outcome, summary, tools, durationMs }
  return withWaiting(updateChild(next, child.callId, end))
}

const updateChild = (
  state: SessionState,
  callId: string,
  fields: Partial<ChildView>,
): SessionState =>
  updateTool(state, callId, (tool) =>
    tool.child === undefined ? tool : { ...tool, child: { ...tool.child, ...fields } },
  )

/** A run that is over waits for nobody; what it had asked for is still answered, for the record. */
export function closeContacts(state: SessionState, { outcome }: EventOf<'run_done'>): SessionState {
  const { run, exchanges, children } = state
  if (run.status !== 'running' || exchanges.length + children.length === 0) return state
  const left = leftExchanges(state, run, outcome)
  return {
    ...state,
    exchanges: exchanges.map((one) => (left.includes(one) ? { ...one, cancelled: true } : one)),
    children: children.filter((child) => child.runId !== run.runId),
  }
}

/**
 * What nobody wants any more when a run ends. What it did not wait for comes back later, unless it
 * was cancelled, or worked for others in a child: of a tree that is over nothing may begin again.
 */
export function leftExchanges(
  { exchanges, session }: Pick<SessionState, 'exchanges' | 'session'>,
  run: Running,
  outcome: Outcome,
): OpenExchange[] {
  const isOfTree = session.origin?.parent !== undefined && run.parentRunId !== undefined
  const isOver = outcome === 'cancelled' || isOfTree
  return exchanges.filter(({ runId, wait }) => runId === run.runId && (wait || isOver))
}

function spend(run: RunState, budget: number): RunState {
  if (run.status !== 'running') return run
  return { ...run, spent: (run.spent ?? 0) + budget, contacts: (run.contacts ?? 0) + 1 }
}

function giveBack(run: RunState, runId: string | undefined, budget: number): RunState {
  if (run.status !== 'running' || run.runId !== runId || budget === 0) return run
  return { ...run, spent: Math.max(0, (run.spent ?? 0) - budget) }
}

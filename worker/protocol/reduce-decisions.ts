// How decisions, questions and plans change a session. Part of the reducer.

import type { EventOf, EventType } from './events.ts'
import type { HotState, OpenDecision, RunState, SessionState } from './state.ts'
import { isTextPart, type DecisionView, type ToolPart } from './turns.ts'
import { shorten } from './text.ts'

type Placed<T extends EventType> = EventOf<T> & { at: number }

const TITLE_CHARS = 200

/** What a decision is about, in one line. Where that is not all of it, it ends in an ellipsis. */
function titleOf(event: EventOf<'decision_requested'>, tool: ToolPart | undefined): string {
  const whole = event.command ?? event.path ?? event.plan?.title ?? tool?.toolName ?? event.kind
  const line = shorten(whole.split('\n', 1)[0] ?? '', TITLE_CHARS)
  return line === whole ? line : `${shorten(line, TITLE_CHARS - 1)}…`
}

export function applyDecisionRequested(
  state: SessionState,
  event: Placed<'decision_requested'>,
): SessionState {
  const { callId, decisionId, kind, severity, reason, expiresAt } = event
  const decision: OpenDecision = {
    decisionId,
    callId,
    kind,
    severity,
    reason,
    title: titleOf(event, findTool(state, callId)),
    at: event.at,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
  const next = updateTool(state, callId, (tool) => ({ ...tool, decision: toView(event) }))
  return withWaiting({ ...next, decisions: [...next.decisions, decision] })
}

function toView(event: EventOf<'decision_requested'>): DecisionView {
  const { decisionId, kind, severity, reason } = event
  const { command, cwd, path, diff, arguments: args, plan, remember, expiresAt } = event
  return {
    decisionId,
    kind,
    status: 'pending',
    severity,
    reason,
    ...(command === undefined ? {} : { command }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(path === undefined ? {} : { path }),
    ...(diff === undefined ? {} : { diff }),
    ...(args === undefined ? {} : { arguments: args }),
    ...(plan === undefined ? {} : { plan }),
    ...(remember === undefined ? {} : { remember }),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
}

export function applyDecisionResolved(
  state: SessionState,
  event: Placed<'decision_resolved'>,
): SessionState {
  const { callId, kind, status, by, at, auto, severity, reason, edits, scope } = event
  const next = updateTool(state, callId, (tool) => ({
    ...tool,
    decision: {
      ...(tool.decision ?? { decisionId: null, kind, reason: reason ?? '' }),
      status,
      severity,
      by,
      at,
      scope,
      ...(auto === undefined ? {} : { auto }),
      ...(reason === undefined || auto === true ? {} : { note: reason }),
      ...(edits === undefined ? {} : { edits }),
    },
  }))
  const decisions = next.decisions.filter(({ decisionId }) => decisionId !== event.decisionId)
  return withWaiting({ ...next, decisions, run: withPlanApproved(next.run, event) })
}

/** An addressed agent that was to plan first may act on what was approved. */
function withPlanApproved(run: RunState, event: EventOf<'decision_resolved'>): RunState {
  const isApproved = event.kind === 'plan' && event.status === 'accepted'
  if (!isApproved || run.status !== 'running' || run.mode !== 'plan') return run
  return { ...run, mode: 'agent' }
}

export function applyAskUser(state: SessionState, event: Placed<'ask_user'>): SessionState {
  const { questionId, callId, at, expiresAt } = event
  const asked = {
    questionId,
    questions: event.questions,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
  const next = updateTool(state, callId, (tool) => ({ ...tool, question: asked }))
  const open = { ...asked, callId, at }
  return withWaiting({ ...next, questions: [...next.questions, open] })
}

export function applyAnswered(
  state: SessionState,
  event: Placed<'ask_user_answered'>,
): SessionState {
  const { questionId, callId, answers, by, at } = event
  const next = updateTool(state, callId, (tool) => {
    const { question } = tool
    return question === undefined ? tool : { ...tool, question: { ...question, answers, by, at } }
  })
  return withWaiting({ ...next, questions: without(next.questions, questionId) })
}

const without = (questions: SessionState['questions'], id: string): SessionState['questions'] =>
  questions.filter(({ questionId }) => questionId !== id)

/** A call that is settled waits for nobody, whatever settled it. */
export function closeWaits(state: SessionState, callId: string): SessionState {
  const isOther = (wait: { callId: string }): boolean => wait.callId !== callId
  const questions = state.questions.filter(isOther)
  const decisions = state.decisions.filter(isOther)
  const isSame =
    questions.length === state.questions.length && decisions.length === state.decisions.length
  return withWaiting(isSame ? state : { ...state, questions, decisions })
}

/** Whether everything that is open in the run waits for a person, another agent or a child. */
export function withWaiting(state: SessionState): SessionState {
  const { run } = state
  if (run.status !== 'running') return state
  const waits = waitingCalls(state)
  const isWaiting = waits.size > 0 && !isExecuting(state, waits)
  if ((run.waiting === true) === isWaiting) return state
  const { waiting: _waiting, ...rest } = run
  const next: RunState = isWaiting ? { ...rest, waiting: true } : rest
  return { ...state, run: next }
}

/** Calls of the active run that somebody else has to answer before it can go on. */
export function waitingCalls(state: HotState): ReadonlySet<string> {
  const { run, decisions, questions, children, exchanges } = state
  const runId = run.status === 'running' ? run.runId : null
  const awaited = exchanges.filter((one) => one.wait && one.runId === runId)
  return new Set([...decisions, ...questions, ...children, ...awaited].map(({ callId }) => callId))
}

function isExecuting(state: SessionState, waits: ReadonlySet<string>): boolean {
  const parts = state.open?.parts ?? []
  return parts.some((part) => {
    if (part.kind === 'tool') return part.status === 'pending' && !waits.has(part.callId)
    return isTextPart(part) && part.state === 'open'
  })
}

export const findTool = (state: SessionState, callId: string): ToolPart | undefined =>
  state.open?.parts.findLast(
    (part): part is ToolPart => part.kind === 'tool' && part.callId === callId,
  )

export function updateTool(
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

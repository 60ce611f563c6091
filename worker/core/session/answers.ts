// What an answer comes to, as events: the decision itself, and the result of its call where the
// call is not to be run. Pure, and part of `decide`.

import type { CommandOf } from '#protocol/commands'
import type { Answers, Edits, Question, SavedRule, Severity } from '#protocol/decision-events'
import type { ToolErrorCode } from '#protocol/events'
import type { Rejection } from '#protocol/http'
import { toDecisionId, toQuestionId } from '#protocol/ids'
import { findTool } from '#protocol/reduce-decisions'
import type { OpenDecision, OpenQuestion } from '#protocol/state'
import type { ToolPart } from '#protocol/turns'
import type { AgentAssist } from './addressee.ts'
import type { DecideContext } from './decide-types.ts'
import type { Draft } from './draft.ts'
import type { FilesAssist } from './file-commands.ts'
import type { WaitRequest } from './tool-calls.ts'

/**
 * What had to be looked up before a command could be decided: judging a command needs a parser that
 * is loaded on demand, and contents of files are read and hashed.
 */
export type Assist = DecideAssist | FilesAssist | AgentAssist

export type DecideAssist = {
  type: 'decide'
  /** The edit cannot be taken. */
  problem?: string
  /** Of the edited call. */
  severity?: Severity
  /** "Do not ask again", for this session. */
  rule?: SavedRule
  /** …and for all of its owner: kept elsewhere, once the decision is made. */
  ownerRule?: SavedRule
}

const NOBODY = 'server'

export type Taken = { seq: number; callId: string } | { rejection: Rejection }

/** Nothing is lost by asking: the question is in the log, and its answer finds the call there. */
export function askPerson(
  draft: Draft,
  callId: string,
  request: WaitRequest,
  { decisionMs, now }: DecideContext,
): void {
  const { decisions, questions: asked, session } = draft.state
  if (decisions.length + asked.length >= OPEN_WAITS) return refuseToAsk(draft, callId)
  const { id } = session
  const seq = draft.nextSeq
  const expiry = decisionMs === null ? {} : { expiresAt: now + decisionMs }
  if ('questions' in request) {
    const questions = [...request.questions]
    draft.add({ type: 'ask_user', questionId: toQuestionId(id, seq), callId, questions, ...expiry })
    return
  }
  const decisionId = toDecisionId(id, seq)
  draft.add({ type: 'decision_requested', decisionId, callId, ...request, ...expiry })
}

/** What is open is written with every change of the session, and a person has to look at it. */
const OPEN_WAITS = 20

function refuseToAsk(draft: Draft, callId: string): void {
  const tool = findTool(draft.state, callId)
  const message = `${OPEN_WAITS} calls wait for the person already. Go on when they are answered.`
  if (tool !== undefined)
    settleCall(draft, tool, { ok: false, error: { code: 'rate_limit_tools', message } })
}

export function takeDecision(
  draft: Draft,
  command: CommandOf<'decide'>,
  context: DecideContext,
): Taken {
  const { decisionId } = command
  const open = draft.state.decisions.find((one) => one.decisionId === decisionId)
  const tool = open === undefined ? undefined : findTool(draft.state, open.callId)
  if (open === undefined || tool === undefined) {
    return notOpen(decisionId, 'no_such_decision', context)
  }
  const assist = context.assist?.type === 'decide' ? context.assist : null
  if (assist?.problem !== undefined) return reject('invalid_edit', assist.problem)
  const seq = resolveDecision(draft, open, tool, command, context.by, assist)
  return { seq, callId: open.callId }
}

export function takeAnswer(
  draft: Draft,
  { questionId, answers }: CommandOf<'answer'>,
  context: DecideContext,
): Taken {
  const open = draft.state.questions.find((one) => one.questionId === questionId)
  if (open === undefined) return notOpen(questionId, 'no_such_question', context)
  const problem = findAnswerProblem(open.questions, answers)
  if (problem !== null) return reject('bad_request', `answers.${problem}`)
  return { seq: answerQuestion(draft, open, answers, context.by), callId: open.callId }
}

function notOpen(id: string, code: Rejection['code'], { wasAsked }: DecideContext): Taken {
  return wasAsked(id)
    ? reject('already_decided', 'this was answered already, or nobody waits for it any more')
    : reject(code, `nothing is asked as ${id}`)
}

const reject = (code: Rejection['code'], message: string): Taken => ({
  rejection: { code, message },
})

/** Returns the seq of the decision. */
function resolveDecision(
  draft: Draft,
  open: OpenDecision,
  tool: ToolPart,
  command: CommandOf<'decide'>,
  by: string,
  assist: DecideAssist | null,
): number {
  const { decisionId, callId, kind } = open
  const { verdict, reason, scope = 'once' } = command
  const edits = verdict === 'accept' ? toEdits(command) : undefined
  const seq = draft.add({
    type: 'decision_resolved',
    decisionId,
    callId,
    kind,
    status: verdict === 'accept' ? 'accepted' : 'rejected',
    by,
    severity: assist?.severity ?? open.severity,
    scope,
    ...(reason === undefined || reason.trim() === '' ? {} : { reason }),
    ...(edits === undefined ? {} : { edits }),
  })
  if (assist?.rule !== undefined) draft.add({ type: 'rule_added', rule: assist.rule })
  if (verdict === 'reject') deny(draft, tool, describeRejection(kind, reason))
  else if (kind === 'plan') approvePlan(draft, tool, edits)
  return seq
}

function toEdits({ edits = {} }: CommandOf<'decide'>): Edits | undefined {
  const given = Object.entries(edits).filter(([, value]) => value !== undefined)
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

function describeRejection(kind: OpenDecision['kind'], reason = ''): string {
  const what = kind === 'plan' ? 'The person did not approve this plan' : 'The person rejected this'
  const why = reason.trim() === '' ? 'and gave no reason' : `and said: ${reason.trim()}`
  return `${what}, ${why}`
}

/** A plan is not run: the person's yes is its result, and lets the agent act. */
function approvePlan(draft: Draft, tool: ToolPart, edits: Edits | undefined): void {
  const { run, session } = draft.state
  const plan = edits?.plan ?? tool.decision?.plan
  if (run.status !== 'running' || plan === undefined) return
  draft.add({ type: 'plan_update', runId: run.runId, plan })
  if (session.mode === 'plan') draft.add({ type: 'session_configured', changes: { mode: 'agent' } })
  const changed = edits?.plan === undefined ? '' : ' with changes'
  const text = `The person approved the plan${changed}. It is:\n${JSON.stringify(plan)}\nYou may act on it now.`
  settleCall(draft, tool, { ok: true, result: text })
}

/** False: its call is not there any more. */
export function expireDecision(draft: Draft, open: OpenDecision): boolean {
  const tool = findTool(draft.state, open.callId)
  if (tool === undefined) return false
  const { decisionId, callId, kind, severity } = open
  const end = { status: 'expired', by: NOBODY, severity, scope: 'once' } as const
  draft.add({ type: 'decision_resolved', decisionId, callId, kind, ...end })
  deny(draft, tool, 'Nobody decided in time, so this was not done.')
  return true
}

/** Closed by the result of its call, as every question is that has no answer. */
export function expireQuestion(draft: Draft, { callId }: OpenQuestion): boolean {
  const tool = findTool(draft.state, callId)
  if (tool !== undefined) deny(draft, tool, 'Nobody answered in time. Go on without an answer.')
  return tool !== undefined
}

const deny = (draft: Draft, tool: ToolPart, message: string): void =>
  settleCall(draft, tool, { ok: false, error: { code: 'tool_denied', message } })

type Outcome =
  | { ok: true; result: string }
  | { ok: false; error: { code: ToolErrorCode; message: string } }

/** The answer of a call that is not run here. */
export function settleCall(
  draft: Draft,
  { callId, toolName, startedAt }: ToolPart,
  outcome: Outcome,
): void {
  const durationMs = Math.max(0, draft.now - startedAt)
  draft.add({ type: 'tool_result', callId, toolName, ...outcome, durationMs })
}

/** The path of the wrong answer and what is wrong with it; null: nothing is. */
function findAnswerProblem(questions: readonly Question[], answers: Answers): string | null {
  for (const { id, options = [], multi = false, free = false } of questions) {
    const answer = Object.hasOwn(answers, id) ? answers[id] : undefined
    if (answer === undefined) return `${id}: is missing`
    const chosen = typeof answer === 'string' ? [answer] : answer
    if (typeof answer !== 'string' && !multi) return `${id}: expected one answer`
    if (chosen.some((text) => text.trim() === '')) return `${id}: must not be empty`
    const mayBeFree = free || options.length === 0
    if (!mayBeFree && chosen.some((text) => !options.includes(text))) {
      return `${id}: is not one of the options`
    }
  }
  const known = new Set(questions.map(({ id }) => id))
  const unknown = Object.keys(answers).find((id) => !known.has(id))
  return unknown === undefined ? null : `${unknown}: was not asked`
}

/** Returns the seq of the answer. */
function answerQuestion(
  draft: Draft,
  { questionId, callId, questions }: OpenQuestion,
  answers: Answers,
  by: string,
): number {
  const seq = draft.add({ type: 'ask_user_answered', questionId, callId, answers, by })
  const lines = questions.map(({ id, text }) => {
    const answer = answers[id] ?? ''
    return `${text}\n→ ${typeof answer === 'string' ? answer : answer.join(', ')}`
  })
  const tool = findTool(draft.state, callId)
  if (tool !== undefined) settleCall(draft, tool, { ok: true, result: lines.join('\n\n') })
  return seq
}

// What letters from other sessions come to, and what is sent when a run that others wait for, or
// that waits for others, ends. Pure, and part of `decide`.

import type { Callback, RecordReason } from '#protocol/agent-events'
import type { Outcome, QueueItem } from '#protocol/events'
import { TOOL_OUTPUT_BYTES } from '#protocol/limits'
import { leftExchanges, toCallback } from '#protocol/reduce-agents'
import { findTool } from '#protocol/reduce-decisions'
import type { HotState, OpenChild, OpenExchange, RunState, SessionState } from '#protocol/state'
import type { Part } from '#protocol/turns'
import { truncateUtf8 } from '#protocol/text'
import { settleCall } from './answers.ts'
import { budgetLeft } from './contacts.ts'
import type { Draft } from './draft.ts'
import type { Letter } from './letters.ts'

type Running = Extract<RunState, { status: 'running' }>
type Answered = Extract<Letter, { type: 'answer' }>
type ChildEnded = Extract<Letter, { type: 'child_result' }>

/** The queued item that a message of another agent is, until it is delivered. */
export const toQueueItem = ({
  exchangeId,
  runId,
  text,
  asker,
}: Extract<Letter, { type: 'message' }>): QueueItem => ({
  itemId: exchangeId,
  text,
  delivery: 'queue',
  from: asker.agent,
  exchange: { exchangeId, runId, asker },
})

/** The queued item that an answer is for an agent that did not wait for it. */
export const toCallbackItem = (
  callback: Callback,
  { hops, addressee }: OpenExchange,
  budget: number,
): QueueItem => ({
  itemId: callback.exchangeId,
  text: callback.result,
  delivery: 'steer',
  from: callback.from,
  ...(addressee !== undefined && { addressee }),
  callback: { ...callback, budget, hops },
})

export const findExchange = (state: HotState, exchangeId: string): OpenExchange | undefined =>
  state.exchanges.find((open) => open.exchangeId === exchangeId)

export const findChild = (state: HotState, childRunId: string): OpenChild | undefined =>
  state.children.find((open) => open.childRunId === childRunId)

/** Logs an answer where nobody has to be told, or the call that waits for it is to be settled. */
export function recordAnswer(
  draft: Draft,
  open: OpenExchange,
  { callback, budget }: Pick<Answered, 'callback' | 'budget'>,
  because?: RecordReason,
): void {
  const { callId, wait, cancelled, hops } = open
  const isRecord = cancelled === true || !wait
  draft.add({
    type: 'agent_callback_result',
    ...callback,
    as: isRecord ? 'record' : 'result',
    ...(isRecord ? {} : { callId }),
    ...(because !== undefined && { because }),
    budget,
    hops,
  })
  const tool = isRecord ? undefined : findTool(draft.state, callId)
  if (tool === undefined) return
  const { ok, result } = callback
  if (ok) return settleCall(draft, tool, { ok, result })
  settleCall(draft, tool, { ok, error: { code: 'tool_error', message: result } })
}

/** An answer that waited in the queue, and that nobody is to read any more. */
export function recordQueued(draft: Draft, { callback }: QueueItem, because?: RecordReason): void {
  const open = callback && findExchange(draft.state, callback.exchangeId)
  if (callback === undefined || open === undefined) return
  recordAnswer(draft, open, { callback: toCallback(callback), budget: callback.budget }, because)
}

/** Nobody here wants these answers any more: each is closed now, and whoever works on it is told. */
export function withdrawExchanges(
  draft: Draft,
  exchanges: readonly OpenExchange[],
  because: RecordReason,
): void {
  const { items } = draft.state.queue
  const idsAt = new Map<string, string[]>()
  for (const open of exchanges) {
    const { exchangeId, toSessionId, cancelled } = open
    const item = items.find(({ itemId }) => itemId === exchangeId)
    if (item !== undefined) {
      recordQueued(draft, item, because)
      continue
    }
    const callback = toFailedCallback(open, TAKEN_BACK)
    recordAnswer(draft, open, { callback, budget: 0 }, because)
    if (cancelled !== true) idsAt.set(toSessionId, [...(idsAt.get(toSessionId) ?? []), exchangeId])
  }
  for (const [to, exchangeIds] of idsAt) {
    draft.post(to, { type: 'cancel', exchangeIds, childRunIds: [] })
  }
}

const TAKEN_BACK = 'The message was taken back here before it was answered.'

/** What an exchange ends with where the other side cannot say anything. */
export const toFailedCallback = (
  { exchangeId, toAgent, toSessionId }: OpenExchange,
  result: string,
): Callback => ({
  exchangeId,
  from: toAgent,
  sessionId: toSessionId,
  runId: null,
  ok: false,
  result,
  toolCalls: [],
})

export function recordChildResult(draft: Draft, open: OpenChild, letter: ChildEnded): void {
  const { runId, callId } = open
  const { childRunId, outcome, summary, tools, durationMs, budget } = letter
  const end = { outcome, summary, tools, durationMs, budget }
  const tool = findTool(draft.state, callId)
  draft.add({ type: 'subagent_result', runId, childRunId, ...end })
  if (tool === undefined) return
  if (outcome === 'done') return settleCall(draft, tool, { ok: true, result: summary })
  const message = `The child ended without finishing (${outcome}). ${summary}`.trimEnd()
  settleCall(draft, tool, { ok: false, error: { code: 'tool_error', message } })
}

export const toFailedChild = ({ childRunId }: OpenChild, summary: string): ChildEnded => ({
  type: 'child_result',
  childRunId,
  outcome: 'failed',
  summary,
  tools: 0,
  durationMs: 0,
  budget: 0,
})

/** What a run has to say to those it worked for, at its end. Before `run_done`: what it said is open. */
export function answerAsker(draft: Draft, run: Running, outcome: Outcome): void {
  const { asker, exchangeId, runId } = run
  if (asker === undefined) return
  const { session, open } = draft.state
  const parts = open?.parts ?? []
  const { ok, text } = toResult(parts, outcome)
  const budget = budgetLeft(run)
  if (exchangeId !== undefined) {
    const { id: sessionId } = session
    const toolCalls = callsOf(parts)
    const callback = { exchangeId, from: run.agent, sessionId, runId, ok, result: text, toolCalls }
    draft.post(asker.sessionId, { type: 'answer', callback, budget })
    return
  }
  if (session.origin?.parent?.sessionId !== asker.sessionId || run.parentRunId === undefined) return
  const end = { outcome, summary: text, tools: countCalls(draft.state), budget }
  const durationMs = Math.max(0, draft.now - run.startedAt)
  draft.post(asker.sessionId, { type: 'child_result', childRunId: runId, ...end, durationMs })
}

/** Whoever works for a run that is over is told to stop. */
export function cancelContacts(draft: Draft, run: Running, outcome: Outcome): void {
  const { children } = draft.state
  const left = new Map<string, { exchangeIds: string[]; childRunIds: string[] }>()
  const leftAt = (sessionId: string) => {
    const held = left.get(sessionId) ?? { exchangeIds: [], childRunIds: [] }
    left.set(sessionId, held)
    return held
  }
  for (const { toSessionId, exchangeId } of leftExchanges(draft.state, run, outcome)) {
    leftAt(toSessionId).exchangeIds.push(exchangeId)
  }
  for (const { runId, childSessionId, childRunId } of children) {
    if (runId === run.runId) leftAt(childSessionId).childRunIds.push(childRunId)
  }
  for (const [to, what] of left) draft.post(to, { type: 'cancel', ...what })
}

/** A message that waited in the queue was taken back: whoever sent it should not wait for it. */
export function answerWithdrawn(draft: Draft, item: QueueItem, why: string): void {
  const { exchange } = item
  if (exchange === undefined) return
  const { exchangeId, asker } = exchange
  const { id: sessionId, agent: from } = draft.state.session
  const callback = { exchangeId, from, sessionId, runId: null, ok: false, result: why }
  const { budget } = asker
  const letter: Answered = { type: 'answer', callback: { ...callback, toolCalls: [] }, budget }
  draft.post(asker.sessionId, letter)
}

/** The words that follow the last call; where there are none, all that was said. */
function toResult(parts: readonly Part[], outcome: Outcome): { ok: boolean; text: string } {
  const lastCall = parts.findLastIndex(({ kind }) => kind === 'tool')
  const said = textOf(parts.slice(lastCall + 1)) || textOf(parts)
  const { text } = truncateUtf8(said, TOOL_OUTPUT_BYTES)
  if (outcome === 'done')
    return { ok: true, text: text === '' ? '(It ended without a word.)' : text }
  const words = text === '' ? '' : `\nSaid so far: ${text}`
  return { ok: false, text: truncateUtf8(`${WHY[outcome]}${words}`, TOOL_OUTPUT_BYTES).text }
}

const WHY: Record<Exclude<Outcome, 'done'>, string> = {
  cancelled: 'It was cancelled before it had answered.',
  failed: 'It failed before it had answered.',
  interrupted: 'It was interrupted before it had answered.',
  step_limit: 'It reached its limit of steps before it had answered.',
}

const textOf = (parts: readonly Part[]): string =>
  parts
    .flatMap((part) => (part.kind === 'text' ? [part.text] : []))
    .join('\n\n')
    .trim()

/** Named in what is logged on the other side: enough to see what it did. */
const NAMED_CALLS = 50

const callsOf = (parts: readonly Part[]): Callback['toolCalls'] =>
  parts
    .flatMap((part) =>
      part.kind === 'tool'
        ? [{ callId: part.callId, toolName: part.toolName, ok: part.status === 'success' }]
        : [],
    )
    .slice(-NAMED_CALLS)

export const countCalls = ({ open }: SessionState): number =>
  (open?.parts ?? []).filter(({ kind }) => kind === 'tool').length

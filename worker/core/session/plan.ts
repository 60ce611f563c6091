// What every decision is put together from: messages delivered and queued, runs started and ended.

import type { Ack } from '#protocol/commands'
import type { CancelReason, EventOf, Outcome, QueueItem, RunKind } from '#protocol/events'
import type { Rejection } from '#protocol/http'
import { toResponseId, toRunId } from '#protocol/ids'
import { QUEUE_BYTES, QUEUE_ITEMS } from '#protocol/limits'
import type { SessionState } from '#protocol/state'
import { NO_USAGE } from '#protocol/usage'
import { isForSame, toSpeaker } from './addressee.ts'
import type { Accepted, Decision, DecideContext, Effect } from './decide-types.ts'
import { Draft } from './draft.ts'
import { answerAsker, cancelContacts, recordQueued } from './exchanges.ts'
import { settleMission } from './missions.ts'
import { addItem, fitsQueue, holdOf, toQueueUpdate, type Hold } from './queue.ts'
import { settleOpen } from './settle.ts'

export class Plan {
  protected readonly draft: Draft
  protected readonly effects: Effect[] = []
  protected readonly context: DecideContext
  /** Messages that the next run answers. */
  private delivered: QueueItem[] = []

  constructor(state: SessionState, context: DecideContext) {
    this.draft = new Draft(state, context.now)
    this.context = context
  }

  /** The call has been answered: the run goes on, unless others have to be waited for still. */
  protected resume(callId: string): void {
    const { run } = this.draft.state
    if (run.status === 'running') {
      this.effects.push({ type: 'resume_run', runId: run.runId, callId })
    }
  }

  protected because(text: string): { text: string; by: string } {
    return { text, by: this.context.by }
  }

  protected enqueue(item: QueueItem, hold = this.hold): Decision {
    const next = addItem(this.draft.state.queue.items, item)
    if (!fitsQueue(next)) return queueFull()
    const seq = this.draft.add(toQueueUpdate(next, hold))
    const { run } = this.draft.state
    return this.accept({
      seq,
      queued: true,
      ...(run.status === 'running' ? { runId: run.runId } : {}),
    })
  }

  protected get hold(): Hold {
    return holdOf(this.draft.state.queue)
  }

  protected setQueue(items: readonly QueueItem[], hold = this.hold): void {
    const { queue } = this.draft.state
    if (queue.items === items && holdOf(queue) === hold) return
    this.draft.add(toQueueUpdate(items, hold))
  }

  /** A person stopped: nothing starts by itself, and people see that it waits. */
  protected holdQueue(): void {
    const { items } = this.draft.state.queue
    if (items.length > 0) this.setQueue(items, 'all')
  }

  /**
   * A run ended badly, and no person stopped it. What people sent waits until they have seen that;
   * other agents see nothing of it, and would wait in vain for what is held here.
   */
  protected goOnForAgents(): void {
    const { items } = this.draft.state.queue
    if (items.length === 0 || this.hold === 'all') return
    const message = items.find(({ exchange }) => exchange !== undefined)
    const rest = message === undefined ? items : items.filter((item) => item !== message)
    const isForPeople = rest.some(({ exchange }) => exchange === undefined)
    this.setQueue(rest, isForPeople ? 'people' : 'none')
    if (message === undefined) return
    this.deliver(message)
    this.startRun()
  }

  protected deliver(item: QueueItem): number {
    this.delivered.push(item)
    return this.draft.add(toMessage(item))
  }

  protected takeSteers(isMeant: (steer: QueueItem) => boolean): boolean {
    const { items } = this.draft.state.queue
    const steers = items.filter((item) => item.delivery === 'steer' && isMeant(item))
    if (steers.length === 0) return false
    this.setQueue(items.filter((item) => !steers.includes(item)))
    for (const steer of steers) this.deliver(steer)
    return true
  }

  /** A run ended well: what waits starts by itself, steers first. */
  protected startNext(): void {
    if (this.draft.state.queue.items.length === 0) return
    // Held since an earlier end; an agent's message has run meanwhile.
    if (this.hold !== 'none') return this.goOnForAgents()
    this.takeNext()
    this.startRun()
  }

  protected takeNext(): void {
    const { items } = this.draft.state.queue
    this.setQueue(items, 'none')
    const first = items.find(({ delivery }) => delivery === 'steer')
    // Together, but never those for one agent with those for another.
    if (first !== undefined && this.takeSteers((steer) => isForSame(steer, first))) return
    const [item, ...rest] = items
    this.setQueue(rest)
    this.deliver(item!)
  }

  protected startRun(
    kind: RunKind = 'answer',
    asked = toAsked(this.delivered),
    addressee = this.delivered[0]?.addressee,
  ): string {
    const runId = toRunId(this.draft.state.session.id, this.draft.nextSeq)
    const responseId = toResponseId(runId, 1)
    const speaker = toSpeaker(this.draft.state, addressee, this.context.models)
    const start = { runId, responseId, ...speaker, attempt: 1, ...toKind(kind) }
    this.draft.add({ type: 'run_started', ...start, ...asked })
    this.delivered = []
    this.effects.push({ type: 'start_run', runId, attempt: 1 })
    return runId
  }

  protected endCancelled(reason: CancelReason, audioTruncatedAtMs?: number): number | null {
    const { run } = this.draft.state
    if (run.status !== 'running') return null
    settleOpen(this.draft, this.context.liveTexts(), this.because('it was cancelled'))
    const audio = audioTruncatedAtMs === undefined ? {} : { audioTruncatedAtMs }
    const { runId, responseId } = run
    const { by } = this.context
    this.draft.add({ type: 'output_cancelled', runId, responseId, by, reason, ...audio })
    return this.endRun('cancelled', 'cancelled')
  }

  protected endRun(outcome: Outcome, stopReason: string): number | null {
    const { run } = this.draft.state
    if (run.status !== 'running') return null
    answerAsker(this.draft, run, outcome)
    cancelContacts(this.draft, run, outcome)
    const durationMs = Math.max(0, this.context.now - run.startedAt)
    this.effects.push({ type: 'end_run', runId: run.runId })
    const seq = this.draft.add({
      type: 'run_done',
      runId: run.runId,
      outcome,
      stopReason,
      usage: run.usage ?? NO_USAGE,
      durationMs,
    })
    this.recordUnwanted()
    settleMission(this.draft, run, outcome, this.context.by)
    return seq
  }

  /** Answers in the queue for a run that is over: as those are that come a moment later. */
  private recordUnwanted(): void {
    const { exchanges, queue } = this.draft.state
    const late = exchanges.filter(({ cancelled }) => cancelled === true)
    const isLate = ({ itemId }: QueueItem) => late.some(({ exchangeId }) => exchangeId === itemId)
    const items = queue.items.filter(isLate)
    if (items.length === 0) return
    this.setQueue(queue.items.filter((item) => !items.includes(item)))
    for (const item of items) recordQueued(this.draft, item)
  }

  protected accept(ack: Ack): Accepted {
    const { events, state, mail } = this.draft
    return { ok: true, events, state, effects: this.effects, mail, ack }
  }
}

/** What an item is logged as when it is delivered, never before. */
function toMessage(
  item: QueueItem,
): EventOf<'user_message' | 'agent_message' | 'agent_callback_result'> {
  const { itemId: messageId, text, exchange, callback } = item
  if (callback !== undefined) {
    return { type: 'agent_callback_result', ...callback, as: 'message' }
  }
  if (exchange !== undefined) {
    const { exchangeId, asker } = exchange
    const { sessionId: fromSessionId, agent: from, hops } = asker
    return { type: 'agent_message', messageId, from, fromSessionId, exchangeId, text, hops }
  }
  return {
    type: 'user_message',
    messageId,
    text,
    ...(item.to === undefined ? {} : { to: item.to }),
    attachments: item.attachments ?? [],
    delivery: item.delivery,
  }
}

type Asked = Pick<EventOf<'run_started'>, 'asker' | 'exchangeId' | 'parentRunId'>

/** Whom a run works for: whoever sent what it answers. A person among them has it for themselves. */
function toAsked(items: readonly QueueItem[]): Asked {
  const [item] = items
  if (item?.exchange !== undefined) {
    const { exchangeId, runId: parentRunId, asker } = item.exchange
    return { exchangeId, parentRunId, asker }
  }
  const callbacks = items.flatMap(({ callback }) => callback ?? [])
  const last = callbacks.at(-1)
  if (last === undefined || callbacks.length < items.length) return {}
  const hops = Math.max(...callbacks.map((callback) => callback.hops)) + 1
  const budget = Math.max(...callbacks.map((callback) => callback.budget))
  return { asker: { sessionId: last.sessionId, agent: last.from, hops, budget, path: [] } }
}

/** Nearly all runs answer: that is not worth saying in each of them. */
export const toKind = (kind: RunKind): { kind?: RunKind } => (kind === 'compact' ? { kind } : {})

export const refuse = (code: Rejection['code'], message: string): Decision => ({
  ok: false,
  rejection: { code, message },
})
export const queueFull = (): Decision =>
  refuse('queue_full', `the queue holds at most ${QUEUE_ITEMS} items and ${QUEUE_BYTES} bytes`)

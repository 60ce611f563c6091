// Every change of a session is decided here: state and command in, events and effects out. Pure,
// so that "stop means stopped" is a property of a function and not of timing.

import type { Ack, Command, CommandOf } from '#protocol/commands'
import type { EventBody, QueueItem, SessionEvent, Usage } from '#protocol/events'
import type { Rejection } from '#protocol/http'
import { toResponseId, toRunId } from '#protocol/ids'
import { AUTOMATIC_CONTINUATIONS, EVENT_BYTES, QUEUE_BYTES, QUEUE_ITEMS } from '#protocol/limits'
import type { SessionState } from '#protocol/state'
import { utf8Bytes } from '#protocol/text'
import { Draft } from './draft.ts'
import { addItem, changeItems, fitsQueue, type QueueChange } from './queue.ts'
import { settleOpen, type OpenText } from './settle.ts'

/** What the loop of a run reports. It names its run and attempt: a report of an ended run is dropped. */
export type RunReport = { runId: string; attempt: number } & (
  | { type: 'run_events'; events: EventBody[] }
  | { type: 'step_begin' }
  | {
      type: 'run_finished'
      outcome: 'done' | 'failed' | 'step_limit'
      stopReason: string
      error?: { code: string; message: string }
    }
)

export type Effect =
  | { type: 'start_run'; runId: string; attempt: number }
  | { type: 'end_run'; runId: string }

export type Decision =
  | { ok: true; events: SessionEvent[]; state: SessionState; effects: Effect[]; ack: Ack }
  | { ok: false; rejection: Rejection }

export type DecideContext = {
  now: number
  by: string
  /** Why a cancel happens: a person at a client, or a program over HTTP. */
  reason: 'user' | 'api'
  models: readonly string[]
  /** The live text and usage of the active run: a cancel keeps what was streamed. */
  live: () => { texts: readonly OpenText[]; usage: Usage }
  /** Terminal seq of an ended run, from the log; null when there is no such run. */
  terminalSeqOf: (runId: string) => number | null
  isRepeatable: (toolName: string) => boolean
}

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

export function decide(state: SessionState, command: Command, context: DecideContext): Decision {
  const plan = new Plan(state, context)
  switch (command.type) {
    case 'send':
      return plan.send(command)
    case 'cancel':
      return plan.cancel(command)
    case 'continue':
      return plan.continue()
    case 'queue_edit':
    case 'queue_remove':
    case 'queue_move':
      return plan.changeQueue(command)
    case 'queue_send_now':
      return plan.sendNow(command)
    case 'configure':
      return plan.configure(command)
    case 'clear':
      return plan.clear()
  }
}

/** null: the run is over, the report came too late and changes nothing. */
export function decideReport(
  state: SessionState,
  report: RunReport,
  context: DecideContext,
): Extract<Decision, { ok: true }> | null {
  const { run } = state
  if (run.status !== 'running') return null
  if (run.runId !== report.runId || run.attempt !== report.attempt) return null
  const plan = new Plan(state, context)
  switch (report.type) {
    case 'run_events':
      return plan.record(report.events)
    case 'step_begin':
      return plan.beginStep()
    case 'run_finished':
      return plan.finish(report)
  }
}

/** The object woke with a run in flight and nothing that runs it (RUN9). */
export function decideRecovery(
  state: SessionState,
  context: DecideContext,
): Extract<Decision, { ok: true }> | null {
  return state.run.status === 'running' ? new Plan(state, context).recover() : null
}

class Plan {
  private readonly draft: Draft
  private readonly effects: Effect[] = []
  private readonly context: DecideContext

  constructor(state: SessionState, context: DecideContext) {
    this.draft = new Draft(state, context.now)
    this.context = context
  }

  send(command: CommandOf<'send'>): Decision {
    const { text, to, attachments = [], delivery = 'queue', id } = command
    const item: QueueItem = {
      itemId: id,
      text,
      delivery,
      from: this.context.by,
      ...(to === undefined ? {} : { to }),
      ...(attachments.length === 0 ? {} : { attachments }),
    }
    if (utf8Bytes(JSON.stringify(item)) > EVENT_BYTES - 1024) {
      return refuse('too_large', 'text: the message with its attachments is too large')
    }
    if (this.draft.state.run.status === 'running') {
      if (delivery !== 'interrupt') return this.enqueue(item)
      this.endCancelled('interrupt')
    }
    this.setQueue(this.draft.state.queue.items, false)
    const seq = this.deliver(item)
    return this.accept({ seq, queued: false, runId: this.startRun() })
  }

  cancel(command: CommandOf<'cancel'>): Decision {
    const { run, lastRun } = this.draft.state
    const { runId, audioTruncatedAtMs } = command
    if (run.status === 'running' && (runId === undefined || runId === run.runId)) {
      const seq = this.endCancelled(this.context.reason, audioTruncatedAtMs)
      this.holdQueue()
      return this.accept({ seq })
    }
    if (runId === undefined) return this.accept({ seq: lastRun?.seq ?? null })
    const seq = lastRun?.runId === runId ? lastRun.seq : this.context.terminalSeqOf(runId)
    return seq === null ? refuse('no_such_run', `no run ${runId} here`) : this.accept({ seq })
  }

  continue(): Decision {
    const { run, session, queue } = this.draft.state
    if (run.status === 'running') return refuse('run_active', 'a run is active')
    if (session.messages === 0) {
      // A cleared session may still hold a queue: going on is going on with that.
      if (queue.items.length === 0) return refuse('nothing_to_continue', 'there is no message yet')
      this.takeNext()
    } else this.setQueue(queue.items, false)
    return this.accept({ runId: this.startRun() })
  }

  changeQueue(command: QueueChange): Decision {
    const { items, held } = this.draft.state.queue
    const next = changeItems(items, command)
    if (!next.ok) return noSuchItem(next.missing)
    if (!fitsQueue(next.items)) return queueFull()
    const isHeld = held && next.items.length > 0
    const seq = this.draft.add({ type: 'queue_updated', items: next.items, held: isHeld })
    return this.accept({ seq })
  }

  sendNow(command: CommandOf<'queue_send_now'>): Decision {
    const { items } = this.draft.state.queue
    const item = items.find((queued) => queued.itemId === command.itemId)
    if (item === undefined) return noSuchItem(command.itemId)
    if (this.draft.state.run.status === 'running') this.endCancelled('interrupt')
    this.setQueue(
      items.filter((queued) => queued !== item),
      false,
    )
    const seq = this.deliver({ ...item, delivery: 'interrupt' })
    return this.accept({ seq, runId: this.startRun() })
  }

  configure({ type: _type, id: _id, ...changes }: CommandOf<'configure'>): Decision {
    const fields = Object.entries(changes).filter(([, value]) => value !== undefined)
    if (fields.length === 0) return refuse('bad_request', 'body: nothing to configure')
    if (changes.model !== undefined && !this.context.models.includes(changes.model)) {
      return refuse('unknown_model', `model: ${changes.model} is not one of the models here`)
    }
    const seq = this.draft.add({
      type: 'session_configured',
      changes: Object.fromEntries(fields),
    })
    return this.accept({ seq })
  }

  clear(): Decision {
    if (this.draft.state.run.status === 'running') {
      this.endCancelled(this.context.reason)
      this.holdQueue()
    }
    return this.accept({ seq: this.draft.add({ type: 'session_cleared', by: this.context.by }) })
  }

  record(events: EventBody[]): Extract<Decision, { ok: true }> {
    for (const event of events) this.draft.add(event)
    return this.accept({})
  }

  /** Steers enter together, in order, before the provider is called. */
  beginStep(): Extract<Decision, { ok: true }> {
    this.takeSteers()
    return this.accept({})
  }

  finish(report: Extract<RunReport, { type: 'run_finished' }>): Extract<Decision, { ok: true }> {
    settleOpen(this.draft, this.context.live().texts, 'the run ended')
    if (report.error !== undefined) {
      this.draft.add({ type: 'error', runId: report.runId, ...report.error })
    }
    this.endRun(report.outcome, report.stopReason)
    if (report.outcome === 'failed') this.holdQueue()
    else this.startNext()
    return this.accept({})
  }

  recover(): Extract<Decision, { ok: true }> {
    const { run, session } = this.draft.state
    if (run.status !== 'running') return this.accept({})
    const goesOn =
      session.recovery === 'continue' &&
      run.attempt <= AUTOMATIC_CONTINUATIONS &&
      this.context.models.includes(run.model)
    const keep = goesOn ? this.context.isRepeatable : () => false
    settleOpen(this.draft, [], 'the server restarted', keep)
    if (!goesOn) {
      this.endRun('interrupted', 'interrupted')
      this.holdQueue()
      return this.accept({})
    }
    const { runId, responseId, model, agent } = run
    const attempt = run.attempt + 1
    this.draft.add({ type: 'run_started', runId, responseId, model, agent, attempt })
    this.effects.push({ type: 'start_run', runId, attempt })
    return this.accept({})
  }

  private enqueue(item: QueueItem): Decision {
    const { items, held } = this.draft.state.queue
    const next = addItem(items, item)
    if (!fitsQueue(next)) return queueFull()
    const seq = this.draft.add({ type: 'queue_updated', items: next, held })
    const { run } = this.draft.state
    return this.accept({
      seq,
      queued: true,
      ...(run.status === 'running' ? { runId: run.runId } : {}),
    })
  }

  private setQueue(items: readonly QueueItem[], held: boolean): void {
    const { queue } = this.draft.state
    if (queue.items === items && queue.held === held) return
    this.draft.add({ type: 'queue_updated', items: [...items], held: held && items.length > 0 })
  }

  /** After a cancel or a failure nothing starts by itself, and people see that it waits. */
  private holdQueue(): void {
    const { items } = this.draft.state.queue
    if (items.length > 0) this.setQueue(items, true)
  }

  private deliver(item: QueueItem): number {
    return this.draft.add({
      type: 'user_message',
      messageId: item.itemId,
      text: item.text,
      ...(item.to === undefined ? {} : { to: item.to }),
      attachments: item.attachments ?? [],
      delivery: item.delivery,
    })
  }

  private takeSteers(): boolean {
    const { items, held } = this.draft.state.queue
    const steers = items.filter((item) => item.delivery === 'steer')
    if (steers.length === 0) return false
    this.setQueue(
      items.filter((item) => item.delivery !== 'steer'),
      held,
    )
    for (const steer of steers) this.deliver(steer)
    return true
  }

  /** A run ended well: what waits starts by itself, steers first. */
  private startNext(): void {
    if (this.draft.state.queue.items.length === 0) return
    this.takeNext()
    this.startRun()
  }

  private takeNext(): void {
    const { items } = this.draft.state.queue
    this.setQueue(items, false)
    if (this.takeSteers()) return
    const [item, ...rest] = items
    this.setQueue(rest, false)
    this.deliver(item!)
  }

  private startRun(): string {
    const { id, model, agent } = this.draft.state.session
    const runId = toRunId(id, this.draft.nextSeq)
    const responseId = toResponseId(runId, 1)
    this.draft.add({ type: 'run_started', runId, responseId, model, agent, attempt: 1 })
    this.effects.push({ type: 'start_run', runId, attempt: 1 })
    return runId
  }

  private endCancelled(
    reason: 'user' | 'api' | 'interrupt',
    audioTruncatedAtMs?: number,
  ): number | null {
    const { run } = this.draft.state
    if (run.status !== 'running') return null
    settleOpen(this.draft, this.context.live().texts, 'it was cancelled')
    const audio = audioTruncatedAtMs === undefined ? {} : { audioTruncatedAtMs }
    const { runId, responseId } = run
    const { by } = this.context
    this.draft.add({ type: 'output_cancelled', runId, responseId, by, reason, ...audio })
    return this.endRun('cancelled', 'cancelled')
  }

  private endRun(
    outcome: Extract<EventBody, { type: 'run_done' }>['outcome'],
    stopReason: string,
  ): number | null {
    const { run } = this.draft.state
    if (run.status !== 'running') return null
    const { usage } = this.context.live()
    const durationMs = Math.max(0, this.context.now - run.startedAt)
    this.effects.push({ type: 'end_run', runId: run.runId })
    return this.draft.add({
      type: 'run_done',
      runId: run.runId,
      outcome,
      stopReason,
      usage,
      durationMs,
    })
  }

  private accept(ack: Ack): Extract<Decision, { ok: true }> {
    const { events, state } = this.draft
    return { ok: true, events, state, effects: this.effects, ack }
  }
}

const refuse = (code: Rejection['code'], message: string): Decision => ({
  ok: false,
  rejection: { code, message },
})
const queueFull = (): Decision =>
  refuse('queue_full', `the queue holds at most ${QUEUE_ITEMS} items and ${QUEUE_BYTES} bytes`)
const noSuchItem = (itemId: string): Decision => refuse('no_such_item', `no queued item ${itemId}`)

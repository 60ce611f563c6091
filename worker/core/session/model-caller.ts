// One provider call that does not give up at once (RUN7): retries within a model, then the next
// model of the list, visibly, and never more often than it says. What was streamed stays.

import type { EventBody } from '#protocol/events'
import { STEP_OUTPUT_CHARS } from '#protocol/limits'
import { decideAfterFailure, type AfterFailure } from './after-failure.ts'
import type { Circuit } from './circuit.ts'
import {
  ModelError,
  type Model,
  type ModelFinish,
  type ModelPart,
  type ModelRequest,
} from './model.ts'
import type { Timers } from './timers.ts'

export type CallerDeps = {
  runId: string
  /** In order of preference; at least one. */
  candidates: readonly Model[]
  circuit: Circuit
  now: () => number
  random: () => number
  timers: Timers
  /** Retries of this run before: a loop that begins anew does not have them again. */
  usedRetries: number
  /** How long a stream may be silent, and how long the first byte of its body may take. */
  stallMs: number
  firstByteMs: number
  /** Of what is true of a model in every run: said once, it is known. */
  isSaid: (warning: string) => boolean
  /** False: the run is over. */
  emit: (events: EventBody[]) => boolean
}

/** One thing that is asked of a model, as often as it takes. */
export type Call = {
  request: () => ModelRequest
  /** A new try with this request: where its parts go. */
  begin: (request: ModelRequest) => (part: ModelPart) => void
  /** The stream ended: throws a ModelError where that was no answer. */
  check: (finish: ModelFinish) => void
  /** The try failed: settle what it left open. */
  broken: () => void
  /** What is heard of an answer: a model that repeats itself does not end by itself. */
  mostChars?: number
  /** Make the request shorter; false: it cannot be. null: not in this call. */
  compact: (() => Promise<boolean>) | null
}

export class ModelCaller {
  private readonly deps: CallerDeps
  private at = 0
  private retries: number
  private withoutTools = false
  private active: { controller: AbortController; heardAt: number; hasBegun: boolean } | null = null

  constructor(deps: CallerDeps) {
    this.deps = deps
    this.retries = deps.usedRetries
  }

  get model(): Model {
    return this.deps.candidates[this.at]!
  }

  /** When the provider has been silent for too long, if it says no more; null while none is asked. */
  get stallsAt(): number | null {
    const { active, deps } = this
    if (active === null) return null
    return active.heardAt + (active.hasBegun ? deps.stallMs : deps.firstByteMs)
  }

  /** The stream is silent for too long: that is a failure like any other. */
  stall(): void {
    if (this.active === null) return
    const { controller, hasBegun } = this.active
    const what = hasBegun ? 'has stopped sending' : 'has not begun to answer'
    const text = `The model provider ${what}. Try again, or choose another model.`
    controller.abort(new ModelError('model_stalled', text))
  }

  /** A model that failed a moment ago is not asked first. */
  begin(): void {
    const { candidates, circuit, now } = this.deps
    const isClosed = (model: Model): boolean => !circuit.isOpen(model.id, now())
    const first = candidates.findIndex(isClosed)
    if (first > 0) this.moveTo(first, `${this.model.id} failed a moment ago.`)
  }

  async call(call: Call, signal: AbortSignal): Promise<ModelFinish> {
    let tries = 0
    let canCompact = call.compact !== null
    for (;;) {
      const { model } = this
      if (model.notice) this.warnOnce(model.notice.code, model.notice.message)
      try {
        // oxlint-disable-next-line no-await-in-loop
        const finish = await this.attempt(call, signal)
        call.check(finish)
        this.deps.circuit.close(model.id)
        return finish
      } catch (error) {
        if (signal.aborted || !(error instanceof ModelError)) throw error
        call.broken()
        let after = this.decideAfter(error, call, tries, canCompact)
        if (after.do === 'compact') {
          canCompact = false
          // oxlint-disable-next-line no-await-in-loop
          if (await call.compact!()) continue
          // It cannot be made shorter: another model may have more room.
          after = this.decideAfter(error, call, tries, canCompact)
        }
        switch (after.do) {
          case 'retry':
            tries += 1
            this.retries += 1
            this.warn('model_retry', `${error.message} ${toWait(after.waitMs)}`)
            // oxlint-disable-next-line no-await-in-loop
            await pause(after.waitMs, this.deps.timers, signal)
            break
          case 'without_tools':
            this.stopOfferingTools(model)
            break
          case 'fall_over':
            tries = 0
            this.fallOver(error)
            break
          default:
            this.giveUp(error)
            throw error
        }
      }
    }
  }

  private decideAfter(
    error: ModelError,
    call: Call,
    tries: number,
    canCompact: boolean,
  ): AfterFailure {
    return decideAfterFailure(error, {
      tries,
      retries: this.retries,
      hasNext: this.at + 1 < this.deps.candidates.length,
      hasTools: !this.withoutTools && call.request().tools.length > 0,
      canCompact,
      random: this.deps.random(),
    })
  }

  private async attempt(call: Call, signal: AbortSignal): Promise<ModelFinish> {
    const controller = new AbortController()
    const onAbort = (): void => controller.abort(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    const active = { controller, heardAt: this.deps.now(), hasBegun: false }
    this.active = active
    const request = this.prepare(call.request())
    const read = call.begin(request)
    let said = 0
    try {
      const finish = await this.model.stream(request, controller.signal, (part) => {
        // A try that was given up and speaks all the same: its words would stand among the next one's.
        if (this.active !== active || controller.signal.aborted) return
        active.heardAt = this.deps.now()
        active.hasBegun = true
        if (part.type === 'activity') return
        read(part)
        said += lengthOf(part)
        if (said > (call.mostChars ?? STEP_OUTPUT_CHARS)) controller.abort(TOO_LONG)
      })
      return controller.signal.reason === TOO_LONG ? CUT : finish
    } catch (error) {
      // What it says after this is not heard: the answer ends here, as at a limit of its own.
      if (controller.signal.reason === TOO_LONG) return CUT
      throw error
    } finally {
      signal.removeEventListener('abort', onAbort)
      this.active = null
    }
  }

  /** As this model is asked: one that cannot use tools is told of none. */
  toSend(request: ModelRequest): ModelRequest {
    if (request.tools.length === 0) return request
    return this.withoutTools || !this.model.info.tools ? { ...request, tools: [] } : request
  }

  private prepare(request: ModelRequest): ModelRequest {
    const isMute = request.tools.length > 0 && !this.model.info.tools
    if (isMute && !this.withoutTools) this.stopOfferingTools(this.model)
    return this.toSend(request)
  }

  private stopOfferingTools(model: Model): void {
    this.withoutTools = true
    const message = `${model.id} cannot use tools, so it answers without them.`
    this.warnOnce('no_tool_support', message)
  }

  private fallOver(error: ModelError): void {
    const { candidates, circuit, now } = this.deps
    this.giveUp(error)
    const isUsable = (model: Model, at: number): boolean =>
      at > this.at && !circuit.isOpen(model.id, now())
    const usable = candidates.findIndex(isUsable)
    this.moveTo(usable < 0 ? this.at + 1 : usable, error.message)
  }

  /** Only what is wrong with the provider says something about the next request to it. */
  private giveUp({ code, retryAfterMs }: ModelError): void {
    if (code === 'model_context_overflow' || code === 'model_bad_request') return
    if (code === 'model_content_filter' || code === 'model_no_tools') return
    this.deps.circuit.open(this.model.id, this.deps.now(), retryAfterMs)
  }

  private moveTo(at: number, reason: string): void {
    const preferred = this.model.id
    this.at = at
    this.withoutTools = false
    const { runId } = this.deps
    this.deps.emit([
      { type: 'model_fallback', runId, preferred, actual: this.model.id, reason: toNote(reason) },
    ])
  }

  private warnOnce(code: string, message: string): void {
    if (!this.deps.isSaid(message)) this.warn(code, message)
  }

  private warn(code: string, message: string): void {
    this.deps.emit([{ type: 'warning', runId: this.deps.runId, code, message: toNote(message) }])
  }
}

const TOO_LONG = new DOMException('The answer is longer than any', 'AbortError')
const CUT: ModelFinish = { stopReason: 'length', usage: null }

/** A `tool_call` comes when the stream has ended, and its arguments were streamed or are bounded. */
const lengthOf = (part: ModelPart): number =>
  part.type === 'part_end' || part.type === 'activity' || part.type === 'tool_call'
    ? 0
    : part.text.length

/** Provider texts are hostile and end up in an event. */
const NOTE_CHARS = 1000
const toNote = (text: string): string => text.slice(0, NOTE_CHARS).toWellFormed()

const toWait = (ms: number): string =>
  ms < 1000 ? 'Trying again.' : `Trying again in ${Math.round(ms / 1000)} s.`

function pause(ms: number, timers: Timers, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      timers.clear(handle)
      reject(signal.reason as Error)
    }
    const handle = timers.set(ms, () => {
      signal.removeEventListener('abort', onAbort)
      resolve()
    })
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
  })
}

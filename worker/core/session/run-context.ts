// How full the model's context is during one run, and making room in it (RUN8).

import type { EventBody, EventOf, Usage } from '#protocol/events'
import { COMPACT_AT, COMPACT_KEEP } from '#protocol/limits'
import type { ContextState } from '#protocol/state'
import { isSummarised, planCompaction, toSummary, toSummaryRequest } from './compaction.ts'
import { correctionOf, estimateRequest, toTokens } from './context.ts'
import type { HistoryEntry } from './history.ts'
import type { ModelCaller } from './model-caller.ts'
import { ModelError, type ModelFinish, type ModelRequest } from './model.ts'
import { roomFor, shortenAnswers } from './shorten-answers.ts'

export type RunContextDeps = {
  runId: string
  caller: ModelCaller
  request: () => ModelRequest
  entries: () => readonly HistoryEntry[]
  /** What the log says of the context as of now. */
  known: () => ContextState | null
  emit: (events: EventBody[]) => boolean
  /** An earlier loop of this run has said that answers are shortened. */
  isToldShort: boolean
  /** What it cost; null: the provider did not say. */
  price: (finish: ModelFinish) => Usage | null
}

/**
 * What is kept of the history as it was, at most. Refused: the provider's window is smaller than
 * we know, and only the request that it refused says how small.
 */
const KEEP = { full: 1, refused: 0.3, asked: 0.2 }
/** Of a request that was refused, what the next may take in all. */
const AFTER_REFUSAL = 0.5
/** Far more than is kept of a summary, with all that is thought about it before. */
const SUMMARY_OUTPUT_CHARS = 131_072
/** Code of the warning that says so. */
export const SHORTENED = 'results_shortened'
/** Words that were streamed and are not in the next request, such as thoughts, are not counted. */
const OUTPUT_SLACK = 1.5

export class RunContext {
  private readonly deps: RunContextDeps
  /** A summary failed: asking for another before each step would double the cost of a run. */
  private isBlocked = false
  private isCompacted: boolean
  private isToldShort: boolean
  /** By our own count: a request of this size was refused by this model. Found out again after a restart. */
  private refused: { modelId: string; tokens: number } | null = null

  constructor(deps: RunContextDeps) {
    this.deps = deps
    this.isToldShort = deps.isToldShort
    this.isCompacted = deps.known()?.compacted ?? false
  }

  /** What the model is asked: the history, with answers as long as there is room for. */
  request(): ModelRequest {
    return this.fit(this.deps.request())
  }

  /** The same where nothing is too long. */
  private fit(request: ModelRequest): ModelRequest {
    const messages = shortenAnswers(request.messages, this.roomFor(request))
    return messages === request.messages ? request : { ...request, messages }
  }

  /** Where it was shortened people are told, once. */
  tellShortened(): void {
    const { caller, emit, runId } = this.deps
    const whole = this.deps.request()
    if (this.isToldShort || this.fit(whole) === whole) return
    this.isToldShort = true
    const message =
      `Results of tools are longer than the window of ${caller.model.id} has room for: ` +
      'it reads the beginning and the end of them. Here they are whole.'
    emit([{ type: 'warning', runId, code: SHORTENED, message }])
  }

  /** Near the window: the next request should be shorter. */
  isFull(): boolean {
    return !this.isBlocked && this.isNearWindow()
  }

  /** After a step that was asked for with `estimate` and said `output` (both by our own count). */
  afterStep(finish: ModelFinish, estimate: number, output: number): EventOf<'context_usage'> {
    const whole = Math.ceil(estimate + output)
    return {
      ...this.toEvent(this.tokensAfter(finish, whole, output), whole, 1),
      ...this.cost(finish),
    }
  }

  /** By our own count alone. */
  measure(): EventOf<'context_usage'> {
    const estimate = this.estimate()
    return this.toEvent(this.tokensOf(estimate), estimate, 0)
  }

  /** Before a step. */
  async makeRoom(signal: AbortSignal): Promise<void> {
    await this.trySummary(signal, 'full')
  }

  /** The provider has no room for this request. False: it cannot be made any shorter. */
  async afterRefusal(signal: AbortSignal): Promise<boolean> {
    const refused = this.estimate()
    const why = this.isNearWindow() ? 'full' : 'refused'
    this.refused = { modelId: this.deps.caller.model.id, tokens: refused }
    const hasSummary = await this.trySummary(signal, why)
    return hasSummary || this.estimate() < refused
  }

  /** A failed summary is said so, and the run goes on without. */
  private async trySummary(signal: AbortSignal, why: keyof typeof KEEP): Promise<boolean> {
    try {
      return await this.summarise(signal, why)
    } catch (error) {
      if (signal.aborted || !(error instanceof ModelError)) throw error
      this.isBlocked = true
      const message = `Earlier messages could not be summarised. ${error.message}`
      const { runId, emit } = this.deps
      emit([{ type: 'warning', runId, code: 'compaction_failed', message }])
      return false
    }
  }

  /** A person asked. False: there is nothing to leave out. */
  compact(signal: AbortSignal, _isAsked: true): Promise<boolean> {
    return this.summarise(signal, 'asked')
  }

  private async summarise(signal: AbortSignal, why: keyof typeof KEEP): Promise<boolean> {
    const { caller, entries, emit, runId } = this.deps
    // Asking for the request also closes the message in the making.
    const whole = this.estimate()
    const window = this.window / this.correction
    const plan = planCompaction(entries(), Math.min(window * COMPACT_KEEP, whole * KEEP[why]))
    if (plan === null || isSummarised(plan.dropped)) return false
    const readable = why === 'refused' ? Math.min(window, whole) : window
    let text = ''
    const finish = await caller.call(
      {
        request: () => toSummaryRequest(plan.dropped, readable),
        begin: () => {
          text = ''
          return (part) => {
            if (part.type === 'text') text += part.text
          }
        },
        check: () => {
          if (text.trim() !== '') return
          throw new ModelError('model_malformed', 'The model gave no summary.')
        },
        broken: () => {},
        mostChars: SUMMARY_OUTPUT_CHARS,
        compact: null,
      },
      signal,
    )
    this.isCompacted = true
    const summary = toSummary(text, plan.dropped, this.roomFor(this.deps.request()))
    const { upToSeq } = plan
    emit([{ type: 'compacted', runId, upToSeq, summary, ...this.cost(finish) }])
    return true
  }

  private cost(finish: ModelFinish): { usage?: Usage } {
    const usage = this.deps.price(finish)
    return usage === null ? {} : { usage }
  }

  private tokensAfter({ usage }: ModelFinish, whole: number, output: number): number {
    if (usage === null || usage.inputTokens === 0) return this.tokensOf(whole)
    return usage.inputTokens + Math.min(usage.outputTokens, Math.ceil(output * OUTPUT_SLACK) + 16)
  }

  private isNearWindow(): boolean {
    return this.tokensOf(this.estimate()) > COMPACT_AT * this.window
  }

  /** Of the request that would really be sent now. */
  private estimate(): number {
    return estimateRequest(this.deps.caller.toSend(this.request()))
  }

  private roomFor(request: ModelRequest): number {
    const { caller, known } = this.deps
    const sent = caller.toSend(request)
    const room = roomFor(sent, this.window, known())
    // Another model may have more room.
    if (this.refused?.modelId !== caller.model.id) return room
    const fixed = estimateRequest({ ...sent, messages: [] })
    return Math.min(room, this.refused.tokens * AFTER_REFUSAL - fixed)
  }

  private get window(): number {
    return this.deps.caller.model.info.window
  }

  private get correction(): number {
    return correctionOf(this.deps.known())
  }

  private tokensOf(estimate: number): number {
    return toTokens(this.deps.known(), estimate)
  }

  private toEvent(tokens: number, estimate: number, more: number): EventOf<'context_usage'> {
    const messages = this.deps.entries().length + more
    const compacted = this.isCompacted
    const { runId } = this.deps
    const { window } = this
    return { type: 'context_usage', runId, messages, tokens, window, compacted, estimate }
  }
}

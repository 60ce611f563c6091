// A model whose every word is the test's. Each provider call waits in `calls` until the test has
// emitted what it likes and finished or failed it.

import type { ModelSummary } from '#protocol/http'
import type {
  Model,
  ModelFinish,
  ModelNotice,
  ModelPart,
  ModelRequest,
} from '../../core/session/model.ts'

export class ModelCall {
  readonly request: ModelRequest
  readonly signal: AbortSignal
  settled = false
  private readonly push: (part: ModelPart) => void
  private readonly resolve: (finish: ModelFinish) => void
  private readonly rejectWith: (error: unknown) => void

  constructor(
    request: ModelRequest,
    signal: AbortSignal,
    push: (part: ModelPart) => void,
    resolve: (finish: ModelFinish) => void,
    reject: (error: unknown) => void,
  ) {
    this.request = structuredClone(request)
    this.signal = signal
    this.push = push
    this.resolve = resolve
    this.rejectWith = reject
  }

  emit(part: ModelPart): this {
    if (!this.settled) this.push(part)
    return this
  }

  /** Speaks although it was told to stop, as a provider that does not notice would. */
  emitLate(part: ModelPart): void {
    this.push(part)
  }

  text(text: string): this {
    return this.emit({ type: 'text', text })
  }

  finish(stopReason: ModelFinish['stopReason'] = 'stop', outputTokens = 5): void {
    this.settled = true
    this.resolve({ stopReason, usage: { inputTokens: 10, outputTokens, cachedTokens: 0 } })
  }

  /** Ends with what the provider says of it; null: it says nothing. */
  finishWith(usage: ModelFinish['usage'], stopReason: ModelFinish['stopReason'] = 'stop'): void {
    this.settled = true
    this.resolve({ stopReason, usage })
  }

  fail(error: unknown): void {
    this.settled = true
    this.rejectWith(error)
  }
}

export class ScriptedModel implements Model {
  readonly id: string
  readonly info: ModelSummary
  notice: ModelNotice | null = null
  readonly calls: ModelCall[] = []

  constructor(id = 'scripted', info: Partial<ModelSummary> = {}) {
    this.id = id
    this.info = { id, provider: 'test', window: 1_000_000, tools: true, price: null, ...info }
  }

  stream(
    request: ModelRequest,
    signal: AbortSignal,
    emit: (part: ModelPart) => void,
  ): Promise<ModelFinish> {
    return new Promise((resolve, reject) => {
      const call = new ModelCall(request, signal, emit, resolve, reject)
      signal.addEventListener('abort', () => call.fail(signal.reason), { once: true })
      this.calls.push(call)
    })
  }

  /** The call that is in flight. */
  get current(): ModelCall {
    const call = this.calls.findLast((one) => !one.settled)
    if (call === undefined) throw new Error('no model call is in flight')
    return call
  }

  get isCalled(): boolean {
    return this.calls.some((one) => !one.settled)
  }
}

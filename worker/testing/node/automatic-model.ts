// A model that answers by itself, by a rule of the test's. Its answer takes a moment, in which its
// session can die.

import { setImmediate as turn } from 'node:timers/promises'
import type { ModelSummary } from '#protocol/http'
import type { Model, ModelFinish, ModelPart, ModelRequest } from '../../core/session/model.ts'

export class AutomaticModel implements Model {
  readonly id: string
  readonly info: ModelSummary
  calls = 0
  private readonly answer: (request: ModelRequest) => readonly ModelPart[]

  constructor(id: string, answer: (request: ModelRequest) => readonly ModelPart[]) {
    this.id = id
    this.info = { id, provider: 'test', window: 1_000_000, tools: true, price: null }
    this.answer = answer
  }

  async stream(
    request: ModelRequest,
    signal: AbortSignal,
    emit: (part: ModelPart) => void,
  ): Promise<ModelFinish> {
    this.calls += 1
    await turn()
    signal.throwIfAborted()
    const parts = this.answer(request)
    for (const part of parts) emit(part)
    await turn()
    signal.throwIfAborted()
    const hasCalls = parts.some(({ type }) => type === 'tool_call')
    const usage = { inputTokens: 10, outputTokens: 5, cachedTokens: 0 }
    return { stopReason: hasCalls ? 'tool_calls' : 'stop', usage }
  }
}

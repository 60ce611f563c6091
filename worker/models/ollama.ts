// Ollama serves a model with a window of its own choosing, a small part of the model's, and leaves
// out what does not fit without a word. Chat completions say nothing of it; its own API does.

import { z } from 'zod'
import type { ModelNotice } from '../core/session/model.ts'
import type { Provider } from './errors.ts'

/** What it signs every chunk with. */
export const OLLAMA_FINGERPRINT = 'fp_ollama'
/** Below it instructions and tools take so much that little of a conversation is left. */
const LEAST_WINDOW = 16_384
const ASK_MS = 5_000

const Loaded = z.object({
  models: z.array(z.object({ name: z.string(), context_length: z.number().int().min(1) })),
})

export type OllamaOptions = Provider & { modelId: string; fetch: typeof globalThis.fetch }

export class OllamaWindow {
  /** null: not known, or not to be. */
  tokens: number | null = null
  private readonly options: OllamaOptions
  private isAsking = false

  constructor(options: OllamaOptions) {
    this.options = options
  }

  /** The model has answered, so it is loaded. Nobody waits for this, and nothing fails of it. */
  async ask(): Promise<void> {
    // Once a model is loaded anew its window may be another one: each answer asks.
    if (this.isAsking) return
    this.isAsking = true
    try {
      this.tokens = (await this.read()) ?? this.tokens
    } catch {
      // An older Ollama, or a proxy that lets nothing else through: it stays as it was.
    } finally {
      this.isAsking = false
    }
  }

  get notice(): ModelNotice | null {
    const { tokens } = this
    if (tokens === null || tokens >= LEAST_WINDOW) return null
    const message =
      `Ollama gives ${this.options.modelId} a window of ${tokens} tokens and leaves out what does ` +
      `not fit. Start it with OLLAMA_CONTEXT_LENGTH=${LEAST_WINDOW} or more.`
    return { code: 'small_window', message }
  }

  private async read(): Promise<number | null> {
    const { baseURL, apiKey, modelId, fetch } = this.options
    const response = await fetch(`${baseURL.replace(/\/+(?:v1\/*)?$/, '')}/api/ps`, {
      signal: AbortSignal.timeout(ASK_MS),
      ...(apiKey !== undefined && { headers: { authorization: `Bearer ${apiKey}` } }),
    })
    const { models } = Loaded.parse(await response.json())
    const names = new Set([modelId, `${modelId}:latest`])
    return models.find(({ name }) => names.has(name))?.context_length ?? null
  }
}

// Any server that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, OpenRouter and others.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { ModelSummary } from '#protocol/http'
import type { Model } from '../core/session/model.ts'
import { toModelError, type Provider } from './errors.ts'
import { describeModel } from './info.ts'
import { isAboutThoughts, toDialect, wantsThoughts } from './openai-dialect.ts'
import { OLLAMA_FINGERPRINT, OllamaWindow } from './ollama.ts'
import { repairChunks } from './openai-repair.ts'
import { toPrompt, toTools } from './prompt.ts'
import { ProviderCalls } from './provider-call.ts'
import type { StreamParts } from './stream-parts.ts'
import { readTextAhead, type TextSink } from './text-ahead.ts'
import { ThinkTags } from './think-tags.ts'
import { readWholeAnswer } from './whole-answer.ts'

export type OpenAiOptions = Provider & {
  modelId: string
  info?: ModelSummary
  /** The window in `info` was given by hand: what a server says of its own is not asked. */
  hasOwnWindow?: boolean
  fetch?: typeof globalThis.fetch
}

export function createOpenAiModel(options: OpenAiOptions): Model {
  const { baseURL, apiKey, modelId, fetch = globalThis.fetch } = options
  const calls = new ProviderCalls(
    (error) => toModelError(error, options),
    () => new ThinkTags(),
  )
  const chat = createOpenAICompatible({
    name: 'openai',
    baseURL,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
    fetch: calls.wrap(fetch, (body, parts, contentType) => {
      const events = contentType.includes('json') ? readWholeAnswer(body) : body
      return repairChunks(readTextAhead(events, toSink(parts)))
    }),
  }).chatModel(modelId)

  const info = options.info ?? describeModel(modelId, 'openai')
  const ollama = new OllamaWindow({ ...options, fetch })
  let sendsThoughts = wantsThoughts(options)

  function toSink(parts: StreamParts): TextSink {
    let isSigned = false
    return {
      addText: (kind, text) => parts.addText(kind, text),
      addActivity: () => parts.addActivity(),
      addFingerprint: (fingerprint) => {
        if (!isSigned && fingerprint === OLLAMA_FINGERPRINT && !options.hasOwnWindow) {
          void ollama.ask()
        }
        isSigned = true
      },
    }
  }

  return {
    id: modelId,
    get info() {
      return ollama.tokens === null ? info : { ...info, window: ollama.tokens }
    },
    get notice() {
      return ollama.notice
    },
    async stream(request, signal, emit) {
      const ask = () => {
        const prompt = toPrompt(request, toDialect(options, sendsThoughts))
        return calls.stream(chat, { prompt, tools: toTools(request) }, signal, emit)
      }
      try {
        return await ask()
      } catch (error) {
        // No list of servers is complete, but they all say it, before the first word of an answer.
        if (!isAboutThoughts(error, sendsThoughts)) throw error
        sendsThoughts = !sendsThoughts
        return ask()
      }
    },
  }
}

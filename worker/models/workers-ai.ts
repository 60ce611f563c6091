// Cloudflare's own models, through the AI binding of the Worker. Some answer in OpenAI's shape,
// older ones in one of their own: those are put into OpenAI's, and all else is shared with it.

import type { ModelSummary } from '#protocol/http'
import type { Model } from '../core/session/model.ts'
import { describeModel } from './info.ts'
import { mapLines } from './map-lines.ts'
import { createOpenAiModel } from './openai.ts'
import { toDeltas } from './whole-answer.ts'

/** As much of the binding as is used. */
export type WorkersAi = {
  run: (
    model: string,
    input: Record<string, unknown>,
    options?: { signal?: AbortSignal },
  ) => Promise<unknown>
}

export type WorkersAiOptions = { ai: WorkersAi; modelId: string; info?: ModelSummary }

/** Never reached: the binding is. It is what a failure names. */
const ADDRESS = 'https://workers-ai.cloudflare.com/v1'

export function createWorkersAiModel({ ai, modelId, info }: WorkersAiOptions): Model {
  return createOpenAiModel({
    baseURL: ADDRESS,
    modelId,
    info: info ?? describeModel(modelId, 'workers-ai'),
    fetch: async (_url, init) => {
      const input = toInput(JSON.parse(init?.body as string) as Json)
      const signal = init?.signal
      try {
        const answer = await ai.run(modelId, input, signal ? { signal } : {})
        return toResponse(answer)
      } catch (error) {
        if (signal?.aborted === true) throw error
        return toFailure(error)
      }
    },
  })
}

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The model is an argument of its own, and older models refuse a message without content. */
function toInput({ model: _model, stream_options: _options, messages, ...rest }: Json): Json {
  const contents = (messages as Json[]).map((message) => ({
    ...message,
    content: message.content ?? '',
  }))
  return { ...rest, messages: contents }
}

function toResponse(answer: unknown): Response {
  if (answer instanceof ReadableStream) {
    return new Response(toChunks(answer as ReadableStream<Uint8Array>))
  }
  // A model that cannot stream answers all at once.
  const text = `data: ${JSON.stringify(answer)}\n\ndata: [DONE]\n\n`
  return new Response(toChunks(new Response(text).body!))
}

const toChunks = (body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> =>
  mapLines(body, (line) => {
    const [, data] = /^data:\s*(\{.*)$/.exec(line) ?? []
    const chunk = data === undefined ? null : toChunk(data)
    return chunk === null ? line : `data: ${JSON.stringify(chunk)}`
  })

/** null: it is one already, or nothing that is known here. */
export function toChunk(data: string): Json | null {
  let event: unknown
  try {
    event = JSON.parse(data)
  } catch {
    return null
  }
  if (!isObject(event)) return null
  if (Array.isArray(event.choices)) return toDeltas(event)
  const isOwn = 'response' in event || 'tool_calls' in event
  if (!isOwn) return null
  const { response, tool_calls: calls, usage } = event
  // A word that is a number comes as a number.
  const content = response == null ? '' : toText(response)
  const hasCalls = Array.isArray(calls) && calls.length > 0
  const delta = { content, ...(hasCalls && { tool_calls: calls as unknown[] }) }
  return {
    choices: [{ index: 0, delta, finish_reason: null }],
    ...(isUsage(usage) && { usage }),
  }
}

const toText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)

/** Zeros in every event are no count; only the last event's is. */
const isUsage = (usage: unknown): boolean => isObject(usage) && Number(usage.total_tokens) > 0

/** From Cloudflare's list of Workers AI errors. */
const STATUS_OF_CODE: Record<string, number> = {
  3003: 400,
  3006: 413,
  3007: 408,
  3008: 408,
  3023: 403,
  3036: 429,
  3040: 503,
  3041: 403,
  3042: 404,
  4006: 429,
  5007: 404,
  5016: 403,
  5018: 403,
  5021: 413,
}

function toFailure(error: unknown): Response {
  const message = error instanceof Error ? error.message : String(error)
  const [, code] = /\b([345]\d{3}):/.exec(message) ?? []
  const isRefused = code?.startsWith('5') === true
  const status = STATUS_OF_CODE[code ?? ''] ?? (isRefused ? 400 : 502)
  return Response.json({ error: { message } }, { status })
}

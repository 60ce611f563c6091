// Any server that speaks OpenAI's chat completions: OpenAI, Ollama, vLLM, OpenRouter and others.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type {
  AssistantPart,
  Model,
  ModelFinish,
  ModelMessage,
  ModelPart,
  ModelRequest,
  StopReason,
} from '../core/session/model.ts'
import { malformed, toModelError, type Provider } from './openai-errors.ts'
import { readTextAhead, type TextSink } from './text-ahead.ts'

export type OpenAiOptions = Provider & {
  modelId: string
  fetch?: typeof globalThis.fetch
}

type Chat = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>
type CallOptions = Parameters<Chat['doStream']>[0]
type Prompt = CallOptions['prompt']
type Tools = NonNullable<CallOptions['tools']>
type Streamed = Awaited<ReturnType<Chat['doStream']>>['stream']
type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never
type Finish = Extract<StreamPart, { type: 'finish' }>

export function createOpenAiModel(options: OpenAiOptions): Model {
  const { baseURL, apiKey, modelId, fetch = globalThis.fetch } = options
  // The package hands a call's signal to fetch: that is how fetch knows whose text it reads.
  const sinks = new WeakMap<object, TextSink>()
  const chat = createOpenAICompatible({
    name: 'openai',
    baseURL,
    includeUsage: true,
    ...(apiKey !== undefined && { apiKey }),
    fetch: async (input, init) => {
      const response = await fetch(input, init)
      const sink = sinks.get(init?.signal ?? {})
      if (!response.ok || response.body === null || sink === undefined) return response
      return new Response(readTextAhead(response.body, sink))
    },
  }).chatModel(modelId)

  return {
    id: modelId,
    async stream(request, signal, emit) {
      signal.throwIfAborted()
      const call = new AbortController()
      const parts = new Parts(emit, call.signal)
      sinks.set(call.signal, parts.addText)
      // One race for the whole call: an abort waits neither for the provider nor for its fetch.
      const aborted = Promise.withResolvers<never>()
      const onAbort = () => {
        call.abort(signal.reason)
        aborted.reject(signal.reason)
      }
      signal.addEventListener('abort', onAbort)
      try {
        const pumped = pump(chat, request, call.signal, parts, (error) =>
          toModelError(error, options),
        )
        return await Promise.race([pumped, aborted.promise])
      } finally {
        signal.removeEventListener('abort', onAbort)
        call.abort() // lets go of the connection of a stream that failed half-way
      }
    },
  }
}

async function pump(
  chat: Chat,
  request: ModelRequest,
  signal: AbortSignal,
  parts: Parts,
  toError: (error: unknown) => Error,
): Promise<ModelFinish> {
  const options = { prompt: toPrompt(request), tools: toTools(request), abortSignal: signal }
  const { stream } = await chat.doStream(options).then(undefined, (error: unknown) => {
    throw toError(error)
  })
  const reader = stream.getReader()
  try {
    for (;;) {
      let next: ReadableStreamReadResult<StreamPart>
      // Only the read is the provider's: what `emit` throws goes up as it is.
      try {
        next = await reader.read()
      } catch (error) {
        throw parts.thrown ?? toError(error)
      }
      signal.throwIfAborted()
      if (next.done) throw malformed()
      const part = next.value
      if (part.type === 'error') throw toError(part.error)
      if (part.type === 'finish') return parts.finish(part)
      parts.accept(part)
    }
  } finally {
    reader.cancel().catch(() => {})
  }
}

type ToolCallPart = Extract<ModelPart, { type: 'tool_call' }>

/** From the package's parts to ours. */
class Parts {
  /** What `emit` threw while text was read ahead: a fault of ours, not of the provider. */
  thrown: Error | null = null
  private readonly emit: (part: ModelPart) => void
  private readonly signal: AbortSignal
  private readonly names = new Map<string, string>()
  /** Held back to the finish: the arguments of a stream that was cut only look complete. */
  private readonly calls: ToolCallPart[] = []
  private isOpen = false

  constructor(emit: (part: ModelPart) => void, signal: AbortSignal) {
    this.emit = emit
    this.signal = signal
  }

  readonly addText: TextSink = (type, text) => {
    if (this.signal.aborted) return
    this.isOpen = true
    try {
      this.emit({ type, text })
    } catch (error) {
      this.thrown = error as Error
      throw error
    }
  }

  accept(part: StreamPart): void {
    switch (part.type) {
      case 'text-delta':
        return this.addText('text', part.delta)
      case 'reasoning-delta':
        return this.addText('thinking', part.delta)
      case 'text-end':
      case 'reasoning-end':
        return this.endPart()
      case 'tool-input-start':
        this.names.set(part.id, part.toolName)
        return this.addInput(part.id, '')
      case 'tool-input-delta':
        return this.addInput(part.id, part.delta)
      case 'tool-call':
        this.calls.push({
          type: 'tool_call',
          id: part.toolCallId,
          toolName: part.toolName,
          arguments: part.input,
        })
        return
      default:
      // Metadata, sources and files: nothing that a transcript of ours has a place for.
    }
  }

  finish({ finishReason, usage }: Finish): ModelFinish {
    this.endPart()
    for (const call of this.calls) this.emit(call)
    return {
      stopReason: toStopReason(finishReason.unified, this.calls.length > 0),
      usage: {
        inputTokens: usage.inputTokens.total ?? 0,
        outputTokens: usage.outputTokens.total ?? 0,
        cachedTokens: usage.inputTokens.cacheRead ?? 0,
      },
    }
  }

  private addInput(id: string, text: string): void {
    this.isOpen = false
    this.emit({ type: 'tool_input', id, toolName: this.names.get(id) ?? '', text })
  }

  private endPart(): void {
    if (this.isOpen) this.emit({ type: 'part_end' })
    this.isOpen = false
  }
}

function toStopReason(reason: Finish['finishReason']['unified'], hasCalls: boolean): StopReason {
  switch (reason) {
    case 'length':
      return 'length'
    case 'content-filter':
      return 'content_filter'
    case 'tool-calls':
      return 'tool_calls'
    default:
      // Several local servers say "stop" after a tool call.
      if (hasCalls) return 'tool_calls'
      return reason === 'stop' ? 'stop' : 'other'
  }
}

function toTools({ tools }: ModelRequest): Tools {
  return tools.map((tool) => ({ type: 'function', ...tool })) as Tools
}

function toPrompt({ system, messages }: ModelRequest): Prompt {
  const prompt: Prompt = messages.flatMap(toPromptMessage)
  if (system !== '') prompt.unshift({ role: 'system', content: system })
  return prompt
}

function toPromptMessage(message: ModelMessage): Prompt {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: [{ type: 'text', text: message.text }] }]
    case 'assistant': {
      const content = message.parts.filter((part) => part.type !== 'text' || part.text !== '')
      // Servers refuse an assistant message that says nothing and calls nothing.
      return content.length === 0 ? [] : [{ role: 'assistant', content: content.map(toPromptPart) }]
    }
    case 'tool':
      return [
        {
          role: 'tool',
          content: message.results.map(({ callId, toolName, ok, text }) => ({
            type: 'tool-result',
            toolCallId: callId,
            toolName,
            output: { type: ok ? 'text' : 'error-text', value: text },
          })),
        },
      ]
  }
}

type PromptPart = Extract<Prompt[number], { role: 'assistant' }>['content'][number]

function toPromptPart(part: AssistantPart): PromptPart {
  if (part.type === 'text') return part
  const { callId, toolName } = part
  return { type: 'tool-call', toolCallId: callId, toolName, input: toInput(part.arguments) }
}

/** Servers parse the arguments of earlier calls: what a model once wrote wrongly must not stop it. */
function toInput(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  return text.trim() === '' ? {} : { invalid_arguments: text }
}

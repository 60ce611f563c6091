// One call of a provider package, from the request to the finish: the part that is the same for
// every provider. A package hands a call's signal to its fetch, and that is how the fetch knows
// whose bytes it reads.

import type { ModelFinish, ModelPart } from '../core/session/model.ts'
import { malformed } from './errors.ts'
import { LineLength } from './line-length.ts'
import type { CallOptions, Streaming, StreamPart } from './provider-types.ts'
import { StreamParts } from './stream-parts.ts'
import type { ThinkTags } from './think-tags.ts'

type Fetch = typeof globalThis.fetch
/** The body that the package gets for the one that came; `parts` is told of what it leaves out. */
export type ReadBody = (
  body: ReadableStream<Uint8Array>,
  parts: StreamParts,
  contentType: string,
) => ReadableStream<Uint8Array>

export class ProviderCalls {
  private readonly parts = new WeakMap<object, StreamParts>()
  private readonly toError: (error: unknown) => Error
  private readonly newTags: () => ThinkTags | null

  /** `newTags`: where thoughts may come as the beginning of the text. */
  constructor(toError: (error: unknown) => Error, newTags: () => ThinkTags | null = () => null) {
    this.toError = toError
    this.newTags = newTags
  }

  /** The fetch to give to the package. */
  wrap(fetch: Fetch, readBody: ReadBody): Fetch {
    return async (input, init) => {
      const response = await fetch(input, init)
      const parts = this.parts.get(init?.signal ?? {})
      if (!response.ok || response.body === null || parts === undefined) return response
      const contentType = response.headers.get('content-type') ?? ''
      return new Response(readBody(response.body, parts, contentType))
    }
  }

  async stream(
    chat: Streaming,
    options: Omit<CallOptions, 'abortSignal'>,
    signal: AbortSignal,
    emit: (part: ModelPart) => void,
  ): Promise<ModelFinish> {
    signal.throwIfAborted()
    const call = new AbortController()
    const parts = new StreamParts(emit, call.signal, this.newTags())
    this.parts.set(call.signal, parts)
    // One race for the whole call: an abort waits neither for the provider nor for its fetch.
    const aborted = Promise.withResolvers<never>()
    const onAbort = () => {
      call.abort(signal.reason)
      aborted.reject(signal.reason)
    }
    signal.addEventListener('abort', onAbort)
    try {
      const pumped = this.pump(chat, { ...options, abortSignal: call.signal }, call.signal, parts)
      return await Promise.race([pumped, aborted.promise])
    } finally {
      signal.removeEventListener('abort', onAbort)
      call.abort() // lets go of the connection of a stream that failed half-way
    }
  }

  private async pump(
    chat: Streaming,
    options: CallOptions,
    signal: AbortSignal,
    parts: StreamParts,
  ): Promise<ModelFinish> {
    const fail = (error: unknown): Error => parts.thrown ?? this.toError(error)
    const { stream } = await chat.doStream(options).then(undefined, (error: unknown) => {
      throw fail(error)
    })
    const reader = stream.getReader()
    try {
      for (;;) {
        let next: ReadableStreamReadResult<StreamPart>
        // Only the read is the provider's: what `emit` throws goes up as it is.
        try {
          next = await reader.read()
        } catch (error) {
          throw fail(error)
        }
        signal.throwIfAborted()
        if (next.done) throw malformed()
        const part = next.value
        if (part.type === 'error') throw fail(part.error)
        if (part.type === 'finish') return parts.finish(part)
        parts.accept(part)
      }
    } finally {
      reader.cancel().catch(() => {})
    }
  }
}

/** The body as it is; each chunk of it is a sign of life. */
export const watchBody: ReadBody = (body, parts) => {
  const line = new LineLength()
  return body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        line.add(chunk)
        parts.addActivity()
        controller.enqueue(chunk)
      },
    }),
  )
}

// The types that the provider packages share, by way of one of them: the package that declares
// them is not a dependency of ours.

import type { createOpenAICompatible } from '@ai-sdk/openai-compatible'

type Chat = ReturnType<ReturnType<typeof createOpenAICompatible>['chatModel']>
type Streamed = Awaited<ReturnType<Chat['doStream']>>['stream']

export type CallOptions = Parameters<Chat['doStream']>[0]
export type StreamPart = Streamed extends ReadableStream<infer Part> ? Part : never
/** What a package's model is to us. */
export type Streaming = {
  doStream: (options: CallOptions) => PromiseLike<{ stream: ReadableStream<StreamPart> }>
}

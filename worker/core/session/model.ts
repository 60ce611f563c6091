// What the loop knows of a language model. A provider is one small file that implements `Model`.

import type { Usage } from '#protocol/events'

export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; parts: readonly AssistantPart[] }
  | { role: 'tool'; results: readonly ToolAnswer[] }

export type AssistantPart =
  | { type: 'text'; text: string }
  | { type: 'tool_call'; callId: string; toolName: string; arguments: string }

export type ToolAnswer = { callId: string; toolName: string; ok: boolean; text: string }

export type ToolSpec = { name: string; description: string; inputSchema: Record<string, unknown> }

export type ModelRequest = {
  system: string
  messages: readonly ModelMessage[]
  tools: readonly ToolSpec[]
}

/**
 * What a stream is made of. `text` and `thinking` are deltas; a change of kind or a `part_end`
 * closes the part. `tool_input` announces and streams a call's arguments (`text` may be empty);
 * `tool_call` is the whole call, and may come with no `tool_input` before it.
 */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'part_end' }
  | { type: 'tool_input'; id: string; toolName: string; text: string }
  | { type: 'tool_call'; id: string; toolName: string; arguments: string }

export type StopReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'
export type ModelFinish = { stopReason: StopReason; usage: Usage }

export interface Model {
  readonly id: string
  /**
   * One provider call. `emit` is called in stream order and never after the promise settles.
   * Resolves when the stream has finished properly; rejects with ModelError on any failure, and
   * promptly with the signal's reason when it is aborted.
   */
  stream(
    request: ModelRequest,
    signal: AbortSignal,
    emit: (part: ModelPart) => void,
  ): Promise<ModelFinish>
}

export type ModelErrorCode =
  | 'model_unauthorized'
  | 'model_rate_limited'
  | 'model_unavailable'
  | 'model_bad_request'
  | 'model_malformed'

/** A provider's failure. `message` is shown to people: no key, no header, no stack. */
export class ModelError extends Error {
  readonly code: ModelErrorCode
  constructor(code: ModelErrorCode, message: string) {
    super(message)
    this.name = 'ModelError'
    this.code = code
  }
}

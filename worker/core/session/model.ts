// What the loop knows of a language model. A provider is one small file that implements `Model`.

import type { Usage } from '#protocol/events'
import type { ModelSummary } from '#protocol/http'

export type ModelMessage =
  | { role: 'user'; text: string }
  | { role: 'assistant'; parts: readonly AssistantPart[] }
  | { role: 'tool'; results: readonly ToolAnswer[] }

export type AssistantPart =
  | { type: 'text'; text: string }
  /** `signature` null: without one few want it back. `model` made it: others cannot read it. */
  | { type: 'thinking'; text: string; signature: string | null; model: string }
  | { type: 'tool_call'; callId: string; toolName: string; arguments: string; proof?: Proof }

/** A model's signature under a call of its own. */
export type Proof = { signature: string; model: string }

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
 * `tool_call` is the whole call, may come with no `tool_input` before it, and only comes once the
 * stream has finished properly: the calls of a stream that broke are never made. `activity`:
 * bytes arrived that are none of these, such as a keep-alive.
 */
export type ModelPart =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  | { type: 'part_end'; signature?: string }
  | { type: 'tool_input'; id: string; toolName: string; text: string }
  | { type: 'tool_call'; id: string; toolName: string; arguments: string; signature?: string }
  | { type: 'activity' }

export type StopReason = 'stop' | 'length' | 'tool_calls' | 'content_filter' | 'other'
/** `usage` null: the provider did not say. */
export type ModelFinish = { stopReason: StopReason; usage: Usage | null }

/** What people should know of how a model is served. */
export type ModelNotice = { code: string; message: string }

export interface Model {
  readonly id: string
  /** What is known by now: some is learned from the answers. */
  readonly info: ModelSummary
  readonly notice?: ModelNotice | null
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
  /** The account is empty or at its end: no waiting helps. */
  | 'model_unpaid'
  | 'model_overloaded'
  /** Not reached, or broken off: the network, or a server that failed. */
  | 'model_unavailable'
  | 'model_not_found'
  | 'model_context_overflow'
  | 'model_content_filter'
  | 'model_no_tools'
  | 'model_bad_request'
  | 'model_malformed'
  | 'model_stalled'

/** A provider's failure. `message` is shown to people: no key, no header, no stack. */
export class ModelError extends Error {
  readonly code: ModelErrorCode
  /** The provider said when to come back. */
  readonly retryAfterMs: number | null
  constructor(code: ModelErrorCode, message: string, retryAfterMs: number | null = null) {
    super(message)
    this.name = 'ModelError'
    this.code = code
    this.retryAfterMs = retryAfterMs
  }
}

// One tool is one file that exports a `Tool`. Nothing but the registry runs it.

import type { ToolErrorCode } from '#protocol/events'
import type { z } from 'zod'

export type ToolContext = {
  /** Aborted when the run is cancelled or the tool's time is over. */
  signal: AbortSignal
  /** Streamed to people while the tool runs. */
  output: (text: string, stream?: 'stdout' | 'stderr') => void
  now: () => number
}

export type Tool<Input = never> = {
  name: string
  description: string
  input: z.ZodType<Input>
  /** May run a second time after a crash without a second effect. */
  repeatable: boolean
  /** The text the model is given. Throw ToolFailure for an expected error. */
  run: (input: Input, context: ToolContext) => Promise<string>
}

export class ToolFailure extends Error {
  readonly code: ToolErrorCode
  constructor(message: string, code: ToolErrorCode = 'tool_error') {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
  }
}

export type ToolOutcome =
  | { ok: true; result: string; truncated?: boolean }
  | {
      ok: false
      error: { code: ToolErrorCode; message: string }
      /** What it had put out before it failed. */
      result?: string
      truncated?: boolean
    }

export interface ToolRegistry {
  specs(): readonly { name: string; description: string; inputSchema: Record<string, unknown> }[]
  isRepeatable(toolName: string): boolean
  /** Validate, check, execute within its time, bound the output. Never rejects. */
  execute(call: { toolName: string; arguments: string }, context: ToolContext): Promise<ToolOutcome>
}

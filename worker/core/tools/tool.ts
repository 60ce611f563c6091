// One tool is one file that exports a `Tool`. Nothing but the registry runs it.

import type { Mode, ToolErrorCode } from '#protocol/events'
import type { Plan, Question, Severity } from '#protocol/decision-events'
import type { z } from 'zod'
import type { Action } from '../policy/policy.ts'
import type { FileChange, Workspace } from '../workspace/workspace.ts'

export type ToolContext = {
  /** Aborted when the run is cancelled or the tool's time is over. */
  signal: AbortSignal
  /** Streamed to people while the tool runs. */
  output: (text: string, stream?: 'stdout' | 'stderr') => void
  now: () => number
  workspace: Workspace
  /**
   * What `preview` had shown to the person who said yes, empty where it had nothing to show. Absent:
   * nobody was asked, or they changed the call. What it would do now must still be that.
   */
  approvedDiff?: string
  /**
   * What it is about to change, before it does: rejects where that is more than what was allowed.
   * For tools whose changes do not follow from their arguments. The loop always gives it; absent, as
   * where a tool is tried alone, nobody looks.
   */
  review?: (changes: readonly FileChange[]) => Promise<void>
}

export type Tool<Input = never> = {
  name: string
  description: string
  input: z.ZodType<Input>
  /** May run a second time after a crash without a second effect. */
  repeatable: boolean
  /** Changes nothing outside the conversation: offered in the modes Ask and Plan too. */
  readOnly: boolean
  /** What it would do, for the policy. Absent: what any tool of its name and `readOnly` may. */
  action?: (input: Input) => Action
  /** What it would change, for a person who is asked about it. */
  preview?: (input: Input, workspace: Workspace) => Promise<{ diff?: string }>
  /** A person is its way of working: the answer is the result, and `run` is never called. */
  ask?: (input: Input) => readonly Question[]
  /** Puts a plan before a person, where the mode asks for it, and in the state of the session. */
  plan?: (input: Input) => Plan
  /** Turns to other agents, whose answer is the result; `run` is never called. */
  contact?: (input: Input) => ContactRequest
  /** Its own time, where the limit of all tools does not suit it. */
  timeMs?: number
  /** The text the model is given. Throw ToolFailure for an expected error. */
  run: (input: Input, context: ToolContext) => Promise<string>
}

/** `to`: a session's id or an agent's name. */
export type ContactRequest =
  | { type: 'message'; to: string; text: string; wait: boolean; seconds: number }
  | { type: 'spawn'; agent: string | null; task: string }
  | { type: 'list' }

export class ToolFailure extends Error {
  readonly code: ToolErrorCode
  constructor(message: string, code: ToolErrorCode = 'tool_error') {
    super(message)
    this.name = 'ToolFailure'
    this.code = code
  }
}

/** What it came to is for a person to allow. Nothing of it was done. */
export class NeedsPerson extends ToolFailure {
  readonly severity: Severity
  readonly reason: string
  constructor(reason: string, severity: Severity) {
    super(`Nothing was changed: a person has to be asked. It ${reason}`, 'tool_denied')
    this.name = 'NeedsPerson'
    this.severity = severity
    this.reason = reason
  }
}

export type ToolOutcome =
  | { ok: true; result: string; truncated?: boolean }
  | {
      ok: false
      error: { code: ToolErrorCode; message: string }
      /** Nothing was done: a person is to be asked for it. */
      ask?: { severity: Severity; reason: string }
      /** What it had put out before it failed. */
      result?: string
      truncated?: boolean
    }

/**
 * Which tools a run is offered: an agent's list (null: all) and the mode of the session.
 * `hasMission`: there is one to end, whatever the list says.
 */
export type ToolSelection = {
  tools: readonly string[] | null
  /** Lists that have to name a tool, too: of the agents that the session was made by. */
  within?: readonly (readonly string[])[]
  mode: Mode
  hasMission?: boolean
}

/** Every tool of a deployment. Opening it may ask remote servers what they offer. */
export interface ToolBox {
  isRepeatable(toolName: string): boolean
  /** What a call of this tool would do, or what is wrong with it as far as can be told here. */
  inspect(toolName: string, args: string): { action: Action } | { problem: string }
  /** Never rejects: a server that does not answer is a warning, and its tools are missing. */
  open(
    selection: ToolSelection,
    signal: AbortSignal,
  ): Promise<{ registry: ToolRegistry; warnings: readonly { code: string; message: string }[] }>
}

/** A call that was read: what it comes to is for the policy and a person to say. */
export type PreparedCall =
  /** Not a call that could be carried out. */
  | { do: 'settle'; outcome: ToolOutcome }
  | { do: 'ask'; questions: readonly Question[] }
  | { do: 'plan'; plan: Plan }
  | { do: 'contact'; request: ContactRequest }
  | {
      do: 'run'
      /** null: nothing that anyone would have to allow. */
      action: Action | null
      preview: (workspace: Workspace) => Promise<{ diff?: string }>
      /** Within its time, with its output bounded. Never rejects. */
      run: (context: ToolContext) => Promise<ToolOutcome>
    }

export interface ToolRegistry {
  specs(): readonly { name: string; description: string; inputSchema: Record<string, unknown> }[]
  isRepeatable(toolName: string): boolean
  /** Finds and validates. Never throws. */
  prepare(call: { callId: string; toolName: string; arguments: string }): PreparedCall
}

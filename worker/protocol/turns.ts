// What a transcript is made of: turns, and the parts of an answer. Once settled, neither changes.

import type { Callback, RecordReason } from './agent-events.ts'
import type { Attachment, CancelReason, Delivery, Outcome, ToolErrorCode, Usage } from './events.ts'
import type {
  Answers,
  DecisionKind,
  DecisionStatus,
  Edits,
  Plan,
  Question,
  Scope,
  Severity,
} from './decision-events.ts'
import type { ChangedFile } from './file-events.ts'

export type TextPart = {
  kind: 'text' | 'thinking'
  partId: string
  text: string
  state: 'open' | 'done' | 'interrupted'
  /** The `think` call whose argument this thought is. */
  callId?: string
}

export type ToolStatus = 'preparing' | 'pending' | 'success' | 'error' | 'interrupted' | 'denied'

export type ToolPart = {
  kind: 'tool'
  callId: string
  toolName: string
  /** JSON text, possibly incomplete while preparing. */
  arguments: string
  status: ToolStatus
  startedAt: number
  /** Streamed output while it runs; the result takes its place. */
  output: string
  result?: string
  error?: { code: ToolErrorCode; message: string }
  truncated?: boolean
  durationMs?: number
  /** What a person, or a setting in their place, was asked and said about this call. */
  decision?: DecisionView
  question?: QuestionView
  /** Another agent was written to. */
  exchange?: ExchangeView
  /** A child works on it. */
  child?: ChildView
}

/** `answer`: absent until it is there, and for one that comes as a message of its own. */
export type ExchangeView = {
  exchangeId: string
  toSessionId: string
  toAgent: string
  text: string
  wait: boolean
  answer?: Callback
}

export type ChildView = {
  childSessionId: string
  childRunId: string
  agent: string
  task: string
  status: 'running' | 'waiting' | Outcome
  /** What it did last, in a line. */
  activity: string
  /** Calls so far. */
  tools: number
  startedAt: number
  durationMs?: number
  summary?: string
}

/** `pending` until somebody answers. Without a `decisionId` nobody had to be asked. */
export type DecisionView = {
  decisionId: string | null
  kind: DecisionKind
  status: 'pending' | DecisionStatus
  severity: Severity
  /** Why it is asked. */
  reason: string
  command?: string
  cwd?: string
  path?: string
  diff?: string
  arguments?: string
  plan?: Plan
  /** What "do not ask again" would mean, in words. */
  remember?: { session: string; always: string }
  expiresAt?: number
  by?: string
  /** When it was answered. */
  at?: number
  auto?: boolean
  /** Why the person said so. */
  note?: string
  edits?: Edits
  scope?: Scope
}

export type QuestionView = {
  questionId: string
  questions: readonly Question[]
  expiresAt?: number
  answers?: Answers
  by?: string
  /** When it was answered. */
  at?: number
}

/** The files that this answer has changed so far. */
export type ChangesPart = {
  kind: 'changes'
  checkpointId: string
  files: readonly ChangedFile[]
  truncated?: true
}

export type NoticePart = {
  kind: 'notice'
  seq: number
  level: 'info' | 'warning' | 'error'
  code: string
  message: string
  /** Of code `model_fallback`. */
  fallback?: { preferred: string; actual: string }
  /** Of code `late_answer`. */
  answer?: CallbackView
}

export type Part = TextPart | ToolPart | NoticePart | ChangesPart

export const isTextPart = (part: Part): part is TextPart =>
  part.kind === 'text' || part.kind === 'thinking'

/** An assistant turn in the making. */
export type Response = {
  responseId: string
  runId: string
  /** It answers another agent. */
  exchangeId?: string
  model: string
  agent: string
  seq: number
  at: number
  parts: readonly Part[]
}

export type RunEnd = {
  outcome: Outcome
  stopReason: string
  usage: Usage
  durationMs: number
  by?: string
  reason?: CancelReason
}

export type UserTurn = {
  kind: 'user'
  seq: number
  at: number
  messageId: string
  text: string
  attachments: readonly Attachment[]
  delivery: Delivery
  to?: string
}
/** Another agent wrote. */
export type AgentTurn = {
  kind: 'agent'
  seq: number
  at: number
  messageId: string
  from: string
  fromSessionId: string
  exchangeId: string
  text: string
}
/** `isRecord`: nothing followed from it; `because`: why, where it is not that the run was over. */
export type CallbackView = { callback: Callback; isRecord: boolean; because?: RecordReason }
/** The answer to an exchange, as a message of its own. */
export type CallbackTurn = { kind: 'callback'; seq: number; at: number } & CallbackView
/** What a mission's schedule said, in place of a person: prompt `n` of `of`. */
export type IdlePromptTurn = {
  kind: 'idle_prompt'
  seq: number
  at: number
  missionId: string
  text: string
  n: number
  of: number
}
/** `end` is null where a steer settled the response and the run went on. */
export type AssistantTurn = { kind: 'assistant'; end: RunEnd | null } & Response
export type NoticeTurn = { kind: 'notice'; at: number; notice: NoticePart }
export type Turn = UserTurn | AgentTurn | CallbackTurn | IdlePromptTurn | AssistantTurn | NoticeTurn

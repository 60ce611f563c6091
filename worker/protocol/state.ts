// What a session is, folded from its events. `turns` never change identity once settled; `open` is
// the only thing that deltas touch; everything else is "hot": small, and kept beside the log.

import type {
  Attachment,
  CancelReason,
  Delivery,
  Mode,
  Outcome,
  QueueItem,
  Recovery,
  ToolErrorCode,
  Usage,
} from './events.ts'
import type { SessionStatus, SessionSummary } from './http.ts'
import { shorten } from './text.ts'

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
}

export type NoticePart = {
  kind: 'notice'
  seq: number
  level: 'warning' | 'error'
  code: string
  message: string
}

export type Part = TextPart | ToolPart | NoticePart

/** An assistant turn in the making. */
export type Response = {
  responseId: string
  runId: string
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
/** `end` is null where a steer settled the response and the run went on. */
export type AssistantTurn = { kind: 'assistant'; end: RunEnd | null } & Response
export type NoticeTurn = { kind: 'notice'; at: number; notice: NoticePart }
export type Turn = UserTurn | AssistantTurn | NoticeTurn

export type RunState =
  | { status: 'idle' }
  | {
      status: 'running'
      runId: string
      /** Where the run writes now: `<runId>.<n>`. */
      responseId: string
      model: string
      agent: string
      attempt: number
      startedAt: number
      cancelled?: { by: string; reason: CancelReason }
    }

export type EndedRun = { runId: string; outcome: Outcome; seq: number }

export type SessionConfig = {
  id: string
  /** What a person chose; null: use the first message. */
  title: string | null
  firstText: string | null
  agent: string
  model: string
  mode: Mode
  pinned: boolean
  autoApproveCommands: boolean
  autoApproveSensitiveEdits: boolean
  sensitivePatterns: readonly string[]
  recovery: Recovery
  createdAt: number
  updatedAt: number
  /** Messages since the transcript last started: what a `continue` has to go on from. */
  messages: number
  /** Seq of the last `session_cleared`: transcript and model history start after it. */
  clearedSeq: number
}

export type QueueState = { items: readonly QueueItem[]; held: boolean }

/** Everything but turns and the open response: what the object keeps in one row. */
export type HotState = {
  session: SessionConfig
  run: RunState
  lastRun: EndedRun | null
  queue: QueueState
  usage: Usage & { runs: number }
}

export type SessionState = HotState & {
  seq: number
  turns: readonly Turn[]
  open: Response | null
}

/** What a client that opens at the end is given of everything before the tail. */
export type Snapshot = HotState & { open: Response | null }

export const EMPTY_STATE: SessionState = {
  seq: 0,
  session: {
    id: '',
    title: null,
    firstText: null,
    agent: '',
    model: '',
    mode: 'agent',
    pinned: false,
    autoApproveCommands: false,
    autoApproveSensitiveEdits: false,
    sensitivePatterns: [],
    recovery: 'continue',
    createdAt: 0,
    updatedAt: 0,
    messages: 0,
    clearedSeq: 0,
  },
  run: { status: 'idle' },
  lastRun: null,
  queue: { items: [], held: false },
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, runs: 0 },
  turns: [],
  open: null,
}

export function hot(state: HotState): HotState {
  const { session, run, lastRun, queue, usage } = state
  return { session, run, lastRun, queue, usage }
}

export function isSameHot(a: HotState, b: HotState): boolean {
  return (
    a.session === b.session &&
    a.run === b.run &&
    a.lastRun === b.lastRun &&
    a.queue === b.queue &&
    a.usage === b.usage
  )
}

export const toSnapshot = (state: SessionState): Snapshot => ({ ...hot(state), open: state.open })

export const fromSnapshot = (snapshot: Snapshot, seq: number): SessionState => ({
  ...hot(snapshot),
  open: snapshot.open,
  seq,
  turns: [],
})

/** Never used: a new chat may take it instead of making another. */
export const isEmptySession = (state: HotState): boolean =>
  state.session.messages === 0 &&
  state.session.clearedSeq === 0 &&
  state.session.title === null &&
  state.run.status === 'idle' &&
  state.queue.items.length === 0

const DERIVED_TITLE_CHARS = 60

export function titleOf(session: SessionConfig): string {
  if (session.title !== null) return session.title
  const line = session.firstText?.trim().split('\n', 1)[0] ?? ''
  if (line === '') return 'New chat'
  return line.length > DERIVED_TITLE_CHARS ? `${shorten(line, DERIVED_TITLE_CHARS - 1)}…` : line
}

export function statusOfSession(state: HotState): SessionStatus {
  if (state.run.status === 'running') return 'running'
  return state.lastRun?.outcome === 'failed' ? 'error' : 'idle'
}

export function toSummary(state: SessionState): SessionSummary {
  const { id, agent, model, mode, createdAt, updatedAt, pinned } = state.session
  return {
    id,
    title: titleOf(state.session),
    status: statusOfSession(state),
    agent,
    model,
    mode,
    seq: state.seq,
    createdAt,
    updatedAt,
    pinned,
  }
}

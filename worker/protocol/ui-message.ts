// What `GET /api/events` says: every event of a session as messages of seed 003, snake_case as there.

import { isSessionId } from './ids.ts'

export type UiKind =
  | 'run'
  | 'message'
  | 'activity'
  | 'queue'
  | 'token'
  | 'text_segment'
  | 'ask_user'
  | 'model_fallback'
  | 'tool_progress'

export type UiPhase =
  | 'sync'
  | 'outcome'
  | 'resync'
  | 'context_usage'
  | 'subagent_spawned'
  | 'subagent_result'
  | 'plan_update'
  | 'change_report'
  | 'doing'
  | 'done'
  | 'decision'

/** `seq`, `ts_ms`: of the event that caused it. `rev` is there for the document's sake. */
export type UiSseMessage = {
  id: string
  seq: number
  rev: 1
  ts_ms: number
  kind: UiKind
  phase?: UiPhase
  text?: string
  agent_id?: string
  session_id?: string
  data?: Record<string, unknown>
}

/** Messages of one event are counted from 1. 0: it is not in the log, and nothing resumes from it. */
export type UiMessageId = { sessionId: string; seq: number; n: number }

const MESSAGE_ID = /^([^:]+):(\d{1,15}):(\d{1,6})$/

export const toUiMessageId = ({ sessionId, seq, n }: UiMessageId): string =>
  `${sessionId}:${seq}:${n}`

export function parseUiMessageId(text: string): UiMessageId | null {
  const match = MESSAGE_ID.exec(text)
  if (match === null || !isSessionId(match[1]!)) return null
  const id = { sessionId: match[1]!, seq: Number(match[2]), n: Number(match[3]) }
  return id.seq > 0 && id.n > 0 ? id : null
}

// Shapes of the HTTP API that both sides name.

import type { Mode } from './events.ts'

export type SessionStatus = 'idle' | 'running' | 'waiting' | 'error'

export type SessionSummary = {
  id: string
  title: string
  status: SessionStatus
  agent: string
  model: string
  mode: Mode
  seq: number
  createdAt: number
  updatedAt: number
  pinned: boolean
  parentId?: string
  forkedFrom?: string
}

export type SessionStats = {
  rowsWritten: number
  rowsRead: number
  databaseBytes: number
  events: number
  sockets: number
}

export type ErrorCode =
  | 'bad_request'
  | 'unauthorized'
  | 'forbidden_origin'
  | 'not_found'
  | 'method_not_allowed'
  | 'too_large'
  | 'rate_limited'
  | 'id_reused'
  | 'queue_full'
  | 'run_active'
  | 'nothing_to_continue'
  | 'no_such_item'
  | 'no_such_run'
  | 'unknown_model'
  | 'too_many_sockets'
  | 'hello_required'
  | 'upgrade_required'
  | 'not_configured'
  | 'internal'

const STATUS: Record<ErrorCode, number> = {
  bad_request: 400,
  unauthorized: 401,
  forbidden_origin: 403,
  not_found: 404,
  method_not_allowed: 405,
  too_large: 413,
  rate_limited: 429,
  id_reused: 409,
  queue_full: 409,
  run_active: 409,
  nothing_to_continue: 409,
  no_such_item: 404,
  no_such_run: 404,
  unknown_model: 400,
  too_many_sockets: 429,
  hello_required: 400,
  upgrade_required: 426,
  not_configured: 503,
  internal: 500,
}

/** An expected refusal: a value, never an exception. */
export type Rejection = { code: ErrorCode; message: string; retryAfterSeconds?: number }
export type ErrorBody = { error: { code: ErrorCode; message: string } }

export const statusOf = (code: ErrorCode): number => STATUS[code]

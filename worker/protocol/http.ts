// Shapes of the HTTP API that both sides name.

import type { DecisionKind, Severity } from './decision-events.ts'
import type { Mode, Outcome, RunKind, Usage } from './events.ts'
import type { FileAction } from './file-events.ts'

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

/** One thing that waits for a person (DEC6). `kind` of a question is `question`. */
export type InboxItem = {
  id: string
  sessionId: string
  callId: string
  kind: DecisionKind | 'question'
  title: string
  reason: string
  severity: Severity
  at: number
  expiresAt?: number
}

/** What a call would be judged as with an edit that a person has not sent. */
export type Judged = { severity: Severity; reason: string }

/** A named configuration (AGT1). `models`: tried in order after the session's own. */
export type AgentSummary = {
  name: string
  description: string
  instructions: string
  models: readonly string[]
  /** Names of tools; a server's tools as `server__*`. null: every tool. */
  tools: readonly string[] | null
  mode: Mode
  colour: string
  builtIn: boolean
}

/** What a model can do and costs. Prices are in dollars per million tokens. */
export type ModelSummary = {
  id: string
  provider: string
  window: number
  tools: boolean
  price: { input: number; cachedInput: number; output: number } | null
}

/** A tool call of a run, and how its result (or what the error says) begins. Null while it is open. */
export type RunCall = {
  call_id: string
  tool: string
  ok: boolean | null
  error_code: string | null
  result: string | null
  duration_ms: number | null
}

/** `GET /api/agent-runs`, snake_case as in that document. */
export type RunRecord = {
  run_id: string
  session_id: string
  agent_id: string
  kind: RunKind
  /** The model that was asked for, and the one that answered last. */
  model: string
  actual_model: string
  state: 'running' | 'ended'
  outcome: Outcome | null
  stop_reason: string | null
  attempt: number
  started_at: number
  ended_at: number | null
  duration_ms: number | null
  usage: Usage | null
  response_ids: readonly string[]
  tool_calls: readonly RunCall[]
  parent_run_id: string | null
  exchange_id: string | null
}

/** `GET /api/mission`, `/api/missions`, likewise. `every_minutes` null: it is told, and never prompted. */
export type MissionView = {
  mission_id: string
  session_id: string | null
  agent_id: string | null
  text: string
  every_minutes: number | null
  max_prompts: number | null
  prompts: number
  status: 'active' | 'paused' | 'done' | 'exhausted' | 'stopped'
  set_at: number
  ended_at: number | null
  summary: string | null
}

export type SessionStats = {
  rowsWritten: number
  rowsRead: number
  databaseBytes: number
  events: number
  sockets: number
}

/** A file of a workspace. `modifiedAt` is null for what it once was. */
export type FileSummary = { path: string; size: number; hash: string; modifiedAt: number | null }
/** `bytes` of at most `limit`; `stored`, with all older versions, of at most `storedLimit`. */
export type FileList = {
  files: readonly FileSummary[]
  bytes: number
  limit: number
  stored: number
  storedLimit: number
}
/** `file` is null where it was deleted. `seq`: of the event, or of the log where nothing changed. */
export type WrittenFile = { file: FileSummary | null; seq: number }

/** Newest first. `undone`, `kept`: hunks by their index. `by`: a person wrote. */
export type CheckpointSummary = {
  checkpointId: string
  at: number
  by?: string
  runId?: string
  files: readonly {
    path: string
    action: FileAction
    additions: number
    deletions: number
    before: string | null
    after: string | null
    undone: readonly number[]
    kept: readonly number[]
    from?: string
  }[]
  /** Files that are not listed. */
  truncatedCount?: number
}
export type CheckpointsPage = {
  checkpoints: readonly CheckpointSummary[]
  nextCursor: string | null
}

/** Lines with their endings; starts are counted from 1. */
export type DiffHunk = {
  index: number
  beforeStart: number
  beforeLines: readonly string[]
  afterStart: number
  afterLines: readonly string[]
  state: 'open' | 'undone' | 'kept'
}
/** Hashes of the three versions; null: no such file. */
export type FileDiffView = {
  path: string
  before: string | null
  after: string | null
  current: string | null
  unit: 'none' | 'lines' | 'file'
  binary: boolean
  additions: number
  deletions: number
  hunks: readonly DiffHunk[]
  truncated: boolean
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
  | 'nothing_to_compact'
  | 'already_decided'
  | 'no_such_decision'
  | 'no_such_question'
  | 'no_such_checkpoint'
  | 'no_such_rule'
  | 'no_such_mission'
  | 'mission_state'
  | 'too_many_overrides'
  | 'invalid_edit'
  | 'file_conflict'
  | 'no_such_item'
  | 'no_such_run'
  | 'unknown_model'
  | 'unknown_agent'
  | 'agent_exists'
  | 'agent_built_in'
  | 'too_many_agents'
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
  nothing_to_compact: 409,
  already_decided: 409,
  no_such_decision: 404,
  no_such_question: 404,
  no_such_checkpoint: 404,
  no_such_rule: 404,
  no_such_mission: 404,
  mission_state: 409,
  too_many_overrides: 409,
  invalid_edit: 400,
  file_conflict: 409,
  no_such_item: 404,
  no_such_run: 404,
  unknown_model: 400,
  unknown_agent: 400,
  agent_exists: 409,
  agent_built_in: 409,
  too_many_agents: 409,
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

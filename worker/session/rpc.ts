// What the Worker may ask of a session object. Expected refusals are values; nothing here throws.

import type { Bound } from '#protocol/agent-events'
import type { Ack, Command } from '#protocol/commands'
import type { Edits } from '#protocol/decision-events'
import type { Mode, SessionEvent, ToolErrorCode } from '#protocol/events'
import type {
  CheckpointsPage,
  FileDiffView,
  FileList,
  Judged,
  Rejection,
  SessionStats,
  SessionSummary,
  WrittenFile,
} from '#protocol/http'
import type { MessagesPage, MessagesQuery } from '../core/messages/read-messages.ts'
import type { AgentOverride } from '#protocol/mission-events'
import type { CheckpointsQuery } from '../core/session/checkpoint-views.ts'
import type { MissionRecord, StandingView } from '../core/session/mission-views.ts'
import type { FileContent, FileOutcome, FileWrite } from '../core/session/person-files.ts'
import type { Inheritance } from '../core/session/inheritance.ts'
import type { Claim, Delivery, Envelope, Standing } from '../core/session/letters.ts'
import type { RunContact } from '../core/session/run-contacts.ts'
import type { ChildOf } from '../core/session/run-workspace.ts'
import type { FileChange, FileEntry, WorkspacePath } from '../core/workspace/workspace.ts'
import type { RunContext, RunsPage, RunsQuery } from '../core/session/run-views.ts'

export type { CheckpointsQuery } from '../core/session/checkpoint-views.ts'
export type {
  FileContent,
  FileOutcome,
  FileRefusal,
  FileWrite,
  Precondition,
} from '../core/session/person-files.ts'
export type { MissionRecord, StandingView } from '../core/session/mission-views.ts'
export type { MessagesPage, MessagesQuery } from '../core/messages/read-messages.ts'
export type { RunContext, RunsPage, RunsQuery } from '../core/session/run-views.ts'

export type Result<T> = { ok: true; value: T } | { ok: false; rejection: Rejection }

export type NewSession = {
  sessionId: string
  owner: string
  agent: string
  model: string
  mode: Mode
  title?: string
}

/** `raw`: with the messages as the model was told them. */
export type RunView = 'summary' | 'raw'

export type EventsQuery = { after?: number; before?: number; limit: number; deltas: boolean }
export type EventsPage = { events: SessionEvent[]; seq: number; hasMore: boolean }

/** A zip archive, and the folder it is unpacked into. */
export type Upload = { into: string; bytes: Uint8Array }

/** Every call names the caller's owner; a session of another owner answers like one that is not there. */
export interface SessionRpc {
  create(input: NewSession): Promise<Result<SessionSummary>>
  summary(owner: string): Promise<Result<SessionSummary & { empty: boolean }>>
  command(owner: string, command: Command, reason?: 'api'): Promise<Result<Ack>>
  /** What an open decision would be judged as with these edits. Nothing is decided. */
  judgeEdits(owner: string, asked: { decisionId: string; edits: Edits }): Promise<Result<Judged>>
  events(owner: string, query: EventsQuery): Promise<Result<EventsPage>>
  /** A page of whole turns, from the end or before a cursor. */
  messages(owner: string, query: MessagesQuery): Promise<Result<MessagesPage>>
  stats(owner: string): Promise<Result<SessionStats>>
  /** Newest first. `before`: the seq at which the last run of the page before had started. */
  runs(owner: string, query: RunsQuery): Promise<Result<RunsPage>>
  runContext(owner: string, runId: string, view: RunView): Promise<Result<RunContext>>
  /** The session whose files this one works on: its own, or that at the top of its tree. */
  workspaceId(owner: string): Promise<Result<string>>
  mission(owner: string): Promise<Result<StandingView>>
  /** Newest first. */
  missions(owner: string): Promise<Result<MissionRecord[]>>
  /** null: the agent is here as it is everywhere. */
  override(owner: string, agentId: string): Promise<Result<AgentOverride | null>>
  listFiles(owner: string): Promise<Result<FileList>>
  /** `version`: a content that this path once had, by its hash. */
  readFile(owner: string, path: string, version?: string): Promise<Result<FileContent>>
  /** Bytes null: delete. */
  writeFile(owner: string, write: FileWrite): Promise<FileOutcome<WrittenFile>>
  moveFile(owner: string, move: { from: string; to: string }): Promise<FileOutcome<WrittenFile>>
  /** A zip archive of a folder; '' is all of it. */
  downloadFiles(owner: string, folder: string): Promise<Result<ReadableStream<Uint8Array>>>
  uploadFiles(owner: string, upload: Upload): Promise<Result<{ files: number; seq: number }>>
  /** Newest first. `before`: the seq at which the last one of the page before began. */
  checkpoints(owner: string, query: CheckpointsQuery): Promise<Result<CheckpointsPage>>
  checkpointDiff(owner: string, checkpointId: string, path: string): Promise<Result<FileDiffView>>
  /** Hide at once, erase after RESTORE_MS. */
  remove(owner: string): Promise<Result<null>>
  restore(owner: string): Promise<Result<SessionSummary>>
  /** Say once more what it says of itself: to a hub that has lost what it knew. */
  announce(owner: string): Promise<void>
  /** A letter of another session. Throws where it was not decided; the sender tries again. */
  deliver(owner: string, sessionId: string, envelope: Envelope): Promise<Delivery>
  /** Whether this session still waits for what another one does for it. */
  isWanted(owner: string, claim: Claim): Promise<boolean>
  /** How what another session waits for stands here. null: nothing here keeps it from its answer. */
  standing(owner: string, claim: Claim): Promise<Standing | null>
  /** Takes a message that waits here out of the queue: its sender is told why. */
  refuse(owner: string, exchangeId: string, why: string): Promise<void>
  /** `to` is there again: what this session still has for it is sent now. False: it is not there. */
  resend(owner: string, to: string): Promise<boolean>
  /** What this session may do unasked, for those it made. null: it is not there. */
  inheritance(owner: string): Promise<Inheritance | null>
  /** Which tools a run here would have, and in which mode. null: it is not there. */
  bound(owner: string): Promise<Bound | null>
  /** The workspace for a child of the active run. null: that run is over. */
  childFiles(owner: string, child: ChildOf): Promise<FileEntry[] | null>
  childRead(owner: string, child: ChildOf, path: WorkspacePath): Promise<Uint8Array | null>
  childWrite(
    owner: string,
    child: ChildOf,
    changes: readonly FileChange[],
  ): Promise<{ ok: true } | { ok: false; code: ToolErrorCode; message: string }>
  /** Whom a run turned to, oldest first. `runId` null: not known here. */
  contactsOf(owner: string, runId: string): Promise<Result<RunContact[]>>
  /** The run that another session's message started here. */
  runOfExchange(owner: string, exchangeId: string): Promise<string | null>
  /** WebSocket upgrade only; the owner travels in OWNER_HEADER, set by the Worker alone. */
  fetch(request: Request): Promise<Response>
}

export const OWNER_HEADER = 'x-parley-owner'

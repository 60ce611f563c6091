// What the Worker may ask of a session object. Expected refusals are values; nothing here throws.

import type { Ack, Command } from '#protocol/commands'
import type { SessionEvent } from '#protocol/events'
import type { Rejection, SessionStats, SessionSummary } from '#protocol/http'

export type Result<T> = { ok: true; value: T } | { ok: false; rejection: Rejection }

export type NewSession = {
  sessionId: string
  owner: string
  agent: string
  model: string
  title?: string
}

export type EventsQuery = { after?: number; before?: number; limit: number; deltas: boolean }
export type EventsPage = { events: SessionEvent[]; seq: number; hasMore: boolean }

/** Every call names the caller's owner; a session of another owner answers like one that is not there. */
export interface SessionRpc {
  create(input: NewSession): Promise<Result<SessionSummary>>
  summary(owner: string): Promise<Result<SessionSummary & { empty: boolean }>>
  command(owner: string, command: Command, reason?: 'api'): Promise<Result<Ack>>
  events(owner: string, query: EventsQuery): Promise<Result<EventsPage>>
  stats(owner: string): Promise<Result<SessionStats>>
  /** Hide at once, erase after RESTORE_MS. */
  remove(owner: string): Promise<Result<null>>
  restore(owner: string): Promise<Result<SessionSummary>>
  /** WebSocket upgrade only; the owner travels in OWNER_HEADER, set by the Worker alone. */
  fetch(request: Request): Promise<Response>
}

export const OWNER_HEADER = 'x-parley-owner'

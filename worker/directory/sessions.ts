// The directory's session rows. A projection: it may lag behind a session's log, never lead it,
// and every write can be repeated.

import type { SessionStatus, SessionSummary } from '#protocol/http'
import type { Mode } from '#protocol/events'
import type { Mission } from '#protocol/mission-events'
import type { z } from 'zod'
import { DEFAULT_AGENT } from '../core/agents/agent.ts'

/** `deletedAt`: hidden since then, and erased soon. */
export type Projection = SessionSummary & {
  empty: boolean
  deletedAt: number | null
  mission?: Mission | null
}
export type SessionHit = SessionSummary & { snippet?: string }
export type Position = { updatedAt: number; id: string }
export type SessionsPage = { sessions: SessionHit[]; next: Position | null }

type Row = {
  id: string
  title: string
  status: SessionStatus
  agent: string
  model: string
  mode: z.infer<typeof Mode>
  seq: number
  created_at: number
  updated_at: number
  pinned: number
  parent_id: string | null
  forked_from: string | null
}

const COLUMNS =
  'id, title, status, agent, model, mode, seq, created_at, updated_at, pinned, parent_id, forked_from'

// A retried write may arrive after a later one: the row with the higher seq stays.
const UPSERT = `
  INSERT INTO sessions (${COLUMNS}, owner, is_empty, deleted_at, mission)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)
  ON CONFLICT (id) DO UPDATE SET
    title = excluded.title, status = excluded.status, agent = excluded.agent,
    model = excluded.model, mode = excluded.mode, seq = excluded.seq,
    updated_at = excluded.updated_at, pinned = excluded.pinned,
    parent_id = excluded.parent_id, forked_from = excluded.forked_from,
    is_empty = excluded.is_empty, deleted_at = excluded.deleted_at, mission = excluded.mission
  WHERE excluded.seq >= sessions.seq AND excluded.owner = sessions.owner`

export async function projectSession(
  db: D1Database,
  owner: string,
  session: Projection,
): Promise<void> {
  const { id, title, status, agent, model, mode, seq, createdAt, updatedAt } = session
  const { parentId = null, forkedFrom = null, mission = null } = session
  const flags = [Number(session.pinned), parentId, forkedFrom, owner, Number(session.empty)]
  await db
    .prepare(UPSERT)
    .bind(
      id,
      title,
      status,
      agent,
      model,
      mode,
      seq,
      createdAt,
      updatedAt,
      ...flags,
      session.deletedAt,
      mission === null ? null : JSON.stringify(mission),
    )
    .run()
}

export async function dropSession(db: D1Database, owner: string, id: string): Promise<void> {
  await db.prepare('DELETE FROM sessions WHERE id = ?1 AND owner = ?2').bind(id, owner).run()
}

/** Everything an owner has, last changed first, for a hub that is new. */
export async function loadSessions(
  db: D1Database,
  owner: string,
  limit: number,
): Promise<(SessionSummary & { empty: boolean })[]> {
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS}, is_empty FROM sessions WHERE owner = ?1 AND deleted_at IS NULL
       ORDER BY updated_at DESC, id DESC LIMIT ?2`,
    )
    .bind(owner, limit)
    .all<Row & { is_empty: number }>()
  return results.map((row) => ({ ...toSession(row), empty: row.is_empty === 1 }))
}

/** Newest first. `before` is the position of the last session of the page before. */
export async function listSessions(
  db: D1Database,
  owner: string,
  query: { limit: number; before: Position | null; text: string | null },
): Promise<SessionsPage> {
  const where = ['owner = ?1', 'deleted_at IS NULL']
  const values: (string | number)[] = [owner, query.limit + 1]
  if (query.before !== null) {
    values.push(query.before.updatedAt, query.before.id)
    where.push(`(updated_at, id) < (?${values.length - 1}, ?${values.length})`)
  }
  if (query.text !== null) {
    values.push(`%${query.text.replace(/[\\%_]/g, '\\$&')}%`)
    where.push(`title LIKE ?${values.length} ESCAPE '\\'`)
  }
  const { results } = await db
    .prepare(
      `SELECT ${COLUMNS} FROM sessions WHERE ${where.join(' AND ')}
       ORDER BY updated_at DESC, id DESC LIMIT ?2`,
    )
    .bind(...values)
    .all<Row>()
  return toPage(results, query)
}

function toPage(rows: Row[], query: { limit: number; text: string | null }): SessionsPage {
  const sessions = rows.slice(0, query.limit).map((row): SessionHit => {
    const session = toSession(row)
    return query.text === null ? session : { ...session, snippet: session.title }
  })
  const last = sessions.at(-1)
  const next = rows.length > query.limit && last ? { updatedAt: last.updatedAt, id: last.id } : null
  return { sessions, next }
}

function toSession(row: Row): SessionSummary {
  return {
    id: row.id,
    title: row.title,
    status: row.status,
    agent: row.agent,
    model: row.model,
    mode: row.mode,
    seq: row.seq,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    pinned: row.pinned === 1,
    ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
    ...(row.forked_from === null ? {} : { forkedFrom: row.forked_from }),
  }
}

/** A session nobody has written in yet; only the session itself knows whether that still holds. */
export async function findEmptySession(db: D1Database, owner: string): Promise<string | null> {
  return db
    .prepare(
      `SELECT id FROM sessions
       WHERE owner = ?1 AND is_empty = 1 AND deleted_at IS NULL AND status = 'idle'
         AND agent = ?2 AND mode = 'agent'
       LIMIT 1`,
    )
    .bind(owner, DEFAULT_AGENT)
    .first<string>('id')
}

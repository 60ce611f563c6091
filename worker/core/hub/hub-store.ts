// The rows of one owner's hub. All SQL of a hub is here. Nothing is stored before the first session
// is heard of; a hub whose storage is gone is made again from the directory.

import type { HubChange, InboxEntry } from '#protocol/hub'
import { HUB_CHANGES } from '#protocol/limits'
import type { Projection } from '../session/session-deps.ts'
import { hasTable } from '../session/schema.ts'
import type { Sql } from '../session/sql.ts'
import { entriesOf, type Unplaced } from './compare.ts'

/** Old changes are dropped this many at a time. */
const PRUNE_CHANGES = 100

// Schema steps; `version` says how many of them a hub has. Append only.
const STEPS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE hub (
       id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL, floor INTEGER NOT NULL)`,
    // data NULL: erased for good, as of the seq in gone_at. A late word of it must not revive it.
    `CREATE TABLE sessions (
       id TEXT PRIMARY KEY, updated_at INTEGER NOT NULL, is_shown INTEGER NOT NULL,
       waits INTEGER NOT NULL, data TEXT, gone_at INTEGER) WITHOUT ROWID`,
    `CREATE INDEX sessions_shown ON sessions (updated_at DESC, id DESC) WHERE is_shown = 1`,
    `CREATE INDEX sessions_waiting ON sessions (id) WHERE waits > 0`,
    `CREATE TABLE changes (seq INTEGER PRIMARY KEY, data TEXT NOT NULL)`,
  ],
]

export class HubStore {
  private readonly sql: Sql
  /** Where this hub's seqs begin; null: nothing is stored. */
  private floor: number | null

  constructor(sql: Sql) {
    this.sql = sql
    this.floor = this.load()
  }

  get isStored(): boolean {
    return this.floor !== null
  }

  get seq(): number {
    if (this.floor === null) return 0
    const [row] = this.sql.exec<{ seq: number | null }>('SELECT max(seq) AS seq FROM changes')
    return row?.seq ?? this.floor
  }

  /** Above every seq of a hub that was here before: its clients are told everything again. */
  create(floor: number, sessions: readonly Projection[]): void {
    this.sql.transaction(() => {
      for (const step of STEPS) for (const statement of step) this.sql.exec(statement)
      this.sql.exec('INSERT INTO hub (id, version, floor) VALUES (1, ?, ?)', STEPS.length, floor)
      for (const session of sessions) this.keepSession(session)
    })
    this.floor = floor
  }

  find(id: string): Projection | 'gone' | null {
    const [row] = this.sql.exec<{ data: string | null }>(
      'SELECT data FROM sessions WHERE id = ?',
      id,
    )
    if (row === undefined) return null
    return row.data === null ? 'gone' : (JSON.parse(row.data) as Projection)
  }

  /** A state and what it changes: in one transaction, or not at all. */
  keep(session: Projection, changes: readonly Unplaced[]): HubChange[] {
    return this.sql.transaction(() => {
      this.keepSession(session)
      return this.append(changes)
    })
  }

  drop(id: string, changes: readonly Unplaced[]): HubChange[] {
    return this.sql.transaction(() => {
      const placed = this.append(changes)
      this.sql.exec(
        `INSERT OR REPLACE INTO sessions (id, updated_at, is_shown, waits, data, gone_at)
         VALUES (?, 0, 0, 0, NULL, ?)`,
        id,
        this.seq,
      )
      return placed
    })
  }

  /** Last changed first. */
  newest(limit: number): Projection[] {
    if (this.floor === null) return []
    const rows = this.sql.exec<{ data: string }>(
      `SELECT data FROM sessions WHERE is_shown = 1
       ORDER BY updated_at DESC, id DESC LIMIT ?`,
      limit,
    )
    return rows.map(({ data }) => JSON.parse(data) as Projection)
  }

  inbox(): InboxEntry[] {
    if (this.floor === null) return []
    const rows = this.sql.exec<{ data: string }>(
      'SELECT data FROM sessions WHERE waits > 0 ORDER BY id',
    )
    return rows.flatMap(({ data }) => entriesOf(JSON.parse(data) as Projection))
  }

  /** As stored, ascending; null: they are not all there any more, or never were. */
  changesAfter(after: number): string[] | null {
    if (this.floor === null) return after === 0 ? [] : null
    const [range] = this.sql.exec<{ first: number | null; last: number | null }>(
      'SELECT min(seq) AS first, max(seq) AS last FROM changes',
    )
    const oldest = (range?.first ?? this.floor + 1) - 1
    if (after < oldest || after > (range?.last ?? this.floor)) return null
    return this.sql
      .exec<{ data: string }>('SELECT data FROM changes WHERE seq > ? ORDER BY seq', after)
      .map(({ data }) => data)
  }

  private load(): number | null {
    if (!hasTable(this.sql, 'hub')) return null
    return this.sql.exec<{ floor: number }>('SELECT floor FROM hub')[0]?.floor ?? null
  }

  private keepSession(session: Projection): void {
    const isShown = session.deletedAt === null
    this.sql.exec(
      `INSERT OR REPLACE INTO sessions (id, updated_at, is_shown, waits, data, gone_at)
       VALUES (?, ?, ?, ?, ?, NULL)`,
      session.id,
      session.updatedAt,
      Number(isShown),
      isShown ? session.waits.length : 0,
      JSON.stringify(session),
    )
  }

  private append(changes: readonly Unplaced[]): HubChange[] {
    const first = this.seq + 1
    const placed = changes.map((change, index) => ({ ...change, seq: first + index }))
    for (const change of placed) {
      this.sql.exec(
        'INSERT INTO changes (seq, data) VALUES (?, ?)',
        change.seq,
        JSON.stringify(change),
      )
      if (change.seq % PRUNE_CHANGES === 0) this.prune(change.seq - HUB_CHANGES)
    }
    return placed
  }

  private prune(upTo: number): void {
    this.sql.exec('DELETE FROM changes WHERE seq <= ?', upTo)
    this.sql.exec('DELETE FROM sessions WHERE data IS NULL AND gone_at <= ?', upTo)
  }
}

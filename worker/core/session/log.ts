// The append-only log of one session and the few rows beside it. All SQL of a session is here.

import type { Ack } from '#protocol/commands'
import type { SessionEvent } from '#protocol/events'
import { parseRunId } from '#protocol/ids'
import { deltaPartOf } from '#protocol/live'
import { TAIL_ALIGN_EVENTS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import { EMPTY_STATE, fromSnapshot, hot, type HotState, type SessionState } from '#protocol/state'
import { applySchemaSteps, createSnapshots, hasTable, SCHEMA_VERSION } from './schema.ts'
import type { FileEvent } from './fold-files.ts'
import type { MissionEvent } from './mission-views.ts'
import type { Sql } from './sql.ts'

/** Distance between stored snapshots: what opening at the end may have to fold. */
const SNAPSHOT_EVENTS = 100

export type StoredSession = {
  owner: string
  hot: HotState
  unprojected: boolean
  eraseAt: number | null
}

export type CommandRecord = { id: string; body: string; ack: Ack }

/** What is written together with events. Absent: left as it is. */
export type Beside = {
  hot?: HotState
  unprojected?: boolean
  command?: CommandRecord
  /** State before the events, where they start a turn: opening at the end begins at one of these. */
  turnStart?: { seq: number; state: HotState }
  /** Written in the same transaction, in tables that are not the log's. */
  alongside?: () => void
}

export type PageQuery = {
  after?: number | undefined
  before?: number | undefined
  limit: number
  openParts: string[] | null
}

/** An `after` of 0 is an `after`. */
export const isBackwards = ({ after, before }: Pick<PageQuery, 'after' | 'before'>): boolean =>
  before !== undefined && after === undefined

/** What an older version stored has no place for what came later: that is as it was at the start. */
const toHot = (json: string): HotState => ({
  ...hot(EMPTY_STATE),
  ...(JSON.parse(json) as HotState),
})

/** One event as stored: its JSON text goes into frames as it is. */
export type StoredEvent = { seq: number; data: string }

export class Log {
  private readonly sql: Sql
  private snapshotSeq: number | null = null

  constructor(sql: Sql) {
    this.sql = sql
  }

  /** null: there is no session here, and asking has stored nothing. */
  load(): StoredSession | null {
    if (!hasTable(this.sql, 'session')) return null
    const [row] = this.sql.exec<{
      version: number
      owner: string
      hot: string
      unprojected: number
      erase_at: number | null
    }>('SELECT version, owner, hot, unprojected, erase_at FROM session')
    if (row === undefined) return null
    if (row.version < SCHEMA_VERSION) this.upgrade(row.version)
    return {
      owner: row.owner,
      hot: toHot(row.hot),
      unprojected: row.unprojected === 1,
      eraseAt: row.erase_at,
    }
  }

  create(
    owner: string,
    events: readonly SessionEvent[],
    hot: HotState,
    alongside: () => void = () => {},
  ): void {
    this.sql.transaction(() => {
      applySchemaSteps(this.sql, 0)
      this.insert(events)
      this.sql.exec(
        `INSERT INTO session (id, version, owner, hot, unprojected, erase_at)
         VALUES (1, ?, ?, ?, 1, NULL)`,
        SCHEMA_VERSION,
        owner,
        JSON.stringify(hot),
      )
      alongside()
    })
  }

  /** Events and everything that follows from them: in one transaction, or not at all. */
  append(events: readonly SessionEvent[], beside: Beside): void {
    this.sql.transaction(() => {
      const { turnStart } = beside
      if (turnStart !== undefined) this.keepSnapshot(turnStart.seq, turnStart.state)
      this.insert(events)
      if (beside.hot !== undefined) {
        this.sql.exec(
          'UPDATE session SET hot = ?, unprojected = max(unprojected, ?)',
          JSON.stringify(beside.hot),
          beside.unprojected === true ? 1 : 0,
        )
      }
      if (beside.command !== undefined) this.keepCommand(beside.command)
      beside.alongside?.()
    })
  }

  /** The directory has what this session last said of itself. */
  markProjected(): void {
    this.sql.exec('UPDATE session SET unprojected = 0')
  }

  setEraseAt(at: number | null): void {
    this.sql.exec('UPDATE session SET erase_at = ?, unprojected = 1', at)
  }

  lastSeq(): number {
    return this.sql.exec<{ seq: number | null }>('SELECT max(seq) AS seq FROM events')[0]?.seq ?? 0
  }

  findCommand(id: string): CommandRecord | null {
    const [row] = this.sql.exec<{ id: string; body: string; ack: string }>(
      'SELECT id, body, ack FROM commands WHERE id = ?',
      id,
    )
    return row === undefined ? null : { ...row, ack: JSON.parse(row.ack) as Ack }
  }

  /** Ascending; `before` alone counts from its end. `openParts` null: all rows; otherwise superseded deltas are left out. */
  page({ after, before, limit, openParts }: PageQuery): StoredEvent[] {
    const backwards = isBackwards({ after, before })
    const filter =
      openParts === null ? '' : 'AND (part IS NULL OR part IN (SELECT value FROM json_each(?)))'
    const rows = this.sql.exec<StoredEvent>(
      `SELECT seq, data FROM events WHERE seq > ? AND seq < ? ${filter}
       ORDER BY seq ${backwards ? 'DESC' : 'ASC'} LIMIT ?`,
      after ?? 0,
      before ?? Number.MAX_SAFE_INTEGER,
      ...(openParts === null ? [] : [JSON.stringify(openParts)]),
      limit,
    )
    return backwards ? rows.reverse() : rows
  }

  events(query: Omit<PageQuery, 'limit'>): SessionEvent[] {
    return this.page({ ...query, limit: Number.MAX_SAFE_INTEGER }).map(
      ({ data }) => JSON.parse(data) as SessionEvent,
    )
  }

  /** Seqs at which runs began, newest first. */
  runStarts(before: number | undefined, limit: number): number[] {
    const rows = this.sql.exec<{ seq: number }>(
      `SELECT seq FROM events WHERE type = 'run_started' AND seq < ?
         AND json_extract(data, '$.attempt') = 1 ORDER BY seq DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
    )
    return rows.map(({ seq }) => seq)
  }

  /** Whom a run turned to: each child and exchange it began. */
  contactsOf(startedSeq: number, endSeq: number | null): SessionEvent[] {
    const rows = this.sql.exec<StoredEvent>(
      `SELECT seq, data FROM events WHERE seq > ? AND seq <= ?
         AND type IN ('subagent_spawned', 'exchange_started') ORDER BY seq`,
      startedSeq,
      endSeq ?? Number.MAX_SAFE_INTEGER,
    )
    return rows.map(({ data }) => JSON.parse(data) as SessionEvent)
  }

  /** Of the run that is active and began at `startedSeq`, those of these types, ascending. */
  eventsOfRun(startedSeq: number, types: readonly SessionEvent['type'][]): SessionEvent[] {
    const rows = this.sql.exec<StoredEvent>(
      `SELECT seq, data FROM events WHERE seq >= ?
         AND type IN (SELECT value FROM json_each(?)) ORDER BY seq`,
      startedSeq,
      JSON.stringify(types),
    )
    return rows.map(({ data }) => JSON.parse(data) as SessionEvent)
  }

  /** Sessions that were made for runs of this one. */
  childSessions(): string[] {
    const rows = this.sql.exec<{ id: string }>(
      `SELECT json_extract(data, '$.childSessionId') AS id FROM events
       WHERE type = 'subagent_spawned' ORDER BY seq`,
    )
    return rows.map(({ id }) => id)
  }

  /** The run that another session's message started here. */
  runOfExchange(exchangeId: string): string | null {
    const [row] = this.sql.exec<{ run: string }>(
      `SELECT json_extract(data, '$.runId') AS run FROM events
       WHERE type = 'run_started' AND json_extract(data, '$.exchangeId') = ? LIMIT 1`,
      exchangeId,
    )
    return row?.run ?? null
  }

  /** What happened to files after a seq, ascending: of one checkpoint, or all that name a text. */
  fileEvents(after: number, only: { checkpointId?: string; naming?: string } = {}): FileEvent[] {
    const rows = this.sql.exec<StoredEvent>(
      `SELECT seq, data FROM events WHERE seq > ?1
         AND type IN ('files_changed', 'file_change_result')
         AND (?2 IS NULL OR json_extract(data, '$.checkpointId') = ?2)
         AND (?3 IS NULL OR instr(data, ?3) > 0) ORDER BY seq`,
      after,
      only.checkpointId ?? null,
      only.naming ?? null,
    )
    return rows.map(({ data }) => JSON.parse(data) as FileEvent)
  }

  /** Each checkpoint and the seq at which it first changed a file, newest first. */
  checkpoints(before: number | undefined, limit: number): { id: string; seq: number }[] {
    return this.sql.exec<{ id: string; seq: number }>(
      `SELECT json_extract(data, '$.checkpointId') AS id, min(seq) AS seq FROM events
       WHERE type = 'files_changed' GROUP BY 1 HAVING min(seq) < ? ORDER BY 2 DESC LIMIT ?`,
      before ?? Number.MAX_SAFE_INTEGER,
      limit,
    )
  }

  /** What became of missions, ascending; the newest `limit` of it. */
  missionEvents(limit: number): MissionEvent[] {
    const rows = this.sql.exec<StoredEvent>(
      `SELECT seq, data FROM events WHERE type IN ('mission_updated', 'idle_prompt')
       ORDER BY seq DESC LIMIT ?`,
      limit,
    )
    return rows.reverse().map(({ data }) => JSON.parse(data) as MissionEvent)
  }

  /** The event at a seq; null where there is none. */
  eventAt(seq: number): SessionEvent | null {
    const [row] = this.sql.exec<StoredEvent>('SELECT seq, data FROM events WHERE seq = ?', seq)
    return row === undefined ? null : (JSON.parse(row.data) as SessionEvent)
  }

  /** The events that say which agent and which model spoke as of `seq`. */
  speakerAt(seq: number): SessionEvent[] {
    const rows = this.sql.exec<StoredEvent>(
      `SELECT seq, data FROM events WHERE seq <= ?1 AND type IN ('run_started', 'model_fallback')
         AND seq >= (SELECT seq FROM events WHERE seq <= ?1 AND type = 'run_started'
                     ORDER BY seq DESC LIMIT 1) ORDER BY seq`,
      seq,
    )
    return rows.map(({ data }) => JSON.parse(data) as SessionEvent)
  }

  /** A run id names the seq it started at, so its end is found without an index. */
  terminalSeqOf(runId: string): number | null {
    const startedSeq = parseRunId(runId)?.startedSeq
    if (startedSeq === undefined) return null
    const [start] = this.sql.exec<StoredEvent>(
      "SELECT seq, data FROM events WHERE seq = ? AND type = 'run_started'",
      startedSeq,
    )
    if (start === undefined) return null
    if ((JSON.parse(start.data) as { runId: string }).runId !== runId) return null
    const [end] = this.sql.exec<{ seq: number }>(
      "SELECT seq FROM events WHERE seq > ? AND type = 'run_done' ORDER BY seq LIMIT 1",
      startedSeq,
    )
    return end?.seq ?? null
  }

  /**
   * State just before the last `tail` events, moved back to the start of a turn where one is near.
   * Costs a bounded number of rows whatever the length of the session. `openParts`: those that are
   * open now, whose deltas nothing supersedes yet, on either side of the cut.
   */
  stateBeforeTail(tail: number, lastSeq: number, openParts: string[]): SessionState {
    const cut = Math.max(0, lastSeq - tail)
    const [turn] = this.sql.exec<{ seq: number | null }>(
      `SELECT max(seq) AS seq FROM events
       WHERE seq > ? AND seq <= ? AND type IN ('user_message', 'agent_message', 'idle_prompt')`,
      cut - TAIL_ALIGN_EVENTS,
      cut + 1,
    )
    const before = cut <= TAIL_ALIGN_EVENTS && turn?.seq == null ? 0 : (turn?.seq ?? cut + 1) - 1
    const base = this.snapshotBefore(before)
    return fold(this.events({ after: base.seq, before: before + 1, openParts }), base)
  }

  private snapshotBefore(seq: number): SessionState {
    if (!hasTable(this.sql, 'snapshots')) return EMPTY_STATE
    const [row] = this.sql.exec<{ seq: number; state: string }>(
      'SELECT seq, state FROM snapshots WHERE seq <= ? ORDER BY seq DESC LIMIT 1',
      seq,
    )
    if (row === undefined) return EMPTY_STATE
    return fromSnapshot({ ...toHot(row.state), open: null }, row.seq)
  }

  private keepSnapshot(seq: number, state: HotState): void {
    this.snapshotSeq ??= this.lastSnapshotSeq()
    if (seq - this.snapshotSeq < SNAPSHOT_EVENTS) return
    createSnapshots(this.sql)
    this.sql.exec('INSERT INTO snapshots (seq, state) VALUES (?, ?)', seq, JSON.stringify(state))
    this.snapshotSeq = seq
  }

  private lastSnapshotSeq(): number {
    if (!hasTable(this.sql, 'snapshots')) return 0
    return (
      this.sql.exec<{ seq: number | null }>('SELECT max(seq) AS seq FROM snapshots')[0]?.seq ?? 0
    )
  }

  private insert(events: readonly SessionEvent[]): void {
    for (const event of events) {
      this.sql.exec(
        'INSERT INTO events (seq, type, part, data) VALUES (?, ?, ?, ?)',
        event.seq,
        event.type,
        deltaPartOf(event),
        JSON.stringify(event),
      )
    }
  }

  private keepCommand({ id, body, ack }: CommandRecord): void {
    this.sql.exec(
      'INSERT INTO commands (id, body, ack) VALUES (?, ?, ?)',
      id,
      body,
      JSON.stringify(ack),
    )
  }

  private upgrade(from: number): void {
    this.sql.transaction(() => {
      applySchemaSteps(this.sql, from)
      this.sql.exec('UPDATE session SET version = ?', SCHEMA_VERSION)
    })
  }
}

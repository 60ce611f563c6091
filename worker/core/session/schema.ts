// Schema steps of a session's own database, applied by stored version. Append only: an object may
// sleep for a year and wake under today's code.
//
// Rows are billed, index entries and CREATE TABLE too: the log is a plain table on its rowid, and
// what few sessions need is created at first use.

import type { Sql } from './sql.ts'

const STEPS: readonly (readonly string[])[] = [
  [
    // part: which part a delta belongs to; NULL for what is never superseded.
    `CREATE TABLE events (
       seq INTEGER PRIMARY KEY, type TEXT NOT NULL, part TEXT, data TEXT NOT NULL)`,
    // One row: everything that changes beside the log, so that a change bills once.
    `CREATE TABLE session (
       id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL, owner TEXT NOT NULL,
       hot TEXT NOT NULL, unprojected INTEGER NOT NULL, erase_at INTEGER)`,
    `CREATE TABLE commands (
       id TEXT PRIMARY KEY, body TEXT NOT NULL, ack TEXT NOT NULL) WITHOUT ROWID`,
  ],
]

const SNAPSHOTS = `CREATE TABLE IF NOT EXISTS snapshots (
  seq INTEGER PRIMARY KEY, state TEXT NOT NULL)`

export const SCHEMA_VERSION = STEPS.length

export const hasTable = (sql: Sql, name: string): boolean =>
  sql.exec('SELECT 1 AS found FROM sqlite_master WHERE type = ? AND name = ?', 'table', name)
    .length > 0

export function applySchemaSteps(sql: Sql, from: number): void {
  for (const step of STEPS.slice(from)) for (const statement of step) sql.exec(statement)
}

export const createSnapshots = (sql: Sql): unknown => sql.exec(SNAPSHOTS)

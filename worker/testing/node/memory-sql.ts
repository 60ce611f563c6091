// A session's database in Node: real SQLite, in memory, that outlives the session that uses it.

import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'
import type { Sql, SqlValue } from '../../core/session/sql.ts'

export class Crash extends Error {}

/** Node takes and gives views where workerd takes and gives buffers. */
const toInput = (value: SqlValue): SQLInputValue =>
  value instanceof ArrayBuffer ? new Uint8Array(value) : value
const toRow = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof Uint8Array ? value.slice().buffer : value,
    ]),
  )

export class MemorySql implements Sql {
  private readonly db = new DatabaseSync(':memory:')
  private readonly statements = new Map<string, StatementSync>()
  /** The process dies before or after the next transaction commits. */
  crashAt: 'before_commit' | 'after_commit' | null = null
  onCrash: () => void = () => {}

  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[] {
    let statement = this.statements.get(query)
    statement ??= this.db.prepare(query)
    this.statements.set(query, statement)
    return statement.all(...bindings.map(toInput)).map(toRow) as Row[]
  }

  transaction<T>(run: () => T): T {
    this.db.exec('BEGIN')
    try {
      const result = run()
      if (this.crashAt === 'before_commit') this.crash()
      this.db.exec('COMMIT')
      if (this.crashAt === 'after_commit') this.crash()
      return result
    } catch (error) {
      if (this.db.isTransaction) this.db.exec('ROLLBACK')
      throw error
    }
  }

  /** Nothing is left, as after `deleteAll`. */
  wipe(): void {
    const tables = this.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table'",
    )
    for (const { name } of tables) this.db.exec(`DROP TABLE ${name}`)
  }

  private crash(): never {
    this.crashAt = null
    this.onCrash()
    throw new Crash()
  }
}

/** A session's handle on its database. A dead session's late work reaches nothing. */
export class MortalSql implements Sql {
  dead = false
  private readonly sql: MemorySql
  constructor(sql: MemorySql) {
    this.sql = sql
  }
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[] {
    if (this.dead) throw new Crash()
    return this.sql.exec<Row>(query, ...bindings)
  }
  transaction<T>(run: () => T): T {
    if (this.dead) throw new Crash()
    return this.sql.transaction(run)
  }
}

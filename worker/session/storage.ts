// The object's SQLite as the core knows it, with a meter: people can see what a session costs.

import type { Sql, SqlValue } from '../core/session/sql.ts'

export class MeteredStorage implements Sql {
  rowsWritten = 0
  rowsRead = 0
  private readonly storage: DurableObjectStorage

  constructor(storage: DurableObjectStorage) {
    this.storage = storage
  }

  get databaseBytes(): number {
    return this.storage.sql.databaseSize
  }

  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[] {
    const cursor = this.storage.sql.exec<Row>(query, ...bindings)
    const rows = cursor.toArray()
    this.rowsWritten += cursor.rowsWritten
    this.rowsRead += cursor.rowsRead
    return rows
  }

  /** Partyserver keeps the object's name in a row of its own, at the first upgrade. */
  async meterName(): Promise<void> {
    if ((await this.storage.get('__ps_name')) === undefined) this.rowsWritten += 1
  }

  transaction<T>(run: () => T): T {
    return this.storage.transactionSync(run)
  }

  /** An alarm is a row: setting and dropping one are billed. */
  setAlarm(at: number | null): Promise<void> {
    this.rowsWritten += 1
    return at === null ? this.storage.deleteAlarm() : this.storage.setAlarm(at)
  }
}

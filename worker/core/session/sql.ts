// The little of SQLite that a session needs: the object's storage, or a file in a test.

export type SqlValue = string | number | null | ArrayBuffer

export interface Sql {
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[]
  /** All or nothing: a throw inside leaves the database as it was. */
  transaction<T>(run: () => T): T
}

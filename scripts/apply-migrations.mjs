// D1 migrations of a local server, recorded in the table that wrangler uses, so that both agree.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const TABLE = `CREATE TABLE IF NOT EXISTS d1_migrations(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT UNIQUE,
  applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL
)`

export async function applyMigrations(db, folder) {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'))
  names.sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
  const [, applied] = await db.batch([
    db.prepare(TABLE),
    db.prepare('SELECT name FROM d1_migrations'),
  ])
  const done = new Set(applied.results.map(({ name }) => name))
  for (const name of names.filter((name) => !done.has(name))) {
    // Wrangler is slow to load and knows where a statement ends: only when there is one to apply.
    const { unstable_splitSqlQuery: splitSql } = await import('wrangler')
    const statements = splitSql(readFileSync(join(folder, name), 'utf8'))
    // One batch is one transaction: a migration is applied and recorded, or neither.
    await db.batch([
      ...statements.map((statement) => db.prepare(statement)),
      db.prepare('INSERT INTO d1_migrations (name) VALUES (?1)').bind(name),
    ])
  }
}

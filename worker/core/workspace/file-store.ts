// Files in a session's own database. A content is stored once, under its hash, and never changes or
// goes: every version that an event names can be read again. The tree is what is there now.
//
// Rows are billed: a small file that is new is one row of content and one of the tree.

import { WORKSPACE_STORED_BYTES } from '#protocol/limits'
import { hasTable } from '../session/schema.ts'
import type { Sql } from '../session/sql.ts'
import type { FileEntry, WorkspacePath } from './workspace.ts'

/** A row of SQLite ends at 2 MB; half of that would do, and this leaves room for the rest of it. */
const CHUNK_BYTES = 512 * 1024

const TABLES = [
  `CREATE TABLE IF NOT EXISTS blobs (
     hash TEXT NOT NULL, chunk INTEGER NOT NULL, bytes BLOB NOT NULL,
     PRIMARY KEY (hash, chunk)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS files (
     path TEXT PRIMARY KEY, hash TEXT NOT NULL, size INTEGER NOT NULL,
     modified_at INTEGER NOT NULL) WITHOUT ROWID`,
]

/** `hash` null: deleted. */
export type TreeChange = { path: WorkspacePath; hash: string | null; size: number; at: number }

type FileRow = { path: string; hash: string; size: number; modified_at: number }

/** All versions together have reached their limit: what is stored stays, and nothing is added. */
export class StoreFull extends Error {
  constructor(limit: number) {
    super(
      `All versions of all files together would be more than ${Math.floor(limit / 1024 / 1024)} MiB, ` +
        'which is what one session can keep. Deleting files frees nothing, since every version can be ' +
        'restored. Go on in a new session, with these files as a zip.',
    )
    this.name = 'StoreFull'
  }
}

export class FileStore {
  private readonly sql: Sql
  private readonly limit: number
  private hasTables: boolean
  /** Bytes of all contents; null until somebody has to know. */
  private stored: number | null = null

  constructor(sql: Sql, limit = WORKSPACE_STORED_BYTES) {
    this.sql = sql
    this.limit = limit
    this.hasTables = hasTable(sql, 'files')
  }

  /** Stored when it resolves. Before the tree names it nobody sees it. Rejects with StoreFull. */
  async putBlob(bytes: Uint8Array): Promise<string> {
    // A copy: whoever gave the bytes may write into them while they are hashed.
    const copy = bytes.slice()
    const hash = await hashOf(copy)
    this.put(hash, copy)
    return hash
  }

  /** Of the bytes as they are now. Nothing is stored. */
  hash(bytes: Uint8Array): Promise<string> {
    return hashOf(bytes.slice())
  }

  /** At once, under the hash of these bytes. Throws StoreFull. */
  put(hash: string, bytes: Uint8Array): void {
    this.createTables()
    if (this.hasBlob(hash)) return
    const stored = this.storedBytes() + bytes.length
    if (stored > this.limit) throw new StoreFull(this.limit)
    this.insertBlob(hash, bytes)
    this.stored = stored
  }

  /** Whether all of these can be put. What is known needs no room, and what is the same is one. */
  findFull(contents: readonly { hash: string | null; size: number }[]): StoreFull | null {
    const added = new Map<string, number>()
    for (const { hash, size } of contents) {
      if (hash !== null && !added.has(hash)) added.set(hash, this.hasBlob(hash) ? 0 : size)
    }
    const bytes = [...added.values()].reduce((sum, size) => sum + size, 0)
    const isFull = bytes > 0 && this.storedBytes() + bytes > this.limit
    return isFull ? new StoreFull(this.limit) : null
  }

  /** Counted once in the life of an object; a length is read without the content. */
  storedBytes(): number {
    if (!this.hasTables) return 0
    const query = 'SELECT COALESCE(SUM(LENGTH(bytes)), 0) AS bytes FROM blobs'
    this.stored ??= this.sql.exec<{ bytes: number }>(query)[0]!.bytes
    return this.stored
  }

  hasBlob(hash: string): boolean {
    if (!this.hasTables) return false
    return this.sql.exec('SELECT 1 AS found FROM blobs WHERE hash = ? LIMIT 1', hash).length > 0
  }

  /** Without reading it; 0 for what is not stored. */
  sizeOf(hash: string): number {
    if (!this.hasTables) return 0
    const query = 'SELECT COALESCE(SUM(LENGTH(bytes)), 0) AS bytes FROM blobs WHERE hash = ?'
    return this.sql.exec<{ bytes: number }>(query, hash)[0]!.bytes
  }

  readBlob(hash: string): Uint8Array | null {
    if (!this.hasTables) return null
    const rows = this.sql.exec<{ bytes: ArrayBuffer }>(
      'SELECT bytes FROM blobs WHERE hash = ? ORDER BY chunk',
      hash,
    )
    if (rows.length === 0) return null
    const all = new Uint8Array(rows.reduce((sum, { bytes }) => sum + bytes.byteLength, 0))
    let at = 0
    for (const { bytes } of rows) {
      all.set(new Uint8Array(bytes), at)
      at += bytes.byteLength
    }
    return all
  }

  /** Sorted by path (code units; SQLite would sort by bytes). */
  list(): FileEntry[] {
    if (!this.hasTables) return []
    const rows = this.sql.exec<FileRow>('SELECT path, hash, size, modified_at FROM files')
    return rows.map(toEntry).sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  stat(path: WorkspacePath): FileEntry | null {
    if (!this.hasTables) return null
    const query = 'SELECT path, hash, size, modified_at FROM files WHERE path = ?'
    const [row] = this.sql.exec<FileRow>(query, path)
    return row === undefined ? null : toEntry(row)
  }

  totals(): { files: number; bytes: number } {
    if (!this.hasTables) return { files: 0, bytes: 0 }
    const query = 'SELECT COUNT(*) AS files, COALESCE(SUM(size), 0) AS bytes FROM files'
    return this.sql.exec<{ files: number; bytes: number }>(query)[0]!
  }

  /** Inside the transaction of the event that says so: both are stored, or neither is. */
  setFiles(changes: readonly TreeChange[]): void {
    for (const { path, hash, size, at } of changes) {
      if (hash === null) {
        if (this.hasTables) this.sql.exec('DELETE FROM files WHERE path = ?', path)
        continue
      }
      // A tree that names what cannot be read would lose the file for good.
      if (!this.hasBlob(hash)) throw new Error(`no content is stored under ${hash}`)
      this.sql.exec(
        `INSERT INTO files (path, hash, size, modified_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (path) DO UPDATE SET
           hash = excluded.hash, size = excluded.size, modified_at = excluded.modified_at`,
        path,
        hash,
        size,
        at,
      )
    }
  }

  /** Never inside a transaction that may be undone: `hasTables` would not be undone with it. */
  private createTables(): void {
    if (this.hasTables) return
    for (const table of TABLES) this.sql.exec(table)
    this.hasTables = true
  }

  private insertBlob(hash: string, bytes: Uint8Array): void {
    const insert = (chunk: number, part: Uint8Array<ArrayBuffer>): unknown =>
      this.sql.exec(
        'INSERT INTO blobs (hash, chunk, bytes) VALUES (?, ?, ?)',
        hash,
        chunk,
        part.buffer,
      )
    if (bytes.length <= CHUNK_BYTES) {
      insert(0, bytes.slice())
      return
    }
    this.sql.transaction(() => {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        insert(at / CHUNK_BYTES, bytes.slice(at, at + CHUNK_BYTES))
      }
    })
  }
}

const toEntry = ({ path, hash, size, modified_at }: FileRow): FileEntry => ({
  path: path as WorkspacePath,
  hash,
  size,
  modifiedAt: modified_at,
})

/** SHA-256 in hex. */
export async function hashOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

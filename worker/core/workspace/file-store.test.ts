import { expect, test } from 'vitest'
import { MemorySql } from '../../testing/node/memory-sql.ts'
import { pathOf } from '../../testing/node/memory-workspace.ts'
import type { Sql, SqlValue } from '../session/sql.ts'
import { isSameContent } from './diff.ts'
import { FileStore, StoreFull } from './file-store.ts'
import { toBytes } from './lines.ts'

/** Counts what is billed: rows that are inserted, changed or deleted. */
class CountingSql implements Sql {
  readonly writes: string[] = []
  private readonly sql = new MemorySql()
  exec<Row extends Record<string, SqlValue>>(query: string, ...bindings: SqlValue[]): Row[] {
    if (/^\s*(?:INSERT|DELETE|UPDATE)/.test(query)) this.writes.push(query.trim().split(' ')[2]!)
    return this.sql.exec<Row>(query, ...bindings)
  }
  transaction<T>(run: () => T): T {
    return this.sql.transaction(run)
  }
}

const at = 5

async function write(store: FileStore, path: string, bytes: Uint8Array) {
  const hash = await store.putBlob(bytes)
  store.setFiles([{ path: pathOf(path), hash, size: bytes.length, at }])
  return hash
}

test('[FILE1] a workspace that was never written is empty and makes no table', () => {
  const sql = new MemorySql()
  const store = new FileStore(sql)
  expect(store.list()).toEqual([])
  expect(store.totals()).toEqual({ files: 0, bytes: 0 })
  expect(store.stat(pathOf('a'))).toBeNull()
  expect(store.readBlob('00')).toBeNull()
  store.setFiles([{ path: pathOf('a'), hash: null, size: 0, at }])
  expect(sql.exec("SELECT name FROM sqlite_master WHERE type = 'table'")).toEqual([])
})

test('[FILE1] a small new file is two rows, and a content that is known is one', async () => {
  const sql = new CountingSql()
  const store = new FileStore(sql)
  await write(store, 'a', toBytes('hello'))
  expect(sql.writes).toEqual(['blobs', 'files'])
  await write(store, 'b', toBytes('hello'))
  expect(sql.writes).toEqual(['blobs', 'files', 'files'])
})

test('[FILE1] a file is found again by another handle on the same database', async () => {
  const sql = new MemorySql()
  const hash = await write(new FileStore(sql), 'src/a.txt', toBytes('hello'))
  expect(hash).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824')
  const store = new FileStore(sql)
  const entry = { path: 'src/a.txt', hash, size: 5, modifiedAt: at }
  expect(store.list()).toEqual([entry])
  expect(store.stat(pathOf('src/a.txt'))).toEqual(entry)
  expect(store.readBlob(hash)).toEqual(toBytes('hello'))
  expect(store.totals()).toEqual({ files: 1, bytes: 5 })
})

test.each([0, 1, 512 * 1024 - 1, 512 * 1024, 512 * 1024 + 1, 3 * 1024 * 1024])(
  '[FILE1] %i bytes come back as they were, in rows that SQLite takes',
  async (length) => {
    const sql = new MemorySql()
    const store = new FileStore(sql)
    // A view into a larger buffer: what lies around it is not part of the file.
    const around = new Uint8Array(length + 20).map((_, index) => (index * 31) & 0xff)
    const bytes = around.subarray(10, length + 10)
    const hash = await store.putBlob(bytes)
    expect(isSameContent(store.readBlob(hash), bytes)).toBe(true)
    const rows = sql.exec<{ bytes: ArrayBuffer }>('SELECT bytes FROM blobs')
    expect(Math.max(...rows.map((row) => row.bytes.byteLength))).toBeLessThanOrEqual(512 * 1024)
  },
)

test('[FILE4] every version of a file stays readable, whatever becomes of the file', async () => {
  const store = new FileStore(new MemorySql())
  const first = await write(store, 'a', toBytes('one'))
  const second = await write(store, 'a', toBytes('two'))
  store.setFiles([{ path: pathOf('a'), hash: null, size: 0, at }])
  expect(store.list()).toEqual([])
  expect(store.readBlob(first)).toEqual(toBytes('one'))
  expect(store.readBlob(second)).toEqual(toBytes('two'))
})

test('[FILE1] the tree is undone with the transaction that it is part of', async () => {
  const sql = new MemorySql()
  const store = new FileStore(sql)
  const hash = await store.putBlob(toBytes('x'))
  expect(() =>
    sql.transaction(() => {
      store.setFiles([{ path: pathOf('a'), hash, size: 1, at }])
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(store.list()).toEqual([])
})

test('[FILE1] the tree never names a content that is not stored', async () => {
  const store = new FileStore(new MemorySql())
  await store.putBlob(toBytes('x'))
  const change = { path: pathOf('a'), hash: 'ff', size: 1, at }
  expect(() => store.setFiles([change])).toThrow('no content is stored under ff')
})

test('[FILE1] the list is sorted by code units, also where bytes sort otherwise', async () => {
  const store = new FileStore(new MemorySql())
  for (const path of ['b', '\u{1F600}', '\uFB01', 'a/c', 'a']) {
    if (path !== 'a') await write(store, path, toBytes(path))
  }
  expect(store.list().map(({ path }) => path)).toEqual(['a/c', 'b', '\u{1F600}', '\uFB01'])
})

test('[FILE1] bytes that change while they are hashed are stored as they were', async () => {
  const store = new FileStore(new MemorySql())
  const bytes = toBytes('before')
  const stored = store.putBlob(bytes)
  bytes.fill(0)
  expect(store.readBlob(await stored)).toEqual(toBytes('before'))
})

test('[SAF2] all versions together have a limit, which is counted again after a restart', async () => {
  const sql = new MemorySql()
  const store = new FileStore(sql, 1000)
  await write(store, 'a', new Uint8Array(600))
  await write(store, 'a', new Uint8Array(400).fill(1))
  await expect(store.putBlob(toBytes('x'))).rejects.toBeInstanceOf(StoreFull)
  // What is known needs no room.
  await write(store, 'b', new Uint8Array(600))
  const woken = new FileStore(sql, 1001)
  expect(woken.storedBytes()).toBe(1000)
  await woken.putBlob(toBytes('x'))
  await expect(woken.putBlob(toBytes('y'))).rejects.toThrow('Go on in a new session')
  expect(woken.storedBytes()).toBe(1001)
})

test('[SAF2] room is asked for before anything is put: the known and the equal need none', async () => {
  const store = new FileStore(new MemorySql(), 1000)
  const known = await write(store, 'a', new Uint8Array(600))
  const b = { hash: 'b', size: 400 }
  const held = { hash: known, size: 600 }
  expect(store.findFull([held, b, b])).toBeNull()
  expect(store.findFull([b, { hash: 'c', size: 1 }])).toBeInstanceOf(StoreFull)
  expect(store.findFull([held, { hash: null, size: 0 }])).toBeNull()
  expect(store.storedBytes()).toBe(600)
})

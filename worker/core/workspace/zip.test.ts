import { WORKSPACE_FILE_BYTES, WORKSPACE_FILES } from '#protocol/limits'
import { Inflate, unzipSync, zipSync, type Zippable } from 'fflate'
import { describe, expect, test, vi } from 'vitest'
import { isSameContent } from './diff.ts'
import { toBytes } from './lines.ts'
import { openZip } from './unzip.ts'
import type { FileEntry, WorkspacePath } from './workspace.ts'
import { createZip } from './zip.ts'

const contents = new Map<string, Uint8Array>()

function entryOf(path: string, bytes: Uint8Array): FileEntry {
  contents.set(path, bytes)
  return { path: path as WorkspacePath, hash: path, size: bytes.length, modifiedAt: 0 }
}

const read = (hash: string): Uint8Array | null => contents.get(hash) ?? null

async function collect(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream as BodyInit).arrayBuffer())
}

const noise = (length: number): Uint8Array =>
  new Uint8Array(length).map((_, index) => (Math.imul(index, 2654435761) >>> 13) & 0xff)

describe('[FILE1] a workspace as an archive', () => {
  test('has every file as it is, and can be read back', async () => {
    const files = [
      entryOf('a.txt', toBytes('hello\r\n')),
      entryOf('empty', new Uint8Array()),
      entryOf('src/日本語.md', toBytes('é')),
      entryOf('src/large.bin', noise(1_500_000)),
    ]
    const archive = await collect(createZip(files, read))
    const others = unzipSync(archive)
    expect(Object.keys(others)).toEqual(files.map(({ path }) => path))
    const opened = openZip(archive)
    if (!opened.ok) throw new Error(opened.problem)
    for (const { path, size, read: readEntry } of opened.entries) {
      const result = readEntry()
      expect(size).toBe(contents.get(path)!.length)
      expect(result.ok && isSameContent(result.bytes, contents.get(path)!)).toBe(true)
      expect(isSameContent(others[path]!, contents.get(path)!)).toBe(true)
    }
  })

  test('of a folder has what is in it, named from there on', async () => {
    const files = ['src/a', 'src/b/c', 'srcs/d', 'e'].map((path) => entryOf(path, toBytes(path)))
    const archive = await collect(createZip(files, read, 'src' as WorkspacePath))
    expect(Object.keys(unzipSync(archive))).toEqual(['a', 'b/c'])
  })

  test('of nothing is an archive too', async () => {
    expect(openZip(await collect(createZip([], read)))).toEqual({ ok: true, entries: [] })
  })

  test('fails where a content is missing, instead of leaving it out', async () => {
    const stream = createZip([{ ...entryOf('a', toBytes('a')), hash: 'gone' }], read)
    await expect(collect(stream)).rejects.toThrow('the content of a is missing')
  })

  test('holds one file at a time, and stops when nobody reads on', async () => {
    const reads: string[] = []
    const files = ['a', 'b', 'c', 'd'].map((path) => entryOf(path, noise(100_000)))
    const stream = createZip(files, (hash) => {
      reads.push(hash)
      return read(hash)
    })
    const reader = stream.getReader()
    await reader.read()
    expect(reads).toEqual(['a'])
    await reader.cancel()
    expect(reads).toEqual(['a'])
  })
})

const zipOf = (files: Zippable): Uint8Array => zipSync(files)
const problemOf = (archive: Uint8Array): string => {
  const opened = openZip(archive)
  if (!opened.ok) return opened.problem
  for (const entry of opened.entries) {
    const result = entry.read()
    if (!result.ok) return result.problem
  }
  return 'none'
}

/** Where the central record of the entry with this index begins. */
function centralAt(archive: Uint8Array, index = 0): number {
  const view = new DataView(archive.buffer, archive.byteOffset)
  let at = view.getUint32(archive.length - 22 + 16, true)
  for (let i = 0; i < index; i++) {
    at += 46 + view.getUint16(at + 28, true) + view.getUint16(at + 30, true)
    at += view.getUint16(at + 32, true)
  }
  return at
}

function patched(archive: Uint8Array, change: (view: DataView, central: number) => void) {
  const copy = archive.slice()
  change(new DataView(copy.buffer), centralAt(copy))
  return copy
}

describe('[SAF2] [FILE1] an archive that somebody sent', () => {
  test.each(['../x', '/etc/passwd', 'a/../../x', '..\\x', 'C:/x', '%2e%2e/x', 'con', 'a\0b'])(
    'is refused as a whole for the name %j',
    (name) => {
      expect(problemOf(zipOf({ 'fine.txt': toBytes('x'), [name]: toBytes('x') }))).toMatch(
        /^The path /,
      )
    },
  )

  test('is refused where two names are one, or cannot be together', () => {
    const one = { a: toBytes('1') }
    expect(problemOf(zipOf({ ...one, './a': toBytes('2') }))).toBe('a is in the archive twice.')
    expect(problemOf(zipOf({ ...one, A: toBytes('2') }))).toContain('upper and lower case')
    expect(problemOf(zipOf({ ...one, 'a/b': toBytes('2') }))).toContain('a is a file')
  })

  test('is refused where it says that it is too large, before anything is inflated', () => {
    const archive = zipOf({ a: toBytes('x') })
    const claimed = patched(archive, (view, at) =>
      view.setUint32(at + 24, WORKSPACE_FILE_BYTES + 1, true),
    )
    expect(openZip(claimed)).toMatchObject({ ok: false, problem: expect.stringContaining('large') })
    const many = Object.fromEntries(
      Array.from({ length: WORKSPACE_FILES + 1 }, (_, index) => [`f${index}`, new Uint8Array()]),
    )
    expect(problemOf(zipOf(many))).toContain(`at most ${WORKSPACE_FILES}`)
  })

  test('a file that goes on behind the size it says is not inflated to its end', () => {
    const bomb = zipOf({ a: new Uint8Array(50_000_000) })
    const lying = patched(bomb, (view, at) => view.setUint32(at + 24, 100, true))
    const push = vi.spyOn(Inflate.prototype, 'push')
    expect(problemOf(lying)).toBe('"a" in the archive is damaged.')
    expect(push).toHaveBeenCalledTimes(1)
    push.mockRestore()
  })

  test('entries that share their data are refused', () => {
    const archive = zipOf({ a: noise(1000), b: noise(2000) })
    const overlapping = archive.slice()
    const view = new DataView(overlapping.buffer)
    for (const index of [0, 1]) {
      const at = centralAt(overlapping, index)
      view.setUint32(at + 20, 2500, true)
      view.setUint32(at + 42, 0, true)
    }
    expect(openZip(overlapping)).toMatchObject({ ok: false })
  })

  test.each([
    ['its checksum', 16, 1],
    ['its size', 24, 1],
    ['its packed size', 20, -10],
    ['its place', 42, 1],
  ])('is refused where %s is wrong', (_name, field, by) => {
    const archive = zipOf({ a: noise(1000) })
    const wrong = patched(archive, (view, at) =>
      view.setUint32(at + field, view.getUint32(at + field, true) + by, true),
    )
    expect(problemOf(wrong)).toContain('damaged')
  })

  test('is refused when it is encrypted, packed in another way, or no archive', () => {
    const archive = zipOf({ a: noise(1000) })
    expect(problemOf(patched(archive, (view, at) => view.setUint16(at + 8, 1, true)))).toContain(
      'encrypted',
    )
    expect(problemOf(patched(archive, (view, at) => view.setUint16(at + 10, 12, true)))).toContain(
      'not supported',
    )
    for (const bytes of [new Uint8Array(), toBytes('hello'), noise(10_000), archive.slice(0, -5)]) {
      expect(problemOf(bytes)).toContain('not a zip archive')
    }
  })

  test('has its links and folders left out', () => {
    const archive = zipOf({
      folder: { 'a.txt': toBytes('x') },
      link: [toBytes('/etc/passwd'), { os: 3, attrs: (0o120777 << 16) >>> 0 }],
      script: [toBytes('echo'), { os: 3, attrs: (0o100755 << 16) >>> 0 }],
      '__MACOSX/._a': toBytes('x'),
    })
    const opened = openZip(archive)
    expect(opened.ok && opened.entries.map(({ path }) => path)).toEqual(['folder/a.txt', 'script'])
  })

  test('that is cut or changed anywhere is read or refused, and never breaks the reader', () => {
    const archive = zipOf({ 'a.txt': toBytes('hello hello hello'), 'b/c': noise(300) })
    for (let at = 0; at < archive.length; at++) {
      const changed = archive.slice()
      changed[at]! ^= 0xff
      expect(problemOf(changed)).toBeTypeOf('string')
      expect(problemOf(archive.slice(0, at))).not.toBe('none')
    }
  })
})

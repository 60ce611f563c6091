import { describe, expect, test } from 'vitest'
import { MemoryWorkspace, pathOf } from '../../testing/node/memory-workspace.ts'
import { parseGlob } from './glob.ts'
import { searchFiles, type SearchQuery, type SearchResult } from './search.ts'

const FILES = {
  'README.md': '# Title\nSome text\n',
  'src/main.ts': 'const a = 1\r\nconst b = 2\r\n// TODO: c\r\n',
  'src/deep/other.ts': 'todo list\nfoo(bar)\n',
  'image.png': Uint8Array.of(137, 80, 0, 1, 2, 3),
}

async function search(query: SearchQuery, files: Record<string, string | Uint8Array> = FILES) {
  let pauses = 0
  const pause = () => {
    pauses++
    return Promise.resolve()
  }
  const result = await searchFiles(await MemoryWorkspace.of(files), query, pause)
  return { result, pauses }
}

const found = (result: SearchResult): string[] =>
  result.ok ? result.matches.map(({ path, line, text }) => `${path}:${line}:${text}`) : []

describe('[FILE1] searching', () => {
  test('finds lines by pattern, whatever ends them, and leaves out what is no text', async () => {
    const { result } = await search({ pattern: '^const \\w = \\d$' })
    expect(found(result)).toEqual(['src/main.ts:1:const a = 1', 'src/main.ts:2:const b = 2'])
    expect(result).toMatchObject({ files: 3, skipped: 1, stopped: null })
  })

  test('takes a plain pattern as it is, with or without case', async () => {
    expect(found((await search({ pattern: 'foo(bar)', isPlain: true })).result)).toHaveLength(1)
    expect(found((await search({ pattern: 'todo', isPlain: true })).result)).toHaveLength(1)
    const both = await search({ pattern: 'TODO', isPlain: true, ignoreCase: true })
    expect(found(both.result)).toHaveLength(2)
    const none = await search({ pattern: 'foo.bar.', isPlain: true, ignoreCase: true })
    expect(found(none.result)).toEqual([])
  })

  test('is narrowed by folder and glob', async () => {
    const inFolder = await search({ pattern: '(?i)to', folder: pathOf('src/deep') })
    expect(found(inFolder.result)).toEqual(['src/deep/other.ts:1:todo list'])
    expect(found((await search({ pattern: '.', glob: '*.md' })).result)).toHaveLength(2)
    expect(found((await search({ pattern: 'todo', glob: 'src/*.ts' })).result)).toEqual([])
  })

  test('shows the lines around a match', async () => {
    const { result } = await search({ pattern: 'b = 2', context: 1 })
    expect(result).toMatchObject({ matches: [{ before: ['const a = 1'], after: ['// TODO: c'] }] })
  })

  test.each([
    ['(?=a)b', 'Lookahead, lookbehind'],
    ['(?<!a)b', 'Lookahead, lookbehind'],
    ['(a)\\1', 'references to groups'],
    ['(a', 'set plain'],
    ['[', 'not a valid regular expression'],
    ['a{1001}', 'not a valid regular expression'],
    ['x'.repeat(1001), 'longer than 1000'],
    ['', 'is empty'],
  ])('[SAF2] the pattern %s is refused in words', async (pattern, problem) => {
    expect((await search({ pattern })).result).toEqual({
      ok: false,
      problem: expect.stringContaining(problem),
    })
  })

  test.each([
    ['[a-', 'bracket'],
    ['{a,b', 'brace'],
    ['!a', 'begins with'],
    ['', 'is empty'],
    ['*'.repeat(200), 'longer than'],
  ])('[SAF2] the glob %j is refused in words', async (glob, problem) => {
    expect((await search({ pattern: 'a', glob })).result).toEqual({
      ok: false,
      problem: expect.stringContaining(problem),
    })
  })
})

describe('[SAF2] a search is bounded', () => {
  test('by its matches', async () => {
    const files = { a: 'x\n'.repeat(1000) }
    const { result } = await search({ pattern: 'x', maxMatches: 3 }, files)
    expect(found(result)).toEqual(['a:1:x', 'a:2:x', 'a:3:x'])
    expect(result).toMatchObject({ stopped: 'matches' })
    const all = await search({ pattern: 'x', maxMatches: 3 }, { a: 'x\nx\nx\n' })
    expect(all.result).toMatchObject({ stopped: null })
  })

  test('by what is shown, of which a long line is the part around the match', async () => {
    const line = `${'-'.repeat(10_000)}needle${'-'.repeat(10_000)}`
    const { result } = await search({ pattern: 'needle' }, { a: `${line}\n`.repeat(200) })
    expect(result).toMatchObject({ stopped: 'output' })
    expect(found(result)[0]).toContain('-needle-')
    expect(found(result).join('').length).toBeLessThan(64 * 1024)
  })

  test('by the work of its pattern, with pauses in which it can be stopped', async () => {
    // Backtracking would take for ever; here each letter costs the size of the pattern.
    const files = { a: `${'a'.repeat(3000)}\n`.repeat(30) }
    const { result, pauses } = await search({ pattern: '(a?){300}b' }, files)
    expect(result).toMatchObject({ ok: true, matches: [] })
    expect(pauses).toBeGreaterThan(5)
    const long = await search({ pattern: '(?:x|[ab]){1000}y' }, { a: `${'ab'.repeat(15_000)}y` })
    expect(long.result).toMatchObject({ cutLines: 1, matches: [] })
    const much = await search(
      { pattern: '(?:x|[ab]){1000}y' },
      { a: `${'ab'.repeat(5000)}\n`.repeat(200), b: 'never read' },
    )
    expect(much.result).toMatchObject({ stopped: 'work', files: 1 })
  })

  test('and ends with the reason of whoever stops it', async () => {
    const workspace = await MemoryWorkspace.of({ a: 'a\n'.repeat(1_000_000) })
    const stopped = searchFiles(workspace, { pattern: 'b' }, () => Promise.reject(new Error('no')))
    await expect(stopped).rejects.toThrow('no')
  })
})

test.each([
  ['*.ts', 'a.ts', true],
  ['*.ts', 'src/a.ts', true],
  ['*.ts', 'a.tsx', false],
  ['src/*.ts', 'src/a.ts', true],
  ['src/*.ts', 'src/b/a.ts', false],
  ['src/**/*.ts', 'src/a.ts', true],
  ['src/**/*.ts', 'src/b/c/a.ts', true],
  ['./src/**', 'src/b/c', true],
  ['/src/*', 'src/b', true],
  ['*.{ts,md}', 'docs/a.md', true],
  ['[ab]?.txt', 'b1.txt', true],
  ['[!ab]?.txt', 'b1.txt', false],
  ['.env', 'a/.env', true],
  ['a.c', 'abc', false],
  ['(a)+', '(a)+', true],
])('[FILE1] the glob %s and %s: %j', (glob, path, matches) => {
  const parsed = parseGlob(glob)
  expect(parsed.ok && parsed.matches(path)).toBe(matches)
})

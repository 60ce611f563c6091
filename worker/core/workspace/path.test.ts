import {
  PATH_BYTES,
  WORKSPACE_BYTES,
  WORKSPACE_FILE_BYTES,
  WORKSPACE_FILES,
} from '#protocol/limits'
import { describe, expect, test } from 'vitest'
import { pathOf } from '../../testing/node/memory-workspace.ts'
import { checkChanges } from './check-changes.ts'
import { findClash } from './path-index.ts'
import { parseFolder, parsePath } from './path.ts'

const OUTSIDE = 'leads out of the workspace'
const UNSEEN = 'cannot be seen'
const DISGUISED = 'reads as another path'
const DEVICE = 'Windows reserves'
const ENDS = 'ends in a dot or a space'
const FOLDER = 'names a folder'

describe('[SAF2] [FILE1] a path that could be taken for another is refused, and says why', () => {
  test.each([
    ['..', OUTSIDE],
    ['../x', OUTSIDE],
    ['../../etc/passwd', OUTSIDE],
    ['a/../../x', OUTSIDE],
    ['./../x', OUTSIDE],
    ['a/b/../../../x', OUTSIDE],
    ['/workspace/../etc/passwd', OUTSIDE],
    ['/workspace/a/../../x', OUTSIDE],
    ['/etc/passwd', OUTSIDE],
    ['/x', OUTSIDE],
    ['//workspace/x', OUTSIDE],
    ['/workspacex/y', OUTSIDE],
    ['/Workspace/y', OUTSIDE],
    ['/', OUTSIDE],
    ['/proc/self/environ', OUTSIDE],
    ['', 'is empty'],
    ['.', 'the workspace itself'],
    ['./', 'the workspace itself'],
    ['a/..', 'the workspace itself'],
    ['/workspace', 'the workspace itself'],
    ['/workspace/', 'the workspace itself'],
    ['a/', FOLDER],
    ['a/b/.', FOLDER],
    ['a/b/..', FOLDER],
    ['a\0b', UNSEEN],
    ['a.txt\0.png', UNSEEN],
    ['a\nb', UNSEEN],
    ['a\tb', UNSEEN],
    ['a\x1b[31m', UNSEEN],
    ['a\x7f', UNSEEN],
    ['a\u0085b', UNSEEN],
    ['invoice\u202Etxt.exe', UNSEEN],
    ['a\u2066b', UNSEEN],
    ['a\u200Bb', UNSEEN],
    ['a\u200Db', UNSEEN],
    ['a\u2060b', UNSEEN],
    ['\uFEFFa', UNSEEN],
    ['a\u00ADb', UNSEEN],
    ['a\u061Cb', UNSEEN],
    ['a\u2028b', UNSEEN],
    ['a\u{E0041}b', UNSEEN],
    ['a\u3164', UNSEEN],
    ['a\uD800b', 'not valid Unicode'],
    ['\uDC00', 'not valid Unicode'],
    ['..\\x', 'backslash'],
    ['a\\b', 'backslash'],
    ['C:\\Windows', 'backslash'],
    ['C:/Windows/x', 'names a drive'],
    ['c:x', 'names a drive'],
    ['file:///etc/passwd', 'is an address'],
    ['https://example.com/x', 'is an address'],
    ['~', 'home folder'],
    ['~/x', 'home folder'],
    ['%2e%2e/x', DISGUISED],
    ['%2E%2E/x', DISGUISED],
    ['.%2e/x', DISGUISED],
    ['%2e', DISGUISED],
    ['a%2fb', DISGUISED],
    ['..%2f..%2fx', DISGUISED],
    ['a%5Cb', DISGUISED],
    ['a%00b', DISGUISED],
    ['%252e%252e/x', DISGUISED],
    ['%25252e%25252e/x', DISGUISED],
    ['%c0%ae%c0%ae/x', DISGUISED],
    ['a%c0%afb', DISGUISED],
    ['\uFF0E\uFF0E/x', DISGUISED],
    ['\u2024\u2024/x', DISGUISED],
    ['\u2025/x', DISGUISED],
    ['a\uFF0Fb', DISGUISED],
    ['a\uFF3Cb', DISGUISED],
    ['CON', DEVICE],
    ['con.txt', DEVICE],
    ['a/NUL', DEVICE],
    ['nul.tar.gz', DEVICE],
    ['aux/x', DEVICE],
    ['COM1', DEVICE],
    ['lpt9.log', DEVICE],
    ['COM¹', DEVICE],
    ['con .txt', DEVICE],
    ['CONOUT$', DEVICE],
    ['...', ENDS],
    ['.. /x', ENDS],
    ['a./b', ENDS],
    ['a.', ENDS],
    ['a ', ENDS],
    [' ', ENDS],
    ['__proto__', 'reserved name'],
    ['x'.repeat(256), 'more than 255 bytes'],
    ['é'.repeat(128), 'more than 255 bytes'],
    [`${'a'.repeat(200)}/${'b'.repeat(200)}/${'c'.repeat(200)}`, `longer than ${PATH_BYTES} bytes`],
    ['a/'.repeat(100_000), `longer than ${PATH_BYTES} bytes`],
    [`${'a/'.repeat(32)}b`, '32 folders deep'],
  ])('%j', (raw, problem) => {
    const parsed = parsePath(raw)
    expect(parsed).toEqual({ ok: false, problem: expect.stringContaining(problem) })
    const said = parsed.ok ? '' : parsed.problem
    expect(said.length).toBeLessThan(500)
    expect(said).toSatisfy((text: string) => text.isWellFormed() && !/[\p{Cc}\p{Cf}]/u.test(text))
  })
})

describe('[FILE1] a path that means one file is that file', () => {
  test.each([
    ['a', 'a'],
    ['./a', 'a'],
    ['a//b', 'a/b'],
    ['a/./b', 'a/b'],
    ['a/../b', 'b'],
    ['/workspace/a/b.txt', 'a/b.txt'],
    ['/workspace//a', 'a'],
    ['.env', '.env'],
    ['..a', '..a'],
    ['a..b', 'a..b'],
    ['...a', '...a'],
    ['100%.md', '100%.md'],
    ['%41.md', '%41.md'],
    ['a b.txt', 'a b.txt'],
    ['cafe\u0301.md', 'caf\u00E9.md'],
    ['日本語/資料.md', '日本語/資料.md'],
    ['❤️.md', '❤️.md'],
    ['at 10:30.md', 'at 10:30.md'],
    ['consul.md', 'consul.md'],
    ['com10', 'com10'],
    ['a/~/b', 'a/~/b'],
    ['x'.repeat(255), 'x'.repeat(255)],
  ])('%j is %j', (raw, path) => {
    expect(parsePath(raw)).toEqual({ ok: true, path })
  })

  test('what was parsed is parsed as itself', () => {
    for (const raw of ['a/./b', 'cafe\u0301', '/workspace/x/../y']) {
      const path = pathOf(raw)
      expect(parsePath(path)).toEqual({ ok: true, path })
    }
  })

  test('a folder may be the workspace itself, and may not be outside of it', () => {
    for (const raw of ['', '.', '/', '/workspace', '/workspace/', 'a/..']) {
      expect(parseFolder(raw)).toEqual({ ok: true, path: null })
    }
    expect(parseFolder('src/')).toEqual({ ok: true, path: 'src' })
    expect(parseFolder('..')).toMatchObject({ ok: false })
    expect(parseFolder('/etc')).toMatchObject({ ok: false })
  })
})

const held = (path: string, size = 1) => ({ path: pathOf(path), size })

const gone = (path: string) => ({ path: pathOf(path), size: null })

describe('[SAF2] two paths that cannot stand beside each other', () => {
  const existing = ['src/main.ts', 'README.md', 'docs']

  test.each([
    ['src', { kind: 'is_folder', path: 'src' }],
    ['docs/a.md', { kind: 'is_file', path: 'docs' }],
    ['readme.md', { kind: 'case', path: 'README.md' }],
    ['SRC/other.ts', { kind: 'case', path: 'src' }],
    ['src/Main.ts', { kind: 'case', path: 'src/main.ts' }],
    ['src/main.ts', null],
    ['src/other.ts', null],
    ['srcs', null],
  ])('%s', (path, clash) => {
    expect(findClash(pathOf(path), existing)).toEqual(clash)
  })

  test('are judged by what there is after all changes', () => {
    expect(checkChanges([held('a')], [gone('a'), held('A')])).toBeNull()
    expect(checkChanges([held('a')], [gone('a'), held('a/b')])).toBeNull()
    expect(checkChanges([], [held('a'), held('A')])).toContain('differs only in upper and lower')
    expect(checkChanges([held('a/b')], [held('a')])).toContain('a is a folder')
    expect(checkChanges([held('a')], [held('a/b')])).toContain('a is a file')
  })

  test('limits are checked of the whole, and what shrinks is allowed', () => {
    const many = Array.from({ length: WORKSPACE_FILES }, (_, index) => held(`f${index}`))
    expect(checkChanges([], many)).toBeNull()
    expect(checkChanges(many, [held('one-more')])).toContain(`it can have ${WORKSPACE_FILES}`)
    expect(checkChanges(many, [gone('f0'), held('one-more')])).toBeNull()
    expect(checkChanges([], [held('a', WORKSPACE_FILE_BYTES)])).toBeNull()
    expect(checkChanges([], [held('a', WORKSPACE_FILE_BYTES + 1)])).toContain('8 MiB')
    const large = Array.from({ length: WORKSPACE_BYTES / WORKSPACE_FILE_BYTES }, (_, index) =>
      held(`f${index}`, WORKSPACE_FILE_BYTES),
    )
    expect(checkChanges(large, [held('a', 1)])).toContain('256 MiB')
    const tooLarge = [...large, held('a', 10)]
    expect(checkChanges(tooLarge, [held('a', 5)])).toBeNull()
    expect(checkChanges(tooLarge, [gone('f0')])).toBeNull()
  })
})

import { describe, expect, test } from 'vitest'
import { RandomSource } from '../../testing/random-source.ts'
import { applyHunks, diffContents, type FileDiff } from './diff.ts'
import { splitLines, toBytes, toText } from './lines.ts'
import { toUnified } from './unified-diff.ts'

const diffTexts = (before: string | null, after: string | null): FileDiff =>
  diffContents(before === null ? null : toBytes(before), after === null ? null : toBytes(after))

const all = ({ hunks }: FileDiff): Set<number> => new Set(hunks.map(({ index }) => index))
const apply = (diff: FileDiff, chosen: Iterable<number>): string | null => {
  const bytes = applyHunks(diff, new Set(chosen))
  return bytes === null ? null : toText(bytes)
}

const many = (prefix: string, count: number): string =>
  Array.from({ length: count }, (_, index) => `${prefix}${index}\n`).join('')

describe('hunks', () => {
  test('[FILE3] a change in three places has three hunks, counted from zero', () => {
    const diff = diffTexts('a\nb\nc\nd\ne\nf\n', 'a\nB\nc\nd\nx\ne\n')
    expect(diff.hunks).toEqual([
      { index: 0, beforeStart: 2, beforeLines: 1, afterStart: 2, afterLines: 1 },
      { index: 1, beforeStart: 5, beforeLines: 0, afterStart: 5, afterLines: 1 },
      { index: 2, beforeStart: 6, beforeLines: 1, afterStart: 7, afterLines: 0 },
    ])
    expect([diff.additions, diff.deletions]).toEqual([2, 2])
    expect(apply(diff, [1])).toBe('a\nb\nc\nd\nx\ne\nf\n')
    expect(apply(diff, [0, 2])).toBe('a\nB\nc\nd\ne\n')
  })

  test.each([
    ['the end of every line', 'a\r\nb\r\n', 'a\nb\n', 1],
    ['lone carriage returns', 'a\rb\rc', 'a\rB\rc', 1],
    ['a missing last newline', 'a\nb', 'a\nb\n', 1],
    ['a byte order mark', '\uFEFFa\nb\n', 'a\nb\n', 1],
    ['a text that becomes empty', 'a\n', '', 1],
    ['an empty text that is filled', '', 'a', 1],
    ['half of a line end', 'a\r\nb', 'a\rb', 1],
  ])('[FILE3] %s is exact to the byte', (_name, before, after, hunks) => {
    const diff = diffTexts(before, after)
    expect(diff.unit).toBe('lines')
    expect(diff.hunks).toHaveLength(hunks)
    expect(apply(diff, [])).toBe(before)
    expect(apply(diff, all(diff))).toBe(after)
  })

  test.each([
    ['created', null, 'a\nb\n', 2, 0],
    ['created empty', null, '', 0, 0],
    ['deleted', 'a\n', null, 0, 1],
    ['deleted while empty', '', null, 0, 0],
  ])('[FILE3] a file that is %s is one hunk', (_name, before, after, additions, deletions) => {
    const diff = diffTexts(before, after)
    expect(diff).toMatchObject({ unit: 'file', additions, deletions })
    expect(diff.hunks).toHaveLength(1)
    expect(apply(diff, [])).toBe(before)
    expect(apply(diff, [0])).toBe(after)
  })

  test.each([
    [null, null],
    ['', ''],
    ['a\n', 'a\n'],
  ])('[FILE3] %j and %j are no change', (before, after) => {
    expect(diffTexts(before, after)).toMatchObject({ unit: 'none', hunks: [] })
  })

  test.each([
    ['invalid UTF-8', Uint8Array.of(0xff, 0xfe, 10), toBytes('a\n')],
    ['a NUL', toBytes('a\0b\n'), toBytes('a\0c\n')],
    ['half a character', toBytes('a\n'), Uint8Array.of(0x61, 0xe2, 0x82)],
    ['a surrogate in UTF-8', toBytes('a'), Uint8Array.of(0xed, 0xa0, 0x80)],
  ])('[FILE3] %s makes it no text: one hunk, and no byte is changed', (_name, before, after) => {
    const diff = diffContents(before, after)
    expect(diff).toMatchObject({ unit: 'file', isBinary: true, additions: 0, deletions: 0 })
    expect(applyHunks(diff, new Set())).toEqual(before)
    expect(applyHunks(diff, new Set([0]))).toEqual(after)
  })

  test('[SAF2] contents that have nothing in common, or are too long to compare, are one hunk', () => {
    for (const [before, after] of [
      [many('a', 5000), many('b', 5000)],
      ['\n'.repeat(3_000_000), '\r\n'.repeat(2_000_000)],
      [many('a', 300_000), `x\n${'y\n'.repeat(200)}${many('a', 300_000)}z\n`],
    ] as const) {
      const diff = diffTexts(before, after)
      expect(diff.hunks.length).toBeLessThan(3)
      expect(apply(diff, [])).toBe(before)
      expect(apply(diff, all(diff))).toBe(after)
    }
  })

  test('[FILE3] a change in the middle of a long file is found without reading all of it', () => {
    const lines = Array.from({ length: 200_000 }, (_, index) => `line ${index}\n`)
    const diff = diffTexts(lines.join(''), lines.with(100_000, 'other\n').join(''))
    expect(diff.hunks).toEqual([
      { index: 0, beforeStart: 100_001, beforeLines: 1, afterStart: 100_001, afterLines: 1 },
    ])
  })
})

describe('[FILE3] [FILE4] random texts', () => {
  const ENDINGS = ['\n', '\r\n', '\r', '']
  const WORDS = ['', 'a', 'b', 'ä', '日本', '👩‍👩‍👧', '\uFEFF', ' ', '\t}', 'x'.repeat(5000)]

  const textOf = (random: RandomSource): string =>
    Array.from(
      { length: random.below(12) },
      () => random.pick(WORDS) + (random.chance(0.8) ? '\n' : random.pick(ENDINGS)),
    ).join('')

  function change(random: RandomSource, text: string): string {
    const lines = splitLines(text)
    for (let i = random.below(4); i > 0; i--) {
      const at = random.below(lines.length + 1)
      lines.splice(at, random.below(3), ...splitLines(textOf(random)).slice(0, 3))
    }
    return lines.join('')
  }

  test.each(Array.from({ length: 300 }, (_, seed) => seed))('seed %i', (seed) => {
    const random = new RandomSource(seed)
    const before = random.chance(0.1) ? null : textOf(random)
    const after = random.chance(0.1) ? null : change(random, before ?? textOf(random))
    const diff = diffTexts(before, after)
    expect(diff.hunks.map(({ index }) => index)).toEqual([...diff.hunks.keys()])
    expect(apply(diff, [])).toBe(before)
    expect(apply(diff, all(diff))).toBe(after)
    if (diff.unit !== 'lines') return
    // Any choice has the lines of `after` in the chosen places and those of `before` elsewhere.
    const chosen = new Set([...all(diff)].filter(() => random.chance(0.5)))
    const [old, now] = [splitLines(before!), splitLines(after!)]
    let expected = ''
    let next = 0
    for (const hunk of diff.hunks) {
      expected += old.slice(next, hunk.beforeStart - 1).join('')
      next = hunk.beforeStart - 1 + hunk.beforeLines
      expected += chosen.has(hunk.index)
        ? now.slice(hunk.afterStart - 1, hunk.afterStart - 1 + hunk.afterLines).join('')
        : old.slice(hunk.beforeStart - 1, next).join('')
    }
    expect(apply(diff, chosen)).toBe(expected + old.slice(next).join(''))
    expect(diff.additions - diff.deletions).toBe(now.length - old.length)
  })
})

const unified = (before: string | null, after: string | null, options = {}): string =>
  toUnified(diffTexts(before, after), 'f.txt', options).text

describe('a diff as text', () => {
  test('[FILE3] reads as people know it, with the lines around each change', () => {
    const numbers = Array.from({ length: 20 }, (_, index) => `${index + 1}\n`)
    const after = numbers.with(1, 'two\n').with(17, 'eighteen\n').join('')
    expect(unified(numbers.join(''), after, { context: 1 })).toBe(
      '--- a/f.txt\n+++ b/f.txt\n@@ -1,3 +1,3 @@\n 1\n-2\n+two\n 3\n' +
        '@@ -17,3 +17,3 @@\n 17\n-18\n+eighteen\n 19',
    )
  })

  test('[FILE3] says what is created, deleted, without a last newline, or no text', () => {
    expect(unified(null, 'a')).toBe(
      '--- /dev/null\n+++ b/f.txt\n@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file',
    )
    expect(unified('a\n', null)).toBe('--- a/f.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a')
    expect(unified('a\n', 'a\0')).toContain('Not text: 2 bytes before, 2 bytes after.')
    expect(unified('a\nb\n', 'a\r\nb\r\n')).toContain('Only the ends of lines differ.')
    expect(unified('a', 'a')).toBe('')
  })

  test('[SAF2] is cut where it is too long, and says so', () => {
    const diff = diffTexts(null, 'line\n'.repeat(100_000))
    const { text, truncated } = toUnified(diff, 'f', { maxBytes: 1000 })
    expect(truncated).toBe(true)
    expect(text.length).toBeLessThan(1200)
    expect(text).toContain('it was truncated')
    const wide = toUnified(diffTexts(null, 'x'.repeat(1_000_000)), 'f')
    expect(wide.truncated).toBe(true)
    expect(wide.text.length).toBeLessThan(1000)
  })
})

import type { DiffHunk } from '#protocol/http'
import { describe, expect, test } from 'vitest'
import { showRow, SHOWN_ROWS, toLines, toRows, type DiffRow, type Layout } from './diff-rows.ts'

const hunk = (
  index: number,
  [beforeStart, beforeLines]: [number, string[]],
  [afterStart, afterLines]: [number, string[]],
): DiffHunk => ({ index, beforeStart, beforeLines, afterStart, afterLines, state: 'open' })

const NOTHING: ReadonlySet<number> = new Set()

/** One line each: what a person reads. */
const read = (row: DiffRow): string => {
  if (row.kind === 'hunk') return `@${row.position}`
  if (row.kind === 'gap') return `… ${row.count}`
  const before = row.before === null ? '' : `${row.before.number}${row.before.text}`
  const after = row.after === null ? '' : `${row.after.number}${row.after.text}`
  return row.kind === 'same' ? `${before}=${after}` : `${before}>${after}`
}

const rowsOf = (
  hunks: readonly DiffHunk[],
  before: readonly string[] | null,
  layout: Layout,
  opened = NOTHING,
): string[] => toRows(hunks, before, { layout, opened }).map(read)

const LINES = 'abcdefghijklmnopqrst'.split('')

describe('rows of a diff', () => {
  test('[FILE3] side by side, what goes stands beside what comes, and the longer side goes on alone', () => {
    const change = hunk(0, [2, ['b\n', 'c\n']], [2, ['B\n', 'C\n', 'D\n']])
    expect(rowsOf([change], ['a', 'b', 'c', 'd'], 'split')).toEqual([
      '1a=1a',
      '@0',
      '2b>2B',
      '3c>3C',
      '>4D',
      '4d=5d',
    ])
  })

  test('[FILE3] inline, everything that goes stands above everything that comes', () => {
    const change = hunk(0, [2, ['b\n', 'c\n']], [2, ['B\n', 'C\n', 'D\n']])
    expect(rowsOf([change], ['a', 'b', 'c', 'd'], 'inline')).toEqual([
      '1a=1a',
      '@0',
      '2b>',
      '3c>',
      '>2B',
      '>3C',
      '>4D',
      '4d=5d',
    ])
  })

  test('[FILE3] what is the same and far from every change is one row, until it is opened', () => {
    const hunks = [hunk(0, [6, ['f']], [6, []]), hunk(1, [17, []], [16, ['new']])]
    expect(rowsOf(hunks, LINES, 'split')).toEqual([
      '… 2',
      '3c=3c',
      '4d=4d',
      '5e=5e',
      '@0',
      '6f>',
      '7g=6g',
      '8h=7h',
      '9i=8i',
      '… 4',
      '14n=13n',
      '15o=14o',
      '16p=15p',
      '@1',
      '>16new',
      '17q=17q',
      '18r=18r',
      '19s=19s',
      '20t=20t',
    ])
    const opened = rowsOf(hunks, LINES, 'split', new Set([9]))
    expect(opened.filter((row) => row.startsWith('…'))).toEqual(['… 2'])
    expect(opened).toContain('10j=9j')
  })

  test('[FILE3] a new or deleted file is its lines alone, and so is one whose context is unknown', () => {
    expect(rowsOf([hunk(0, [1, []], [1, ['x\r\n', 'y']])], [], 'split')).toEqual([
      '@0',
      '>1x',
      '>2y',
    ])
    expect(rowsOf([hunk(0, [9, ['x']], [9, ['y']])], null, 'inline')).toEqual(['@0', '9x>', '>9y'])
  })

  test('[FILE3] lines are counted as the server counts them', () => {
    expect(toLines('a\r\nb\rc\n')).toEqual(['a', 'b', 'c'])
    expect(toLines('a\n\n')).toEqual(['a', ''])
    expect(toLines('')).toEqual([])
  })

  test('[FILE3] no more rows than a page can carry are shown, and a jump moves there', () => {
    const shown = { from: 0, to: SHOWN_ROWS }
    expect(showRow(shown, 10, 5000)).toBe(shown)
    const moved = showRow(shown, 2000, 5000)
    expect(moved.to - moved.from).toBe(SHOWN_ROWS)
    expect(moved.from).toBeLessThanOrEqual(2000)
    expect(showRow(shown, 4999, 5000)).toEqual({ from: 4400, to: 5000 })
  })
})

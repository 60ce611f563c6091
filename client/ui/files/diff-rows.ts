// A diff as rows: inline (one column) or side by side (two). Pure. What is the same far from any
// change is one row that says how much, until somebody opens it.

import type { DiffHunk } from '#protocol/http'

/** Lines around a change that are shown with it. */
export const CONTEXT_LINES = 3

export type Layout = 'inline' | 'split'

/** `number`: of the line in its version, from 1. */
export type Cell = { number: number; text: string }

export type DiffRow =
  /** The same in both versions. */
  | { kind: 'same'; before: Cell; after: Cell }
  /** One or both: side by side, what goes stands beside what comes. */
  | { kind: 'change'; hunk: DiffHunk; before: Cell | null; after: Cell | null }
  /** Where a change begins: what can be done with it. */
  | { kind: 'hunk'; hunk: DiffHunk; position: number }
  /** `from`: the first of the lines that are not shown, in `before`, from 0. */
  | { kind: 'gap'; from: number; count: number }

type Options = { layout: Layout; opened: ReadonlySet<number> }

/** As the server counts them: `\n`, `\r\n` or a lone `\r` ends a line; none begins after the last. */
export function toLines(text: string): string[] {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** `before`: the lines of that version, for what stands around the changes; null: not known. */
export function toRows(
  hunks: readonly DiffHunk[],
  before: readonly string[] | null,
  options: Options,
): DiffRow[] {
  const rows: DiffRow[] = []
  let at = 0
  let shift = 0
  for (const [position, hunk] of hunks.entries()) {
    const run = { from: at, to: hunk.beforeStart - 1, shift }
    rows.push(...toContext(before, run, { head: position > 0, tail: true }, options))
    rows.push({ kind: 'hunk', hunk, position }, ...toChange(hunk, options.layout))
    at = hunk.beforeStart - 1 + hunk.beforeLines.length
    shift = hunk.afterStart + hunk.afterLines.length - 1 - at
  }
  const rest = { from: at, to: before?.length ?? at, shift }
  rows.push(...toContext(before, rest, { head: hunks.length > 0, tail: false }, options))
  return rows
}

/** Lines `from` to `to`, from 0. `shift`: how much further down they are in the other version. */
type Run = { from: number; to: number; shift: number }

/** `head`, `tail`: whether there is a change before and after it. */
function toContext(
  lines: readonly string[] | null,
  { from, to, shift }: Run,
  { head, tail }: { head: boolean; tail: boolean },
  { opened }: Options,
): DiffRow[] {
  if (lines === null) return []
  const rows: DiffRow[] = []
  const first = from + (head ? CONTEXT_LINES : 0)
  const hidden = to - (tail ? CONTEXT_LINES : 0) - first
  // Nothing is hidden that would take no more room than the row in its place.
  const isFolded = hidden > 1 && !opened.has(first)
  for (let i = from; i < to; i++) {
    if (isFolded && i === first) {
      rows.push({ kind: 'gap', from: first, count: hidden })
      i += hidden - 1
      continue
    }
    const text = lines[i] ?? ''
    const after = { number: i + 1 + shift, text }
    rows.push({ kind: 'same', before: { number: i + 1, text }, after })
  }
  return rows
}

function toChange(hunk: DiffHunk, layout: Layout): DiffRow[] {
  const gone = toCells(hunk.beforeLines, hunk.beforeStart)
  const come = toCells(hunk.afterLines, hunk.afterStart)
  const row = (before: Cell | null, after: Cell | null): DiffRow => ({
    kind: 'change',
    hunk,
    before,
    after,
  })
  if (layout === 'inline') {
    return [...gone.map((cell) => row(cell, null)), ...come.map((cell) => row(null, cell))]
  }
  const longer = gone.length > come.length ? gone : come
  return longer.map((_, i) => row(gone[i] ?? null, come[i] ?? null))
}

const toCells = (lines: readonly string[], start: number): Cell[] =>
  lines.map((line, i) => ({ number: start + i, text: line.replace(/(?:\r\n|\n|\r)$/, '') }))

/** Rows that are in the page at once: many more would make a phone stand still. */
export const SHOWN_ROWS = 600

export type Shown = { from: number; to: number }

/** The part of the rows that is shown, moved so that `row` is in it. */
export function showRow(shown: Shown, row: number, total: number): Shown {
  if (row >= shown.from && row < Math.min(shown.to, total)) return shown
  const from = Math.max(0, Math.min(row - CONTEXT_LINES, total - SHOWN_ROWS))
  return { from, to: from + SHOWN_ROWS }
}

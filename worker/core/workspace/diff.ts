// What changed between two contents of a file, in hunks that can be taken back one by one. Exact
// to the byte: whatever is chosen, the lines come from one of the two contents as they are there.

import { diffArrays } from 'diff'
import { commonEnding, splitLines, toBytes, toNumbers, toText } from './lines.ts'

/**
 * Lines `start` to `start + lines - 1`, counted from 1. Without lines it is the place before line
 * `start`. A hunk keeps its index for as long as its checkpoint has this content.
 */
export type Hunk = {
  index: number
  beforeStart: number
  beforeLines: number
  afterStart: number
  afterLines: number
}

/**
 * `lines`: a text that was there before and after. `file`: one hunk that is the whole file, since it
 * was created, deleted, or is no text. `none`: the same bytes, or none at all.
 */
export type FileDiff = {
  unit: 'none' | 'lines' | 'file'
  isBinary: boolean
  before: Content
  after: Content
  hunks: readonly Hunk[]
  additions: number
  deletions: number
}

/** `lines` null: no text. */
type Content = { bytes: Uint8Array; lines: readonly string[] | null } | null

/** Edits that are looked for: more than these read as a new text, and cost the square of them. */
const EDITS = 1000
/** Comparisons at worst: a quarter of a second. Not a time, so that a hunk is the same everywhere. */
const COMPARISONS = 40_000_000

export function diffContents(before: Uint8Array | null, after: Uint8Array | null): FileDiff {
  const sides = { before: toContent(before), after: toContent(after) }
  const isBinary = sides.before?.lines === null || sides.after?.lines === null
  if (isSameContent(before, after)) {
    return { unit: 'none', isBinary, ...sides, hunks: [], additions: 0, deletions: 0 }
  }
  const isLines = before !== null && after !== null && !isBinary
  const beforeLines = sides.before?.lines ?? []
  const afterLines = sides.after?.lines ?? []
  const hunks = isLines
    ? diffLines(beforeLines, afterLines)
    : [toHunk(0, 0, beforeLines.length, 0, afterLines.length)]
  return {
    unit: isLines ? 'lines' : 'file',
    isBinary,
    ...sides,
    hunks,
    additions: isBinary ? 0 : hunks.reduce((sum, { afterLines }) => sum + afterLines, 0),
    deletions: isBinary ? 0 : hunks.reduce((sum, { beforeLines }) => sum + beforeLines, 0),
  }
}

/** `before` with the chosen hunks: all of them are `after`. Null: there is no such file. */
export function applyHunks(diff: FileDiff, chosen: ReadonlySet<number>): Uint8Array | null {
  const { before, after, hunks } = diff
  const count = hunks.filter(({ index }) => chosen.has(index)).length
  if (count === 0) return before?.bytes ?? null
  if (count === hunks.length) return after?.bytes ?? null
  const lines: string[] = []
  let next = 0
  for (const hunk of hunks) {
    if (!chosen.has(hunk.index)) continue
    for (; next < hunk.beforeStart - 1; next++) lines.push(before!.lines![next]!)
    for (let i = 0; i < hunk.afterLines; i++) lines.push(after!.lines![hunk.afterStart - 1 + i]!)
    next += hunk.beforeLines
  }
  for (; next < before!.lines!.length; next++) lines.push(before!.lines![next]!)
  return toBytes(lines.join(''))
}

export function isSameContent(a: Uint8Array | null, b: Uint8Array | null): boolean {
  if (a === null || b === null) return a === b
  return a.length === b.length && a.every((byte, index) => byte === b[index])
}

function toContent(bytes: Uint8Array | null): Content {
  if (bytes === null) return null
  const text = toText(bytes)
  return { bytes, lines: text === null ? null : splitLines(text) }
}

/** Starts counted from 0 here, from 1 outside. */
const toHunk = (
  index: number,
  beforeAt: number,
  beforeLines: number,
  afterAt: number,
  afterLines: number,
): Hunk => ({ index, beforeStart: beforeAt + 1, beforeLines, afterStart: afterAt + 1, afterLines })

function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  const [a = [], b = []] = toNumbers(before, after)
  // What is the same at both ends needs no search, and is most of a large file.
  let start = 0
  while (start < a.length && start < b.length && a[start] === b[start]) start++
  let end = 0
  while (
    end < a.length - start &&
    end < b.length - start &&
    a[a.length - 1 - end] === b[b.length - 1 - end]
  ) {
    end++
  }
  const oldMiddle = a.slice(start, a.length - end)
  const newMiddle = b.slice(start, b.length - end)
  const whole = [toHunk(0, start, oldMiddle.length, start, newMiddle.length)]
  if (oldMiddle.length === 0 || newMiddle.length === 0) return whole
  const maxEditLength = Math.min(
    EDITS,
    Math.floor(COMPARISONS / (oldMiddle.length + newMiddle.length)),
  )
  const found = diffArrays(oldMiddle, newMiddle, { maxEditLength })
  return found === undefined ? whole : toHunks(found, start)
}

type Change = { added: boolean; removed: boolean; count: number }

/** Lines that go and lines that come in the same place are one change. */
function toHunks(changes: readonly Change[], start: number): Hunk[] {
  const hunks: Hunk[] = []
  let beforeAt = start
  let afterAt = start
  let isOpen = false
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      beforeAt += count
      afterAt += count
      isOpen = false
      continue
    }
    const hunk = isOpen ? hunks.pop()! : toHunk(hunks.length, beforeAt, 0, afterAt, 0)
    hunks.push({
      ...hunk,
      beforeLines: hunk.beforeLines + (removed ? count : 0),
      afterLines: hunk.afterLines + (added ? count : 0),
    })
    isOpen = true
    if (removed) beforeAt += count
    else afterAt += count
  }
  return hunks
}

/** Whether only the ends of lines differ, which a diff shows as a change of everything. */
export function isEndingsOnly({ before, after, unit }: FileDiff): boolean {
  const old = before?.lines
  const now = after?.lines
  if (unit !== 'lines' || old === null || old === undefined || now === null || now === undefined) {
    return false
  }
  if (commonEnding(old) === commonEnding(now)) return false
  return old.join('').replace(/\r\n?/g, '\n') === now.join('').replace(/\r\n?/g, '\n')
}

// A diff as text, for a decision's card and for a model: what git would print, bounded.

import { shorten, utf8Bytes } from '#protocol/text'
import { isEndingsOnly, type FileDiff, type Hunk } from './diff.ts'
import { endingOf, withoutEnding } from './lines.ts'

/** A card is read by a person: past this it is opened in the diff view. */
const UNIFIED_BYTES = 24 * 1024
/** A minified file is one line. */
const LINE_CHARS = 500
const NO_NEWLINE = '\\ No newline at end of file'

export type UnifiedDiff = { text: string; truncated: boolean }

export function toUnified(
  diff: FileDiff,
  path: string,
  { context = 3, maxBytes = UNIFIED_BYTES }: { context?: number; maxBytes?: number } = {},
): UnifiedDiff {
  const head = [
    `--- ${diff.before === null ? '/dev/null' : `a/${path}`}`,
    `+++ ${diff.after === null ? '/dev/null' : `b/${path}`}`,
  ]
  if (diff.unit === 'none') return { text: '', truncated: false }
  if (diff.isBinary) return { text: [...head, describeBinary(diff)].join('\n'), truncated: false }
  if (isEndingsOnly(diff)) {
    return { text: [...head, 'Only the ends of lines differ.'].join('\n'), truncated: false }
  }
  const out = new BoundedLines(maxBytes, head)
  for (const group of groupHunks(diff.hunks, context)) {
    if (!writeGroup(out, diff, group, context)) break
  }
  return out.close()
}

const sizeOf = (side: FileDiff['before']): string =>
  side === null ? 'nothing' : `${side.bytes.length} bytes`

const describeBinary = ({ before, after }: FileDiff): string =>
  `Not text: ${sizeOf(before)} before, ${sizeOf(after)} after.`

/** Hunks whose surroundings touch are printed as one. */
function groupHunks(hunks: readonly Hunk[], context: number): Hunk[][] {
  const groups: Hunk[][] = []
  for (const hunk of hunks) {
    const last = groups.at(-1)?.at(-1)
    const isNear =
      last !== undefined && hunk.beforeStart - (last.beforeStart + last.beforeLines) <= context * 2
    if (isNear) groups.at(-1)!.push(hunk)
    else groups.push([hunk])
  }
  return groups
}

const range = (start: number, lines: number): string =>
  `${lines === 0 ? start : start + 1},${lines}`

/** False: there is no more room. */
function writeGroup(
  out: BoundedLines,
  diff: FileDiff,
  group: readonly Hunk[],
  context: number,
): boolean {
  const before = diff.before?.lines ?? []
  const after = diff.after?.lines ?? []
  const first = group[0]!
  const last = group.at(-1)!
  const from = Math.max(0, first.beforeStart - 1 - context)
  const to = Math.min(before.length, last.beforeStart - 1 + last.beforeLines + context)
  const afterFrom = first.afterStart - 1 - (first.beforeStart - 1 - from)
  const grown = group.reduce((sum, hunk) => sum + hunk.afterLines - hunk.beforeLines, 0)
  const title = `@@ -${range(from, to - from)} +${range(afterFrom, to - from + grown)} @@`
  if (!out.push(title)) return false
  let next = from
  for (const hunk of group) {
    for (; next < hunk.beforeStart - 1; next++)
      if (!writeLine(out, ' ', before[next]!)) return false
    for (let i = 0; i < hunk.beforeLines; i++) {
      if (!writeLine(out, '-', before[next++]!)) return false
    }
    for (let i = 0; i < hunk.afterLines; i++) {
      if (!writeLine(out, '+', after[hunk.afterStart - 1 + i]!)) return false
    }
  }
  for (; next < to; next++) if (!writeLine(out, ' ', before[next]!)) return false
  return true
}

function writeLine(out: BoundedLines, sign: string, line: string): boolean {
  const text = withoutEnding(line)
  const shown = text.length > LINE_CHARS ? `${shorten(text, LINE_CHARS)}…` : text
  if (text.length > LINE_CHARS) out.truncated = true
  return out.push(sign + shown) && (endingOf(line) !== '' || out.push(NO_NEWLINE))
}

class BoundedLines {
  truncated = false
  private readonly lines: string[]
  private left: number

  constructor(maxBytes: number, head: readonly string[]) {
    this.lines = [...head]
    this.left = maxBytes
  }

  push(line: string): boolean {
    const bytes = utf8Bytes(line) + 1
    if (bytes > this.left) {
      this.truncated = true
      this.left = 0
      return false
    }
    this.left -= bytes
    this.lines.push(line)
    return true
  }

  close(): UnifiedDiff {
    const { truncated } = this
    const note = 'This diff is longer than what is shown here: it was truncated.'
    return { text: [...this.lines, ...(truncated ? [note] : [])].join('\n'), truncated }
  }
}

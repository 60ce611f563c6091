// Lines of a file as a person names them: `10-20`, `7`, or nothing for all of it. Pure.

import { toLines } from './diff-rows.ts'

export type LineRange = { from: number; to: number }

/** Null: not a range. `all`: nothing was named. */
export function parseRange(text: string): LineRange | 'all' | null {
  const trimmed = text.trim()
  if (trimmed === '') return 'all'
  const match = /^(\d{1,9})(?:\s*[-–:]\s*(\d{1,9}))?$/.exec(trimmed)
  if (match === null) return null
  const from = Number(match[1])
  const to = Number(match[2] ?? match[1])
  return from < 1 || to < from ? null : { from, to }
}

export const formatRange = ({ from, to }: LineRange): string =>
  from === to ? String(from) : `${from}-${to}`

/** Null: the text has no such lines. A range that goes on past the end stops there. */
export function cutRange(
  text: string,
  range: LineRange,
): { content: string; range: LineRange } | null {
  const lines = toLines(text)
  if (range.from > lines.length) return null
  const to = Math.min(range.to, lines.length)
  return { content: lines.slice(range.from - 1, to).join('\n'), range: { from: range.from, to } }
}

/** `notes.md (10-20)` */
export const nameWithRange = (name: string, range: string | undefined): string =>
  range === undefined ? name : `${name} (${range})`

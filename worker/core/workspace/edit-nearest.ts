// What is in the file where a model thought that something else was: the lines it should look at
// before it tries again.

import { shorten } from '#protocol/text'
import { withoutEnding } from './lines.ts'

const SHOWN_LINES = 10
const SHOWN_CHARS = 200
/** Lines that are compared letter by letter. */
const COMPARED_LINES = 20_000
const COMPARED_CHARS = 200
/** Below this share of common pairs of letters two lines have nothing to do with each other. */
const LIKENESS = 0.4

export function describeMissing(lines: readonly string[], oldText: string): string {
  const wanted = oldText.split(/\r\n?|\n/).map((line) => line.trim())
  const nearest = findNearest(
    lines.map((line) => line.trim()),
    wanted,
  )
  const problem = 'oldText is not in the file.'
  if (nearest === null) return `${problem} Nothing in it is like it: read the file again.`
  const shown = lines
    .slice(nearest, nearest + Math.min(wanted.length, SHOWN_LINES))
    .map((line, index) => `${nearest + index + 1}\t${toShown(withoutEnding(line))}`)
  return `${problem} The nearest lines are:\n${shown.join('\n')}\nCopy the text exactly as it is.`
}

const toShown = (line: string): string =>
  line.length > SHOWN_CHARS ? `${shorten(line, SHOWN_CHARS)}…` : line

/** The first line of the part that has most lines in common; else of the one line that is most alike. */
function findNearest(lines: readonly string[], wanted: readonly string[]): number | null {
  return findMostCommon(lines, wanted) ?? findMostAlike(lines, wanted)
}

function findMostCommon(lines: readonly string[], wanted: readonly string[]): number | null {
  const places = new Map<string, number>()
  for (const [index, line] of wanted.entries()) {
    if (line !== '' && !places.has(line)) places.set(line, index)
  }
  // Each line that is the same votes for where the whole would begin.
  const votes = new Map<number, number>()
  let best: number | null = null
  for (const [index, line] of lines.entries()) {
    const place = places.get(line)
    if (place === undefined) continue
    const start = index - place
    const count = (votes.get(start) ?? 0) + 1
    votes.set(start, count)
    if (best === null || count > votes.get(best)!) best = start
  }
  return best === null ? null : Math.max(0, best)
}

function findMostAlike(lines: readonly string[], wanted: readonly string[]): number | null {
  const first = wanted.findIndex((line) => line !== '')
  if (first === -1) return null
  const pairs = pairsOf(wanted[first]!)
  let best: number | null = null
  let most = LIKENESS
  for (const [index, line] of lines.slice(0, COMPARED_LINES).entries()) {
    const likeness = line === '' ? 0 : likenessOf(pairs, pairsOf(line))
    if (likeness <= most) continue
    most = likeness
    best = index
  }
  return best === null ? null : Math.max(0, best - first)
}

function pairsOf(line: string): Set<string> {
  const pairs = new Set<string>()
  const end = Math.min(line.length, COMPARED_CHARS) - 1
  for (let i = 0; i < end; i++) pairs.add(line.slice(i, i + 2))
  return pairs
}

function likenessOf(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size + b.size === 0) return 0
  let common = 0
  for (const pair of a) if (b.has(pair)) common++
  return (2 * common) / (a.size + b.size)
}

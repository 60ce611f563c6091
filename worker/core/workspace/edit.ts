// Replacing a piece of a text by what a model says it is. Models copy a piece almost exactly: the
// ends of lines, blanks at their ends and a common indentation are forgiven, and the file keeps its
// own. Anything else is an error that says what is really there.

import { describeMissing } from './edit-nearest.ts'
import { findAll, findRuns } from './find-all.ts'
import { commonEnding, endingOf, splitLines, toNumbers, withoutEnding } from './lines.ts'

export type Edit = { oldText: string; newText: string; replaceAll?: boolean | undefined }

export type EditResult =
  | { ok: true; text: string; replaced: number; isExact: boolean }
  | { ok: false; problem: string }

/** Where a text is to be replaced, and by what. */
type Place = { start: number; end: number; text: string }

/** Places that are named where there should be one. */
const NAMED_PLACES = 20
/** Places that look alike and are compared closely; a text of equal lines has more than anyone means. */
const CANDIDATES = 2000

/** One after the other, each on what the one before it has made. All of them, or none. */
export function applyEdits(text: string, edits: readonly Edit[]): EditResult {
  let result = text
  let replaced = 0
  let isExact = true
  for (const [index, edit] of edits.entries()) {
    const one = applyEdit(result, edit)
    if (!one.ok) {
      const which = edits.length === 1 ? '' : `Edit ${index + 1} of ${edits.length}: `
      const others = edits.length === 1 ? '' : ' None of the edits was made.'
      return { ok: false, problem: `${which}${one.problem}${others}` }
    }
    result = one.text
    replaced += one.replaced
    isExact &&= one.isExact
  }
  return { ok: true, text: result, replaced, isExact }
}

function applyEdit(text: string, edit: Edit): EditResult {
  const { oldText, newText, replaceAll = false } = edit
  if (oldText === '') {
    return fail('oldText is empty. Give the text to replace; write_file writes a whole file.')
  }
  if (oldText === newText) return fail('oldText and newText are the same: nothing would change.')
  const lines = splitLines(text)
  const finders = [findExact, findWithOtherEndings, findWithOtherBlanks]
  for (const find of finders) {
    const places = find(text, lines, edit)
    if (places.length === 0) continue
    if (places.length > 1 && !replaceAll) return fail(describeSeveral(text, places))
    const replaced = replaceAt(text, places)
    if (replaced === text) return fail('The file already is what this edit would make of it.')
    return { ok: true, text: replaced, replaced: places.length, isExact: find === findExact }
  }
  return fail(describeMissing(lines, oldText))
}

const fail = (problem: string): EditResult => ({ ok: false, problem })

function replaceAt(text: string, places: readonly Place[]): string {
  let result = ''
  let next = 0
  for (const place of places) {
    result += text.slice(next, place.start) + place.text
    next = place.end
  }
  return result + text.slice(next)
}

function findExact(text: string, lines: readonly string[], { oldText, newText }: Edit): Place[] {
  const starts = findAll(text, oldText)
  if (starts.length === 0) return []
  // Readers are shown no line ends, so that a bare \n means the end that this file has.
  const ending = newText.includes('\r') ? null : commonEnding(lines)
  const inserted = ending === null ? newText : withEnding(newText, ending)
  return starts.map((start) => ({ start, end: start + oldText.length, text: inserted }))
}

const withEnding = (text: string, ending: string): string => text.replace(/\r\n?|\n/g, () => ending)

const RETURN = 13
const NEWLINE = 10

function findWithOtherEndings(
  text: string,
  lines: readonly string[],
  { oldText, newText }: Edit,
): Place[] {
  if (!text.includes('\r') && !oldText.includes('\r')) return []
  const wanted = withEnding(oldText, '\n')
  const starts = findAll(withEnding(text, '\n'), wanted)
  if (starts.length === 0) return []
  const inserted = withEnding(newText, endingNear(lines))
  const toOriginal = offsetsOf(text)
  return starts.map((start) => ({
    start: toOriginal(start),
    end: toOriginal(start + wanted.length),
    text: inserted,
  }))
}

const endingNear = (lines: readonly string[]): string =>
  commonEnding(lines) ?? (endingOf(lines[0] ?? '') || '\n')

/** From an offset in the text with bare newlines to the one in the text. Asked in rising order. */
function offsetsOf(text: string): (offset: number) => number {
  let at = 0
  let normal = 0
  return (offset) => {
    for (; normal < offset; normal++) {
      at += text.charCodeAt(at) === RETURN && text.charCodeAt(at + 1) === NEWLINE ? 2 : 1
    }
    return at
  }
}

const trim = (lines: readonly string[]): string[] => lines.map((line) => line.trim())

/** Whole lines, with other blanks at their ends or another indentation, the same for all of them. */
function findWithOtherBlanks(
  _text: string,
  lines: readonly string[],
  { oldText, newText }: Edit,
): Place[] {
  const wanted = splitLines(oldText)
  if (oldText.trim() === '') return []
  const [file = [], old = []] = toNumbers(trim(lines), trim(wanted))
  const candidates = findRuns(file, old, CANDIDATES).flatMap((first) => {
    const shift = findShift(lines.slice(first, first + wanted.length), wanted)
    return shift === null ? [] : [{ first, shift }]
  })
  // The one that is indented as it was said is the one that is meant.
  const same = candidates.filter(({ shift }) => shift.add === '' && shift.remove === '')
  const chosen = withoutOverlaps(same.length > 0 ? same : candidates, wanted.length)
  const starts = startsOf(lines)
  return chosen.map(({ first, shift }) =>
    toLinePlace(lines, starts, first, wanted, shiftLines(newText, shift)),
  )
}

/** What is put before, or taken from, the start of each line that was said. */
type Shift = { add: string; remove: string }

const indentOf = (line: string): string => /^[ \t]*/.exec(line)![0]

/** Null where the lines are not all indented more, or all less, by the same. */
function findShift(lines: readonly string[], wanted: readonly string[]): Shift | null {
  let shift: Shift | null = null
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue
    const [has, said] = [indentOf(line), indentOf(wanted[index]!)]
    const one = has.endsWith(said)
      ? { add: has.slice(0, has.length - said.length), remove: '' }
      : said.endsWith(has)
        ? { add: '', remove: said.slice(0, said.length - has.length) }
        : null
    if (one === null) return null
    if (shift !== null && (shift.add !== one.add || shift.remove !== one.remove)) return null
    shift = one
  }
  return shift
}

function shiftLines(text: string, { add, remove }: Shift): string[] {
  return splitLines(text).map((line) => {
    if (line.trim() === '') return line
    return line.startsWith(remove) ? add + line.slice(remove.length) : line.trimStart()
  })
}

function withoutOverlaps<T extends { first: number }>(found: readonly T[], length: number): T[] {
  let free = 0
  return found.filter(({ first }) => {
    if (first < free) return false
    free = first + length
    return true
  })
}

function startsOf(lines: readonly string[]): number[] {
  const starts = [0]
  for (const line of lines) starts.push(starts.at(-1)! + line.length)
  return starts
}

/** The ends of lines are the file's; one that was not said, or is not there, is left as it is. */
function toLinePlace(
  lines: readonly string[],
  starts: readonly number[],
  first: number,
  wanted: readonly string[],
  inserted: readonly string[],
): Place {
  const last = first + wanted.length - 1
  const lastEnding = endingOf(lines[last]!)
  const saysEnding = endingOf(wanted.at(-1)!) !== ''
  const ending = endingNear(lines.slice(first, last + 1).filter((line) => endingOf(line) !== ''))
  const fileEnding = endingNear(lines)
  const used = lastEnding === '' && wanted.length === 1 ? fileEnding : ending
  let text = withEnding(inserted.join(''), used)
  if (saysEnding && lastEnding === '' && endingOf(text) !== '') text = withoutEnding(text)
  return {
    start: starts[first]!,
    end: starts[last + 1]! - (saysEnding ? 0 : lastEnding.length),
    text,
  }
}

function describeSeveral(text: string, places: readonly Place[]): string {
  const numbers: number[] = []
  let line = 1
  let at = 0
  for (const { start } of places.slice(0, NAMED_PLACES)) {
    line += splitLines(text.slice(at, start)).filter((one) => endingOf(one) !== '').length
    at = start
    numbers.push(line)
  }
  const more = places.length > NAMED_PLACES ? ', …' : ''
  return (
    `oldText is found ${places.length} times, at lines ${numbers.join(', ')}${more}. Give more of ` +
    'the text around it so that it is found once, or set replaceAll.'
  )
}

// Searching the text of a workspace, line by line. Bounded by counts, since no clock runs while
// nothing is awaited: matches, what is shown of them, and the work of the pattern on what is read.

import { shorten } from '#protocol/text'
import { parseGlob } from './glob.ts'
import { findAll } from './find-all.ts'
import { splitLines, toText, withoutEnding } from './lines.ts'
import { isInFolder } from './path.ts'
import type { Workspace, WorkspacePath } from './workspace.ts'

export type SearchQuery = {
  pattern: string
  /** Taken as it is, not as a regular expression. */
  isPlain?: boolean
  ignoreCase?: boolean
  glob?: string
  folder?: WorkspacePath | null
  /** Lines shown around a match. */
  context?: number
  maxMatches?: number
}

/** `text` is cut around the match; `before` and `after` are the lines around it. */
export type Match = {
  path: WorkspacePath
  line: number
  text: string
  before: readonly string[]
  after: readonly string[]
}

type Stop = 'matches' | 'work' | 'output'

export type SearchResult =
  | {
      ok: true
      matches: readonly Match[]
      files: number
      /** Not text. */
      skipped: number
      /** Lines so long that only their start was searched. */
      cutLines: number
      /** Why the search ended before the last file. */
      stopped: Stop | null
    }
  | { ok: false; problem: string }

const PATTERN_CHARS = 1000
const MATCHES = 200
const CONTEXT = 10
const LINE_CHARS = 400
const OUTPUT_CHARS = 48 * 1024
/**
 * Characters times the size of the compiled pattern: what a search may cost at worst, at some
 * thirty nanoseconds each. Ordinary patterns need a hundredth of that.
 */
const WORK = 1_000_000_000
/** After this much others are let in: messages, and the stop of this very search. */
const PAUSE_WORK = 5_000_000
/** What one line may cost: nothing can be let in there. */
const LINE_WORK = 20_000_000
/** Of a pattern that is searched for as it is. */
const PLAIN_SIZE = 4

/** Where in a line the pattern is first found; -1: nowhere. */
type Finder = { find: (line: string) => number; size: number }

export async function searchFiles(
  workspace: Pick<Workspace, 'list' | 'read'>,
  query: SearchQuery,
  pause: () => Promise<void>,
): Promise<SearchResult> {
  const finder = await toFinder(query)
  if (!finder.ok) return finder
  const glob = query.glob === undefined ? null : parseGlob(query.glob)
  if (glob?.ok === false) return glob
  const run = new SearchRun(query, finder.finder, pause)
  for (const { path } of workspace.list()) {
    if (run.stopped !== null) break
    if (!isInFolder(path, query.folder ?? null) || glob?.matches(path) === false) continue
    // One after the other: only one file's bytes are held at a time.
    // oxlint-disable-next-line no-await-in-loop
    const bytes = await workspace.read(path)
    // oxlint-disable-next-line no-await-in-loop
    if (bytes !== null) await run.search(path, bytes)
  }
  return run.result()
}

async function toFinder(
  query: SearchQuery,
): Promise<{ ok: true; finder: Finder } | { ok: false; problem: string }> {
  const { pattern, isPlain = false, ignoreCase = false } = query
  if (pattern === '') return { ok: false, problem: 'The pattern is empty.' }
  if (pattern.length > PATTERN_CHARS) {
    return { ok: false, problem: `The pattern is longer than ${PATTERN_CHARS} characters.` }
  }
  if (isPlain && !ignoreCase) {
    const find = (line: string): number => findAll(line, pattern, 1)[0] ?? -1
    return { ok: true, finder: { find, size: PLAIN_SIZE } }
  }
  // Only who searches by pattern needs the engine: the Worker starts without it.
  const { RE2JS } = await import('re2js')
  try {
    const source = isPlain ? RE2JS.quote(pattern) : pattern
    const compiled = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
    const find = (line: string): number => {
      const matcher = compiled.matcher(line)
      return matcher.find() ? matcher.start() : -1
    }
    return { ok: true, finder: { find, size: Math.max(PLAIN_SIZE, compiled.programSize()) } }
  } catch (error) {
    return { ok: false, problem: describeInvalid(pattern, error) }
  }
}

function describeInvalid(pattern: string, error: unknown): string {
  const why = (error instanceof Error ? error.message : String(error)).replace(
    /^error parsing regexp: /,
    '',
  )
  const isUnsupported = /\(\?(?:[=!]|<[=!])|\\[1-9]/.test(pattern)
  const hint = isUnsupported
    ? ' Lookahead, lookbehind and references to groups are not supported (RE2 syntax).'
    : ' To search for the text itself, set plain.'
  return `The pattern is not a valid regular expression: ${shorten(why, 200)}.${hint}`
}

class SearchRun {
  stopped: Stop | null = null
  private readonly matches: Match[] = []
  private readonly finder: Finder
  private readonly pause: () => Promise<void>
  private readonly context: number
  private readonly maxMatches: number
  private files = 0
  private skipped = 0
  private cutLines = 0
  private work = 0
  private pauseAt = PAUSE_WORK
  private chars = 0

  constructor(query: SearchQuery, finder: Finder, pause: () => Promise<void>) {
    this.finder = finder
    this.pause = pause
    this.context = Math.min(CONTEXT, Math.max(0, query.context ?? 0))
    this.maxMatches = Math.min(MATCHES, Math.max(1, query.maxMatches ?? MATCHES))
  }

  async search(path: WorkspacePath, bytes: Uint8Array): Promise<void> {
    const text = toText(bytes)
    if (text === null) {
      this.skipped++
      // To see that it is no text was work too.
      this.work += bytes.length
      return
    }
    this.files++
    const lines = splitLines(text)
    for (let index = 0; index < lines.length && this.stopped === null; index++) {
      const column = this.find(lines[index]!)
      if (column !== -1) this.add(path, lines, index, column)
      if (this.work < this.pauseAt) continue
      this.pauseAt = this.work + PAUSE_WORK
      // oxlint-disable-next-line no-await-in-loop
      await this.pause()
    }
  }

  result(): SearchResult {
    const { matches, files, skipped, cutLines, stopped } = this
    return { ok: true, matches, files, skipped, cutLines, stopped }
  }

  private find(line: string): number {
    const { size, find } = this.finder
    const longest = Math.floor(LINE_WORK / size)
    const text = withoutEnding(line)
    const cut = shorten(text, longest)
    if (cut.length < text.length) this.cutLines++
    this.work += (cut.length + 1) * size
    if (this.work <= WORK) return find(cut)
    this.stopped = 'work'
    return -1
  }

  private add(path: WorkspacePath, lines: readonly string[], index: number, column: number): void {
    const around = (from: number, to: number): string[] =>
      lines.slice(Math.max(0, from), to).map((line) => cutLine(withoutEnding(line), 0))
    const match: Match = {
      path,
      line: index + 1,
      text: cutLine(withoutEnding(lines[index]!), column),
      before: around(index - this.context, index),
      after: around(index + 1, index + 1 + this.context),
    }
    const chars = [match.text, ...match.before, ...match.after].reduce(
      (sum, l) => sum + l.length,
      0,
    )
    if (this.matches.length >= this.maxMatches) this.stopped = 'matches'
    else if (this.chars + chars > OUTPUT_CHARS) this.stopped = 'output'
    if (this.stopped !== null) return
    this.chars += chars
    this.matches.push(match)
  }
}

/** The part of a long line that has the match in it. */
function cutLine(line: string, column: number): string {
  if (line.length <= LINE_CHARS) return line
  const from = Math.max(0, Math.min(column - LINE_CHARS / 4, line.length - LINE_CHARS))
  const cut = line.slice(from, from + LINE_CHARS).toWellFormed()
  return `${from > 0 ? '…' : ''}${cut}${from + LINE_CHARS < line.length ? '…' : ''}`
}

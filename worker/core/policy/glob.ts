// Globs in time that is bounded by length of pattern times length of path. picomatch makes a
// backtracking regular expression: `*a*a*a*b` takes it 13 seconds on 512 letters, and patterns come
// from people, paths from a model.
//
// `*` and `?` stay within a name, `**` is any number of folders, `[a-z]` and `[!a-z]` one
// character, `{a,b}` alternatives, `\` takes the next character as it is. A dot at the start of a
// name is like any other character.

import { PATTERN_CHARS } from '#protocol/limits'

/** `{a,b}{a,b}…` doubles with every pair. */
const ALTERNATIVES = 64

type Token =
  | { type: 'char'; char: string }
  | { type: 'one' }
  | { type: 'run' }
  | { type: 'set'; isNegated: boolean; ranges: readonly (readonly [string, string])[] }

type Segment = 'folders' | readonly Token[]

export type Glob = {
  (path: string): boolean
  /**
   * The pattern begins with names that this folder has, and goes on below it: `docs/x.md` from `docs`
   * on. One that begins anywhere says nothing about a folder that it has no name of.
   */
  leadsTo: (folder: string) => boolean
}

/** The whole path. For saying yes: a pattern that means nothing, or is too large, matches nothing. */
export function toGlob(pattern: string): Glob {
  return compile(pattern, toSegments) ?? toConstant(false)
}

/**
 * The path, or a folder it lies in; from any folder on, unless the pattern begins at the workspace.
 * For saying no: what cannot be understood matches everything.
 */
export function toTreeGlob(pattern: string): Glob {
  return compile(pattern, toTreeSegments) ?? toConstant(true)
}

const toConstant = (answer: boolean): Glob => Object.assign(() => answer, { leadsTo: () => answer })

export function isTreePattern(pattern: string): boolean {
  return compile(pattern, toTreeSegments) !== null
}

function compile(
  pattern: string,
  toOwn: (alternative: string) => readonly Segment[] | null,
): Glob | null {
  const alternatives = toAlternatives(pattern)
  if (alternatives === null) return null
  const globs: (readonly Segment[])[] = []
  for (const alternative of alternatives) {
    const segments = toOwn(alternative)
    if (segments === null) return null
    globs.push(segments)
  }
  const starts = globs.flatMap((segments) => toStarts(segments))
  const matches = (patterns: typeof globs, path: string): boolean => {
    const names = path.split('/').map((name) => Array.from(name))
    return patterns.some((segments) => matchesPath(segments, names))
  }
  return Object.assign((path: string) => matches(globs, path), {
    leadsTo: (folder: string) => matches(starts, folder),
  })
}

/** Of `a/b/c`: `a` and `a/b`, each wherever the whole may begin. */
function toStarts(segments: readonly Segment[]): (readonly Segment[])[] {
  const last = segments.findLastIndex((segment) => segment !== 'folders')
  return segments.flatMap((segment, index) =>
    index < last && hasName(segment) ? [segments.slice(0, index + 1)] : [],
  )
}

/** `*` is every folder, so it says nothing about this one. */
const hasName = (segment: Segment): boolean =>
  segment !== 'folders' && segment.some(({ type }) => type === 'char')

/** For a path that is meant as it stands. */
export function escapeGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}!]/g, String.raw`\$&`)
}

function toAlternatives(pattern: string): string[] | null {
  if (pattern === '' || pattern.length > PATTERN_CHARS || pattern.startsWith('!')) return null
  const waiting = [pattern]
  const done: string[] = []
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const brace = findBrace(next)
    if (brace === null) done.push(next)
    else {
      const { start, end, options } = brace
      const [before, after] = [next.slice(0, start), next.slice(end + 1)]
      waiting.push(...options.map((option) => before + option + after))
    }
    if (waiting.length + done.length > ALTERNATIVES) return null
  }
  return done
}

/** The first pair of braces that no other pair lies in. */
function findBrace(pattern: string): { start: number; end: number; options: string[] } | null {
  let start = -1
  let cuts: number[] = []
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at]
    if (char === '\\') at++
    else if (char === '{') {
      start = at
      cuts = []
    } else if (char === ',' && start >= 0) cuts.push(at)
    else if (char === '}' && start >= 0) {
      const edges = [start, ...cuts, at]
      const options = edges.slice(1).map((edge, index) => pattern.slice(edges[index]! + 1, edge))
      return { start, end: at, options }
    }
  }
  return null
}

/** However people write where a path begins: `/a`, `./a` and `/workspace/a` are the same. */
const ROOTED = /^\.?\/(?:workspace(?:\/|$))?|^\.$/

function toTreeSegments(pattern: string): readonly Segment[] | null {
  const names = pattern.replace(ROOTED, '').split('/')
  const own = names.filter((name) => name !== '' && name !== '.')
  // No path has such a name by the time it is looked at.
  if (own.some((name) => /^\.+$/.test(name))) return null
  const segments = own.length === 0 ? [] : toSegments(own.join('/'))
  if (segments === null) return null
  return [...(ROOTED.test(pattern) ? [] : (['folders'] as const)), ...segments, 'folders']
}

function toSegments(pattern: string): readonly Segment[] | null {
  const segments: Segment[] = []
  for (const name of pattern.split('/')) {
    if (name === '**') {
      if (segments.at(-1) !== 'folders') segments.push('folders')
      continue
    }
    const tokens = toTokens(Array.from(name))
    if (tokens === null) return null
    segments.push(tokens)
  }
  return segments
}

function toTokens(chars: readonly string[]): Token[] | null {
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; at++) {
    const char = chars[at]!
    if (char === '*') {
      if (tokens.at(-1)?.type !== 'run') tokens.push({ type: 'run' })
    } else if (char === '?') tokens.push({ type: 'one' })
    else if (char === '[') {
      const end = chars.indexOf(']', at + 2)
      if (end < 0) return null
      tokens.push(toSet(chars.slice(at + 1, end)))
      at = end
    } else if (char === '\\') {
      const escaped = chars[++at]
      if (escaped === undefined) return null
      tokens.push({ type: 'char', char: escaped })
    } else if (char === '{' || char === '}') {
      // One of a pair whose other half is missing.
      return null
    } else tokens.push({ type: 'char', char })
  }
  return tokens
}

function toSet(inside: readonly string[]): Token {
  const isNegated = inside[0] === '!' || inside[0] === '^'
  const chars = isNegated ? inside.slice(1) : inside
  const ranges: [string, string][] = []
  for (let at = 0; at < chars.length; at++) {
    const from = chars[at]!
    const to = chars[at + 1] === '-' ? chars[at + 2] : undefined
    ranges.push([from, to ?? from])
    if (to !== undefined) at += 2
  }
  return { type: 'set', isNegated, ranges }
}

function matchesPath(segments: readonly Segment[], names: readonly (readonly string[])[]): boolean {
  // reached[n]: the segments so far can have taken the first n names.
  let reached = names.map(() => false)
  reached.unshift(true)
  for (const segment of segments) {
    const next = reached.map(() => false)
    let isOpen = false
    for (let taken = 0; taken < reached.length; taken++) {
      if (segment === 'folders') {
        isOpen ||= reached[taken]!
        next[taken] = isOpen
      } else if (taken > 0 && reached[taken - 1]!) {
        next[taken] = matchesName(segment, names[taken - 1]!)
      }
    }
    reached = next
  }
  return reached.at(-1)!
}

function matchesName(tokens: readonly Token[], name: readonly string[]): boolean {
  let reached = name.map(() => false)
  reached.unshift(true)
  for (const token of tokens) {
    const next = reached.map(() => false)
    let isOpen = false
    for (let taken = 0; taken < reached.length; taken++) {
      if (token.type === 'run') {
        isOpen ||= reached[taken]!
        next[taken] = isOpen
      } else if (taken > 0 && reached[taken - 1]!) next[taken] = takes(token, name[taken - 1]!)
    }
    reached = next
  }
  return reached.at(-1)!
}

function takes(token: Exclude<Token, { type: 'run' }>, char: string): boolean {
  if (token.type === 'one') return true
  if (token.type === 'char') return token.char === char
  return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.isNegated
}

// awk: its script may compute and print, not write files or start programs.

import { judged, type Call, type Judgement } from './call.ts'
import { READS, risky } from './finding.ts'
import { ODD, readOptions, type Known } from './options.ts'

const AWK: Known = {
  valued: 'Fv',
  long: 'version help',
  longValued: 'field-separator assign',
  isFront: true,
}

const RUNS_MORE = risky('runs an awk script that can write files or start programs')

export function awk({ args }: Call): Judgement {
  if (args.some(({ isKnown }) => !isKnown)) return judged(ODD)
  const plain = args.map((word) => ({ ...word, isGlob: false }))
  const { operands, isOdd } = readOptions(plain, AWK)
  const [script, ...files] = operands
  // Some read options behind the script, too.
  if (
    isOdd ||
    script?.text === '-' ||
    args[0]?.isGlob === true ||
    files.some(({ text }) => /^-./.test(text))
  ) {
    return judged(RUNS_MORE)
  }
  return judged(script === undefined || isPlainAwk(script.text) ? READS : RUNS_MORE)
}

type Token = { type: 'space' | 'line' | 'word' | 'text' | 'expression' | 'mark'; text: string }

/** Behind these a slash begins an expression; behind other words and values it divides. */
const BEFORE_VALUE = new Set('print printf return in case else do delete getline exit'.split(' '))

/** null: where a text or an expression ends is not certain. */
function toTokens(script: string): Token[] | null {
  const tokens: Token[] = []
  let before = ''
  for (let at = 0; at < script.length;) {
    const token = readToken(script, at, before)
    if (token === null) return null
    tokens.push(token)
    if (token.type !== 'space') before = token.text
    at += token.text.length
  }
  return tokens
}

const SPACE = /(?:[ \t\r]|\\\r?\n|#[^\n]*)+/y
const WORD = /\w+/y
const TEXT = /"(?:[^"\\\n]|\\[^])*"/y
/** With no slash in a bracket, so that it ends where everybody says it does. */
const EXPRESSION = /\/(?:[^/\\\n[\]"]|\\[^\n"]|\[\^?(?:[^\][/"\n\\]|\[:[a-z]+:\])+\])*\//y
/** Up to the next slash of the line. */
const BETWEEN = /\/[^/\n]*\/?/y
const MARK = /\|\||&&|>>|>=|[^]/y

function readToken(script: string, at: number, before: string): Token | null {
  const read = (pattern: RegExp): string | null => {
    pattern.lastIndex = at
    return pattern.exec(script)?.[0] ?? null
  }
  const space = read(SPACE)
  if (space !== null) return { type: 'space', text: space }
  if (script[at] === '\n') return { type: 'line', text: '\n' }
  const word = read(WORD)
  if (word !== null) return { type: 'word', text: word }
  if (script[at] === '"') {
    const text = read(TEXT)
    return text === null ? null : { type: 'text', text }
  }
  if (script[at] === '/') {
    const isBehindValue = /^(?:\w+|[)\]]|".*)$/s.test(before) && !BEFORE_VALUE.has(before)
    // If what divides were the beginning of an expression, a text would begin elsewhere.
    const between = read(BETWEEN) ?? ''
    if (between.length > 1 && between.endsWith('/') && between.includes('"')) return null
    const expression = isBehindValue ? null : read(EXPRESSION)
    if (expression !== null) return { type: 'expression', text: expression }
    if (!isBehindValue) return null
  }
  return { type: 'mark', text: read(MARK) ?? '' }
}

/** Behind these a line goes on. */
const GOES_ON = new Set([',', '{', '&&', '||', 'do', 'else'])
const RUNS = /system|getline|close/

/** A `>` behind `print` is a file, elsewhere a comparison; one `|` starts a program. */
function isPlainAwk(script: string): boolean {
  const tokens = toTokens(script)
  if (tokens === null) return false
  let isPrinting = false
  let open = 0
  let before = ''
  for (const { type, text } of tokens) {
    if (type === 'space') continue
    if (type === 'line') {
      isPrinting &&= open > 0 || GOES_ON.has(before)
      continue
    }
    // Should it divide after all, what stands in it would count.
    if (type === 'expression' && (RUNS.test(text) || /print|[>|@]/.test(text))) return false
    if (type === 'word') {
      if (RUNS.test(text)) return false
      isPrinting ||= text.includes('print')
    }
    if (type === 'mark') {
      if (text === '|' || text === '@' || text === '>>' || text === '&') return false
      if (text === '>' && isPrinting) return false
      if (text === '(' || text === '[') open++
      else if (text === ')' || text === ']') open--
      else if (text === ';' || text === '}') isPrinting = false
    }
    before = text
  }
  return true
}

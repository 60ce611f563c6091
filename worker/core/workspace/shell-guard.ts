// Patterns inside the shell itself (`[[ x == $p ]]`, `${x//$p/}`, `case`) become regular expressions
// of an engine that compiles in the square of their length: a variable that holds a file of 16 KiB
// as a pattern holds the object for 40 seconds. What is written in the script is judged here; what
// comes from a variable is judged by a hidden command put before it, which prints nothing. It also
// pays for what is held against a pattern, so that a loop of nothing else pauses now and then. The
// same command looks at what `eval` and `source` are given, which the interpreter parses unbounded.

import type { ScriptNode } from 'just-bash'
import { toRegexWeight, toUnits } from './shell-regex.ts'

/** Called by its path: a script may set PATH, and have a function of any name. */
export const CHECK_COMMAND = '__check_pattern'
const PATTERN_CHARS = 1000
const PATTERN_WEIGHT = 100
/** A name or a position; the others change with every command or may have an effect of their own. */
const PLAIN_PARAMETER = /^(?:[A-Za-z_]\w*|[1-9])$/
const MATCHING: ReadonlySet<unknown> = new Set(['=', '==', '!=', '=~'])

export const isHeavyPattern = (text: string): boolean =>
  text.length > PATTERN_CHARS || unitsOf(text) > PATTERN_WEIGHT

/** A variable may be one line. */
const unitsOf = (pattern: string): number =>
  1 + toUnits(toRegexWeight(pattern), Number.POSITIVE_INFINITY)

type Node = Record<string, unknown>
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** Puts the checks into the script; false where a written pattern is too heavy as it stands. */
export function guardScript(script: ScriptNode): boolean {
  let isLight = true
  // With a list, not by calls: a script may be nested deeper than the stack.
  const open: unknown[] = [script]
  while (open.length > 0) {
    const node = open.pop()
    if (!isNode(node)) continue
    open.push(...(Array.isArray(node) ? node : Object.values(node)))
    guardParsing(node)
    const { patterns, subject } = matchOf(node)
    const text = patterns.map(textOf).join('|')
    if (isHeavyPattern(text)) isLight = false
    for (const pattern of patterns) addChecks(pattern, 'pattern')
    addChecks(subject, String(Math.ceil(unitsOf(text))))
  }
  return isLight
}

/** `eval x` becomes `eval "$(check x)"`, and `source f` becomes `source $(check f)f`. */
function guardParsing(node: Node): void {
  if (node.type !== 'SimpleCommand' || !Array.isArray(node.args)) return
  const name = textOf(node.name)
  const args: unknown[] = node.args
  if (name === 'eval' && args.length > 0) {
    node.args = [toWord({ type: 'DoubleQuoted', parts: [toCheck('script', args)] })]
  } else if (name === 'source' || name === '.') {
    const [file] = args
    if (!isNode(file) || !Array.isArray(file.parts)) return
    const copy = toWord({ type: 'DoubleQuoted', parts: structuredClone(file.parts) })
    file.parts = [toCheck('file', [copy]), ...file.parts]
  }
}

type Match = { patterns: readonly unknown[]; subject?: unknown }

/** The patterns in it, and the word that is held against them. */
function matchOf(node: Node): Match {
  switch (node.type) {
    case 'PatternRemoval':
    case 'PatternReplacement':
    case 'CaseModification':
      // Their subject is a parameter; the shell itself counts what they do.
      return { patterns: [node.pattern] }
    case 'Case': {
      const items: unknown[] = Array.isArray(node.items) ? node.items : []
      const patterns = items.flatMap((item): unknown[] =>
        isNode(item) && Array.isArray(item.patterns) ? item.patterns : [],
      )
      return { patterns, subject: node.word }
    }
    case 'CondBinary':
      return MATCHING.has(node.operator)
        ? { patterns: [node.right], subject: node.left }
        : { patterns: [] }
    default:
      return { patterns: [] }
  }
}

function textOf(word: unknown): string {
  if (!isNode(word)) return ''
  if (Array.isArray(word.parts)) return word.parts.map(textOf).join('')
  const text = word.value ?? word.pattern
  return typeof text === 'string' ? text : ''
}

function addChecks(word: unknown, kind: string): void {
  if (!isNode(word) || !Array.isArray(word.parts)) return
  word.parts = word.parts.flatMap((part: unknown): unknown[] => {
    if (!isNode(part)) return [part]
    if (part.type === 'DoubleQuoted') addChecks(part, kind)
    if (!isPlain(part)) return [part]
    const copy = toWord({ type: 'DoubleQuoted', parts: [{ ...part }] })
    return [toCheck(kind, [copy]), part]
  })
}

const isPlain = (part: Node): boolean =>
  part.type === 'ParameterExpansion' &&
  typeof part.parameter === 'string' &&
  PLAIN_PARAMETER.test(part.parameter) &&
  part.operation === null

const toWord = (part: Node): Node => ({ type: 'Word', parts: [part] })

function toCheck(kind: string, args: readonly unknown[]): Node {
  const command = {
    type: 'SimpleCommand',
    assignments: [],
    name: toWord({ type: 'Literal', value: `/usr/bin/${CHECK_COMMAND}` }),
    args: [toWord({ type: 'Literal', value: kind }), ...args],
    redirections: [],
  }
  const pipeline = { type: 'Pipeline', commands: [command], negated: false }
  const statement = {
    type: 'Statement',
    pipelines: [pipeline],
    operators: [],
    background: false,
  }
  const body = { type: 'Script', statements: [statement] }
  return { type: 'CommandSubstitution', body, legacy: false }
}

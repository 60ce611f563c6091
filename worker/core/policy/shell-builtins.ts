// Builtins that change what the rest of the command means: folders, names, variables.

import type { Call } from './call.ts'
import { hasOption, toOperands } from './call.ts'
import { risky, type Finding } from './finding.ts'
import { judgeVariable } from './judge-wrappers.ts'
import type { Places } from './places.ts'

/** What a command has said so far. Guesses only ever add to what is looked at. */
export type ShellState = {
  places: Places
  variables: Map<string, string>
  aliases: Map<string, string>
  /** Functions that are defined whatever happens before them. */
  defined: Set<string>
}

export type Effect = {
  findings: Finding[]
  /** Run as commands, here or when the name is used. */
  scripts: string[]
  /** Only substitutions in it are run. */
  texts: string[]
}

const DECLARES = new Set(['export', 'declare', 'typeset', 'local', 'readonly'])
/** These evaluate subscripts, even quoted ones. */
const EVALUATES = new Set([
  'let',
  'test',
  '[',
  'unset',
  'read',
  'printf',
  'mapfile',
  'readarray',
  'getopts',
  'wait',
])

export const hasCode = (text: string): boolean => text.includes('$(') || text.includes('`')

export function applyBuiltin(state: ShellState, { name, args }: Call): Effect {
  const effect: Effect = { findings: [], scripts: [], texts: [] }
  if (name === 'cd' || name === 'pushd') state.places.enter(toOperands(args)[0])
  else if (name === 'popd') state.places.enter(undefined)
  else if (name === 'alias') defineAliases(state, args, effect)
  else if (DECLARES.has(name)) declare(state, args, effect)
  else if (EVALUATES.has(name)) evaluates(name, args, effect)
  if (name === 'unset') state.defined.clear()
  return effect
}

function defineAliases({ aliases }: ShellState, args: Call['args'], effect: Effect): void {
  for (const { text, isKnown } of args) {
    const [, name, body] = /^([^=]+)=(.*)$/s.exec(text) ?? []
    if (name === undefined || body === undefined) continue
    if (!isKnown) effect.findings.push(risky('gives a name to a command that is not known'))
    aliases.set(name, body)
    effect.scripts.push(body)
  }
}

function declare({ variables }: ShellState, args: Call['args'], effect: Effect): void {
  if (hasOption(args, 'n')) effect.findings.push(risky('gives a variable a second name'))
  for (const { text, isKnown, isGuessed } of toOperands(args)) {
    const [, name = text, value] = /^([^=]+?)\+?=(.*)$/s.exec(text) ?? []
    const finding = judgeVariable(name)
    if (finding !== null) effect.findings.push(finding)
    // The parser flattens such a list, and what its parts would run is gone.
    if (value?.startsWith('(') === true)
      effect.findings.push(risky('sets a list that cannot be read'))
    if (value !== undefined && (isKnown || isGuessed)) variables.set(name, value)
    if (isKnown && hasCode(text)) effect.texts.push(text)
  }
}

function evaluates(name: string, args: Call['args'], effect: Effect): void {
  const target = args.findIndex(({ text }) => text.startsWith('-v'))
  const words = name === 'printf' ? args.slice(0, target + 2) : args
  for (const { text, isKnown } of words) {
    const isName = name !== 'test' && name !== '['
    const finding = isName ? judgeVariable(text.replace(/^-[a-z]/, '')) : null
    if (finding !== null) effect.findings.push(finding)
    if (isKnown && hasCode(text)) effect.texts.push(text)
  }
}

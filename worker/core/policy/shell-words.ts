// Words of a command, as far as they are known before it runs.

import type { CommandNode, WordNode } from 'just-bash'
import type { ScriptNode } from './shell-parser.ts'

export type WordPart = WordNode['parts'][number]

export type Word = {
  /** What is known of it; a variable with a value given in the same command counts as a guess. */
  text: string
  /** Nothing in it is decided when the command runs. A glob and a tilde are known words. */
  isKnown: boolean
  /** Not known, but `text` is what it would be if nothing else sets its variables. */
  isGuessed: boolean
  isGlob: boolean
  /** It begins with a home folder. */
  isHome: boolean
  /** It contains what another command prints. */
  isOutput: boolean
}

/** Values that were assigned earlier in the same command. */
export type Variables = ReadonlyMap<string, string>

/** `{a,b}{a,b}…` doubles with every pair. */
const EXPANSIONS = 256
/** `x=$x$x` doubles with every repetition. */
const GUESS_CHARS = 4096

export const knownWord = (text: string): Word => ({
  text,
  isKnown: true,
  isGuessed: false,
  isGlob: false,
  isHome: false,
  isOutput: false,
})

/** Stands for what is not known; read as shell text again it is a variable without a value. */
export const UNKNOWN_TEXT = '$_'

/** What `<(…)` turns into: the file of an open pipe. */
export const PIPE_PATH = '/dev/fd/'

export const UNKNOWN_WORD: Word = { ...knownWord(UNKNOWN_TEXT), isKnown: false }

/** One word as written is several where it has braces. */
export function toWords(node: WordNode, variables: Variables): Word[] {
  const expanded = expandBraces(node.parts)
  if (expanded === null) return [{ ...UNKNOWN_WORD, isGlob: true }]
  return expanded.map((parts) => toWord(parts, variables))
}

/** Without braces: in assignments, redirections and documents they mean nothing. */
export function toWord(parts: readonly WordPart[], variables: Variables): Word {
  const word: Word = { ...knownWord('') }
  let isGuess = true
  const add = (part: WordPart): void => {
    switch (part.type) {
      case 'Literal':
      case 'SingleQuoted':
      case 'Escaped':
        word.text += part.value
        return
      case 'DoubleQuoted':
        for (const inner of part.parts) add(inner)
        return
      case 'Glob':
        word.text += part.pattern
        word.isGlob = true
        return
      case 'TildeExpansion':
        word.text += `~${part.user ?? ''}`
        word.isHome = true
        return
      case 'BraceExpansion':
        word.isGlob = true
        isGuess = false
        return
      case 'ParameterExpansion':
      case 'CommandSubstitution':
      case 'ArithmeticExpansion':
      case 'ProcessSubstitution': {
        const guess = guessPart(part, variables)
        word.isKnown = false
        word.isOutput ||= part.type === 'CommandSubstitution' || part.type === 'ProcessSubstitution'
        if (guess === null) isGuess = false
        word.text += guess ?? (part.type === 'ProcessSubstitution' ? PIPE_PATH : UNKNOWN_TEXT)
      }
    }
  }
  for (const part of parts) add(part)
  // A bracket alone is the name of a program.
  if (word.text === '[') word.isGlob = false
  if (word.text.length > GUESS_CHARS && !word.isKnown) isGuess = false
  word.isGuessed = !word.isKnown && isGuess
  return word
}

function guessPart(part: WordPart, variables: Variables): string | null {
  if (part.type === 'CommandSubstitution') return printedBy(part.body, variables)
  if (part.type !== 'ParameterExpansion') return null
  const value = variables.get(part.parameter)
  const { operation } = part
  if (operation === null) return value ?? null
  if (operation.type === 'UseAlternative') return toWord(operation.word.parts, variables).text
  if (operation.type === 'DefaultValue' || operation.type === 'AssignDefault') {
    return value ?? toWord(operation.word.parts, variables).text
  }
  return null
}

function printedBy(script: ScriptNode, variables: Variables): string | null {
  const [statement, ...more] = script.statements
  const [pipeline, ...morePipelines] = statement?.pipelines ?? []
  const [command, ...moreCommands] = pipeline?.commands ?? []
  const isAlone = more.length + morePipelines.length + moreCommands.length === 0
  return isAlone && command !== undefined ? printedByCommand(command, variables) : null
}

/** What `echo`, `printf` or `cat` of known words prints; null for everything else. */
export function printedByCommand(command: CommandNode, variables: Variables): string | null {
  if (command.type !== 'SimpleCommand' || command.name === null) return null
  const [name, ...args] = [command.name, ...command.args].flatMap((node) =>
    toWords(node, variables),
  )
  if (name?.text === 'cat')
    return args.length === 0 ? readFrom(command.redirections, variables) : null
  if (command.redirections.length > 0) return null
  if (!args.every((word) => word.isKnown && !word.isGlob)) return null
  const texts = args.map((word) => word.text)
  if (name?.text === 'printf') {
    return texts.length === 1 && !/[%\\]/.test(texts[0]!) ? texts[0]! : null
  }
  if (name?.text !== 'echo' || texts.some((text) => /^-[nE]*e/.test(text))) return null
  return texts.filter((text) => !/^-[nE]+$/.test(text)).join(' ')
}

export type Redirection = Extract<CommandNode, { type: 'SimpleCommand' }>['redirections'][number]

/** The known text that a document or a string puts into a command; null: not known, or a file. */
export function readFrom(
  redirections: readonly Redirection[],
  variables: Variables,
): string | null {
  const [only, ...more] = redirections
  if (only === undefined || more.length > 0 || (only.fd !== null && only.fd !== 0)) return null
  const { target, operator } = only
  if (target.type !== 'HereDoc' && operator !== '<<<') return null
  const node = target.type === 'HereDoc' ? target.content : target
  const word = toWord(node.parts, variables)
  return word.isKnown ? word.text : null
}

function expandBraces(parts: readonly WordPart[]): WordPart[][] | null {
  let expanded: WordPart[][] = [[]]
  for (const part of parts) {
    if (part.type !== 'BraceExpansion') {
      // In place: a word can have as many parts as it has characters.
      for (const before of expanded) before.push(part)
      continue
    }
    const choices = toChoices(part)
    if (choices === null || expanded.length * choices.length > EXPANSIONS) return null
    expanded = expanded.flatMap((before) => choices.map((choice) => [...before, ...choice]))
  }
  return expanded
}

function toChoices(part: Extract<WordPart, { type: 'BraceExpansion' }>): WordPart[][] | null {
  const choices: WordPart[][] = []
  for (const item of part.items) {
    // A range stays as it is: one word that stands for many.
    const inner = item.type === 'Word' ? expandBraces(item.word.parts) : [[part]]
    if (inner === null || choices.length + inner.length > EXPANSIONS) return null
    choices.push(...inner)
  }
  return choices
}

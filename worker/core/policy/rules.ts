// Rules people saved. For commands a pattern is the beginning of a command, word by word as the
// shell reads it, or the whole text; for files a glob; for tools the name.

import type { Action, Rule } from './action.ts'
import { toGlob, toTreeGlob, type Glob } from './glob.ts'
import type { Folder } from './places.ts'
import { parseCommandPattern } from './rule-folder.ts'
import type { ParseShell } from './shell-parser.ts'
import { toWords, type Word } from './shell-words.ts'
import type { Unit } from './shell-unit.ts'

export const RULE_PATTERN_CHARS = 2000

/** Before the path: the rule is about deleting it. */
export const DELETE_PREFIX = 'delete '

type CommandRule = {
  id: string
  folder: string
  pattern: string
  words: readonly string[] | null
}

export type CommandRules = { allow: readonly CommandRule[]; deny: readonly CommandRule[] }

/** A yes holds in the folder it was said for, a no everywhere. */
export function toCommandRules(
  parse: ParseShell,
  rules: readonly Rule[],
  folder: Folder,
): CommandRules {
  const own = rules.filter(({ kind, pattern }) => {
    return kind === 'command' && pattern.trim() !== '' && pattern.length <= RULE_PATTERN_CHARS
  })
  const prepare = ({ id, pattern }: Rule): CommandRule => {
    const parsed = parseCommandPattern(pattern.trim())
    return { id, ...parsed, words: toPrefix(parse, parsed.pattern) }
  }
  return {
    allow: own
      .filter(({ verdict }) => verdict === 'allow')
      .map(prepare)
      .filter((rule) => rule.folder === folder),
    deny: own.filter(({ verdict }) => verdict === 'deny').map(prepare),
  }
}

/** Null: not one plain command of known words, so the pattern is only good as a whole text. */
function toPrefix(parse: ParseShell, pattern: string): readonly string[] | null {
  const parsed = parse(pattern)
  if (!parsed.ok || parsed.script.statements.length !== 1) return null
  const [statement] = parsed.script.statements
  const [pipeline, ...pipelines] = statement?.pipelines ?? []
  const [command, ...commands] = pipeline?.commands ?? []
  if (pipelines.length + commands.length > 0 || statement?.background !== false) return null
  if (command?.type !== 'SimpleCommand' || command.name === null) return null
  if (command.assignments.length + command.redirections.length > 0) return null
  const words = [command.name, ...command.args].flatMap((word) => toWords(word, new Map()))
  return words.every(isPlain) ? words.map((word) => word.text) : null
}

const isPlain = ({ isKnown, isGlob, isHome }: Word): boolean => isKnown && !isGlob && !isHome

export function findExact(rules: readonly CommandRule[], command: string): CommandRule | undefined {
  return rules.find(({ pattern }) => pattern === command.trim())
}

/** What denies a part denies the whole, however the part is wrapped and wherever its program lies. */
export function findDeny(
  { deny }: CommandRules,
  command: string,
  units: readonly Unit[],
): CommandRule | undefined {
  return (
    findExact(deny, command) ??
    deny.find(({ words }) => words !== null && units.some(({ argv }) => isDenied(words, argv)))
  )
}

function isDenied(words: readonly string[], argv: readonly Word[]): boolean {
  return words.every((word, index) => {
    const text = argv[index]?.text
    return text === word || (index === 0 && text?.split('/').at(-1) === word)
  })
}

/**
 * A rule for the words of this command; or one for the command around it, where the rule goes on
 * to name this one too: `sudo npm test` agrees to both, `sudo` alone to nothing within.
 */
export function findAllow({ allow }: CommandRules, unit: Unit): CommandRule | undefined {
  for (let at: Unit | undefined = unit, depth = 0; at !== undefined; at = at.outer?.unit) {
    const { argv } = at
    const found = allow.find(({ words }) => {
      return words !== null && words.length > depth && isAllowed(words, argv)
    })
    if (found !== undefined) return found
    depth += at.outer?.offset ?? 0
  }
  return undefined
}

function isAllowed(words: readonly string[], argv: readonly Word[]): boolean {
  return words.every((word, index) => {
    const own = argv[index]
    return own !== undefined && isPlain(own) && own.text === word
  })
}

type FileEdit = Extract<Action, { kind: 'file_edit' }>

/** Yes is narrow, and never a yes to deleting. */
export function findFileAllow(
  rules: readonly Rule[],
  { path, change }: FileEdit,
): Rule | undefined {
  return rules.find((rule) => {
    if (rule.kind !== 'file_edit' || rule.verdict !== 'allow') return false
    const { isAboutDelete, pattern } = parseFilePattern(rule.pattern)
    return isAboutDelete === (change === 'delete') && toGlob(pattern)(path)
  })
}

function parseFilePattern(pattern: string): { isAboutDelete: boolean; pattern: string } {
  const isAboutDelete = pattern.startsWith(DELETE_PREFIX)
  return { isAboutDelete, pattern: isAboutDelete ? pattern.slice(DELETE_PREFIX.length) : pattern }
}

/** The rule that denies changing, or deleting, a file of the workspace. `isTree`: with what is below. */
export type FindDenied = (path: string, isDelete: boolean, isTree?: boolean) => Rule | undefined

/** No is wide: any case, and everything below. A command names many files: globs are made once. */
export function toFindDenied(rules: readonly Rule[]): FindDenied {
  const denying: { rule: Rule; isAboutDelete: boolean; glob: Glob }[] = []
  for (const rule of rules) {
    if (rule.kind !== 'file_edit' || rule.verdict !== 'deny') continue
    const { isAboutDelete, pattern } = parseFilePattern(rule.pattern)
    denying.push({ rule, isAboutDelete, glob: toTreeGlob(pattern.toLowerCase()) })
  }
  if (denying.length === 0) return () => undefined
  return (path, isDelete, isTree = false) => {
    const folded = path.toLowerCase()
    return denying.find(({ isAboutDelete, glob }) => {
      if (!isDelete && isAboutDelete) return false
      return glob(folded) || (isTree && glob.leadsTo(folded))
    })?.rule
  }
}

export function findToolRule(
  rules: readonly Rule[],
  toolName: string,
  verdict: Rule['verdict'],
): Rule | undefined {
  return rules.find((rule) => {
    return rule.kind === 'tool' && rule.verdict === verdict && rule.pattern === toolName
  })
}

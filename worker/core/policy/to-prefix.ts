// How much of a command a saved rule should speak for.

import { compareFindings, READS } from './finding.ts'
import type { Unit } from './shell-unit.ts'
import type { Word } from './shell-words.ts'

/** The second word says what they do: `git add` says nothing about `git push`. */
const SUBCOMMAND = /^[a-z][\w:.-]*$/i
/** Here the word after it does: `npm run build`. */
const RUNS_NEXT = new Set(['run', 'run-script', 'exec', 'stash', 'worktree'])
/** Of these the operands are files, and the rule is about the program: nothing is lost by them. */
const MAKES = new Set(['mkdir', 'rmdir', 'touch'])
const GIT_ON_FILES = new Set(['rm', 'mv'])

/** Null: only the text as it stands. More than one thing is to be agreed to, or a thing too grave. */
export function toPrefixPattern(units: readonly Unit[]): string | null {
  const open = units.filter(({ findings }) => findings.some(({ consent }) => consent !== 'none'))
  const [unit, ...more] = open.length > 0 ? open : units
  if (unit === undefined || more.length > 0 || unit.outer !== undefined) return null
  const worst = unit.findings.reduce((a, b) => (compareFindings(a, b) >= 0 ? a : b), READS)
  if (worst.consent === 'exact' || unit.argv.length === 0) return null
  const plain = unit.argv.findIndex((word) => !isPlain(word))
  const words = (plain < 0 ? unit.argv : unit.argv.slice(0, plain)).map((word) => word.text)
  // It runs a file: another file is another program.
  if (worst.consent === 'rule') return plain < 0 ? words.map(quote).join(' ') : null
  const [name, second, third] = words
  if (name === undefined) return null
  // "Every command that begins with mv" is more than anybody means who moves a file.
  if (worst.severity === 'medium' && !MAKES.has(name)) {
    if (name !== 'git' || second === undefined || GIT_ON_FILES.has(second)) return null
  }
  if (MAKES.has(name) || second === undefined || !SUBCOMMAND.test(second)) return quote(name)
  if (RUNS_NEXT.has(second))
    return third === undefined ? null : [name, second, third].map(quote).join(' ')
  return [name, second].map(quote).join(' ')
}

const isPlain = ({ isKnown, isGlob, isHome }: Word): boolean => isKnown && !isGlob && !isHome

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

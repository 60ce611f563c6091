// One program that a command would start, and what a judge of it can say.

import { READS, type Finding } from './finding.ts'
import type { Places } from './places.ts'
import { PIPE_PATH, type Word } from './shell-words.ts'

/** `terminal`: nobody feeds it. */
export type Stdin = { kind: 'terminal' } | { kind: 'text'; text: string } | { kind: 'unknown' }

export type Call = { name: string; args: readonly Word[]; places: Places; stdin: Stdin }

/** A command within the words of another: `offset` is where its name stands in them. */
export type Inner = { words: readonly Word[]; offset: number }

export type Judgement = {
  findings: readonly Finding[]
  inner?: readonly Inner[]
  /** Text that is run as commands. */
  scripts?: readonly Word[]
}

export type Judge = (call: Call) => Judgement

export const judged = (...findings: (Finding | null)[]): Judgement => ({
  findings: findings.filter((finding) => finding !== null),
})

export const reads: Judge = () => judged(READS)

export const always =
  (finding: Finding): Judge =>
  () =>
    judged(finding)

/** Short options can be joined (`-rf`), long ones cut short (`--recurs`) or given a value. */
export function hasOption(args: readonly Word[], letters: string, ...long: string[]): boolean {
  for (const { text } of args) {
    if (text === '--') return false
    if (text.startsWith('--')) {
      const [option = ''] = text.split('=', 1)
      if (option.length > 3 && long.some((name) => name.startsWith(option))) return true
    } else if (
      text.startsWith('-') &&
      Array.from(letters).some((letter) => text.includes(letter, 1))
    ) {
      return true
    }
  }
  return false
}

/** Values of options count as operands: more is looked at than needed, never less. */
export function toOperands(args: readonly Word[]): Word[] {
  const end = args.findIndex(({ text, isKnown }) => isKnown && text === '--')
  const [front, back] = end < 0 ? [args, []] : [args.slice(0, end), args.slice(end + 1)]
  return [...front.filter((word) => !isOption(word)), ...back]
}

const isOption = ({ text, isKnown }: Word): boolean => isKnown && /^-./.test(text)

/** A variable, or a file whose name begins with a dash, can turn out to be an option. */
export function hasUncertain(args: readonly Word[]): boolean {
  return args.some(({ text, isKnown, isGlob }) => {
    if (text.startsWith(PIPE_PATH)) return false
    return !isKnown || (isGlob && /^[*?[]/.test(text))
  })
}

export function hasText(args: readonly Word[], ...texts: string[]): boolean {
  return args.some(({ text }) => texts.includes(text))
}

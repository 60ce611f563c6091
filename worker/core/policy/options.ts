// The options of a program, read in order, one by one. What a program has is listed; everything else
// is odd: a letter nobody knows, a long name cut short, a word that could turn out to be an option.

import { risky } from './finding.ts'
import { PIPE_PATH, type Word } from './shell-words.ts'

export type Known = {
  /** Letters that take no value. */
  flags?: string
  /** Letters that take what is left of their word, or the next word. */
  valued?: string
  /** Letters whose value, if they have one, is what is left of their word: `-i.bak`. */
  tails?: string
  /** Long names without dashes. One that takes no value may be given one: `--color=always`. */
  long?: string
  longValued?: string
  /** Options end where the first operand begins. */
  isFront?: boolean
}

/** `at`: the word it stands in. */
export type Option = { name: string; value: Word | null; at: number }

/** `end`: the word that the operands begin at, where options come first. */
export type Options = {
  given: readonly Option[]
  operands: readonly Word[]
  end: number
  isOdd: boolean
}

export const ODD = risky('has an option or an argument that is not known here')

const toNames = (text = ''): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

export function readOptions(args: readonly Word[], known: Known): Options {
  const { flags = '', valued = '', tails = '', isFront = false } = known
  const [long, longValued] = [toNames(known.long), toNames(known.longValued)]
  const given: Option[] = []
  const operands: Word[] = []
  let isOdd = false
  let at = 0

  const readLong = (word: Word): void => {
    const [name = ''] = word.text.slice(2).split('=', 1)
    const rest = word.text.slice(2 + name.length)
    const value = rest === '' ? null : { ...word, text: rest.slice(1) }
    if (longValued.has(name)) given.push({ name, value: value ?? args[at + 1] ?? null, at })
    else if (long.has(name)) given.push({ name, value, at })
    else isOdd = true
    if (longValued.has(name) && value === null) at++
  }
  const readShort = (word: Word): void => {
    const start = at
    for (let index = 1; index < word.text.length; index++) {
      const name = word.text[index]!
      const rest = word.text.slice(index + 1)
      const tail = rest === '' ? null : { ...word, text: rest }
      if (flags.includes(name)) given.push({ name, value: null, at: start })
      else if (tails.includes(name)) return void given.push({ name, value: tail, at: start })
      else if (valued.includes(name)) {
        if (tail === null) at++
        return void given.push({ name, value: tail ?? args[at] ?? null, at: start })
      } else isOdd = true
    }
  }

  for (; at < args.length; at++) {
    const word = args[at]!
    isOdd ||= isUncertain(word)
    if (word.text === '--') {
      operands.push(...args.slice(at + 1))
      isOdd ||= args.slice(at + 1).some(isSplit)
      return { given, operands, end: at + 1, isOdd }
    }
    if (!/^-./.test(word.text)) {
      if (isFront) {
        operands.push(...args.slice(at))
        return { given, operands, end: at, isOdd: isOdd || args.slice(at).some(isSplit) }
      }
      operands.push(word)
    } else if (word.text.startsWith('--')) readLong(word)
    else readShort(word)
  }
  return { given, operands, end: at, isOdd }
}

/** Of the options of that name, in their order. */
export const valuesOf = ({ given }: Options, ...names: readonly string[]): (Word | null)[] =>
  given.filter(({ name }) => names.includes(name)).map(({ value }) => value)

export const hasGiven = (options: Options, ...names: readonly string[]): boolean =>
  valuesOf(options, ...names).length > 0

/** A variable can hold several words, or none. */
const isSplit = ({ text, isKnown }: Word): boolean => !isKnown && !text.startsWith(PIPE_PATH)

const isUncertain = (word: Word): boolean =>
  isSplit(word) || (word.isGlob && /^[*?[]/.test(word.text))

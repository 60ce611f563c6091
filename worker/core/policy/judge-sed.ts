// sed: its script may only print, delete and replace.

import { judged, toOperands, type Call, type Judgement } from './call.ts'
import { READS, risky } from './finding.ts'
import { hasGiven, ODD, readOptions, valuesOf, type Known } from './options.ts'

const SED: Known = {
  flags: 'nErsuzb',
  valued: 'efl',
  tails: 'i',
  long: `quiet silent regexp-extended separate unbuffered null-data posix debug sandbox binary in-place help version`,
  longValued: 'expression file line-length',
}

const RUNS_MORE = risky('runs a sed script that can write files or start programs')

export function sed({ args, places }: Call): Judgement {
  const options = readOptions(args, SED)
  if (args.some(({ isKnown }) => !isKnown)) return judged(ODD)
  const given = valuesOf(options, 'e', 'expression')
  // To some the first word is the script, if it stands before -e.
  const scriptAt = options.given.find(({ name }) => name === 'e' || name === 'expression')?.at
  const early = options.operands
    .slice(0, 1)
    .filter((word) => args.indexOf(word) < (scriptAt ?? Infinity))
  const scripts = [...given, ...early]
  // A script in a file is one nobody has read, whatever stands beside it.
  if (hasGiven(options, 'f', 'file')) return judged(RUNS_MORE)
  if (!scripts.every((script) => script !== null && isPlainSed(script.text)))
    return judged(RUNS_MORE)
  const odd = options.isOdd || args.some(({ text }) => isAmbiguous(text)) ? ODD : READS
  const suffixes = valuesOf(options, 'i', 'in-place').map((suffix) => suffix?.text ?? '')
  if (suffixes.length === 0) return judged(odd)
  // A star in it stands for the name: `package-*.json` is a name nobody would expect of `lock`.
  if (!suffixes.every((suffix) => /^(?:|[.~_][\w.~-]*)$/.test(suffix))) {
    return judged(risky('keeps copies under names that are made up'))
  }
  const operands = toOperands(args)
  const files = given.length > 0 ? operands : operands.slice(1)
  const written = ['', ...suffixes].flatMap((suffix) =>
    files.map((word) => ({ ...word, text: `${word.text}${suffix}` })),
  )
  return judged(odd, ...written.map((word) => places.change(word, 'write')))
}

/** Several letters, where it depends on the program which of them is an option and which a value. */
const isAmbiguous = (text: string): boolean =>
  /^-[nEruzsbief]{2,}$/.test(text) && !/^-[nEruzsb]+[ie]?$/.test(text)

/** No brackets: a slash within them does not end the expression, and would hide what follows. */
const SED_ADDRESS =
  /^(?:\d+(?:~\d+)?|\$|\/(?:[^/\\\n[]|\\.)*\/I?)(?:\s*,\s*(?:[+~]?\d+|\$|\/(?:[^/\\\n[]|\\.)*\/I?))?/
const SED_LETTER = /^[pdqQ=nNgGhHxDPlz{}]/
const SED_TEXT = /^[aic](?:\\\n|[^\n])*/

/** Only printing, deleting, and replacing: no `e`, no `w`, no `r`, nothing unusual. */
function isPlainSed(script: string): boolean {
  let rest = script
  for (let last = -1; rest !== '' && rest.length !== last;) {
    last = rest.length
    rest = rest.replace(/^[\s;]+/, '')
    rest = rest.replace(SED_ADDRESS, '')
    rest = rest.replace(/^\s*!?\s*/, '')
    const replaced = dropReplacement(rest)
    rest = replaced ?? rest.replace(SED_LETTER, '').replace(SED_TEXT, '')
  }
  return rest === ''
}

/** `s/a/b/g` and `y/a/b/`, with any delimiter; null where there is none, or it runs or writes. */
function dropReplacement(script: string): string | null {
  const [verb, delimiter] = script
  if ((verb !== 's' && verb !== 'y') || delimiter === undefined || /[\s\\\w]/.test(delimiter)) {
    return null
  }
  let seen = 0
  let at = 1
  let isBracket = false
  for (; at < script.length && seen < 3; at++) {
    const char = script[at]
    if (char === '\\') at++
    else if (char === '[' && seen === 1) isBracket = true
    else if (char === ']') isBracket = false
    else if (char === delimiter && isBracket) return null
    else if (char === delimiter) seen++
  }
  if (seen < 3) return null
  const flags = /^[gpiIM\d]*/.exec(script.slice(at))?.[0] ?? ''
  const rest = script.slice(at + flags.length)
  return rest === '' || /^[\s;}]/.test(rest) ? rest : null
}

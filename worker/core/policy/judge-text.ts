// Programs that read, unless an option or a script of their own says otherwise.

import { hasOption, hasText, hasUncertain, judged, toOperands } from './call.ts'
import type { Call, Inner, Judge, Judgement } from './call.ts'
import { destroys, READS, risky } from './finding.ts'
import { UNKNOWN_TEXT, UNKNOWN_WORD, type Word } from './shell-words.ts'

const UNCERTAIN = risky('has an argument that is not known and could change what it does')

/** Reads only, unless one of these is among its arguments. */
const readsUnless =
  (odd: RegExp, what: string): Judge =>
  ({ args }) => {
    if (args.some(({ text }) => odd.test(text))) return judged(risky(what))
    return judged(hasUncertain(args) ? UNCERTAIN : READS)
  }

const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir'])
const FIND_WRITES: ReadonlySet<string> = new Set(['-fprint', '-fprint0', '-fls', '-fprintf'])

function find({ args, places }: Call): Judgement {
  const findings = [READS]
  const inner: Inner[] = []
  if (hasText(args, '-delete')) findings.push(destroys('deletes every file it finds'))
  if (hasUncertain(args)) findings.push(UNCERTAIN)
  for (const [index, { text }] of args.entries()) {
    if (FIND_WRITES.has(text)) {
      const finding = places.change(args[index + 1] ?? UNKNOWN_WORD, 'overwrite')
      if (finding !== null) findings.push(finding)
    }
    if (!FIND_RUNS.has(text)) continue
    const rest = args.slice(index + 1)
    const end = rest.findIndex((word, at) => {
      return word.text === ';' || (word.text === '+' && rest[at - 1]?.text === '{}')
    })
    const words = (end < 0 ? rest : rest.slice(0, end)).map((word) => fill(word, '{}'))
    inner.push({ words, offset: index + 2 })
  }
  return { findings, inner }
}

/** What another program puts in is not known. */
export function fill(word: Word, hole: string): Word {
  if (hole === '' || !word.text.includes(hole)) return word
  return { ...word, text: word.text.replaceAll(hole, UNKNOWN_TEXT), isKnown: false }
}

function fd({ args }: Call): Judgement {
  const at = args.findIndex(({ text }) => /^(?:-[a-zA-Z]*[xX]|--exec(?:-batch)?)$/.test(text))
  if (at < 0) return judged(hasUncertain(args) ? UNCERTAIN : READS)
  const words = [...args.slice(at + 1), UNKNOWN_WORD].map((word) => fill(word, '{'))
  return { findings: [READS], inner: [{ words, offset: at + 2 }] }
}

function sed({ args, places }: Call): Judgement {
  if (args.some(({ isKnown }) => !isKnown)) return judged(UNCERTAIN)
  const given = args.flatMap(({ text }, index) => {
    if (/^-[nErsuz]*e$|^--expression$/.test(text)) return [args[index + 1]?.text ?? '']
    const joined = /^-[nErsuz]*e(.+)$|^--expression=(.*)$/s.exec(text)
    return joined === null ? [] : [joined[1] ?? joined[2] ?? '']
  })
  const operands = toOperands(args)
  const scripts = given.length > 0 ? given : operands.slice(0, 1).map(({ text }) => text)
  const isFromFile = hasOption(args, 'f', '--file') && !given.some((text) => text.includes('f'))
  if (isFromFile || !scripts.every(isPlainSed)) {
    return judged(risky('runs a sed script that can write files or start programs'))
  }
  const isInPlace = args.some(({ text }) => /^-[nErsuz]*i|^--in-/.test(text))
  if (!isInPlace) return judged(READS)
  const files = given.length > 0 ? operands : operands.slice(1)
  const backup = args.flatMap(({ text }) => SED_BACKUP.exec(text)?.slice(1) ?? []).join('')
  // A star in it stands for the name: `package-*.json` is a name nobody would expect of `lock`.
  if (/[*/]/.test(backup)) return judged(risky('keeps copies under names that are made up'))
  const copies = files.map((word) => ({ ...word, text: `${word.text}${backup}` }))
  return judged(...[...files, ...copies].map((word) => places.change(word, 'write')))
}

const SED_BACKUP = /^(?:-[nErsuz]*i|--in-[a-z]*=)(.+)$/s

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

function awk({ args }: Call): Judgement {
  if (args.some(({ isKnown }) => !isKnown)) return judged(UNCERTAIN)
  const isOdd = args.some(({ text }) => {
    if (/^-(?:f|i|l|E|D)|^--(?:file|include|load|exec|debug)/.test(text)) return true
    if (/print[^;}\n]*>/.test(text)) return true
    // Comparisons with a number and "or" use the same characters as writing and starting programs.
    const bare = text.replaceAll(/\|\||>=|>\s*-?\d/g, '')
    return /[|>@]|system|getline|close/.test(bare)
  })
  return judged(isOdd ? risky('runs an awk script that can write files or start programs') : READS)
}

function sort({ args, places }: Call): Judgement {
  if (hasUncertain(args)) return judged(UNCERTAIN)
  if (args.some(({ text }) => /^--(?:com|T|files0)/.test(text))) {
    return judged(risky('starts another program'))
  }
  const at = args.findIndex(({ text }) => /^-[a-zA-Z]*o|^--o/.test(text))
  if (at < 0) return judged(READS)
  const joined = /^-[a-zA-Z]*?o(.+)$|^--o[a-z]*=(.*)$/s.exec(args[at]!.text)
  const name = joined?.[1] ?? joined?.[2]
  const word = name === undefined ? args[at + 1] : { ...args[at]!, text: name }
  return judged(places.change(word ?? UNKNOWN_WORD, 'overwrite'), READS)
}

/** uniq and xxd: a second file is where the result goes. */
function secondIsOutput({ args, places }: Call): Judgement {
  if (hasUncertain(args)) return judged(UNCERTAIN)
  const [, output] = toOperands(args).filter(({ text }) => !/^\d+$/.test(text))
  return judged(READS, output === undefined ? null : places.change(output, 'overwrite'))
}

function yq({ args, places }: Call): Judgement {
  if (!hasOption(args, 'i', '--inplace', '--in-place')) {
    return judged(hasUncertain(args) ? UNCERTAIN : READS)
  }
  return judged(
    ...toOperands(args)
      .slice(1)
      .map((word) => places.change(word, 'write')),
  )
}

export const TEXT_JUDGES: Readonly<Record<string, Judge>> = {
  find,
  fd,
  fdfind: fd,
  sed,
  gsed: sed,
  awk,
  gawk: awk,
  mawk: awk,
  nawk: awk,
  sort,
  uniq: secondIsOutput,
  xxd: secondIsOutput,
  yq,
  rg: readsUnless(/^--(?:pre|hostname-bin|search-zip)/, 'starts another program'),
  tree: readsUnless(/^-[a-zA-Z]*o|^--output/, 'writes a file'),
  date: readsUnless(/^-[a-zA-Z]*s|^--set|^\d{8}/, 'sets the clock'),
  hostname: readsUnless(/^[^-]|^-[bF]|^--(?:boot|file)/, 'changes the name of the machine'),
  less: readsUnless(
    /^\+|^-[a-zA-Z]*[oOkP]|^--(?:log|lesskey)/,
    'can start programs or write files',
  ),
  man: readsUnless(/^-[PHpC]|^--(?:pager|html|preprocessor|config)/, 'starts another program'),
  bat: readsUnless(/^--pager|^--config/, 'starts another program'),
  diff: readsUnless(/^--(?:output|ed-script)/, 'writes a file'),
  base64: readsUnless(/^-[a-zA-Z]*o|^--output/, 'writes a file'),
  history: readsUnless(/^-[a-zA-Z]*[wrancp]/, 'changes the history of the shell'),
  mapfile: readsUnless(/^-[a-zA-Z]*C/, 'starts another program'),
  readarray: readsUnless(/^-[a-zA-Z]*C/, 'starts another program'),
  file: readsUnless(/^-[a-zA-Z]*C|^--compile/, 'writes a file'),
}

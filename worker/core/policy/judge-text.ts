// Programs that read, unless an option or an operand says otherwise.

import { judged, toOperands } from './call.ts'
import type { Call, Judge, Judgement } from './call.ts'
import { READS, risky } from './finding.ts'
import { awk } from './judge-awk.ts'
import { fd, find } from './judge-find.ts'
import { sed } from './judge-sed.ts'
import { hasGiven, ODD, readOptions, valuesOf, type Known, type Options } from './options.ts'
import { UNKNOWN_WORD, type Word } from './shell-words.ts'

/** Reads only, with options that are listed here and operands that `isFine`. */
const readsWith =
  (known: Known, isFine: (operands: readonly Word[]) => boolean = () => true): Judge =>
  ({ args }) => {
    const options = readOptions(args, known)
    return judged(options.isOdd || !isFine(options.operands) ? ODD : READS)
  }

const writesOut =
  (known: Known): Judge =>
  ({ args, places }) => {
    const options = readOptions(args, known)
    // Which of them counts differs from program to program.
    const files = valuesOf(options, 'o', 'output').map((file) => file ?? UNKNOWN_WORD)
    const findings = files.map((file) => places.change(file, 'overwrite'))
    return judged(options.isOdd ? ODD : READS, ...findings)
  }

const sort = writesOut({
  flags: 'bdfgiMhnRrVcCmsuz',
  valued: 'ktSo',
  long: `ignore-leading-blanks dictionary-order ignore-case general-numeric-sort ignore-nonprinting month-sort
    human-numeric-sort numeric-sort random-sort reverse version-sort check merge stable unique zero-terminated debug
    help version`,
  longValued: 'key field-separator buffer-size sort batch-size parallel output',
})

const shuf = writesOut({
  flags: 'ezr',
  valued: 'ino',
  long: 'echo zero-terminated repeat help version',
  longValued: 'input-range head-count output',
})

/** A second file is where the result goes. One pattern can stand for two files. */
function judgeSecond({ operands, isOdd }: Options, places: Call['places']): Judgement {
  const [, ...outputs] = operands
  const isMany = operands.some(({ isGlob }) => isGlob)
  const findings = outputs.map((output) => places.change(output, 'overwrite'))
  return judged(isOdd || isMany ? ODD : READS, ...findings)
}

const UNIQ: Known = {
  flags: 'cdDiuz',
  valued: 'fsw',
  long: 'count repeated all-repeated ignore-case unique zero-terminated group help version',
  longValued: 'skip-fields skip-chars check-chars',
}

const uniq: Judge = ({ args, places }) => judgeSecond(readOptions(args, UNIQ), places)

const XXD_FLAG =
  /^-(?:a|autoskip|b|bits|C|capitalize|e|E|EBCDIC|h|help|i|include|p|ps|plain|r|revert|u|v)$/
const XXD_VALUED = /^-(?:c|cols|g|groupsize|l|len|o|offset|s|seek|n|name|R)$/
const XXD_JOINED = /^-[cglos][+-]?\w*$/

/** Its options are whole words behind one dash. */
function xxd({ args, places }: Call): Judgement {
  const operands: Word[] = []
  let isOdd = args.some(({ isKnown }) => !isKnown)
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at]!
    if (!/^-./.test(text)) operands.push(args[at]!)
    else if (XXD_VALUED.test(text)) at++
    else if (!XXD_FLAG.test(text) && !XXD_JOINED.test(text)) isOdd = true
  }
  return judgeSecond({ given: [], operands, end: 0, isOdd }, places)
}

const YQ: Known = {
  flags: 'rnNPMCei0',
  valued: 'poI',
  long: 'inplace in-place prettyPrint colors no-colors no-doc null-input raw-output exit-status unwrapScalar help version',
  longValued: 'input-format output-format indent',
}

function yq({ args, places }: Call): Judgement {
  const options = readOptions(args, YQ)
  if (!hasGiven(options, 'i', 'inplace', 'in-place')) return judged(options.isOdd ? ODD : READS)
  const [, ...files] = toOperands(args)
  const findings = files.map((word) => places.change(word, 'write'))
  return judged(options.isOdd ? ODD : READS, ...findings)
}

/** With -x it runs a command, and so it does with a letter before it. */
function jobs({ args }: Call): Judgement {
  const options = readOptions(args, { flags: 'lnprs', isFront: true })
  if (!options.isOdd) return judged(READS)
  const starts = [options.end, options.end + 1].filter((start) => start < args.length)
  const inner = starts.map((start) => ({ words: args.slice(start), offset: start + 1 }))
  return { findings: [risky('starts another program')], inner }
}

const RG: Known = {
  flags: 'isSvwxnNlcoFUaLHhVq0pPub',
  valued: 'efgtTmABCdjrEM',
  long: `ignore-case smart-case case-sensitive invert-match word-regexp line-regexp line-number no-line-number files
    files-with-matches files-without-match count count-matches only-matching fixed-strings multiline multiline-dotall
    text follow with-filename no-filename null pretty pcre2 unrestricted quiet byte-offset hidden no-ignore
    no-ignore-vcs no-heading heading json stats trim vimgrep column no-messages no-config crlf debug version help
    type-list one-file-system passthru null-data`,
  longValued: `regexp file glob iglob type type-not type-add max-count after-context before-context context max-depth
    threads replace encoding max-columns max-filesize sort sortr color colors engine`,
}

const TREE: Known = {
  flags: 'adflxiqNQpugshDFvtcUrASnCJX',
  valued: 'LPIHT',
  long: `du si dirsfirst filesfirst noreport prune gitignore matchdirs help version inodes device metafirst fromfile
    ignore-case`,
  longValued: 'filelimit charset sort timefmt',
}

const DATE: Known = {
  flags: 'uR',
  valued: 'dfr',
  tails: 'I',
  long: 'utc universal rfc-email iso-8601 debug help version',
  longValued: 'date file reference rfc-3339',
}

const BAT: Known = {
  flags: 'pnAu',
  valued: 'lrH',
  long: 'plain number show-all diff list-languages list-themes help version',
  longValued: `style color decorations language line-range highlight-line theme tabs wrap terminal-width file-name`,
}

const DIFF: Known = {
  flags: 'qsucenryibBwadtTNpEZ',
  valued: 'UCWxXIFLSD',
  long: `brief report-identical-files unified context side-by-side recursive new-file ignore-case ignore-all-space
    ignore-space-change ignore-blank-lines text color minimal normal speed-large-files strip-trailing-cr
    suppress-common-lines expand-tabs no-dereference help version`,
  longValued: 'width exclude exclude-from label',
}

const BASE64: Known = {
  flags: 'dDi',
  valued: 'wb',
  long: 'decode ignore-garbage help version',
  longValued: 'wrap',
}

const FILE: Known = {
  flags: 'bhiLkNnrsSvE0',
  valued: 'eFfPm',
  long: `brief mime mime-type mime-encoding dereference no-dereference keep-going no-buffer raw print0 extension help
    version`,
  longValued: 'exclude separator files-from parameter magic-file',
}

const MAPFILE: Known = { flags: 't', valued: 'dnOsu' }

const none = (operands: readonly Word[]): boolean => operands.length === 0

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
  shuf,
  uniq,
  xxd,
  yq,
  jobs,
  rg: readsWith(RG),
  tree: readsWith(TREE),
  // Anything else that stands there is the time that it sets.
  date: readsWith(DATE, (operands) => operands.every(({ text }) => text.startsWith('+'))),
  hostname: readsWith({ flags: 'fiIsdAya' }, none),
  less: readsWith({ flags: 'SRNXFiIeEgGmMnqQrsuUwWc' }, (operands) =>
    operands.every(({ text }) => !text.startsWith('+')),
  ),
  man: readsWith({ flags: 'kfwWa', valued: 'sS' }),
  bat: readsWith(BAT, (operands) => operands[0]?.text !== 'cache'),
  diff: readsWith(DIFF),
  base64: readsWith(BASE64),
  history: readsWith({}, (operands) => operands.every(({ text }) => /^\d+$/.test(text))),
  mapfile: readsWith(MAPFILE),
  readarray: readsWith(MAPFILE),
  file: readsWith(FILE),
}

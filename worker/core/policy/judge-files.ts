// Programs that create, change, move and remove files.

import { hasOption, judged, toOperands, type Call, type Judge, type Judgement } from './call.ts'
import { destroys, READS, risky, type Finding } from './finding.ts'
import { hasGiven, ODD, readOptions, type Known } from './options.ts'
import type { Change, Places } from './places.ts'
import { knownWord, type Word } from './shell-words.ts'

function remove({ args, places }: Call): Judgement {
  const operands = toOperands(args)
  // First, since it also finds what a saved rule denies.
  const findings = operands.map((word) => places.change(word, 'delete'))
  if (args.some(({ isKnown }) => !isKnown)) {
    return judged(destroys('deletes files that are not known beforehand'))
  }
  if (hasOption(args, 'rRd', '--recursive', '--dir', '--no-preserve-root')) {
    return judged(destroys('deletes files recursively'))
  }
  if (readOptions(args, RM).isOdd) findings.push(ODD)
  if (operands.some((word) => places.isWhole(word))) return judged(destroys('deletes everything'))
  return judged(...findings)
}

const RM: Known = {
  flags: 'fiIv',
  long: 'force interactive one-file-system preserve-root verbose help version',
}

/** Values of options are looked at like files, since another program of the name may take them so. */
const writesTo =
  (change: Change, known: Known): Judge =>
  ({ args, places }) => {
    const odd = hasOdd(args, known) ? ODD : null
    return {
      findings: orReads([odd, ...toOperands(args).map((word) => places.change(word, change))]),
    }
  }

/** Which files fit a pattern is judged where they are changed. */
const hasOdd = (args: readonly Word[], known: Known): boolean =>
  readOptions(
    args.map((word) => (word.isGlob ? { ...word, isGlob: false } : word)),
    known,
  ).isOdd

function orReads(findings: readonly (Finding | null)[]): Finding[] {
  const some = findings.filter((finding) => finding !== null)
  return some.length > 0 ? some : [READS]
}

/** cp, mv, ln, install: the last operand is where to, unless an option says it. */
export function transfer({ name, args, places }: Call): Judgement {
  const operands = toOperands(args)
  const into = toTarget(args)
  const target = into ?? operands.at(-1)
  const sources = into === null ? operands.slice(0, -1) : operands
  if (target === undefined) return judged(READS)
  const findings = [places.change(target, 'overwrite')]
  // Into a folder a file keeps its name, and that name can be a sensitive one.
  for (const source of sources) {
    const own = source.text.replace(/\/+$/, '').split('/').at(-1) ?? ''
    if (!source.isKnown) findings.push(risky('takes files that are not known beforehand'))
    else if (places.isGuarded(inFolder(target, own))) findings.push(GUARDED)
    if (name === 'mv') findings.push(...moveAway(places, source, target))
    // What is written through a link is written to where it leads.
    if (name === 'ln' && places.isGuarded(source)) findings.push(GUARDED)
  }
  if (name === 'mv' && target.text === '/dev/null')
    findings.push(destroys('moves files to nowhere'))
  if (hasOdd(args, TRANSFERS[name]!)) findings.push(ODD)
  // Which names that makes is seen when it runs, and a sensitive one can be among them.
  if (sources.some(({ isGlob }) => isGlob)) findings.push(risky('changes every file that fits'))
  if (name !== 'mv' && hasOption(args, name === 'cp' ? 'rRa' : '', '--recursive', '--archive')) {
    findings.push(risky('copies folders recursively'))
  }
  if (hasOption(args, name === 'install' ? 'b' : 'bS', '--backup', '--suffix', '--parents')) {
    findings.push(risky('writes files under names that are made up on the way'))
  }
  return { findings: orReads(findings) }
}

/** A folder takes along what nobody named. `/tmp` is gone when the command ends. */
function moveAway(places: Places, source: Word, target: Word): (Finding | null)[] {
  const isLost = places.isScratch(target) && !places.isScratch(source)
  const findings = [places.change(source, isLost ? 'delete' : 'move')]
  if (places.isScratch(source) || !mayBeFolder(source)) return findings
  const away = isLost
    ? destroys('moves what may be a folder to where nothing is kept')
    : risky('moves what may be a whole folder')
  return [...findings, away]
}

/** Names are all there is to tell by; what they hide is seen when the command has run. */
const mayBeFolder = ({ text }: Word): boolean =>
  !/^[^.].*\.[a-z][a-z0-9]{0,9}$/i.test(text.split('/').at(-1) ?? '')

/** With those that `transfer` judges by themselves. */
const TRANSFERS: Readonly<Record<string, Known>> = {
  mv: {
    flags: 'finuvTbZ',
    valued: 'tS',
    long: 'force interactive no-clobber no-target-directory update verbose backup help version',
    longValued: 'target-directory suffix',
  },
  cp: {
    flags: 'abdfiHlLnPprRsuvTx',
    valued: 'tS',
    long: `archive backup force interactive link dereference no-dereference no-clobber preserve no-preserve parents
      recursive symbolic-link no-target-directory update verbose reflink sparse one-file-system help version`,
    longValued: 'target-directory suffix',
  },
  ln: {
    flags: 'bdFfiLnPrsTv',
    valued: 'tS',
    long: 'backup force interactive logical no-dereference physical relative symbolic no-target-directory verbose',
    longValued: 'target-directory suffix',
  },
  install: {
    flags: 'bcCdDpTv',
    valued: 'gmotS',
    long: 'backup compare directory preserve-timestamps no-target-directory verbose',
    longValued: 'group mode owner target-directory suffix',
  },
}

const GUARDED = risky('changes a sensitive file')

function toTarget(args: readonly Word[]): Word | null {
  for (const [index, word] of args.entries()) {
    const { text } = word
    if (text === '--') return null
    const long = /^--t[a-z-]*=(.*)$/s.exec(text)
    if (long !== null) return { ...word, text: long[1] ?? '' }
    const short = /^-[a-zA-Z]*t(.*)$/s.exec(text)
    if (short !== null && short[1] !== '') return { ...word, text: short[1] ?? '' }
    if (short !== null || /^--t[a-z-]*$/.test(text)) return args[index + 1] ?? null
  }
  return null
}

const inFolder = (folder: Word, name: string): Word => ({
  ...folder,
  text: `${folder.text}/${name}`,
})

function tee({ args, places }: Call): Judgement {
  const change = hasOption(args, 'a', '--append') ? 'write' : 'overwrite'
  const known: Known = {
    flags: 'aip',
    long: 'append ignore-interrupts output-error help version',
  }
  const odd = hasOdd(args, known) ? ODD : null
  return {
    findings: orReads([odd, ...toOperands(args).map((word) => places.change(word, change))]),
  }
}

/** mktemp makes up the ends of names: the beginning is an operand, or the folder's. */
function mktemp({ args, places }: Call): Judgement {
  const { isOdd } = readOptions(args, { flags: 'dqut', long: 'directory quiet dry-run' })
  if (isOdd) return judged(risky('creates files in an unusual way'))
  const made = [knownWord('xaa'), ...toOperands(args)]
  return judged(...made.map((word) => places.change(word, 'write')))
}

const SPLIT: Known = {
  flags: 'dexzu',
  valued: 'abCln',
  long: 'numeric-suffixes hex-suffixes elide-empty-files verbose unbuffered help version',
  longValued: 'suffix-length bytes line-bytes lines number',
}

/** Their files are called as nobody can say beforehand: `id_rs` and `a` is a key. */
function split({ name, args, places }: Call): Judgement {
  const known: Known =
    name === 'split' ? SPLIT : { flags: 'ksqz', valued: 'n', long: 'keep-files quiet' }
  const { operands, isOdd } = readOptions(args, known)
  const prefix = operands[1]
  if (isOdd || (name === 'split' && prefix !== undefined)) {
    const findings = toOperands(args).map((word) => places.change(word, 'write'))
    return judged(risky('creates files under names that are made up'), ...findings)
  }
  return judged(places.change(knownWord('xaa'), 'write'))
}

function dd({ args }: Call): Judgement {
  const isWriting = args.some(({ text, isKnown }) => !isKnown || text.startsWith('of='))
  return judged(isWriting ? destroys('overwrites a file or a disk block by block') : READS)
}

/** chmod, chown, chgrp: what is to be done is looked at like a file, since `-x` hides which it is. */
function permit({ args, places }: Call): Judgement {
  const targets = toOperands(args)
  if (!hasOption(args, 'R', '--recursive')) {
    return { findings: orReads(targets.map((word) => places.change(word, 'write'))) }
  }
  const isFar = targets.some((word) => places.isOutside(word))
  return judged((isFar ? destroys : risky)('changes permissions recursively'))
}

const COMPRESS: Known = {
  flags: 'cdfklnNqrtvVz123456789',
  long: `stdout list test version recursive decompress uncompress force keep no-name name quiet verbose fast best
    to-stdout help`,
}
const TO_STDOUT = ['c', 'l', 't', 'V', 'stdout', 'to-stdout', 'list', 'test', 'version']

function compress({ name, args, places }: Call): Judgement {
  if (name.endsWith('cat')) return judged(READS)
  const plain = args.map((word) => (word.isGlob ? { ...word, isGlob: false } : word))
  const options = readOptions(plain, COMPRESS)
  if (options.isOdd) return judged(ODD)
  if (hasGiven(options, ...TO_STDOUT)) return judged(READS)
  if (hasGiven(options, 'r', 'recursive')) return judged(risky('packs files recursively'))
  // The file itself is gone afterwards.
  return { findings: orReads(toOperands(args).map((word) => places.change(word, 'move'))) }
}

const TAR_LIST: Known = {
  flags: 'tvzjJa',
  valued: 'fC',
  long: 'list verbose gzip bzip2 xz zstd wildcards',
  longValued: 'file exclude directory',
}

/** A colon in its name and the archive lies on another machine. */
function listsTar(args: readonly Word[]): boolean {
  const [first, ...rest] = args
  if (first === undefined || rest.some(({ text }) => text.includes(':'))) return false
  const isOld = /^[tvzjJ]+f?$/.test(first.text)
  const options = readOptions(
    isOld ? [{ ...first, text: `-${first.text}` }, ...rest] : args,
    TAR_LIST,
  )
  return hasGiven(options, 't', 'list') && !options.isOdd
}

/** `-Z` has letters of its own, all of which print. */
const listsZip = ([first, ...rest]: readonly Word[]): boolean =>
  /^-(?:[vqz]*[ltpvz][vqz]*|Z[1smlvhtTz]*)$/.test(first?.text ?? '') &&
  rest.every(({ text, isKnown }) => isKnown && !text.startsWith('-'))

function archive({ name, args }: Call): Judgement {
  const isListing = name === 'tar' ? listsTar(args) : name === 'unzip' && listsZip(args)
  return judged(isListing ? READS : risky('packs or unpacks many files'))
}

function rsync({ args }: Call): Judgement {
  const isDeleting = args.some(({ text, isKnown }) => !isKnown || /^--(?:del|remove-)/.test(text))
  if (isDeleting) return judged(destroys('deletes files that the other side does not have'))
  return judged(risky('copies many files, perhaps over the network'))
}

const TOUCH: Known = {
  flags: 'acfhm',
  valued: 'drt',
  long: 'no-create no-dereference',
  longValued: 'date reference time',
}

export const FILE_JUDGES: Readonly<Record<string, Judge>> = {
  rm: remove,
  unlink: remove,
  rmdir: writesTo('write', { flags: 'pv', long: 'ignore-fail-on-non-empty parents verbose' }),
  touch: writesTo('write', TOUCH),
  mkdir: writesTo('write', {
    flags: 'pv',
    valued: 'm',
    long: 'parents verbose',
    longValued: 'mode',
  }),
  mkfifo: writesTo('write', { valued: 'm', longValued: 'mode' }),
  truncate: writesTo('overwrite', {
    flags: 'co',
    valued: 'sr',
    long: 'no-create io-blocks',
    longValued: 'size reference',
  }),
  fallocate: writesTo('overwrite', { flags: 'nvx', valued: 'lo' }),
  sponge: writesTo('overwrite', { flags: 'a' }),
  mktemp,
  split,
  csplit: split,
  patch: () => judged(risky('changes the files a patch names')),
  tee,
  dd,
  cp: transfer,
  mv: transfer,
  ln: transfer,
  install: transfer,
  chmod: permit,
  chown: permit,
  chgrp: permit,
  gzip: compress,
  gunzip: compress,
  bzip2: compress,
  bunzip2: compress,
  xz: compress,
  unxz: compress,
  zstd: compress,
  zcat: compress,
  bzcat: compress,
  xzcat: compress,
  tar: archive,
  unzip: archive,
  zip: archive,
  rsync,
}

// Programs that create, change, move and remove files.

import { hasOption, judged, toOperands, type Call, type Judge, type Judgement } from './call.ts'
import { destroys, READS, risky, type Finding } from './finding.ts'
import type { Change } from './places.ts'
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
  if (operands.some((word) => places.isWhole(word))) return judged(destroys('deletes everything'))
  return judged(...findings)
}

const writesTo =
  (change: Change): Judge =>
  ({ args, places }) => ({
    findings: orReads(toOperands(args).map((word) => places.change(word, change))),
  })

function orReads(findings: readonly (Finding | null)[]): Finding[] {
  const some = findings.filter((finding) => finding !== null)
  return some.length > 0 ? some : [READS]
}

/** cp, mv, ln, install: the last operand is where to, unless an option says it. */
function transfer({ name, args, places }: Call): Judgement {
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
    if (name === 'mv') findings.push(places.change(source, 'move'))
    // What is written through a link is written to where it leads.
    if (name === 'ln' && places.isGuarded(source)) findings.push(GUARDED)
  }
  if (name === 'mv' && target.text === '/dev/null')
    findings.push(destroys('moves files to nowhere'))
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
  return { findings: orReads(toOperands(args).map((word) => places.change(word, change))) }
}

/** Options that say what the files are called, or what is started for each. */
const NAMING: Readonly<Record<string, string>> = { csplit: 'fb', mktemp: 'p' }

/** split, csplit, mktemp make up the ends of names: the beginning is an operand, or the folder's. */
function creates({ name, args, places }: Call): Judgement {
  const letters = NAMING[name] ?? ''
  const long = ['--filter', '--additional-suffix', '--prefix', '--suffix-format', '--tmpdir']
  if (hasOption(args, letters, ...long)) return judged(risky('creates files in an unusual way'))
  const made = [knownWord('xaa'), ...toOperands(args)]
  return judged(...made.map((word) => places.change(word, 'write')))
}

function dd({ args }: Call): Judgement {
  const isWriting = args.some(({ text, isKnown }) => !isKnown || text.startsWith('of='))
  return judged(isWriting ? destroys('overwrites a file or a disk block by block') : READS)
}

/** chmod, chown, chgrp: the first operand says what, the others say where. */
function permit({ args, places }: Call): Judgement {
  const [, ...targets] = toOperands(args)
  if (!hasOption(args, 'R', '--recursive')) {
    return { findings: orReads(targets.map((word) => places.change(word, 'write'))) }
  }
  const isFar = targets.some((word) => places.isOutside(word))
  return judged((isFar ? destroys : risky)('changes permissions recursively'))
}

function compress({ name, args, places }: Call): Judgement {
  if (
    name.endsWith('cat') ||
    hasOption(args, 'cltV', '--stdout', '--list', '--test', '--version')
  ) {
    return judged(READS)
  }
  if (hasOption(args, 'r', '--recursive')) return judged(risky('packs files recursively'))
  // The file itself is gone afterwards.
  return { findings: orReads(toOperands(args).map((word) => places.change(word, 'move'))) }
}

function archive({ name, args }: Call): Judgement {
  const [first] = args
  const mode = first?.isKnown === true ? first.text : ''
  const isOdd = args.some(({ text, isKnown }) => {
    return (
      !isKnown || /^--(?:to-|checkpoint|use-|rsh|info|new|remove|delete|I)|^-[A-Za-z]*I/.test(text)
    )
  })
  if (isOdd) return judged(risky('packs or unpacks, with options that can do more'))
  const isListing =
    name === 'tar' ? /^-?[zjJv]*t[zjJvf]*$|^--list$/.test(mode) : /^-[lZt]/.test(mode)
  if (isListing) return judged(READS)
  return judged(risky('packs or unpacks many files'))
}

function rsync({ args }: Call): Judgement {
  const isDeleting = args.some(({ text, isKnown }) => !isKnown || /^--(?:del|remove-)/.test(text))
  if (isDeleting) return judged(destroys('deletes files that the other side does not have'))
  return judged(risky('copies many files, perhaps over the network'))
}

export const FILE_JUDGES: Readonly<Record<string, Judge>> = {
  rm: remove,
  unlink: remove,
  rmdir: writesTo('write'),
  touch: writesTo('write'),
  mkdir: writesTo('write'),
  mkfifo: writesTo('write'),
  truncate: writesTo('overwrite'),
  fallocate: writesTo('overwrite'),
  sponge: writesTo('overwrite'),
  mktemp: creates,
  split: creates,
  csplit: creates,
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

// find and fd: they look, unless they are told to do something with what they find.

import { hasText, hasUncertain, judged, type Call, type Inner, type Judgement } from './call.ts'
import { destroys, READS, type Finding } from './finding.ts'
import { ODD, readOptions, type Known } from './options.ts'
import { UNKNOWN_TEXT, UNKNOWN_WORD, type Word } from './shell-words.ts'

const toSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const RUNS = toSet('-exec -execdir -ok -okdir')
const WRITES = toSet('-fprint -fprint0 -fls -fprintf')
const LOOKS =
  toSet(`-depth -d -mount -xdev -daystart -follow -noleaf -empty -executable -readable -writable
  -nogroup -nouser -true -false -print -print0 -ls -prune -quit -not -and -or -a -o -H -L -P -E -X -s -warn -nowarn
  -ignore_readdir_race -noignore_readdir_race -help --help -version --version -delete`)
const LOOKS_WITH_VALUE =
  toSet(`-name -iname -path -ipath -wholename -iwholename -regex -iregex -lname -ilname -type
  -xtype -size -mtime -mmin -atime -amin -ctime -cmin -newer -anewer -cnewer -maxdepth -mindepth -perm -user -group
  -uid -gid -links -inum -samefile -fstype -used -regextype -context -printf -D`)
const NEWER = /^-newer[aBcm][aBcmt]$/
const LEVEL = /^-O\d$/

export function find({ args, places }: Call): Judgement {
  const findings: Finding[] = [READS]
  const inner: Inner[] = []
  if (hasText(args, '-delete')) findings.push(destroys('deletes every file it finds'))
  if (hasUncertain(args) || isOddFind(args)) findings.push(ODD)
  for (const [index, { text }] of args.entries()) {
    if (WRITES.has(text)) {
      const finding = places.change(args[index + 1] ?? UNKNOWN_WORD, 'overwrite')
      if (finding !== null) findings.push(finding)
    }
    if (!RUNS.has(text)) continue
    const words = args.slice(index + 1, endOfRun(args, index)).map((word) => fill(word, '{}'))
    inner.push({ words, offset: index + 2 })
  }
  return { findings, inner }
}

/** Its words are whole and cannot be cut short, so one that is not listed is a mistake or more. */
function isOddFind(args: readonly Word[]): boolean {
  for (let at = 0; at < args.length; at++) {
    const { text } = args[at]!
    if (RUNS.has(text)) at = endOfRun(args, at)
    else if (WRITES.has(text) || LOOKS_WITH_VALUE.has(text) || NEWER.test(text)) {
      // The format stands behind the file.
      at += text === '-fprintf' ? 2 : 1
    } else if (/^-./.test(text) && !LOOKS.has(text) && !LEVEL.test(text)) return true
  }
  return false
}

/** Where what is run for each ends: at `;`, or at `+` after `{}`. */
function endOfRun(args: readonly Word[], start: number): number {
  const end = args.findIndex((word, at) => {
    if (at <= start) return false
    return word.text === ';' || (word.text === '+' && args[at - 1]?.text === '{}')
  })
  return end < 0 ? args.length : end
}

/** What another program puts in is not known. */
export function fill(word: Word, hole: string): Word {
  if (hole === '' || !word.text.includes(hole)) return word
  return { ...word, text: word.text.replaceAll(hole, UNKNOWN_TEXT), isKnown: false }
}

const FD: Known = {
  flags: 'HIusigFalLp0hV1q',
  valued: 'dtexXEScjo',
  long: `hidden no-ignore no-ignore-vcs unrestricted case-sensitive ignore-case glob regex fixed-strings
    absolute-path list-details follow full-path print0 quiet show-errors one-file-system strip-cwd-prefix help version`,
  longValued: `exec exec-batch max-depth min-depth exact-depth type extension exclude size changed-within
    changed-before color threads owner max-results search-path path-separator and`,
}
const FD_RUN = /^-[a-zA-Z]*[xX]|^--exec/
const FD_RUNS = ['x', 'X', 'exec', 'exec-batch']

/** Everything behind -x is what it runs. */
export function fd({ args }: Call): Judgement {
  const run = readOptions(args, FD).given.find(({ name }) => FD_RUNS.includes(name))
  const own = readOptions(run === undefined ? args : args.slice(0, run.at), FD)
  // In one word with it stand letters before it.
  const letters = run === undefined ? [] : args.slice(run.at, run.at + 1)
  // Whether it was read as the value of another option is not worth a guess.
  const isHidden = run === undefined && args.some(({ text }) => FD_RUN.test(text))
  const findings = [isHidden || own.isOdd || readOptions(letters, FD).isOdd ? ODD : READS]
  if (run === undefined) return judged(...findings)
  const isJoined = run.value !== null && run.value !== args[run.at + 1]
  const first = isJoined && run.value !== null ? [run.value] : []
  const words = [...first, ...args.slice(run.at + 1), UNKNOWN_WORD].map((word) => fill(word, '{'))
  return { findings, inner: [{ words, offset: run.at + (isJoined ? 1 : 2) }] }
}

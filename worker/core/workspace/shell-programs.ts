// The programs of the shell, each behind a small gate that pays for what it is about to do.

import type { Command, CommandName, ResolvedCommandContext } from 'just-bash'
import type { ByteRate, ShellBudget } from './shell-budget.ts'
import { CHECK_COMMAND, isHeavyPattern } from './shell-guard.ts'
import { toRegexWeight } from './shell-regex.ts'

/**
 * Left out: what needs a network, another language or a database, and archives, where a small file
 * becomes a large one. CSV and HTML have parsers that nobody bounded.
 */
export const SHELL_PROGRAMS = toList(`
  echo cat printf ls mkdir rmdir touch rm cp mv ln chmod pwd readlink head tail wc stat grep fgrep
  egrep rg sed awk sort uniq comm cut paste tr rev nl fold expand unexpand strings split column join
  tee find basename dirname tree du env printenv alias unalias xargs true false bash sh jq base64
  diff date sleep timeout seq expr md5sum sha1sum sha256sum file help which tac hostname od time
  whoami`) as readonly CommandName[]

/** Their arguments become regular expressions. */
const WITH_REGEX: ReadonlySet<string> = new Set(toList('grep egrep fgrep rg sed awk jq expr find'))
/** They copy or count bytes and do not look at each. */
const LIGHT: ReadonlySet<string> = new Set(
  toList('cat cp mv head tail wc tee stat ls echo sha256sum file'),
)
/** They have their expression once; sed, awk and jq make it anew for each line. */
const SEARCHES: ReadonlySet<string> = new Set(toList('grep egrep fgrep rg find'))
const LIGHT_UNITS = 1 / 16
const PROGRAM_UNITS = 1 / 4
const SCRIPT_UNITS = 1
/** From here on the largest input would be too much for one step. */
const DEAR_UNITS = 6
/** Lines of both files: what `diff` does grows with the square of those that differ. */
const DIFF_LINES = 3000
/** Nobody gives more; what is left out has no weight. */
const OPTION_FILES = 8
const NEWLINE = 10
const TOO_COMPLEX = 'limit: a script is too complex'

function toList(names: string): string[] {
  return names.trim().split(/\s+/)
}

export type ProgramsOptions = {
  budget: ShellBudget
  now: () => number
  /** Whether the interpreter can be given this as a script. */
  isScript: (text: string) => boolean
}

export function createPrograms(options: ProgramsOptions): Command[] {
  // What may be on its way into the next program.
  const pipe = { bytes: 0 }
  return [...SHELL_PROGRAMS.map((name) => createGate(name, pipe, options)), createCheck(options)]
}

function createGate(name: string, pipe: { bytes: number }, options: ProgramsOptions): Command {
  const { budget, now } = options
  return {
    name,
    async execute(args, context) {
      const outer = budget.rate
      const texts = WITH_REGEX.has(name) ? [...args, ...(await readOptions(args, context))] : args
      budget.rate = toRate(name, texts)
      budget.depth++
      try {
        const bytes = args.reduce((sum, arg) => sum + arg.length, 0)
        const piped = budget.unitsOf(1) > DEAR_UNITS ? sizeOfInput(context) : pipe.bytes
        await budget.spend(budget.unitsOf(bytes + piped))
        pipe.bytes = 0
        if (name === 'diff') await checkDiff(args, context, budget)
        if (name === 'bash' || name === 'sh') await checkScripts(args, context, options)
        const given = name === 'date' ? toDateArgs(args, now()) : args
        const result = await context.origCommand?.(given)
        budget.check()
        if (result === undefined) throw new Error('no such program')
        pipe.bytes += result.stdout.length
        return result
      } finally {
        budget.rate = outer
        budget.depth--
      }
    },
  }
}

/**
 * Asking for the input counts as taking it, which a program in a loop over lines must not do for
 * the others. One with such an expression and no input at all is rare enough.
 */
const sizeOfInput = ({ stdin }: ResolvedCommandContext): number =>
  // A string, of which the type makes a secret so that nobody takes its characters for text.
  (stdin as unknown as string).length

function toRate(name: string, args: readonly string[]): ByteRate {
  if (LIGHT.has(name)) return { perByte: LIGHT_UNITS, regex: null }
  if (!WITH_REGEX.has(name)) return { perByte: PROGRAM_UNITS, regex: null }
  const regex = { fixed: 0, perLine: 0 }
  for (const weight of args.map(toRegexWeight)) {
    regex.fixed += weight.fixed
    regex.perLine += weight.perLine
  }
  return { perByte: SEARCHES.has(name) ? PROGRAM_UNITS : SCRIPT_UNITS, regex }
}

/** Expressions and scripts that come from a file, as in `grep -f words`. */
async function readOptions(
  args: readonly string[],
  context: ResolvedCommandContext,
): Promise<string[]> {
  const names = args.flatMap((arg, index) => {
    const found = /^(?:--(?:from-)?file=?|-[a-zA-Z]*f)(.*)$/s.exec(arg)
    if (found === null) return []
    return found[1] || (args[index + 1] ?? [])
  })
  return Promise.all(names.slice(0, OPTION_FILES).map((name) => readText(context, name)))
}

/** The time of the session, where none is asked for. */
function toDateArgs(args: readonly string[], now: number): string[] {
  const hasDate = args.some((arg) => /^(?:-[a-zA-Z]*d|--date|-[a-zA-Z]*r|--reference)/.test(arg))
  return hasDate ? [...args] : ['-d', `@${Math.floor(now / 1000)}`, ...args]
}

async function checkDiff(
  args: readonly string[],
  context: ResolvedCommandContext,
  budget: ShellBudget,
): Promise<void> {
  let lines = 0
  for (const arg of args.filter((one) => !one.startsWith('-'))) {
    const path = context.fs.resolvePath(context.cwd, arg)
    // What is missing or a folder is for diff itself to complain about.
    const bytes = await context.fs.readFileBuffer(path).catch(() => new Uint8Array())
    for (const byte of bytes) if (byte === NEWLINE) lines++
  }
  if (lines > DIFF_LINES)
    budget.end(`limit: diff: the files have more than ${DIFF_LINES} lines together`)
}

/** The text of a shell inside the shell: given, in a file, or from its input. */
async function checkScripts(
  args: readonly string[],
  context: ResolvedCommandContext,
  { budget, isScript }: ProgramsOptions,
): Promise<void> {
  const texts = [...args]
  const file = args.find((arg) => !arg.startsWith('-'))
  if (file === undefined) texts.push(context.stdin as unknown as string)
  else texts.push(await readText(context, file))
  if (!texts.every(isScript)) budget.end(TOO_COMPLEX)
}

async function readText(context: ResolvedCommandContext, name: string): Promise<string> {
  // What is missing is for the command itself to complain about.
  return context.fs.readFile(context.fs.resolvePath(context.cwd, name)).catch(() => '')
}

/** For what is put into a script by `guardScript`. */
function createCheck({ budget, isScript }: ProgramsOptions): Command {
  return {
    name: CHECK_COMMAND,
    async execute([kind, ...given], context) {
      const text = given.join(' ')
      if (kind === 'pattern' && isHeavyPattern(text)) budget.end('limit: a pattern is too large')
      const script = kind === 'file' ? await readText(context, text) : text
      if ((kind === 'file' || kind === 'script') && !isScript(script)) budget.end(TOO_COMPLEX)
      await budget.spend(text.length * (Number(kind) || 1))
      return { stdout: kind === 'script' ? text : '', stderr: '', exitCode: 0 }
    },
  }
}

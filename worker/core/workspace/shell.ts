// One command in a shell that exists only for it: its files are the workspace, everything else it
// can touch is thrown away. There is no network, no other language, and no environment to leak.

import type { Bash } from 'just-bash'
import { loadShellParser, type Parsed } from '../policy/shell-parser.ts'
import { sleep } from '../tools/sleep.ts'
import { ToolFailure } from '../tools/tool.ts'
import { WORKSPACE_ROOT } from './path.ts'
import { ShellBudget } from './shell-budget.ts'
import { ShellFiles } from './shell-files.ts'
import { CHECK_COMMAND, guardScript } from './shell-guard.ts'
import { loadInterpreter } from './shell-interpreter.ts'
import { runPaidBy } from './shell-meter.ts'
import { createPrograms, SHELL_PROGRAMS } from './shell-programs.ts'
import type { FileChange, Workspace } from './workspace.ts'

const KIB = 1024
const MIB = 1024 * KIB

export const SHELL_COMMAND_BYTES = 32 * KIB

/**
 * Low, since nothing of this yields: a script that meets one of them is ended with exit code 126.
 * A loop of 5,000 empty commands takes a tenth of a second.
 */
const LIMITS = {
  maxSourceBytes: SHELL_COMMAND_BYTES,
  maxExecDepth: 16,
  maxCallDepth: 50,
  maxCommandCount: 5000,
  maxLoopIterations: 50_000,
  maxAwkIterations: 50_000,
  maxSedIterations: 50_000,
  maxJqIterations: 50_000,
  maxWorkUnits: 200_000,
  maxTraversalEntries: 20_000,
  maxTraversalDepth: 64,
  maxTraversalWork: 50_000,
  maxLiveBytes: 32 * MIB,
  maxInputBytes: 32 * MIB,
  maxGlobOperations: 20_000,
  maxStringLength: 512 * KIB,
  maxArrayElements: 100_000,
  maxHeredocSize: 256 * KIB,
  maxSubstitutionDepth: 20,
  maxBraceExpansionResults: 5000,
  maxOutputSize: 4 * MIB,
  maxFileDescriptors: 64,
  maxSourceDepth: 10,
  // The clock stands still while the shell computes; the tool has a timer of its own.
  maxExecutionTimeMs: Number.POSITIVE_INFINITY,
} as const

const NOTES = 5

const ENVIRONMENT = {
  HOME: WORKSPACE_ROOT,
  USER: 'user',
  LANG: 'C.UTF-8',
  LC_ALL: 'C.UTF-8',
  TZ: 'UTC',
  TMPDIR: '/tmp',
} as const

export type ShellCall = {
  command: string
  /** Absolute, as the shell sees it. */
  cwd: string
  workspace: Workspace
  signal: AbortSignal
  now: () => number
}

export type ShellResult = {
  stdout: string
  stderr: string
  exitCode: number
  changes: readonly FileChange[]
}

/** The first command in an isolate loads the shell, which is not the command's time. */
export async function loadShell(): Promise<void> {
  await Promise.all([loadShellParser(), loadInterpreter()])
}

/**
 * Applies nothing. Rejects with the signal's reason where it was cancelled, and with a ToolFailure
 * where the shell itself could not do it; an exit code, or a limit that ended it, is a result.
 */
export async function runShell(call: ShellCall): Promise<ShellResult> {
  const { command, workspace, signal, now } = call
  const parse = await loadShellParser()
  const problem = toProblem(parse(command))
  if (problem !== null) throw new ToolFailure(`The command was not run: ${problem}.`)
  const isScript = (text: string): boolean => toProblem(parse(text)) === null
  const { Bash, LimitError } = await loadInterpreter()
  const budget = new ShellBudget(signal, LimitError)
  const files = new ShellFiles({
    workspace,
    budget,
    commands: [...SHELL_PROGRAMS, CHECK_COMMAND],
    now,
  })
  const start = () => {
    const bash = new Bash({
      fs: files,
      cwd: call.cwd,
      env: ENVIRONMENT,
      commands: [...SHELL_PROGRAMS],
      customCommands: createPrograms({ budget, now, isScript }),
      executionLimitProfile: 'hardened',
      executionLimits: LIMITS,
      // It replaces globals of the whole isolate while a command runs: other sessions live there.
      defenseInDepth: false,
      coverage: budget,
      sleep: (ms) => sleep(ms, signal),
    })
    guardScripts(bash, budget)
    return bash.exec(command, { signal })
  }
  const ended = await runPaidBy(budget, () => execute(start, budget, signal))
  return { ...ended, changes: await files.changes() }
}

function guardScripts(bash: Bash, budget: ShellBudget): void {
  bash.registerTransformPlugin({
    name: 'guard',
    transform: ({ ast }) => {
      if (!guardScript(ast)) budget.end('limit: a pattern is too large')
      return { ast }
    },
  })
}

/** A syntax error is none: the shell's own words name the place, and come with the exit code. */
const toProblem = (parsed: Parsed): string | null =>
  parsed.ok || parsed.why.includes('syntax') ? null : parsed.why

type Ended = Omit<ShellResult, 'changes'>

async function execute(
  run: () => Promise<{ stdout: string; stderr: string; exitCode: number }>,
  budget: ShellBudget,
  signal: AbortSignal,
): Promise<Ended> {
  try {
    const { stdout, stderr, exitCode } = await run()
    signal.throwIfAborted()
    const notes = [...budget.notes].slice(0, NOTES).map((note) => `bash: ${note}\n`)
    const exit = budget.ended?.exitCode ?? exitCode
    return { stdout, stderr: `${stderr}${notes.join('')}`, exitCode: exit }
  } catch (error) {
    signal.throwIfAborted()
    const why = error instanceof Error ? error.message : String(error)
    throw new ToolFailure(`The shell failed: ${why}. Nothing was changed.`)
  }
}

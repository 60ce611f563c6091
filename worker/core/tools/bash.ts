import { truncateUtf8, utf8Bytes } from '#protocol/text'
import { z } from 'zod'
import { parseFolder, WORKSPACE_ROOT } from '../workspace/path.ts'
import { loadShell, runShell, SHELL_COMMAND_BYTES } from '../workspace/shell.ts'
import type { FileChange, Workspace, WorkspacePath } from '../workspace/workspace.ts'
import { counted } from './file-access.ts'
import { ToolFailure, type Tool, type ToolContext } from './tool.ts'

/** The shell's own time, and the tool's, which would tell the model less. */
const SHELL_TIME_MS = 20_000
const TOOL_TIME_MS = SHELL_TIME_MS + 5000
/** Together with the rest below what a tool may answer. */
const STDOUT_BYTES = 44 * 1024
const STDERR_BYTES = 12 * 1024
/** The end of a long output says how it went. */
const TAIL_SHARE = 1 / 4
const NAMED_CHANGES = 50

const input = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(SHELL_COMMAND_BYTES)
    .refine((command) => utf8Bytes(command) <= SHELL_COMMAND_BYTES, 'longer than 32 KiB')
    .describe('A bash script, one line or several.'),
  cwd: z
    .string()
    .optional()
    .describe('The folder to run in, relative to the workspace. Default: the workspace itself.'),
})

type Input = z.infer<typeof input>

export const bashTool: Tool<Input> = {
  name: 'bash',
  description:
    'Run a bash command on the files of the workspace, which is mounted at /workspace. The usual text ' +
    'tools are there (grep, sed, awk, jq, find, xargs, sort, diff …); no network, no git, no package ' +
    'managers, no other languages. Variables, functions and /tmp are gone after each call; links and ' +
    'empty folders are not kept. Loops, output and file sizes are limited: search large files with ' +
    'search_files.',
  input,
  // It may have written before the crash, and may append.
  repeatable: false,
  readOnly: false,
  timeMs: TOOL_TIME_MS,
  action: ({ command, cwd }) => ({ kind: 'command', command, cwd: toShellFolder(cwd) }),
  async run({ command, cwd }, context) {
    const { workspace, output } = context
    const result = await runInTime(command, toExistingFolder(cwd, workspace), context)
    // Before anything of it is told: it may have to run again.
    if (result.changes.length > 0) await context.review?.(result.changes)
    const stdout = cut(result.stdout.toWellFormed(), STDOUT_BYTES)
    const stderr = cut(result.stderr.toWellFormed(), STDERR_BYTES)
    output(stdout, 'stdout')
    output(stderr, 'stderr')
    const existed = new Set(workspace.list().map(({ path }) => path))
    if (result.changes.length > 0) await workspace.apply(result.changes)
    return [
      `exit code ${result.exitCode}`,
      ...describeChanges(result.changes, existed),
      ...(stdout === '' ? [] : ['stdout:', stdout.replace(/\n$/, '')]),
      ...(stderr === '' ? [] : ['stderr:', stderr.replace(/\n$/, '')]),
    ].join('\n')
  },
}

/** Where it was cancelled or its time is over, nothing is applied: nobody would be told of it. */
async function runInTime(command: string, cwd: string, context: ToolContext) {
  const { workspace, now, signal } = context
  await loadShell()
  const controller = new AbortController()
  const onAbort = () => controller.abort(signal.reason)
  const message = `The command ran longer than ${SHELL_TIME_MS / 1000} s and was stopped.`
  const timeout = new ToolFailure(`${message} Nothing was changed.`, 'tool_timeout')
  const timer = setTimeout(() => controller.abort(timeout), SHELL_TIME_MS)
  signal.addEventListener('abort', onAbort)
  try {
    signal.throwIfAborted()
    return await runShell({ command, cwd, workspace, signal: controller.signal, now })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}

/** As the policy and people should read it; what is no folder stays as it was said. */
function toShellFolder(raw: string | undefined): string {
  const parsed = parseFolder(raw ?? '')
  if (!parsed.ok) return raw ?? WORKSPACE_ROOT
  return parsed.path === null ? WORKSPACE_ROOT : `${WORKSPACE_ROOT}/${parsed.path}`
}

function toExistingFolder(raw: string | undefined, workspace: Workspace): string {
  const parsed = parseFolder(raw ?? '')
  if (!parsed.ok) throw new ToolFailure(parsed.problem, 'tool_invalid_input')
  const { path } = parsed
  const exists =
    path === null || workspace.list().some((entry) => entry.path.startsWith(`${path}/`))
  if (!exists) throw new ToolFailure(`There is no folder ${path}.`, 'tool_invalid_input')
  return toShellFolder(raw)
}

/** The start and the end, with what is missing between them. */
function cut(text: string, bytes: number): string {
  const { text: whole, truncated } = truncateUtf8(text, bytes)
  if (!truncated) return whole
  const head = truncateUtf8(text, bytes * (1 - TAIL_SHARE)).text
  // Each unit has at most three bytes: this many always fit.
  const tail = text.slice(-Math.floor((bytes * TAIL_SHARE) / 3)).toWellFormed()
  const left = utf8Bytes(text) - utf8Bytes(head) - utf8Bytes(tail)
  return `${head}\n[… ${left} bytes left out …]\n${tail}`
}

function describeChanges(
  changes: readonly FileChange[],
  existed: ReadonlySet<WorkspacePath>,
): string[] {
  if (changes.length === 0) return ['no files changed']
  const moved = new Set(changes.flatMap(({ movedFrom }) => movedFrom ?? []))
  const lines = changes
    .filter(({ path, bytes }) => bytes !== null || !moved.has(path))
    .map(({ path, bytes, movedFrom }) => {
      if (bytes === null) return `deleted ${path}`
      if (movedFrom !== undefined) return `moved ${movedFrom} to ${path}`
      return `${existed.has(path) ? 'modified' : 'created'} ${path}`
    })
  const named = lines.slice(0, NAMED_CHANGES)
  if (lines.length > named.length) named.push(`… and ${lines.length - named.length} more`)
  return [`${counted(lines.length, 'file')} changed:`, ...named]
}

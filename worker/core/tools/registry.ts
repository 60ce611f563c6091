// The only place where a tool runs: validate, execute within its time, bound the output, settle.

import type { ToolErrorCode } from '#protocol/events'
import { TOOL_OUTPUT_BYTES, TOOL_TIME_MS } from '#protocol/limits'
import { truncateUtf8, utf8Bytes } from '#protocol/text'
import { z } from 'zod'
import {
  ToolFailure,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolRegistry,
} from './tool.ts'

/** A tool whose input type is forgotten: only its own schema can make an input for it. */
export type AnyTool = Omit<Tool, 'input'> & { input: z.ZodType }

export type RegistryOptions = { timeMs?: number; outputBytes?: number }

type Limits = Required<RegistryOptions>
type Spec = ReturnType<ToolRegistry['specs']>[number]

/** An error is an answer for the model, not a place to put output. */
const ERROR_MESSAGE_BYTES = 4096
/** Wrong fields named in one answer: enough to repair a call, short enough to read. */
const NAMED_ISSUES = 5

export function createRegistry(
  tools: readonly AnyTool[],
  options: RegistryOptions = {},
): ToolRegistry {
  const limits = {
    timeMs: options.timeMs ?? TOOL_TIME_MS,
    outputBytes: options.outputBytes ?? TOOL_OUTPUT_BYTES,
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new Error('two tools have the same name')
  const specs = tools.map(toSpec)

  return {
    specs: () => specs,
    isRepeatable: (toolName) => byName.get(toolName)?.repeatable ?? false,
    async execute(call, context) {
      const tool = byName.get(call.toolName)
      if (tool === undefined) return fail('tool_error', describeUnknown(call.toolName, byName))
      const parsed = parseInput(tool, call.arguments)
      if (!parsed.ok) return fail('tool_invalid_input', parsed.message)
      return runBounded(tool, parsed.input, context, limits)
    },
  }
}

function toSpec(tool: AnyTool): Spec {
  const { $schema: _, ...inputSchema } = z.toJSONSchema(tool.input, { io: 'input' })
  return { name: tool.name, description: tool.description, inputSchema }
}

function describeUnknown(name: string, known: ReadonlyMap<string, AnyTool>): string {
  return `no such tool: "${name}". Available tools: ${[...known.keys()].join(', ') || 'none'}.`
}

type ParsedInput = { ok: true; input: unknown } | { ok: false; message: string }

function parseInput(tool: AnyTool, raw: string): ParsedInput {
  let value: unknown
  try {
    // Models leave the arguments empty when a tool needs none.
    value = raw.trim() === '' ? {} : JSON.parse(raw)
  } catch (error) {
    const message = `The arguments of ${tool.name} are not valid JSON: ${messageOf(error)}`
    return { ok: false, message }
  }
  const message = `Invalid arguments for ${tool.name}. `
  try {
    const result = tool.input.safeParse(value)
    if (result.success) return { ok: true, input: result.data }
    const issues = result.error.issues.slice(0, NAMED_ISSUES).map(describeIssue)
    return { ok: false, message: `${message}${issues.join('. ')}.` }
  } catch (error) {
    // A schema's own transform can throw; execute() never does.
    return { ok: false, message: `${message}${messageOf(error)}` }
  }
}

function describeIssue(issue: z.core.$ZodIssue): string {
  const path = issue.path.join('.')
  return path === '' ? issue.message : `${path}: ${issue.message}`
}

/** Settles once: with the tool's own end, its time, or the run's cancellation, whichever is first. */
function runBounded(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
  limits: Limits,
): Promise<ToolOutcome> {
  if (context.signal.aborted) return Promise.resolve(interrupted(tool))
  const controller = new AbortController()
  const stream = boundStream(context.output, limits.outputBytes)

  return new Promise((resolve) => {
    const settle = (outcome: ToolOutcome, reason?: unknown) => {
      clearTimeout(timer)
      context.signal.removeEventListener('abort', onAbort)
      resolve(stream.close(outcome))
      if (reason !== undefined) controller.abort(reason)
    }
    const onAbort = () => settle(interrupted(tool), context.signal.reason)
    const onTimeout = () => {
      const outcome = fail('tool_timeout', `${tool.name} ran longer than ${limits.timeMs} ms.`)
      settle(outcome, new ToolFailure('The time of the tool is over.', 'tool_timeout'))
    }
    const timer = setTimeout(onTimeout, limits.timeMs)
    context.signal.addEventListener('abort', onAbort)
    const own = { signal: controller.signal, output: stream.output, now: context.now }
    // Not awaited by anyone else: a tool that ignores its signal ends on its own, unheard.
    void runTool(tool, input, own, limits.outputBytes).then((outcome) => settle(outcome))
  })
}

async function runTool(
  tool: AnyTool,
  input: unknown,
  context: ToolContext,
  outputBytes: number,
): Promise<ToolOutcome> {
  try {
    const result = await tool.run(input as never, context)
    // A lone surrogate cannot be stored: it would come back as three characters.
    const cut = truncateUtf8(result.toWellFormed(), outputBytes)
    return { ok: true, result: cut.text, ...(cut.truncated && { truncated: true }) }
  } catch (error) {
    return fail(error instanceof ToolFailure ? error.code : 'tool_error', messageOf(error))
  }
}

/**
 * Streamed output is stored and sent like a result, so it has the same bound. What was streamed
 * before a failure is kept as the failure's result.
 */
function boundStream(output: ToolContext['output'], bytes: number) {
  let text = ''
  let left = bytes
  let truncated = false
  let closed = false
  return {
    output: (chunk: string, stream?: 'stdout' | 'stderr'): void => {
      if (closed || chunk === '') return
      const cut = truncateUtf8(chunk, left)
      truncated ||= cut.truncated
      // Nothing more goes out after a cut: a later, shorter chunk would leave a hole.
      left = cut.truncated ? 0 : left - utf8Bytes(cut.text)
      text += cut.text
      if (cut.text !== '') output(cut.text, stream)
    },
    close: (outcome: ToolOutcome): ToolOutcome => {
      closed = true
      return {
        ...outcome,
        ...(!outcome.ok && text !== '' && { result: text.toWellFormed() }),
        ...(truncated && { truncated: true }),
      }
    },
  }
}

function interrupted(tool: AnyTool): ToolOutcome {
  return fail('tool_interrupted', `${tool.name} was interrupted before it had finished.`)
}

function fail(code: ToolErrorCode, message: string): ToolOutcome {
  const { text } = truncateUtf8(message.toWellFormed(), ERROR_MESSAGE_BYTES)
  return { ok: false, error: { code, message: text } }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

// The only place where a tool runs: validate, execute within its time, bound the output, settle.

import type { ToolErrorCode } from '#protocol/events'
import { TOOL_OUTPUT_BYTES, TOOL_TIME_MS } from '#protocol/limits'
import { truncateUtf8, utf8Bytes } from '#protocol/text'
import { z } from 'zod'
import type { Action } from '../policy/policy.ts'
import {
  NeedsPerson,
  ToolFailure,
  type PreparedCall,
  type Tool,
  type ToolContext,
  type ToolOutcome,
  type ToolRegistry,
} from './tool.ts'

type Schema = Record<string, unknown>

/**
 * A tool whose input type is forgotten: only its own schema can make an input for it. A remote tool
 * brings a JSON schema instead; its server validates, so here an input only has to be an object.
 */
export type AnyTool = Omit<Tool, 'input'> &
  ({ input: z.ZodType; inputSchema?: never } | { input?: never; inputSchema: Schema })

export type RegistryOptions = {
  timeMs?: number
  outputBytes?: number
  /** Tools that exist and are not offered, each with the words that a call of it is denied with. */
  denied?: ReadonlyMap<string, string>
}

type Limits = { timeMs: number; outputBytes: number }
type Spec = ReturnType<ToolRegistry['specs']>[number]

/** An error is an answer for the model, not a place to put output. */
const ERROR_MESSAGE_BYTES = 4096
/** Wrong fields named in one answer: enough to repair a call, short enough to read. */
const NAMED_ISSUES = 5
const NO_OBJECT = 'Expected a JSON object.'

export function createRegistry(
  tools: readonly AnyTool[],
  options: RegistryOptions = {},
): ToolRegistry {
  const limits = {
    timeMs: options.timeMs ?? TOOL_TIME_MS,
    outputBytes: options.outputBytes ?? TOOL_OUTPUT_BYTES,
  }
  const denied = options.denied ?? new Map<string, string>()
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length) throw new Error('two tools have the same name')
  const offered = tools.map(toSpec)

  return {
    specs: () => offered,
    isRepeatable: (toolName) => byName.get(toolName)?.repeatable ?? false,
    prepare(call) {
      const tool = byName.get(call.toolName)
      const denial = tool === undefined ? denied.get(call.toolName) : undefined
      if (denial !== undefined) return settle(fail('tool_denied', denial))
      if (tool === undefined) {
        return settle(fail('tool_error', describeUnknown(call.toolName, byName)))
      }
      const parsed = parseInput(tool, call.arguments)
      if (!parsed.ok) return settle(fail('tool_invalid_input', parsed.message))
      return prepareCall(tool, parsed.input as never, call.arguments, limits)
    },
  }
}

const settle = (outcome: ToolOutcome): PreparedCall => ({ do: 'settle', outcome })

function prepareCall(tool: AnyTool, input: never, args: string, limits: Limits): PreparedCall {
  if (tool.ask !== undefined) return { do: 'ask', questions: tool.ask(input) }
  if (tool.plan !== undefined) return { do: 'plan', plan: tool.plan(input) }
  if (tool.contact !== undefined) return { do: 'contact', request: tool.contact(input) }
  return {
    do: 'run',
    action: toAction(tool, input, args),
    preview: async (workspace) => (await tool.preview?.(input, workspace)) ?? {},
    run: (context) => runBounded(tool, input, context, limits),
  }
}

function toAction(tool: AnyTool, input: never, args: string): Action {
  const { name: toolName, readOnly } = tool
  return tool.action?.(input) ?? { kind: 'tool', toolName, arguments: args, readOnly }
}

/** What a call would do, or what is wrong with its arguments. */
export function inspectCall(tool: AnyTool, args: string): { action: Action } | { problem: string } {
  const parsed = parseInput(tool, args)
  if (!parsed.ok) return { problem: parsed.message }
  return { action: toAction(tool, parsed.input as never, args) }
}

// A registry is made for every run that has remote tools: a local tool is described only once.
const specs = new WeakMap<AnyTool, Spec>()

function toSpec(tool: AnyTool): Spec {
  const known = specs.get(tool)
  if (known !== undefined) return known
  const { $schema: _, ...inputSchema } =
    tool.input === undefined ? tool.inputSchema : z.toJSONSchema(tool.input, { io: 'input' })
  const spec = { name: tool.name, description: tool.description, inputSchema }
  specs.set(tool, spec)
  return spec
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
  if (tool.input === undefined) {
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? { ok: true, input: value } : { ok: false, message: `${message}${NO_OBJECT}` }
  }
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
  const timeMs = tool.timeMs ?? limits.timeMs
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
      const outcome = fail('tool_timeout', `${tool.name} ran longer than ${timeMs} ms.`)
      settle(outcome, new ToolFailure('The time of the tool is over.', 'tool_timeout'))
    }
    const timer = setTimeout(onTimeout, timeMs)
    context.signal.addEventListener('abort', onAbort)
    const own = { ...context, signal: controller.signal, output: stream.output }
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
    const failed = fail(error instanceof ToolFailure ? error.code : 'tool_error', messageOf(error))
    if (!(error instanceof NeedsPerson) || failed.ok) return failed
    return { ...failed, ask: { severity: error.severity, reason: error.reason } }
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

import { TOOL_OUTPUT_BYTES, TOOL_TIME_MS } from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { MemoryWorkspace } from '../../testing/node/memory-workspace.ts'
import { runCall } from '../../testing/node/run-call.ts'
import { createRegistry, type AnyTool } from './registry.ts'
import { ToolFailure, type Tool, type ToolContext } from './tool.ts'

const Input = z.strictObject({
  text: z.string(),
  size: z.object({ width: z.number() }).optional(),
})

function toolOf(run: Tool<z.infer<typeof Input>>['run'], name = 'sample'): AnyTool {
  const tool: Tool<z.infer<typeof Input>> = {
    name,
    description: 'A sample.',
    input: Input,
    repeatable: true,
    readOnly: true,
    run,
  }
  return tool
}

function contextOf(signal = new AbortController().signal) {
  const shown: string[] = []
  const context: ToolContext = {
    signal,
    output: (text, stream) => shown.push(stream === undefined ? text : `${stream}:${text}`),
    now: () => 0,
    workspace: new MemoryWorkspace(),
  }
  return { context, shown }
}

const CALL = { toolName: 'sample', arguments: '{"text":"a"}' }

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  // A settled call leaves no timer behind, or the object would never hibernate.
  expect(vi.getTimerCount()).toBe(0)
  vi.useRealTimers()
})

test('[TOOL1] a tool gets its parsed input, and its text is the result', async () => {
  const registry = createRegistry([toolOf(({ text }) => Promise.resolve(`${text}!`))])
  const { context } = contextOf()
  expect(await runCall(registry, CALL, context)).toEqual({ ok: true, result: 'a!' })
})

test('[TOOL1] output is streamed while the tool runs, with its stream', async () => {
  const { context, shown } = contextOf()
  const registry = createRegistry([
    toolOf((_, { output }) => {
      output('one')
      output('two', 'stderr')
      return Promise.resolve('done')
    }),
  ])
  await runCall(registry, CALL, context)
  expect(shown).toEqual(['one', 'stderr:two'])
})

test('[TOOL3] arguments that are not JSON are tool_invalid_input, and the tool does not run', async () => {
  const run = vi.fn(() => Promise.resolve(''))
  const outcome = await runCall(
    createRegistry([toolOf(run)]),
    { toolName: 'sample', arguments: '{"text":' },
    contextOf().context,
  )
  expect(outcome).toMatchObject({ ok: false, error: { code: 'tool_invalid_input' } })
  expect(outcome).toHaveProperty('error.message', expect.stringContaining('not valid JSON'))
  expect(run).not.toHaveBeenCalled()
})

test.each([
  ['{}', 'text: '],
  ['{"text":1}', 'text: '],
  ['{"text":"a","size":{"width":"x"}}', 'size.width: '],
  ['{"text":"a","colour":"red"}', '"colour"'],
  ['[]', 'expected object'],
  ['', 'text: '],
])('[TOOL3] arguments %s are refused with a message that names the field', async (args, named) => {
  const registry = createRegistry([toolOf(() => Promise.resolve(''))])
  const outcome = await runCall(
    registry,
    { toolName: 'sample', arguments: args },
    contextOf().context,
  )
  expect(outcome).toMatchObject({ ok: false, error: { code: 'tool_invalid_input' } })
  expect(outcome).toHaveProperty('error.message', expect.stringContaining(named))
})

test('empty arguments are an empty object for a tool that needs none', async () => {
  const tool: Tool<{ text?: string | undefined }> = {
    name: 'sample',
    description: '',
    input: z.strictObject({ text: z.string().optional() }),
    repeatable: false,
    readOnly: true,
    run: (input) => Promise.resolve(JSON.stringify(input)),
  }
  const registry = createRegistry([tool])
  const outcome = await runCall(registry, { ...CALL, arguments: ' ' }, contextOf().context)
  expect(outcome).toEqual({ ok: true, result: '{}' })
})

test('a schema that throws is an invalid input, not a rejection', async () => {
  const tool: Tool<string> = {
    name: 'sample',
    description: '',
    input: z.any().transform((): string => {
      throw new Error('cannot read this')
    }),
    repeatable: false,
    readOnly: true,
    run: () => Promise.resolve(''),
  }
  // JSON Schema cannot express a transform, but its input side can be described.
  const outcome = await runCall(createRegistry([tool]), CALL, contextOf().context)
  expect(outcome).toMatchObject({ ok: false, error: { code: 'tool_invalid_input' } })
})

test('[TOOL3] an unknown tool is a tool_error that lists the tools there are', async () => {
  const registry = createRegistry([
    toolOf(() => Promise.resolve(''), 'first'),
    toolOf(() => Promise.resolve(''), 'second'),
  ])
  const outcome = await runCall(
    registry,
    { toolName: 'third', arguments: '{}' },
    contextOf().context,
  )
  expect(outcome).toEqual({
    ok: false,
    error: {
      code: 'tool_error',
      message: 'no such tool: "third". Available tools: first, second.',
    },
  })
})

test('[TOOL3] a ToolFailure keeps its code; any other throw is a tool_error without its stack', async () => {
  const registry = createRegistry([
    toolOf(() => Promise.reject(new ToolFailure('not allowed', 'tool_denied')), 'denied'),
    toolOf(() => Promise.reject(new Error('broke')), 'broken'),
    toolOf(() => {
      throw new TypeError()
    }, 'nameless'),
    // oxlint-disable-next-line prefer-promise-reject-errors
    toolOf(() => Promise.reject('just text'), 'text'),
  ])
  const messages = []
  for (const { name } of registry.specs()) {
    const outcome = await runCall(registry, { ...CALL, toolName: name }, contextOf().context)
    messages.push(outcome.ok ? outcome : outcome.error)
  }
  expect(messages).toEqual([
    { code: 'tool_denied', message: 'not allowed' },
    { code: 'tool_error', message: 'broke' },
    { code: 'tool_error', message: 'TypeError' },
    { code: 'tool_error', message: 'just text' },
  ])
})

test('[TOOL3] a tool that ignores its signal does not hold up its timeout, and is not heard again', async () => {
  const { context, shown } = contextOf()
  let late: ToolContext | undefined
  const registry = createRegistry([
    toolOf((_, own) => {
      late = own
      own.output('partial')
      return new Promise(() => {})
    }),
  ])
  const outcome = runCall(registry, CALL, context)
  vi.advanceTimersByTime(TOOL_TIME_MS - 1)
  expect(late?.signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(await outcome).toEqual({
    ok: false,
    error: { code: 'tool_timeout', message: 'sample ran longer than 120000 ms.' },
    result: 'partial',
  })
  expect(late?.signal.aborted).toBe(true)
  late?.output('too late')
  expect(shown).toEqual(['partial'])
})

test('[TOOL3] cancellation is tool_interrupted at once and reaches the tool with its reason', async () => {
  const controller = new AbortController()
  const { context } = contextOf(controller.signal)
  let own: AbortSignal | undefined
  const registry = createRegistry([
    toolOf((_, { signal, output }) => {
      own = signal
      output('so far')
      return new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('a late and different error')))
      })
    }),
  ])
  const outcome = runCall(registry, CALL, context)
  controller.abort('the person stopped')
  expect(await outcome).toEqual({
    ok: false,
    error: {
      code: 'tool_interrupted',
      message: 'sample was interrupted before it had finished.',
    },
    result: 'so far',
  })
  expect(own?.reason).toBe('the person stopped')
})

test('a run that is over already starts no tool', async () => {
  const run = vi.fn(() => Promise.resolve(''))
  const outcome = await runCall(
    createRegistry([toolOf(run)]),
    CALL,
    contextOf(AbortSignal.abort()).context,
  )
  expect(outcome).toMatchObject({ ok: false, error: { code: 'tool_interrupted' } })
  expect(run).not.toHaveBeenCalled()
})

test('[TOOL1] a result is bounded and marked as truncated, never in the middle of a character', async () => {
  const registry = createRegistry([toolOf(() => Promise.resolve('é🙂'.repeat(TOOL_OUTPUT_BYTES)))])
  const outcome = await runCall(registry, CALL, contextOf().context)
  expect(outcome).toMatchObject({ ok: true, truncated: true })
  const bytes = utf8Bytes(outcome.result ?? '')
  expect(bytes).toBeLessThanOrEqual(TOOL_OUTPUT_BYTES)
  expect(bytes).toBeGreaterThan(TOOL_OUTPUT_BYTES - 6)
  expect(outcome.result?.isWellFormed()).toBe(true)
})

test('[TOOL1] streamed output has the same bound, and nothing follows the cut', async () => {
  const { context, shown } = contextOf()
  const registry = createRegistry(
    [
      toolOf((_, { output }) => {
        for (const chunk of ['12345', '6🙂', 'x', '']) output(chunk)
        return Promise.reject(new ToolFailure('broke'))
      }),
    ],
    { outputBytes: 8 },
  )
  const outcome = await runCall(registry, CALL, context)
  expect(shown).toEqual(['12345', '6'])
  expect(outcome).toMatchObject({ ok: false, result: '123456', truncated: true })
})

test('results, partial output and error messages are well-formed strings', async () => {
  const registry = createRegistry([
    toolOf(() => Promise.resolve('a\ud83d'), 'result'),
    toolOf((_, { output }) => {
      output('\ud83d')
      output('\ude42 \udc00')
      return Promise.reject(new ToolFailure('b\ud83d'))
    }, 'failure'),
  ])
  const { context } = contextOf()
  expect(await runCall(registry, { ...CALL, toolName: 'result' }, context)).toEqual({
    ok: true,
    result: 'a\ufffd',
  })
  expect(await runCall(registry, { ...CALL, toolName: 'failure' }, context)).toEqual({
    ok: false,
    error: { code: 'tool_error', message: 'b\ufffd' },
    result: '🙂 \ufffd',
  })
})

test('[TOOL4] parallel calls settle on their own, in any order', async () => {
  const gates = new Map<string, () => void>()
  const registry = createRegistry([
    toolOf(async ({ text }) => {
      await new Promise<void>((resolve) => gates.set(text, resolve))
      return text
    }),
  ])
  const order: unknown[] = []
  const calls = ['a', 'b', 'c'].map(async (text) => {
    const call = { toolName: 'sample', arguments: JSON.stringify({ text }) }
    order.push((await runCall(registry, call, contextOf().context)).result)
  })
  for (const name of ['c', 'a', 'b']) {
    gates.get(name)?.()
    await vi.advanceTimersByTimeAsync(0)
  }
  await Promise.all(calls)
  expect(order).toEqual(['c', 'a', 'b'])
})

test('specs are JSON Schema, computed once', () => {
  const registry = createRegistry([toolOf(() => Promise.resolve(''))])
  expect(registry.specs()).toBe(registry.specs())
  expect(registry.specs()).toEqual([
    {
      name: 'sample',
      description: 'A sample.',
      inputSchema: {
        type: 'object',
        properties: {
          text: { type: 'string' },
          size: {
            type: 'object',
            properties: { width: { type: 'number' } },
            required: ['width'],
          },
        },
        required: ['text'],
        additionalProperties: false,
      },
    },
  ])
})

test('a tool says itself whether it is repeatable; an unknown one is not', () => {
  const registry = createRegistry([
    toolOf(() => Promise.resolve('')),
    { ...toolOf(() => Promise.resolve(''), 'once'), repeatable: false },
  ])
  expect(['sample', 'once', 'unknown'].map((name) => registry.isRepeatable(name))).toEqual([
    true,
    false,
    false,
  ])
})

test('two tools of one name are a mistake in the program', () => {
  const tool = toolOf(() => Promise.resolve(''))
  expect(() => createRegistry([tool, tool])).toThrow('same name')
})

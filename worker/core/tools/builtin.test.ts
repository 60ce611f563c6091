import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { BUILTIN_TOOLS } from './builtin.ts'
import { createRegistry } from './registry.ts'
import type { ToolContext } from './tool.ts'

const registry = createRegistry(BUILTIN_TOOLS)

async function run(toolName: string, input: unknown, context: Partial<ToolContext> = {}) {
  const outcome = await registry.execute(
    { toolName, arguments: JSON.stringify(input) },
    { signal: new AbortController().signal, output: () => {}, now: () => 0, ...context },
  )
  return outcome.ok ? outcome.result : outcome.error
}

const now = () => Date.UTC(2026, 7, 22, 22, 3, 7)

test('[TOOL8] the built-in tools are offered with a description and an object schema', () => {
  expect(registry.specs().map(({ name }) => name)).toEqual([
    'current_time',
    'calculate',
    'text_stats',
    'countdown',
    'think',
  ])
  for (const { description, inputSchema } of registry.specs()) {
    expect(description).not.toBe('')
    expect(inputSchema.type).toBe('object')
  }
})

test('[TOOL5] think answers that the thought is noted', async () => {
  expect(await run('think', { thought: 'Hm.' })).toBe('Noted.')
})

describe('current_time', () => {
  test.each([
    [{}, 'Saturday, 2026-08-22 22:03:07 (UTC, UTC+00:00)'],
    [{ timezone: 'Europe/Berlin' }, 'Sunday, 2026-08-23 00:03:07 (Europe/Berlin, UTC+02:00)'],
    [
      { timezone: 'America/New_York' },
      'Saturday, 2026-08-22 18:03:07 (America/New_York, UTC-04:00)',
    ],
    [{ timezone: 'Asia/Kolkata' }, 'Sunday, 2026-08-23 03:33:07 (Asia/Kolkata, UTC+05:30)'],
  ])('tells the time of %j', async (input, told) => {
    expect(await run('current_time', input, { now })).toBe(told)
  })

  test('an unknown zone is an invalid input that says what a zone looks like', async () => {
    expect(await run('current_time', { timezone: 'Mars/Base' }, { now })).toEqual({
      code: 'tool_invalid_input',
      message:
        'timezone: "Mars/Base" is not a time zone. Use an IANA name such as Europe/Berlin, ' +
        'America/New_York or UTC.',
    })
  })
})

describe('calculate', () => {
  test.each([
    ['2 + 3 * 4', '14'],
    ['(2 + 3) * 4', '20'],
    ['2 ^ 3 ^ 2', '512'],
    ['-2 ^ 2', '-4'],
    ['2 ^ -1', '0.5'],
    ['--3', '3'],
    ['10 % 4 - 1', '1'],
    ['7 / 2 / 2', '1.75'],
    ['0.1 + 0.2', '0.3'],
    ['.5 + 1.', '1.5'],
    ['1.5e3', '1500'],
    ['sqrt(16) + max(1, 2, 3)', '7'],
    ['round(2 * PI)', '6'],
    ['ln(e)', '1'],
    ['9007199254740991', '9007199254740991'],
    ['0 * -1', '0'],
  ])('%s is %s', async (expression, result) => {
    expect(await run('calculate', { expression })).toBe(result)
  })

  test.each([
    ['2 + * 3', 'expected a number at position 5, found "*"'],
    ['2 +', 'expected a number at position 4, found the end'],
    ['(2', 'expected ")" at position 3, found the end'],
    ['2 3', 'expected an operator at position 3, found "3"'],
    ['1 / 0', 'division by zero at position 5'],
    ['1 % (2 - 2)', 'division by zero at position 5'],
    ['sqrt(-1)', 'the result is not a finite number'],
    ['9 ^ 9 ^ 9', 'the result is not a finite number'],
    ['sqrt 4', 'expected "(" at position 6, found "4"'],
    ['sqrt(1, 2)', 'expected ")" at position 7, found ","'],
    ['(', 'expected a number at position 2, found the end'],
    ['2 $ 3', 'expected an operator at position 3, found "$"'],
  ])('%s fails clearly', async (expression, message) => {
    expect(await run('calculate', { expression })).toEqual({ code: 'tool_error', message })
  })

  test.each(['(', '-', '2^', 'abs('])('nesting of %s is bounded', async (opening) => {
    expect(await run('calculate', { expression: opening.repeat(200) })).toEqual({
      code: 'tool_error',
      message: 'the expression is nested more than 50 levels deep',
    })
  })

  test.each(['constructor', 'toString', '__proto__', 'foo'])(
    'the name %s means nothing to it',
    async (name) => {
      expect(await run('calculate', { expression: `${name}(1)` })).toMatchObject({
        code: 'tool_error',
      })
    },
  )

  test('an expression that is too long is an invalid input', async () => {
    expect(await run('calculate', { expression: '1+'.repeat(600) })).toMatchObject({
      code: 'tool_invalid_input',
      message: expect.stringContaining('expression: '),
    })
  })
})

describe('text_stats', () => {
  test('counts what a person would count, in any script', async () => {
    const text = 'Hello, 世界! How are you?\nFine 👩‍👩‍👧 thanks.\n'
    expect(await run('text_stats', { text })).toBe(
      'characters: 39\nwords: 7\nsentences: 3\nlines: 2\nreading time: 2 s',
    )
  })

  test('an empty text has nothing', async () => {
    expect(await run('text_stats', { text: '' })).toBe(
      'characters: 0\nwords: 0\nsentences: 0\nlines: 0\nreading time: 0 s',
    )
  })

  test('long texts are told in minutes', async () => {
    expect(await run('text_stats', { text: 'word '.repeat(2300) })).toContain(
      'reading time: 10 min',
    )
  })
})

describe('countdown', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => {
    expect(vi.getTimerCount()).toBe(0)
    vi.useRealTimers()
  })

  test('[TOOL1] streams one line a second, then its result', async () => {
    const lines: string[] = []
    const output = (text: string) => lines.push(text)
    const result = run('countdown', { from: 3, label: 'Tea' }, { output })
    await vi.advanceTimersByTimeAsync(1999)
    expect(lines).toEqual(['Tea: 3\n', 'Tea: 2\n'])
    await vi.advanceTimersByTimeAsync(1001)
    expect(lines).toEqual(['Tea: 3\n', 'Tea: 2\n', 'Tea: 1\n', 'Tea: 0\n'])
    expect(await result).toBe('Tea: counted down from 3 to 0 in 3 seconds.')
  })

  test('[TOOL3] is interrupted at once and leaves no timer', async () => {
    const controller = new AbortController()
    const lines: string[] = []
    const result = run(
      'countdown',
      { from: 60 },
      { output: (text) => lines.push(text), signal: controller.signal },
    )
    await vi.advanceTimersByTimeAsync(1500)
    controller.abort()
    expect(vi.getTimerCount()).toBe(0)
    expect(await result).toMatchObject({ code: 'tool_interrupted' })
    expect(lines).toEqual(['60\n', '59\n'])
  })

  test.each([0, 61, 1.5, '5'])('does not count from %j', async (from) => {
    expect(await run('countdown', { from })).toMatchObject({
      code: 'tool_invalid_input',
      message: expect.stringContaining('from: '),
    })
  })
})

import { describe, expect, test } from 'vitest'
import type { ModelRequest } from '../core/session/model.ts'
import { findAnthropicProblem } from '../testing/node/valid-anthropic.ts'
import { findOpenAiProblem, OPENAI_KINDS } from '../testing/node/valid-openai.ts'
import { toCallId, toToolName } from './wire-names.ts'

const NAMES = [
  'multi_tool_use.parallel',
  '',
  '__proto__',
  'constructor',
  'web fetch',
  'näme',
  '漢字',
  'x'.repeat(200),
]
const IDS = ['call_1_1_3', 'a.b', 'a:b', '', `chatcmpl-tool-${'0123456789abcdef'.repeat(2)}`]

const request = (toolName: string, ids: readonly string[]): ModelRequest => ({
  system: '',
  messages: [
    { role: 'user', text: 'Look' },
    {
      role: 'assistant',
      parts: ids.map((callId) => ({ type: 'tool_call', callId, toolName, arguments: '{}' })),
    },
    {
      role: 'tool',
      results: ids.map((callId) => ({ callId, toolName, ok: false, text: 'tool_error: no' })),
    },
  ],
  tools: [],
})

test.each(NAMES)(
  '[TOOL1] a call of %j, which nobody offers, stays in a valid history',
  async (name) => {
    for (const kind of OPENAI_KINDS) {
      expect(await findOpenAiProblem(request(name, ['a']), kind)).toBe(null)
    }
    expect(await findAnthropicProblem(request(name, ['a']))).toBe(null)
  },
)

test('[RUN7] [TOOL7] ids that another server made are taken by the one that goes on', async () => {
  for (const kind of OPENAI_KINDS) {
    expect(await findOpenAiProblem(request('look', IDS), kind)).toBe(null)
  }
  expect(await findAnthropicProblem(request('look', IDS))).toBe(null)
})

describe('[TOOL7] a call’s id', () => {
  const NINE = /^[a-zA-Z0-9]{9}$/

  test('is left alone where it is accepted, and is always the same where it is not', () => {
    expect(toCallId('abcDEF123', NINE)).toBe('abcDEF123')
    expect(toCallId('call_1_1_3', NINE)).toMatch(NINE)
    expect(toCallId('call_1_1_3', NINE)).toBe(toCallId('call_1_1_3', NINE))
  })

  test('is another one for another call', () => {
    const ids = Array.from({ length: 20_000 }, (_, n) => toCallId(`call_1_1_${n}`, NINE))
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.every((id) => NINE.test(id))).toBe(true)
  })
})

test('[TOOL1] a proper name is left alone', () => {
  expect(toToolName('docs__search-all', 64)).toBe('docs__search-all')
  expect(toToolName('a.b c', 64)).toBe('a_b_c')
})

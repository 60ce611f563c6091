import { expect, test } from 'vitest'
import { describeModel, parseModelInfo } from './info.ts'

test.each([
  ['gpt-4o-2024-08-06', 128_000, true, 2.5],
  ['openai/gpt-4o-mini', 128_000, true, 0.15],
  ['gpt-4.1-mini', 1_047_576, true, 0.4],
  ['gpt-4', 8192, true, 30],
  ['gpt-5', 400_000, true, 1.25],
  ['gpt-5-2025-08-07', 400_000, true, 1.25],
  ['gpt-5.9', 400_000, true, undefined],
  ['gpt-5.1', 400_000, true, 1.25],
  ['gpt-5-mini', 400_000, true, 0.25],
  ['gpt-5-pro', 400_000, true, undefined],
  ['o3', 200_000, true, 2],
  ['o3-pro', 200_000, true, undefined],
  ['o1-mini', 128_000, false, 1.1],
  ['claude-sonnet-4-20250514', 200_000, true, 3],
  ['claude-opus-4-5-20251101', 200_000, true, 5],
  ['claude-opus-4-1', 200_000, true, 15],
  ['claude-opus-4-20250514', 200_000, true, 15],
  ['claude-opus-4-6', 1_000_000, true, 5],
  ['claude-next', 200_000, true, undefined],
  ['gemini-2.5-flash', 1_048_576, true, 0.3],
  ['llama3.2', 131_072, true, undefined],
  ['llama3', 8192, false, undefined],
  ['meta-llama/Llama-3.3-70B-Instruct', 131_072, true, undefined],
  ['@cf/meta/llama-3.3-70b-instruct-fp8-fast', 24_000, true, undefined],
  ['qwen2.5:7b', 32_768, true, undefined],
  ['qwen3', 40_960, true, undefined],
  ['mistral', 32_768, true, undefined],
  ['mistral-large-latest', 128_000, true, undefined],
  ['deepseek-chat', 128_000, true, 0.28],
  ['gemma3', 128_000, false, undefined],
  ['something-of-ones-own', 128_000, true, undefined],
])('[BAK1] %s reads %i tokens', (id, window, tools, input) => {
  const info = describeModel(id, 'openai')
  expect(info).toMatchObject({ id, provider: 'openai', window, tools })
  expect(info.price?.input).toBe(input)
})

test('[BAK1] what is configured comes before what is known, field by field', () => {
  const parsed = parseModelInfo(
    '{"gpt-4o":{"window":1000,"price":null},"x":{"tools":false,"price":{"input":2,"output":3}}}',
  )
  if (!parsed.ok) throw new Error(parsed.problem)
  const describe = (id: string) => describeModel(id, 'openai', parsed.info)
  expect(describe('gpt-4o')).toMatchObject({ window: 1000, tools: true, price: null })
  const price = { input: 2, cachedInput: 2, output: 3 }
  expect(describe('x')).toMatchObject({ window: 128_000, tools: false, price })
  expect(describe('toString')).toMatchObject({ window: 128_000 })
})

test.each([
  ['{', 'is not JSON'],
  ['[]', 'the whole: '],
  ['{"x":{"window":"8k"}}', 'x.window: '],
  ['{"x":{"window":0}}', 'x.window: '],
  ['{"x":{"windows":1}}', 'x: '],
  ['{"x":{"price":{"input":-1,"output":1}}}', 'x.price.input: '],
])('[BAK1] a malformed setting is told: %s', (text, problem) => {
  const parsed = parseModelInfo(text)
  expect(parsed.ok ? '' : parsed.problem).toContain(problem)
})

test('[BAK1] no setting is no problem', () => {
  expect(parseModelInfo('  ')).toEqual({ ok: true, info: {} })
})

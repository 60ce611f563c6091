import { describe, expect, test } from 'vitest'
import type { ModelSummary } from '#protocol/http'
import { nameOfModel } from './names.ts'
import { filterOptions, findTyped, moveTo, toModelOptions, toModeOptions } from './options.ts'

const options = ['alpha', 'beta', 'bravo', 'charlie', 'Bertha'].map((id) => ({
  id,
  label: id,
  detail: `about ${id}`,
}))
const model = (id: string, changes: Partial<ModelSummary> = {}): ModelSummary => ({
  id,
  provider: 'openai',
  window: 128_000,
  tools: true,
  price: null,
  ...changes,
})

describe('keys that move', () => {
  test('[UI3] arrows go round, Home and End to the edges', () => {
    expect(moveTo('ArrowDown', 4, 5)).toBe(0)
    expect(moveTo('ArrowUp', 0, 5)).toBe(4)
    expect(moveTo('Home', 3, 5)).toBe(0)
    expect(moveTo('End', 3, 5)).toBe(4)
    expect(moveTo('Enter', 3, 5)).toBeNull()
  })

  test('[UI3] in an empty list every key stays where it is', () => {
    for (const key of ['ArrowDown', 'ArrowUp', 'Home', 'End']) expect(moveTo(key, 0, 0)).toBe(0)
  })
})

describe('typing ahead', () => {
  test('[UI3] one letter again and again goes through all that begin with it', () => {
    expect(findTyped(options, 0, 'b')).toBe(1)
    expect(findTyped(options, 1, 'bb')).toBe(2)
    expect(findTyped(options, 2, 'bbb')).toBe(4)
    expect(findTyped(options, 4, 'bbbb')).toBe(1)
  })

  test('[UI3] more letters stay at a row that still fits, or find the one that does', () => {
    expect(findTyped(options, 1, 'be')).toBe(1)
    expect(findTyped(options, 1, 'br')).toBe(2)
    expect(findTyped(options, 1, 'BERT')).toBe(4)
  })

  test('[UI3] what nothing begins with moves nothing', () => {
    expect(findTyped(options, 3, 'x')).toBe(3)
    expect(findTyped([], 0, 'a')).toBe(0)
  })
})

const ids = (query: string) => filterOptions(options, query).map(({ id }) => id)

describe('searching', () => {
  test('[UI3] every word must be somewhere in the row, in any order and case', () => {
    expect(ids('BERT about')).toEqual(['Bertha'])
    expect(ids('about alp')).toEqual(['alpha'])
    expect(ids('alpha beta')).toEqual([])
  })

  test('[UI3] an empty query hides nothing', () => {
    expect(filterOptions(options, '  ')).toBe(options)
  })
})

describe('rows of models', () => {
  test('[SES4] a row says provider, window, tools and price, where they are known', () => {
    const price = { input: 0.4, cachedInput: 0.1, output: 12 }
    const rows = toModelOptions(
      [model('gpt', { price }), model('old', { provider: 'elsewhere', tools: false })],
      'gpt',
    )
    expect(rows.map(({ detail }) => detail.replaceAll('\u00A0', ' '))).toEqual([
      'OpenAI-compatible · 128k tokens · tools · $0.40 in, $12 out per million',
      'elsewhere · 128k tokens · no tools',
    ])
    expect(rows.map(({ badge }) => badge)).toEqual(['Default', undefined])
  })

  test('[SES4] a price of less than a cent keeps its digits', () => {
    const price = { input: 0.075, cachedInput: 0.01, output: 0.3 }
    expect(toModelOptions([model('m', { price })], '')[0]?.detail).toMatch(
      /\$0\.075\sin,\s\$0\.30\sout/,
    )
  })

  test('[SES4] the demo model says what it is, and nothing else is called so', () => {
    expect(nameOfModel('demo')).toBe('Demo model')
    expect(nameOfModel('demo-backup')).toBe('Demo model backup')
    expect(nameOfModel('demolition')).toBe('demolition')
    expect(nameOfModel('@cf/meta/llama-3')).toBe('llama-3')
    const [row] = toModelOptions([model('demo', { provider: 'demo' })], 'demo')
    expect(row).toMatchObject({ id: 'demo', label: 'Demo model' })
    expect(row?.detail).toContain('answers from a script')
  })
})

test('[DEC7] each mode says in a line what it means', () => {
  const modes = toModeOptions()
  expect(modes.map(({ id, label }) => [id, label])).toEqual([
    ['agent', 'Agent'],
    ['ask', 'Ask'],
    ['plan', 'Plan'],
  ])
  expect(new Set(modes.map(({ detail }) => detail)).size).toBe(3)
})

import { expect, test } from 'vitest'
import { formatAge, formatCost, formatDuration, formatJson, formatTokens } from './format.ts'

test('durations are short and never show sixty seconds', () => {
  expect(
    [0, 99, 840, 9_949, 14_400, 59_400, 59_999, 3_599_000, 7_260_000].map(formatDuration),
  ).toEqual([
    '0 ms',
    '99 ms',
    '0.8 s',
    '9.9 s',
    '14 s',
    '59 s',
    '1 min 0 s',
    '59 min 59 s',
    '2 h 1 min',
  ])
})

test('tokens and costs keep the digits that matter', () => {
  expect([1, 999, 1000, 12_345, 2_000_000].map(formatTokens)).toEqual([
    '1 token',
    '999 tokens',
    '1k tokens',
    '12.3k tokens',
    '2M tokens',
  ])
  expect([0, 0.00002, 0.00123, 1.5].map(formatCost)).toEqual([
    '$0.00',
    '<$0.0001',
    '$0.0012',
    '$1.50',
  ])
})

test('ages are coarse, and a clock that is behind shows no future', () => {
  const now = 1_700_000_000_000
  const ages = [-5_000, 59_000, 61_000, 7_200_000, 3 * 86_400_000]
  expect(ages.map((age) => formatAge(now - age, now))).toEqual([
    'now',
    'now',
    '1 min',
    '2 h',
    '3 d',
  ])
})

test('JSON is indented; anything else, and half of it, stays as it is', () => {
  expect(formatJson('{"a":[1]}')).toBe('{\n  "a": [\n    1\n  ]\n}')
  expect(formatJson('{"a":')).toBe('{"a":')
  expect(formatJson('42')).toBe('42')
})

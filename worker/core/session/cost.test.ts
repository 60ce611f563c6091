import { expect, test } from 'vitest'
import { addUsage, NO_USAGE } from '#protocol/usage'
import { costOf } from './cost.ts'

const PRICE = { input: 3, cachedInput: 0.3, output: 15 }
const MILLION = 1_000_000

test('[RUN4] a step costs what its fresh, cached and newly cached input and its output do', () => {
  const usage = { inputTokens: 4 * MILLION, cachedTokens: MILLION, outputTokens: MILLION }
  expect(costOf(usage, PRICE)).toBeCloseTo(3 * 3 + 0.3 + 15)
  expect(costOf({ ...usage, cacheWriteTokens: 2 * MILLION }, PRICE)).toBeCloseTo(
    3 + 2 * 3.75 + 0.3 + 15,
  )
  expect(costOf(usage, null)).toBe(null)
})

test('[RUN4] what was written into a cache is added up where somebody counts it', () => {
  const step = { inputTokens: 9, cachedTokens: 1, outputTokens: 2 }
  expect(addUsage(NO_USAGE, step)).not.toHaveProperty('cacheWriteTokens')
  const written = { ...step, cacheWriteTokens: 4 }
  expect(addUsage(addUsage(step, written), written)).toMatchObject({ cacheWriteTokens: 8 })
})

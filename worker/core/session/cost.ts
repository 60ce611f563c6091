// What a step cost, at the price of the model that answered.

import type { Usage } from '#protocol/events'
import type { ModelSummary } from '#protocol/http'

const MILLION = 1_000_000
/** Anthropic's surcharge for what it keeps for five minutes. Nobody else counts it. */
const CACHE_WRITE_FACTOR = 1.25

/** null: the price is not known. */
export function costOf(usage: Usage, price: ModelSummary['price']): number | null {
  if (price === null) return null
  const { inputTokens, cachedTokens, cacheWriteTokens = 0, outputTokens } = usage
  const fresh = Math.max(0, inputTokens - cachedTokens - cacheWriteTokens)
  const input = fresh + cacheWriteTokens * CACHE_WRITE_FACTOR
  return (
    (input * price.input + cachedTokens * price.cachedInput + outputTokens * price.output) / MILLION
  )
}

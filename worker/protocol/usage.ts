// Tokens and cost, added up: of steps to a run, of runs to a session.

import type { Usage } from './events.ts'

export const NO_USAGE: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

/** A hundred-millionth of a dollar: below it sums of floats only add noise. */
const roundCost = (cost: number): number => Math.round(cost * 1e8) / 1e8

/** A cost that is not known adds nothing; where none is known there is none. */
export function addUsage(total: Usage, more: Usage): Usage {
  const isPriced = total.costUsd !== undefined || more.costUsd !== undefined
  const written = (total.cacheWriteTokens ?? 0) + (more.cacheWriteTokens ?? 0)
  return {
    inputTokens: total.inputTokens + more.inputTokens,
    outputTokens: total.outputTokens + more.outputTokens,
    cachedTokens: total.cachedTokens + more.cachedTokens,
    ...(written > 0 && { cacheWriteTokens: written }),
    ...(isPriced && { costUsd: roundCost((total.costUsd ?? 0) + (more.costUsd ?? 0)) }),
  }
}

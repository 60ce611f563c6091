// How full the model's context is, as a number and in words: colour alone says it to nobody.

import type { ContextState } from '#protocol/state'

export type ContextLevel = 'calm' | 'filling' | 'full'

/** From here on it is worth a look; from there on the engine makes room before the next step. */
const FILLING_PERCENT = 70
const FULL_PERCENT = 85

export const LEVEL_WORDS: Record<ContextLevel, string> = {
  calm: '',
  filling: 'filling up',
  full: 'nearly full',
}

export function percentOf({ tokens, window }: Pick<ContextState, 'tokens' | 'window'>): number {
  return window > 0 ? Math.round((Math.max(0, tokens) / window) * 100) : 0
}

export function levelOf(percent: number): ContextLevel {
  if (percent >= FULL_PERCENT) return 'full'
  return percent >= FILLING_PERCENT ? 'filling' : 'calm'
}

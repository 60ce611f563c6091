// What to do when a provider call failed. Pure, so that "bounded" can be read here.

import {
  LAST_RETRY_WAIT_MS,
  RETRIES_PER_MODEL,
  RETRIES_PER_RUN,
  RETRY_WAIT_MS,
} from '#protocol/limits'
import type { ModelError } from './model.ts'

export type AfterFailure =
  | { do: 'retry'; waitMs: number }
  | { do: 'without_tools' }
  | { do: 'compact' }
  | { do: 'fall_over' }
  | { do: 'give_up' }

export type Situation = {
  /** Failures of this model in this step, and retries in this run, before this one. */
  tries: number
  retries: number
  hasNext: boolean
  hasTools: boolean
  /** The history can be made shorter, and has not been in this step. */
  canCompact: boolean
  /** 0 to 1. */
  random: number
}

const FIRST_BACKOFF_MS = 300

export function decideAfterFailure(error: ModelError, situation: Situation): AfterFailure {
  const next: AfterFailure = situation.hasNext ? { do: 'fall_over' } : { do: 'give_up' }
  switch (error.code) {
    case 'model_no_tools':
      return situation.hasTools ? { do: 'without_tools' } : next
    case 'model_context_overflow':
      return situation.canCompact ? { do: 'compact' } : next
    case 'model_content_filter':
      // Another provider is not a way around a refusal.
      return { do: 'give_up' }
    case 'model_unauthorized':
    case 'model_unpaid':
    case 'model_not_found':
    case 'model_bad_request':
      return next
    case 'model_rate_limited':
    case 'model_overloaded':
    case 'model_unavailable':
    case 'model_malformed':
    case 'model_stalled':
      return retryOr(next, error, situation)
  }
}

function retryOr(next: AfterFailure, error: ModelError, situation: Situation): AfterFailure {
  const { tries, retries, random, hasNext } = situation
  if (tries >= RETRIES_PER_MODEL || retries >= RETRIES_PER_RUN) return next
  // Jitter of half to one and a half: sessions that failed together must not come back together.
  const backoff = Math.round(FIRST_BACKOFF_MS * 4 ** tries * (0.5 + random))
  const waitMs = Math.max(error.retryAfterMs ?? 0, backoff)
  const longestMs = hasNext ? RETRY_WAIT_MS : LAST_RETRY_WAIT_MS
  return waitMs > longestMs ? next : { do: 'retry', waitMs }
}

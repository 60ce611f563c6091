import { describe, expect, test } from 'vitest'
import {
  LAST_RETRY_WAIT_MS,
  RETRIES_PER_MODEL,
  RETRIES_PER_RUN,
  RETRY_WAIT_MS,
} from '#protocol/limits'
import { RandomSource } from '../../testing/random-source.ts'
import { decideAfterFailure, type AfterFailure, type Situation } from './after-failure.ts'
import { ModelError, type ModelErrorCode } from './model.ts'

const TEMPORARY = [
  'model_rate_limited',
  'model_overloaded',
  'model_unavailable',
  'model_malformed',
  'model_stalled',
] as const
const LASTING = [
  'model_unauthorized',
  'model_unpaid',
  'model_not_found',
  'model_bad_request',
] as const
const CODES: readonly ModelErrorCode[] = [
  ...TEMPORARY,
  ...LASTING,
  'model_no_tools',
  'model_context_overflow',
  'model_content_filter',
]

const FIRST: Situation = {
  tries: 0,
  retries: 0,
  hasNext: true,
  hasTools: true,
  canCompact: true,
  random: 0.5,
}

const after = (
  code: ModelErrorCode,
  situation: Partial<Situation> = {},
  retryAfterMs: number | null = null,
): AfterFailure =>
  decideAfterFailure(new ModelError(code, 'it failed', retryAfterMs), { ...FIRST, ...situation })

const BOOLS = [true, false]
const situations: Situation[] = []
for (const tries of [0, 1, RETRIES_PER_MODEL, RETRIES_PER_MODEL + 1])
  for (const retries of [0, RETRIES_PER_RUN - 1, RETRIES_PER_RUN])
    for (const hasNext of BOOLS)
      for (const hasTools of BOOLS)
        for (const canCompact of BOOLS)
          for (const random of [0, 0.5, 1])
            situations.push({ tries, retries, hasNext, hasTools, canCompact, random })

/** The same table, said in other words than the code's. */
function expected(code: ModelErrorCode, situation: Situation): AfterFailure['do'] {
  const { tries, retries, hasNext, hasTools, canCompact } = situation
  if (code === 'model_content_filter') return 'give_up'
  if (code === 'model_no_tools' && hasTools) return 'without_tools'
  if (code === 'model_context_overflow' && canCompact) return 'compact'
  const isTemporary = (TEMPORARY as readonly string[]).includes(code)
  if (isTemporary && tries < RETRIES_PER_MODEL && retries < RETRIES_PER_RUN) return 'retry'
  return hasNext ? 'fall_over' : 'give_up'
}

const bound = (candidates: number): number => candidates * (1 + RETRIES_PER_MODEL)

const waits = (random: number): AfterFailure[] =>
  Array.from({ length: RETRIES_PER_MODEL }, (_, tries) =>
    after('model_unavailable', { tries, random }),
  )

describe('[RUN7] what follows a failure', () => {
  for (const code of CODES) {
    test(`${code}: in every situation`, () => {
      for (const situation of situations) {
        expect(after(code, situation).do, JSON.stringify(situation)).toBe(expected(code, situation))
      }
    })
  }

  test('each try waits four times as long as the one before, give or take half', () => {
    expect(waits(0)).toEqual([
      { do: 'retry', waitMs: 150 },
      { do: 'retry', waitMs: 600 },
    ])
    expect(waits(0.5)).toEqual([
      { do: 'retry', waitMs: 300 },
      { do: 'retry', waitMs: 1200 },
    ])
    expect(waits(1)).toEqual([
      { do: 'retry', waitMs: 450 },
      { do: 'retry', waitMs: 1800 },
    ])
  })

  test('a provider that says when is asked then, and never earlier than by our own count', () => {
    for (const code of TEMPORARY) {
      expect(after(code, {}, 5000)).toEqual({ do: 'retry', waitMs: 5000 })
      expect(after(code, {}, 1)).toEqual({ do: 'retry', waitMs: 300 })
      expect(after(code, {}, RETRY_WAIT_MS)).toEqual({ do: 'retry', waitMs: RETRY_WAIT_MS })
    }
  })

  test('one that says too late has given the run to the next, or up', () => {
    for (const code of TEMPORARY) {
      expect(after(code, {}, RETRY_WAIT_MS + 1)).toEqual({ do: 'fall_over' })
      expect(after(code, { hasNext: false }, LAST_RETRY_WAIT_MS + 1)).toEqual({ do: 'give_up' })
    }
  })

  test('where there is no next one, it is waited for longer', () => {
    for (const code of TEMPORARY) {
      for (const waitMs of [RETRY_WAIT_MS + 1, LAST_RETRY_WAIT_MS]) {
        expect(after(code, { hasNext: false }, waitMs)).toEqual({ do: 'retry', waitMs })
      }
    }
  })
})

/** The loop of a step, with an opponent who chooses each failure. Returns the calls it made. */
function failAlways(
  choose: (situation: Situation) => ModelErrorCode,
  candidates: number,
  retriesBefore: number,
): { calls: number; compactions: number; retries: number } {
  let at = 0
  let tries = 0
  let retries = retriesBefore
  let hasTools = true
  let canCompact = true
  let compactions = 0
  for (let calls = 1; ; calls++) {
    if (calls > 1000) throw new Error('it does not end')
    const hasNext = at + 1 < candidates
    const situation = { tries, retries, hasNext, hasTools, canCompact, random: 0.5 }
    switch (after(choose(situation), situation).do) {
      case 'retry':
        tries += 1
        retries += 1
        break
      case 'without_tools':
        hasTools = false
        break
      case 'compact':
        canCompact = false
        compactions += 1
        break
      case 'fall_over':
        at += 1
        tries = 0
        // Another model may have tools.
        hasTools = true
        break
      case 'give_up':
        return { calls, compactions, retries }
    }
  }
}

describe('[RUN7] a step that only ever fails ends', () => {
  for (const candidates of [1, 2, 3, 6]) {
    test(`${candidates} models with one failure again and again`, () => {
      for (const code of CODES) {
        const { calls } = failAlways(() => code, candidates, 0)
        expect(calls, code).toBeLessThanOrEqual(bound(candidates) + candidates + 1)
        if (code === 'model_content_filter') expect(calls).toBe(1)
        if (code === 'model_context_overflow') expect(calls).toBe(candidates + 1)
        if (code === 'model_no_tools') expect(calls).toBe(2 * candidates)
        if ((LASTING as readonly string[]).includes(code)) expect(calls).toBe(candidates)
        if ((TEMPORARY as readonly string[]).includes(code)) {
          expect(calls).toBe(candidates + Math.min(RETRIES_PER_RUN, candidates * RETRIES_PER_MODEL))
        }
      }
    })

    test(`${candidates} models with failures of every kind, in any order`, () => {
      for (let seed = 1; seed <= 500; seed++) {
        const random = new RandomSource(seed)
        const before = random.below(RETRIES_PER_RUN + 1)
        const { calls, compactions, retries } = failAlways(
          () => random.pick(CODES),
          candidates,
          before,
        )
        // Each model may turn out to have no tools; the history is compacted once.
        expect(calls, `seed ${seed}`).toBeLessThanOrEqual(bound(candidates) + candidates + 1)
        expect(compactions).toBeLessThanOrEqual(1)
        expect(retries).toBeLessThanOrEqual(RETRIES_PER_RUN)
      }
    })
  }

  test('the worst an opponent can do: every tool refused, one compaction, every retry used', () => {
    const candidates = 3
    const { calls } = failAlways(
      ({ hasTools, canCompact }) => {
        if (canCompact) return 'model_context_overflow'
        return hasTools ? 'model_no_tools' : 'model_unavailable'
      },
      candidates,
      0,
    )
    expect(calls).toBe(bound(candidates) + candidates + 1)
  })
})

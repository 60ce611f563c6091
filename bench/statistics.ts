// Figures out of samples. Medians and percentiles only: one hiccup of a shared machine must not
// move them.

import type { Figures } from './benchmark.ts'

/** `share` from 0 to 1; the nearest sample, never a value between two. */
export function percentile(samples: readonly number[], share: number): number {
  if (samples.length === 0) throw new Error('no samples')
  const sorted = samples.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!
}

export const median = (samples: readonly number[]): number => percentile(samples, 0.5)

export const toP50P99 = (samples: readonly number[]): { p50: number; p99: number } => ({
  p50: median(samples),
  p99: percentile(samples, 0.99),
})

/** Three significant digits of what is small, whole numbers of what is large: more would be noise. */
export function roundFigures(figures: Figures): Figures {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => {
      if (typeof value === 'number') return [name, round(value)]
      return [name, value !== null && typeof value === 'object' ? roundFigures(value) : value]
    }),
  )
}

const round = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))

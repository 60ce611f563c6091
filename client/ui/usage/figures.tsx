import '../styles/usage.css'
import type { Usage } from '#protocol/events'
import type { RunEnd } from '#protocol/turns'
import { formatCost, formatDuration } from '../format.ts'

type Figure = readonly [label: string, value: string]

/** In full, and grouped alike for everybody. */
export const formatCount = (count: number): string => count.toLocaleString('en')

/** Cached tokens are part of the input, and are said to be. */
export const tokenFigures = (usage: Usage): Figure[] => [
  ['Input', `${formatCount(usage.inputTokens)} tokens`],
  ['of it cached', formatCount(usage.cachedTokens)],
  ['Output', `${formatCount(usage.outputTokens)} tokens`],
  ['Cost', usage.costUsd === undefined ? 'price not known' : formatCost(usage.costUsd)],
]

export function Figures({ rows }: { rows: readonly Figure[] }) {
  return (
    <dl class="figures">
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** What one run took. */
export function RunFigures({ model, end }: { model: string; end: RunEnd }) {
  const { durationMs, usage, stopReason } = end
  return (
    <Figures
      rows={[
        ['Model', model],
        ['Time', `${formatDuration(durationMs)} (${formatCount(durationMs)} ms)`],
        ...tokenFigures(usage),
        ['Stop reason', stopReason],
      ]}
    />
  )
}

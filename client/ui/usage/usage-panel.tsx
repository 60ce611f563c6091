import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { ContextState } from '#protocol/state'
import { handle, isRunning, usage } from '../state/session.ts'
import { levelOf, percentOf } from './context-level.ts'
import { Figures, formatCount, tokenFigures } from './figures.tsx'

type Props = { context: ContextState; onShowRuns: () => void }

export function UsagePanel({ context, onShowRuns }: Props) {
  const panel = useRef<HTMLDivElement>(null)
  useEffect(() => panel.current?.focus(), [])
  const percent = percentOf(context)
  return (
    <div
      class="usage-panel"
      ref={panel}
      tabIndex={-1}
      role="dialog"
      aria-label="Context and usage"
      data-testid="usage-panel"
    >
      <h2>Context</h2>
      <svg class="meter-bar" data-level={levelOf(percent)} aria-hidden="true">
        <rect width="100%" height="100%" />
        <rect width={`${Math.min(percent, 100)}%`} height="100%" />
      </svg>
      <Figures
        rows={[
          [
            'Tokens',
            `${formatCount(context.tokens)} of ${formatCount(context.window)} (${percent} %)`,
          ],
          ['Messages', formatCount(context.messages)],
          ['Summarised', context.compacted ? 'yes, the earlier ones' : 'no'],
        ]}
      />
      <CompactButton />
      <h2>This chat</h2>
      <Figures rows={[['Runs', formatCount(usage.value.runs)], ...tokenFigures(usage.value)]} />
      <button type="button" class="soft-button" data-testid="open-runs" onClick={onShowRuns}>
        Who worked on it
      </button>
    </div>
  )
}

function CompactButton() {
  const isAsking = useSignal(false)
  const refusal = useSignal('')
  const compact = async (): Promise<void> => {
    isAsking.value = true
    refusal.value = ''
    try {
      await handle.peek()?.compact()
    } catch (error) {
      refusal.value = `Not now: ${error instanceof Error ? error.message : String(error)}.`
    } finally {
      isAsking.value = false
    }
  }
  return (
    <div class="compact-now">
      <button
        type="button"
        class="soft-button"
        data-testid="compact"
        disabled={isAsking.value}
        onClick={() => void compact()}
      >
        Compact now
      </button>
      <p role="status">
        {refusal.value ||
          (isRunning.value
            ? 'A run is active.'
            : 'Has the older messages summarised for the model. You still see all of them.')}
      </p>
    </div>
  )
}

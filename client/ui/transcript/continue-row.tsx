import { useComputed } from '@preact/signals'
import { continueRun } from '../state/commands.ts'
import { isBusy } from '../state/phase.ts'
import { turns, waitingSends } from '../state/session.ts'

/** What was not finished can be gone on with, as long as nothing was said since. */
export function ContinueRow() {
  const isUnfinished = useComputed(() => {
    const last = turns.value.at(-1)
    if (last?.kind !== 'assistant' || last.end === null) return false
    return last.end.outcome !== 'done' || last.end.stopReason === 'length'
  })
  if (!isUnfinished.value || isBusy.value || waitingSends.value.length > 0) return null
  return (
    <div class="continue-row">
      <button type="button" class="soft-button" data-testid="continue" onClick={continueRun}>
        Continue
      </button>
    </div>
  )
}

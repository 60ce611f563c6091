import { computed, effect, signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { NoticePart, Turn } from '#protocol/turns'
import { isRetrying, phaseWords } from '../state/phase.ts'
import { openSessionId } from '../state/route.ts'
import { isLoaded, isRunning, lastRun, open, turns } from '../state/session.ts'
import { lastError, lastFallback, textOfAnswer } from '../transcript/group-parts.ts'

/** The beginning of the answer; the rest is read in the transcript, at one's own pace. */
const ANSWER_CHARS = 240

const ENDINGS = {
  done: 'Answer finished.',
  cancelled: 'Interrupted.',
  interrupted: 'Interrupted.',
  failed: 'The run failed.',
  step_limit: 'Step limit reached.',
} as const

/** Done, by its outcome, and yet not all of it. */
const CUTS: Partial<Record<string, string>> = {
  length: 'Answer cut at the output limit.',
  content_filter: 'Answer withheld by the provider.',
}

function describeEnd(turn: Turn | undefined): string {
  if (turn?.kind !== 'assistant' || turn.end === null) return ''
  const { outcome, stopReason } = turn.end
  // Why it failed is what to know; what was said before that is in the transcript.
  const error = outcome === 'failed' ? lastError(turn.parts) : null
  const text = error?.message ?? textOfAnswer(turn.parts)
  const start = text.length > ANSWER_CHARS ? `${text.slice(0, ANSWER_CHARS)}…` : text
  const ending = (outcome === 'done' ? CUTS[stopReason] : undefined) ?? ENDINGS[outcome]
  return `${ending} ${start}`
}

const said = signal('')
// Not the phase alone: a quick model has begun before anybody was told that it took over.
const fallback = computed(() => lastFallback(open.value?.parts ?? []))

/** At once and not with the next frame: a run can begin and end between two frames. */
function listen(): () => void {
  /** The session that is followed, and the seq at which its last run ended. */
  let heard: { id: string; endedAt: number } | null = null
  let told: NoticePart | undefined
  return effect(() => {
    const id = openSessionId.value
    const endedAt = lastRun.value?.seq ?? 0
    if (id === null || !isLoaded.value) {
      heard = null
      return
    }
    if (isRunning.value) {
      heard = { id, endedAt }
      const note = fallback.value
      const words = phaseWords.value
      if (note?.fallback && note.seq !== told?.seq) {
        told = note
        said.value = `${note.fallback.actual} takes over…`
      } else if (!isRetrying.value) {
        // A try that failed is no news to somebody who listens.
        said.value = words
      }
      return
    }
    // The end of a run that was followed here, not of one that a session was opened after.
    if (heard?.id === id && heard.endedAt !== endedAt) said.value = describeEnd(turns.peek().at(-1))
    heard = { id, endedAt }
    told = undefined
  })
}

/** Says each phase once. The transcript itself is not a live region: it would read every token. */
export function LiveRegion() {
  useEffect(listen, [])
  return (
    <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
      {said}
    </div>
  )
}

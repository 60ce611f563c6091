import { useSignal, useSignalEffect } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { Turn } from '#protocol/state'
import { phaseWords } from '../state/phase.ts'
import { openSessionId } from '../state/route.ts'
import { isRunning, turns } from '../state/session.ts'
import { textOfAnswer } from '../transcript/group-parts.ts'

/** The beginning of the answer; the rest is read in the transcript, at one's own pace. */
const ANSWER_CHARS = 240

const ENDINGS = {
  done: 'Answer finished.',
  cancelled: 'Interrupted.',
  interrupted: 'Interrupted.',
  failed: 'The run failed.',
  step_limit: 'Step limit reached.',
} as const

function describeEnd(turn: Turn | undefined): string {
  if (turn?.kind !== 'assistant' || turn.end === null) return ''
  const text = textOfAnswer(turn.parts)
  const start = text.length > ANSWER_CHARS ? `${text.slice(0, ANSWER_CHARS)}…` : text
  return `${ENDINGS[turn.end.outcome]} ${start}`
}

/** Says each phase once. The transcript itself is not a live region: it would read every token. */
export function LiveRegion() {
  const said = useSignal('')
  const running = useRef<string | null>(null)
  useSignalEffect(() => {
    const sessionId = openSessionId.value
    if (isRunning.value) {
      running.current = sessionId
      said.value = phaseWords.value
      return
    }
    // The end of a run that was followed here, not of one that a session was opened after.
    if (running.current !== null && running.current === sessionId) {
      said.value = describeEnd(turns.peek().at(-1))
    }
    running.current = null
  })
  return (
    <div class="visually-hidden" role="status" aria-live="polite" aria-atomic="true">
      {said}
    </div>
  )
}

import type { NoticePart, RunEnd } from '#protocol/state'
import { Icon } from '../shell/icon.tsx'

const CANCEL_WORDS = {
  user: '',
  interrupt: 'by a newer message',
  parent: 'by the agent that started it',
  api: 'through the API',
} as const

type Props = { end: RunEnd; failure: NoticePart | null; isEmpty: boolean }

/** How a run ended, where it is not simply done. */
export function OutcomeMark({ end, failure, isEmpty }: Props) {
  switch (end.outcome) {
    case 'done':
      return isEmpty ? (
        <p class="outcome-mark empty-mark">The model ended without an answer.</p>
      ) : null
    case 'cancelled':
      return <InterruptedMark detail={end.reason === undefined ? '' : CANCEL_WORDS[end.reason]} />
    case 'interrupted':
      return <InterruptedMark detail="by a restart of the server" />
    case 'step_limit':
      return (
        <p class="outcome-mark limit-mark">
          <Icon name="pause" />
          <span>Stopped at the step limit</span>
        </p>
      )
    case 'failed':
      return (
        <p class="outcome-mark failed-mark" role="note">
          <Icon name="alert" />
          <span>
            <strong>Failed</strong> {failure?.message ?? end.stopReason}
          </span>
        </p>
      )
  }
}

function InterruptedMark({ detail }: { detail: string }) {
  return (
    <p class="outcome-mark interrupted-mark">
      <Icon name="warning" />
      <span>
        Interrupted
        {detail !== '' && <span class="mark-detail"> {detail}</span>}
      </span>
    </p>
  )
}

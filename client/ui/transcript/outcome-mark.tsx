import type { NoticePart, RunEnd } from '#protocol/turns'
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
      return <FailedMark code={failure?.code ?? ''} message={failure?.message ?? end.stopReason} />
  }
}

function FailedMark({ code, message }: { code: string; message: string }) {
  // Not this chat's failure: the provider is away, and may come back.
  const isAway = code === 'model_unavailable'
  return (
    <p class="outcome-mark failed-mark" role="note" data-code={code}>
      <Icon name={isAway ? 'globe' : 'alert'} />
      <span>
        <strong>{isAway ? 'Provider unreachable.' : 'Failed'}</strong> {message}
      </span>
    </p>
  )
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

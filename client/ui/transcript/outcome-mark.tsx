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
      return <DoneMark stopReason={end.stopReason} isEmpty={isEmpty} />
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

/** Done as far as we are concerned, and yet not all that there was to say. */
function DoneMark({ stopReason, isEmpty }: { stopReason: string; isEmpty: boolean }) {
  switch (stopReason) {
    case 'length':
      return (
        <CutMark
          what="Cut at the model’s output limit."
          then="Continue goes on from here; another model may write more at once."
        />
      )
    case 'content_filter':
      return (
        <CutMark
          what="Withheld by the provider’s filter."
          then="Say it in other words, or choose another model."
        />
      )
    default:
      return isEmpty ? (
        <p class="outcome-mark empty-mark">The model ended without an answer.</p>
      ) : null
  }
}

function CutMark({ what, then }: { what: string; then: string }) {
  return (
    <p class="outcome-mark cut-mark" role="note">
      <Icon name="warning" />
      <span>
        <strong>{what}</strong> {then}
      </span>
    </p>
  )
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

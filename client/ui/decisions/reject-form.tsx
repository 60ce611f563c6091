import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Scope } from '#protocol/decision-events'
import type { DecideOptions } from '../../sdk/session-commands.ts'

const REASON_CHARS = 4000

const SCOPES: readonly (readonly [Scope, string])[] = [
  ['once', 'this once'],
  ['session', 'in this chat from now on'],
  ['always', 'always, in every chat'],
]

type Props = {
  /** It can be refused for longer than this once. */
  canLast: boolean
  onReject: (options: DecideOptions) => void
  onBack: () => void
}

export function RejectForm({ canLast, onReject, onBack }: Props) {
  const field = useRef<HTMLInputElement>(null)
  const reason = useSignal('')
  const scope = useSignal<Scope>('once')
  useLayoutEffect(() => field.current?.focus(), [])
  const reject = (): void => {
    const given = reason.peek().trim()
    onReject({
      ...(given === '' ? {} : { reason: given }),
      ...(scope.peek() === 'once' ? {} : { scope: scope.peek() }),
    })
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    reject()
  }
  return (
    <div class="reject-form">
      <label>
        <span>Why? The agent is told. It may stay empty.</span>
        <input
          ref={field}
          value={reason}
          maxLength={REASON_CHARS}
          autocomplete="off"
          onInput={(event) => (reason.value = event.currentTarget.value)}
          onKeyDown={handleKey}
        />
      </label>
      <div class="card-actions">
        <button type="button" class="soft-button danger" data-act="confirm-reject" onClick={reject}>
          Reject
        </button>
        {canLast && (
          <select
            aria-label="How long it is rejected"
            value={scope.value}
            onChange={(event) => (scope.value = event.currentTarget.value as Scope)}
          >
            {SCOPES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        )}
        <button type="button" class="text-button" onClick={onBack}>
          Back
        </button>
      </div>
    </div>
  )
}

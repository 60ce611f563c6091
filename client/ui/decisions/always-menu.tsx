// "Do not ask again", for the chat or for good. Nobody agrees to more than they have read: each
// choice says what it will match.

import type { Signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Scope } from '#protocol/decision-events'
import type { DecisionView } from '#protocol/turns'

type Props = {
  asking: Signal<'reject' | 'always' | null>
  remember: NonNullable<DecisionView['remember']>
  isEdited: boolean
  onChoose: (scope: Scope) => void
}

const LABELS = { session: 'In this chat', always: 'Always, in every chat' } as const
const EDITED = 'What it matches follows from the call as you have changed it.'

export function AlwaysMenu({ asking, remember, isEdited, onChoose }: Props) {
  const isOpen = asking.value === 'always'
  return (
    <>
      <button
        type="button"
        class="soft-button"
        data-act="always"
        title="Always… (w)"
        aria-expanded={isOpen}
        onClick={() => (asking.value = isOpen ? null : 'always')}
      >
        Always…
      </button>
      {isOpen && <Choices remember={remember} isEdited={isEdited} onChoose={onChoose} />}
    </>
  )
}

function Choices({ remember, isEdited, onChoose }: Omit<Props, 'asking'>) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => list.current?.querySelector('button')?.focus(), [])
  return (
    <div class="always-menu" ref={list} role="group" aria-label="Accept, and do not ask again">
      {(['session', 'always'] as const).map((scope) => (
        <button key={scope} type="button" data-scope={scope} onClick={() => onChoose(scope)}>
          <b>{LABELS[scope]}</b>
          <span>{isEdited ? EDITED : `Accept ${remember[scope]}.`}</span>
        </button>
      ))}
    </div>
  )
}

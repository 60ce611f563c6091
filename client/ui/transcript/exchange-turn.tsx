import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import type { Turn } from '#protocol/turns'
import { Icon } from '../shell/icon.tsx'
import { SessionLink } from '../shell/session-link.tsx'
import { hasWaits } from '../state/session.ts'
import { AgentMessage } from './agent-message.tsx'
import type { TurnGroup } from './group-turns.ts'

type Props = Omit<Extract<TurnGroup, { kind: 'exchange' }>, 'kind'> & {
  /** The turns of the run that answers. */
  children: ComponentChildren
}

const ENDINGS = {
  done: ['success', 'Answered'],
  cancelled: ['interrupted', 'Cancelled'],
  interrupted: ['interrupted', 'Interrupted'],
  failed: ['error', 'Failed'],
  step_limit: ['interrupted', 'Step limit'],
} as const

/** A class and words, as for a tool call. */
function stateOf(members: readonly Turn[], isAnswering: boolean): readonly [string, string] {
  if (isAnswering) return ['pending', hasWaits.value ? 'Waits for you' : 'Working…']
  const end = members.findLast((turn) => turn.kind === 'assistant')?.end
  return end ? ENDINGS[end.outcome] : ['pending', 'Not answered yet']
}

/** What another agent asked, what was done for it and what it was told: one thing that folds. */
export function ExchangeTurn({ members, isAnswering, children }: Props) {
  const chosen = useSignal(true)
  const [turn] = members
  // What has to be answered is in view.
  const isOpen = chosen.value || (isAnswering && hasWaits.value)
  const [name, words] = stateOf(members, isAnswering)
  return (
    <section
      class={`exchange ${name}`}
      data-exchange={turn.exchangeId}
      aria-label={`Exchange with ${turn.from}`}
    >
      <header class="exchange-head">
        <button type="button" aria-expanded={isOpen} onClick={() => (chosen.value = !isOpen)}>
          <Icon name="users" />
          <b>{`${turn.from} asked`}</b>
          <span class="exchange-preview">{isOpen ? '' : turn.text}</span>
          <span class="tool-state">{words}</span>
          <Icon name="chevron" />
        </button>
        <SessionLink
          sessionId={turn.fromSessionId}
          class="exchange-link"
          label={`Open the chat of ${turn.from}`}
        >
          Open
        </SessionLink>
      </header>
      <div class="exchange-turns" hidden={!isOpen}>
        <AgentMessage turn={turn} />
        {children}
      </div>
    </section>
  )
}

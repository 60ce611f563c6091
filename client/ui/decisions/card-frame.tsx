// Around every decision: what it is about, how grave it is and why it is asked; and the answer,
// with the pointer or the keyboard alone.

import { useSignal, type Signal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import type { Edits, Scope } from '#protocol/decision-events'
import type { DecisionView } from '#protocol/turns'
import type { DecideOptions } from '../../sdk/session-commands.ts'
import { Icon } from '../shell/icon.tsx'
import { decide, leaveCard, sending } from '../state/decisions.ts'
import { AlwaysMenu } from './always-menu.tsx'
import type { CardProps } from './decision-card.tsx'
import { RejectForm } from './reject-form.tsx'
import { SendingNote } from './sending-note.tsx'
import type { Judgement } from './use-judged.ts'
import { formatTime, SEVERITY_WORDS, toSentence } from './words.ts'

type Props = CardProps & {
  title: string
  icon: string
  /** What a person changed, or why it cannot be sent as it stands. */
  read: () => { edits: Edits | undefined } | { problem: string }
  /** Said at the field that is wrong. */
  onProblem: (message: string) => void
  isEdited: boolean
  /** Of the call as it was changed; null: nobody has judged that yet. */
  judged?: Judgement | null
  children: ComponentChildren
}

/** What the server judged is what the agent had asked for, not what stands in the card now. */
const UNJUDGED = {
  severity: null,
  reason: 'You have changed it: how risky it is now is judged again when you accept',
} as const

const toRisk = (shown: Judgement): string => {
  if (shown === UNJUDGED) return 'Risk not judged yet'
  return shown.severity === null ? 'Not possible' : SEVERITY_WORDS[shown.severity]
}

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)

export function CardFrame(props: Props) {
  const { part, decision, title, icon, read, onProblem, isEdited, children } = props
  const card = useRef<HTMLElement>(null)
  const asking = useSignal<'reject' | 'always' | null>(null)
  const id = decision.decisionId ?? ''
  const isSending = sending.value.has(id)
  // A plan does nothing yet.
  const asked = { severity: decision.severity, reason: decision.reason }
  const shown = isEdited && decision.kind !== 'plan' ? (props.judged ?? UNJUDGED) : asked
  const { severity } = shown
  const risk = decision.kind === 'plan' ? '' : toRisk(shown)
  const reason = toSentence(shown.reason)

  const send = async (verdict: 'accept' | 'reject', options: DecideOptions): Promise<void> => {
    const answered = decide(id, part.callId, verdict, options)
    leaveCard(card.current!)
    const problem = await answered
    if (problem === null) return
    onProblem(problem)
    card.current?.focus()
  }
  const accept = (scope: Scope = 'once'): void => {
    const given = read()
    if ('problem' in given) return onProblem(given.problem)
    const { edits } = given
    void send('accept', {
      ...(edits === undefined ? {} : { edits }),
      ...(scope === 'once' ? {} : { scope }),
    })
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.isComposing || event.altKey || isSending) return
    const run = keyAction(event, card.current!, asking.peek() !== null)
    if (run === null || (run === 'always' && decision.remember === undefined)) return
    event.preventDefault()
    event.stopPropagation()
    if (run === 'accept') accept()
    else if (run === 'reject' || run === 'always') asking.value = run
    else {
      asking.value = null
      card.current?.focus()
    }
  }
  return (
    <section
      ref={card}
      class="wait-card"
      tabIndex={-1}
      data-call-id={part.callId}
      data-kind={decision.kind}
      data-severity={severity ?? 'unknown'}
      aria-busy={isSending}
      aria-label={`${title} ${toSentence(risk)} ${reason}`}
      onKeyDown={handleKey}
    >
      <header class="card-head">
        <Icon name={icon} />
        <h3>{title}</h3>
        {risk !== '' && <span class="severity">{risk}</span>}
      </header>
      <p class="card-reason">
        {reason}
        {decision.expiresAt !== undefined && ` Until ${formatTime(decision.expiresAt)}.`}
      </p>
      <fieldset class="card-body" disabled={isSending}>
        {children}
        {asking.value === 'reject' ? (
          <RejectForm
            canLast={decision.remember !== undefined}
            onReject={(options) => void send('reject', options)}
            onBack={() => (asking.value = null)}
          />
        ) : (
          <Actions
            asking={asking}
            remember={decision.remember}
            isEdited={isEdited}
            isSending={isSending}
            onAccept={accept}
          />
        )}
      </fieldset>
    </section>
  )
}

type ActionsProps = {
  asking: Signal<'reject' | 'always' | null>
  /** Undefined: it is decided each time. */
  remember: DecisionView['remember']
  isEdited: boolean
  isSending: boolean
  onAccept: (scope?: Scope) => void
}

function Actions({ asking, remember, isEdited, isSending, onAccept }: ActionsProps) {
  return (
    <div class="card-actions">
      <button
        type="button"
        class="primary-button"
        data-act="accept"
        title="Accept (a)"
        onClick={() => onAccept()}
      >
        {isEdited ? 'Accept with changes' : 'Accept'}
      </button>
      <button
        type="button"
        class="soft-button"
        data-act="reject"
        title="Reject (r)"
        onClick={() => (asking.value = 'reject')}
      >
        Reject
      </button>
      {remember !== undefined && (
        <AlwaysMenu asking={asking} remember={remember} isEdited={isEdited} onChoose={onAccept} />
      )}
      <SendingNote isSending={isSending} />
    </div>
  )
}

/** In a field only chords mean something; elsewhere on the card plain keys do. */
function keyAction(
  event: KeyboardEvent,
  card: HTMLElement,
  isAsking: boolean,
): 'accept' | 'reject' | 'always' | 'back' | null {
  const { key, target } = event
  const isCommand = event.ctrlKey || event.metaKey
  // Leaves the field, or what was opened; the same key on the page would stop the run.
  if (key === 'Escape' && (isAsking || isField(target))) return 'back'
  if (isCommand) return key === 'Enter' && !isAsking ? 'accept' : null
  if (isField(target)) return null
  if (key === 'a' || (key === 'Enter' && target === card)) return 'accept'
  if (key === 'w') return 'always'
  return key === 'r' ? 'reject' : null
}

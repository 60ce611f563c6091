import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { ChildWait } from '#protocol/agent-events'
import type { DecideOptions } from '../../sdk/session-commands.ts'
import { openEntry } from '../inbox/open-entry.ts'
import { KIND_WORDS } from '../inbox/words.ts'
import { Icon } from '../shell/icon.tsx'
import { decide, leaveCard, sending } from '../state/decisions.ts'
import { isAllThereIs } from './read-wait.ts'
import { RejectForm } from './reject-form.tsx'
import { SendingNote } from './sending-note.tsx'
import { SEVERITY_WORDS, toSentence } from './words.ts'

const ICONS: Record<ChildWait['kind'], string> = {
  command: 'terminal',
  file_edit: 'file',
  tool: 'tool',
  plan: 'list',
  question: 'info',
}

export type Reading = 'no' | 'yes' | { problem: string }

type Props = { who: string; wait: ChildWait; reading: Reading; onReview: () => void }

/** A line of what waits in a child. What is not seen whole in it is accepted where it is. */
export function ChildWaitCard({ who, wait, reading, onReview }: Props) {
  const card = useRef<HTMLElement>(null)
  const isRejecting = useSignal(false)
  const problem = useSignal('')
  const { id, kind, title, reason, severity } = wait
  const isSending = sending.value.has(id)
  const risk = kind === 'question' || kind === 'plan' ? '' : SEVERITY_WORDS[severity]
  const send = async (verdict: 'accept' | 'reject', options: DecideOptions): Promise<void> => {
    const answered = decide(id, id, verdict, options)
    leaveCard(card.current!)
    problem.value = (await answered) ?? ''
  }
  const open = (): void => openEntry(wait)
  const handleKey = (event: KeyboardEvent): void => {
    const run = keyAction(event, wait, isRejecting.peek())
    if (run === null || isSending) return
    event.preventDefault()
    event.stopPropagation()
    if (run === 'accept') void send('accept', {})
    else if (run === 'open') open()
    else if (run === 'review') onReview()
    else isRejecting.value = run === 'reject'
    if (run === 'back') card.current?.focus()
  }
  return (
    <section
      ref={card}
      class="wait-card child-wait"
      tabIndex={-1}
      data-wait={id}
      data-kind={kind}
      data-severity={severity}
      aria-busy={isSending}
      aria-label={`${who} waits. ${KIND_WORDS[kind]}: ${title} ${toSentence(risk)} ${toSentence(reason)}`}
      onKeyDown={handleKey}
    >
      <WaitHead who={who} wait={wait} risk={risk} onOpen={open} />
      <fieldset class="card-body" disabled={isSending}>
        {isRejecting.value ? (
          <RejectForm
            canLast={false}
            onReject={(options) => void send('reject', options)}
            onBack={() => (isRejecting.value = false)}
          />
        ) : (
          <Actions
            wait={wait}
            isReading={reading === 'yes'}
            onAccept={() => void send('accept', {})}
            onReview={onReview}
            onReject={() => (isRejecting.value = true)}
          />
        )}
        <SendingNote isSending={isSending} />
      </fieldset>
      <p class="card-problem" role="alert">
        {typeof reading === 'object' ? reading.problem : problem}
      </p>
    </section>
  )
}

type HeadProps = { who: string; wait: ChildWait; risk: string; onOpen: () => void }

function WaitHead({ who, wait: { kind, title, reason }, risk, onOpen }: HeadProps) {
  return (
    <>
      <header class="card-head">
        <Icon name={ICONS[kind]} />
        <h3>{`${who}: ${KIND_WORDS[kind].toLowerCase()}`}</h3>
        {risk !== '' && <span class="severity">{risk}</span>}
        <button type="button" class="text-button" data-act="open" title="o" onClick={onOpen}>
          Open chat
        </button>
      </header>
      <p class="child-wait-title">{title}</p>
      {reason !== '' && <p class="card-reason">{toSentence(reason)}</p>}
    </>
  )
}

type ActionsProps = {
  wait: ChildWait
  isReading: boolean
  onAccept: () => void
  onReview: () => void
  onReject: () => void
}

function Actions({ wait, isReading, onAccept, onReview, onReject }: ActionsProps) {
  const isWhole = isAllThereIs(wait)
  return (
    <div class="card-actions">
      {isWhole && (
        <button type="button" class="primary-button" data-act="accept" onClick={onAccept}>
          Accept
        </button>
      )}
      <button
        type="button"
        class={isWhole ? 'soft-button' : 'primary-button'}
        data-act="review"
        aria-expanded={false}
        onClick={onReview}
      >
        {wait.kind === 'question' ? 'Answer…' : 'Review…'}
      </button>
      {wait.kind !== 'question' && (
        <button type="button" class="soft-button" data-act="reject" onClick={onReject}>
          Reject
        </button>
      )}
      {isReading && (
        <span class="card-sending" role="status">
          Loading…
        </span>
      )}
    </div>
  )
}

/** In a field only Escape means something, and it must not stop the run behind it. */
function keyAction(
  event: KeyboardEvent,
  wait: ChildWait,
  isRejecting: boolean,
): 'accept' | 'reject' | 'open' | 'review' | 'back' | null {
  const { key, target, currentTarget } = event
  if (event.defaultPrevented || event.isComposing || event.altKey) return null
  if (isRejecting) return key === 'Escape' ? 'back' : null
  if (event.ctrlKey || event.metaKey) return null
  const isWhole = isAllThereIs(wait)
  if (key === 'Enter' && target === currentTarget) return isWhole ? 'accept' : 'review'
  if (key === 'a') return isWhole ? 'accept' : null
  if (key === 'e') return 'review'
  if (key === 'o') return 'open'
  return key === 'r' && wait.kind !== 'question' ? 'reject' : null
}

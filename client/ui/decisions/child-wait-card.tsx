import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { ChildWait } from '#protocol/agent-events'
import type { DecideOptions } from '../../sdk/session-commands.ts'
import { openEntry } from '../inbox/open-entry.ts'
import { KIND_WORDS } from '../inbox/words.ts'
import { Icon } from '../shell/icon.tsx'
import { decide, leaveCard, sending } from '../state/decisions.ts'
import { held } from '../state/sessions.ts'
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

type Props = { agent: string; wait: ChildWait }

/** One thing that waits in a child. What cannot be seen here is accepted where it can. */
export function ChildWaitCard({ agent, wait }: Props) {
  const card = useRef<HTMLElement>(null)
  const isRejecting = useSignal(false)
  const problem = useSignal('')
  const { id, callId, sessionId, kind, title, reason, severity } = wait
  // A child of a child has a name of its own, where it is known.
  const who = held.value.get(sessionId)?.agent ?? agent
  const isSending = sending.value.has(id)
  const risk = kind === 'question' || kind === 'plan' ? '' : SEVERITY_WORDS[severity]
  const send = async (verdict: 'accept' | 'reject', options: DecideOptions): Promise<void> => {
    const answered = decide(id, callId, verdict, options)
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
      <WaitHead who={who} wait={wait} risk={risk} />
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
            onAccept={() => void send('accept', {})}
            onReject={() => (isRejecting.value = true)}
            onOpen={open}
          />
        )}
        <SendingNote isSending={isSending} />
      </fieldset>
      <p class="card-problem" role="alert">
        {problem}
      </p>
    </section>
  )
}

type HeadProps = { who: string; wait: ChildWait; risk: string }

function WaitHead({ who, wait: { kind, title, reason }, risk }: HeadProps) {
  return (
    <>
      <header class="card-head">
        <Icon name={ICONS[kind]} />
        <h3>{`${who}: ${KIND_WORDS[kind].toLowerCase()}`}</h3>
        {risk !== '' && <span class="severity">{risk}</span>}
      </header>
      <p class="child-wait-title">{title}</p>
      {reason !== '' && <p class="card-reason">{toSentence(reason)}</p>}
    </>
  )
}

type ActionsProps = {
  wait: ChildWait
  onAccept: () => void
  onReject: () => void
  onOpen: () => void
}

function Actions({ wait, onAccept, onReject, onOpen }: ActionsProps) {
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
        data-act="open"
        onClick={onOpen}
      >
        {wait.kind === 'question' ? 'Open to answer' : isWhole ? 'Open' : 'Open to review'}
      </button>
      {wait.kind !== 'question' && (
        <button type="button" class="soft-button" data-act="reject" onClick={onReject}>
          Reject
        </button>
      )}
    </div>
  )
}

/** In a field only Escape means something, and it must not stop the run behind it. */
function keyAction(
  event: KeyboardEvent,
  wait: ChildWait,
  isRejecting: boolean,
): 'accept' | 'reject' | 'open' | 'back' | null {
  const { key, target, currentTarget } = event
  if (event.defaultPrevented || event.isComposing || event.altKey) return null
  if (isRejecting) return key === 'Escape' ? 'back' : null
  if (event.ctrlKey || event.metaKey) return null
  const isWhole = isAllThereIs(wait)
  if (key === 'Enter' && target === currentTarget) return isWhole ? 'accept' : 'open'
  if (key === 'a') return isWhole ? 'accept' : null
  if (key === 'o') return 'open'
  return key === 'r' && wait.kind !== 'question' ? 'reject' : null
}

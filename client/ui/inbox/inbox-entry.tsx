import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { InboxEntry } from '#protocol/hub'
import { isAllThereIs } from '../decisions/read-wait.ts'
import { formatAge } from '../format.ts'
import { now } from '../state/clock.ts'
import { decideAt, sending } from '../state/decisions.ts'
import { KIND_WORDS } from './words.ts'

type Props = { entry: InboxEntry; onOpen: () => void }

/** What waits in some chat. Where its line is all of it, it is answered here; the rest is opened. */
export function Entry({ entry, onOpen }: Props) {
  const { id, kind, severity, title, reason, sessionTitle, at } = entry
  return (
    <li data-entry={id}>
      <button
        type="button"
        class="inbox-entry"
        data-wait={id}
        data-severity={severity}
        onClick={onOpen}
      >
        <span class="inbox-entry-head">
          <span class="inbox-session">{sessionTitle}</span>
          <span class="inbox-age">{formatAge(at, now.value)}</span>
        </span>
        <span class={isAllThereIs(entry) ? 'inbox-title whole' : 'inbox-title'}>{title}</span>
        <span class="inbox-reason">
          <span class="inbox-kind">{KIND_WORDS[kind]}</span>
          {kind !== 'question' && <span class="inbox-severity">{severity}</span>}
          {reason}
        </span>
      </button>
      {isAllThereIs(entry) && <Answers entry={entry} />}
    </li>
  )
}

type Verdict = 'accept' | 'reject'

function Answers({ entry }: { entry: InboxEntry }) {
  const row = useRef<HTMLDivElement>(null)
  const problem = useSignal('')
  const isSending = sending.value.has(entry.id)
  const send = async (said: Verdict): Promise<void> => {
    problem.value = ''
    const answered = decideAt(entry, said)
    focusNext(row.current!)
    problem.value = (await answered) ?? ''
  }
  const button = (said: Verdict, words: string, look: string) => (
    <button
      type="button"
      class={look}
      data-act={said}
      disabled={isSending}
      aria-label={`${words}: ${entry.title}`}
      onClick={() => void send(said)}
    >
      {words}
    </button>
  )
  return (
    <div class="inbox-answers" data-severity={entry.severity} ref={row}>
      {button('accept', 'Accept', 'primary-button')}
      {button('reject', 'Reject', 'soft-button')}
      {/* It stays until the chat that asked has said so itself. */}
      <span class="inbox-answered" role="status">
        {isSending && problem.value === '' && 'Sending…'}
      </span>
      <p class="card-problem" role="alert">
        {problem}
      </p>
    </div>
  )
}

/** What was pressed goes with its entry: the keyboard stays in the list, or in its dialog. */
function focusNext(row: HTMLElement): void {
  const entry = row.closest('li')
  const next = entry?.nextElementSibling ?? entry?.previousElementSibling
  const target =
    next?.querySelector('button') ??
    row.closest('dialog')?.querySelector('header button:last-child')
  if (target instanceof HTMLElement) target.focus()
}

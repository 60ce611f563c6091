import { useSignal } from '@preact/signals'
import type { RecordReason } from '#protocol/agent-events'
import type { CallbackView } from '#protocol/turns'
import { Markdown } from '../markdown/lazy-markdown.ts'
import { Icon } from '../shell/icon.tsx'
import { SessionLink } from '../shell/session-link.tsx'
import { CallList } from './call-list.tsx'

type Why = { head: string; note: string }

const OVER: Why = { head: 'Too late', note: 'The run that asked was over: nothing followed.' }
const WHY: Record<RecordReason, Why> = {
  withdrawn: { head: 'Taken back', note: 'A person took the message back: nothing followed.' },
  cleared: { head: 'Taken back', note: 'The chat was cleared: nothing followed.' },
  queue_full: { head: 'Not read', note: 'The queue was full: the agent was not told.' },
}

/** An answer that nobody had waited for, and where nothing followed from it, why. */
export function CallbackDetails({ view }: { view: CallbackView }) {
  const { callback, isRecord, because } = view
  const { from, sessionId, ok, result, toolCalls } = callback
  const why = because === undefined ? OVER : WHY[because]
  const isOpen = useSignal(!isRecord)
  const handleClick = (event: Event): void => {
    event.preventDefault()
    isOpen.value = !isOpen.peek()
  }
  return (
    <details open={isOpen.value}>
      <summary onClick={handleClick}>
        <Icon name="users" />
        <b>{isRecord ? `${why.head}: ${describe(from, ok)}` : titleOf(from, ok)}</b>
        <span class="exchange-preview">{isOpen.value ? '' : result}</span>
        <Icon name="chevron" />
      </summary>
      <div class="exchange-body">
        <CallList calls={toolCalls} />
        <div data-part="text">{ok ? <Markdown text={result} isDone /> : result}</div>
        {isRecord && <p class="exchange-note">{why.note}</p>}
        <SessionLink sessionId={sessionId} class="exchange-link">
          {`Open the chat of ${from}`}
        </SessionLink>
      </div>
    </details>
  )
}

const describe = (from: string, ok: boolean): string =>
  `${from} ${ok ? 'answered' : 'did not answer'}`

const titleOf = (from: string, ok: boolean): string =>
  ok ? describe(from, ok) : `No answer from ${from}`

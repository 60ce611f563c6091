import { useSignal } from '@preact/signals'
import type { CallbackTurn } from '#protocol/turns'
import { Markdown } from '../markdown/lazy-markdown.ts'
import { Icon } from '../shell/icon.tsx'
import { SessionLink } from '../shell/session-link.tsx'
import { CallList } from './call-list.tsx'

function describe({ callback: { from, ok }, isRecord }: CallbackTurn): string {
  if (isRecord) return `Too late: ${from} ${ok ? 'answered' : 'did not answer'}`
  return ok ? `${from} answered` : `No answer from ${from}`
}

/** What another agent answered to a message that nobody had waited for. */
export function AgentCallback({ turn }: { turn: CallbackTurn }) {
  const { callback, isRecord } = turn
  const { from, sessionId, ok, result, toolCalls } = callback
  const isOpen = useSignal(!isRecord)
  const handleClick = (event: Event): void => {
    event.preventDefault()
    isOpen.value = !isOpen.peek()
  }
  const names = ['turn', 'agent-callback', ok ? 'success' : 'error', isRecord ? 'record' : '']
  return (
    <article
      class={names.filter((name) => name !== '').join(' ')}
      data-turn={turn.seq}
      aria-label={`Answer of ${from}`}
    >
      <details open={isOpen.value}>
        <summary onClick={handleClick}>
          <Icon name="users" />
          <b>{describe(turn)}</b>
          <span class="exchange-preview">{isOpen.value ? '' : result}</span>
          <Icon name="chevron" />
        </summary>
        <div class="exchange-body">
          <CallList calls={toolCalls} />
          <div data-part="text">{ok ? <Markdown text={result} isDone /> : result}</div>
          {isRecord && (
            <p class="exchange-note">The run that asked was stopped: nothing followed.</p>
          )}
          <SessionLink sessionId={sessionId} class="exchange-link">
            {`Open the chat of ${from}`}
          </SessionLink>
        </div>
      </details>
    </article>
  )
}

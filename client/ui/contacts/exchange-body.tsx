// The sending side of an exchange, unfolded: the message, what the other agent did, its answer.

import type { ExchangeView, ToolPart } from '#protocol/turns'
import { Markdown } from '../markdown/lazy-markdown.ts'
import { CopyButton } from '../shell/copy-button.tsx'
import { SessionLink } from '../shell/session-link.tsx'
import { folded } from '../state/session.ts'
import { CallList } from '../transcript/call-list.tsx'

type Props = { part: ToolPart; exchange: ExchangeView }

/** What is to be said in place of an answer. */
function describeMissing({ status, error }: ToolPart, { exchangeId, toAgent, wait }: ExchangeView) {
  if (error !== undefined) return error.message
  if (wait || status !== 'success') return `${toAgent} has not answered yet.`
  const isOpen = folded.value.exchanges.some((one) => one.exchangeId === exchangeId)
  return isOpen
    ? `${toAgent} has not answered yet. The answer comes as a message of its own.`
    : 'The answer came as a message of its own.'
}

export function ExchangeBody({ part, exchange }: Props) {
  const { toSessionId, toAgent, text, answer } = exchange
  return (
    <div class="tool-body exchange-body" data-exchange={exchange.exchangeId}>
      <section class="exchange-part" aria-label={`Message to ${toAgent}`}>
        <h4>
          {`To ${toAgent}`}
          <CopyButton text={text} label="Copy message" />
        </h4>
        <div class="exchange-text">{text}</div>
      </section>
      <section class="exchange-part" aria-label={`Answer of ${toAgent}`}>
        <h4>
          {answer === undefined ? 'Answer' : `${toAgent} answered`}
          {answer !== undefined && <CopyButton text={answer.result} label="Copy answer" />}
        </h4>
        {answer === undefined ? (
          <p class="exchange-note">{describeMissing(part, exchange)}</p>
        ) : (
          <>
            <CallList calls={answer.toolCalls} />
            <div class="exchange-text">
              {answer.ok ? <Markdown text={answer.result} isDone /> : answer.result}
            </div>
          </>
        )}
      </section>
      <SessionLink sessionId={toSessionId} class="exchange-link">
        {`Open the chat of ${toAgent}`}
      </SessionLink>
    </div>
  )
}

import { useSignal } from '@preact/signals'
import type { ToolPart } from '#protocol/turns'
import { describeTool } from '#protocol/describe-tool'
import { ExchangeBody } from '../contacts/slot.ts'
import { Decisions } from '../decisions/slot.tsx'
import { memo } from '../memo.ts'
import { Icon } from '../shell/icon.tsx'
import { isBlock } from './group-parts.ts'
import { ToolBody } from './tool-body.tsx'
import { ToolState } from './tool-state.tsx'

/** Enough of a running tool's output to see that it moves. */
const LIVE_LINES = 8
const LIVE_CHARS = 2000

const isAgentCall = (part: ToolPart): boolean => part.toolName === 'agents_message'

function classOf(part: ToolPart): string {
  const names = ['tool-block', part.status]
  if (part.truncated === true) names.push('truncated')
  if (isAgentCall(part)) names.push('agent-callback')
  return names.join(' ')
}

const lastLines = (output: string): string =>
  output.slice(-LIVE_CHARS).trimEnd().split('\n').slice(-LIVE_LINES).join('\n')

export const ToolBlock = memo(({ part }: { part: ToolPart }) => {
  const chosen = useSignal(false)
  const { icon, text, detail } = describeTool(part)
  const { exchange } = part
  const live = part.status === 'pending' ? lastLines(part.output) : ''
  const handleClick = (event: Event): void => {
    event.preventDefault()
    chosen.value = !chosen.value
  }
  return (
    <div class={classOf(part)} data-part="tool" data-call={part.callId} data-tool={part.toolName}>
      <details open={chosen.value}>
        <summary onClick={handleClick}>
          <span class="tool-icon">
            <Icon name={icon} />
          </span>
          <span class="tool-text">{text}</span>
          <span class="tool-detail">
            {exchange && !exchange.answer ? exchange.text : part.status === 'success' ? detail : ''}
          </span>
          <ToolState part={part} />
          <Icon name="chevron" />
        </summary>
        {exchange ? <ExchangeBody part={part} exchange={exchange} /> : <ToolBody part={part} />}
      </details>
      {live !== '' && <pre class="tool-live">{live}</pre>}
      {(part.status === 'error' || part.status === 'denied') && part.error && (
        <p class="tool-message">{part.error.message}</p>
      )}
      {(part.decision || part.question || isBlock(part)) && <Decisions part={part} />}
    </div>
  )
})

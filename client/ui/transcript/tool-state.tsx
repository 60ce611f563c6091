import type { ToolErrorCode } from '#protocol/events'
import type { ExchangeView, ToolPart } from '#protocol/turns'
import { formatDuration } from '../format.ts'
import { Icon } from '../shell/icon.tsx'
import { held } from '../state/sessions.ts'

const ERROR_WORDS: Record<ToolErrorCode, string> = {
  tool_error: 'Failed',
  tool_interrupted: 'Interrupted',
  rate_limit_tools: 'Too many calls',
  tool_denied: 'Denied',
  tool_invalid_input: 'Invalid arguments',
  tool_timeout: 'Timed out',
}

/** Answered, it runs, or it is over. */
const isWaiting = ({ decision, question }: ToolPart): boolean =>
  decision?.status === 'pending' || question !== undefined

/** Whoever was asked may wait in turn: then it is a person who is waited for. */
const describeWait = ({ toSessionId, toAgent }: ExchangeView): string =>
  held.value.get(toSessionId)?.status === 'waiting'
    ? `${toAgent} waits for you`
    : `Waits for ${toAgent}`

function wordsOf(part: ToolPart): string {
  switch (part.status) {
    case 'preparing':
      return 'Preparing…'
    case 'pending':
      if (isWaiting(part)) return 'Waits for you'
      return part.exchange === undefined ? 'Running…' : describeWait(part.exchange)
    case 'success':
      return part.durationMs === undefined ? 'Done' : formatDuration(part.durationMs)
    case 'error':
      return part.error ? ERROR_WORDS[part.error.code] : 'Failed'
    case 'interrupted':
      return '⚠ Interrupted'
    case 'denied':
      return 'Denied'
  }
}

const ICONS: Partial<Record<ToolPart['status'], string>> = {
  success: 'check',
  error: 'alert',
  denied: 'denied',
}

export function ToolState({ part }: { part: ToolPart }) {
  const icon = ICONS[part.status]
  return (
    <>
      {part.truncated === true && <span class="tool-truncated">⚠ Truncated</span>}
      <span class="tool-state">
        {icon !== undefined && <Icon name={icon} />}
        {part.status === 'success' && <span class="visually-hidden">Succeeded in </span>}
        {wordsOf(part)}
      </span>
    </>
  )
}

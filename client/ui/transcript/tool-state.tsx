import type { ToolErrorCode } from '#protocol/events'
import type { ToolPart } from '#protocol/state'
import { formatDuration } from '../format.ts'
import { Icon } from '../shell/icon.tsx'

const ERROR_WORDS: Record<ToolErrorCode, string> = {
  tool_error: 'Failed',
  tool_interrupted: 'Interrupted',
  rate_limit_tools: 'Too many calls',
  tool_denied: 'Denied',
  tool_invalid_input: 'Invalid arguments',
  tool_timeout: 'Timed out',
}

function wordsOf(part: ToolPart): string {
  switch (part.status) {
    case 'preparing':
      return 'Preparing…'
    case 'pending':
      return 'Running…'
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

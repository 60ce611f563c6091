import { useSignal } from '@preact/signals'
import type { TextPart } from '#protocol/turns'
import { memo } from '../memo.ts'
import { Icon } from '../shell/icon.tsx'

/** `isStreaming`: nothing follows it yet. It folds when text or a tool does. */
type Props = { part: TextPart; isStreaming: boolean }

export const ThinkingBlock = memo(({ part, isStreaming }: Props) => {
  const chosen = useSignal<boolean | null>(null)
  const isOpen = chosen.value ?? isStreaming
  const handleClick = (event: Event): void => {
    event.preventDefault()
    chosen.value = !isOpen
  }
  return (
    <details
      class={isStreaming ? 'thinking streaming' : 'thinking'}
      data-part="thinking"
      open={isOpen}
    >
      <summary onClick={handleClick}>
        <Icon name="thought" />
        <span>{isStreaming ? 'Thinking' : 'Thought'}</span>
        <Icon name="chevron" />
      </summary>
      <div class="thinking-body">
        <div class="thinking-text">{part.text}</div>
      </div>
    </details>
  )
})

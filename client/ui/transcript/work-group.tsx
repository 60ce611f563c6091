import { useSignal } from '@preact/signals'
import type { ToolPart } from '#protocol/turns'
import { Icon } from '../shell/icon.tsx'
import { keyOfPart, type WorkPart } from './group-parts.ts'
import { summarizeWork } from './summarize-work.ts'
import { ThinkingBlock } from './thinking-block.tsx'
import { ToolBlock } from './tool-block.tsx'

/** One call or thought is a line already; a summary of it would be a second one. */
const FOLD_FROM_PARTS = 2

type Props = {
  parts: readonly WorkPart[]
  /** The last thought is still being thought. */
  isStreaming: boolean
  /** It folds by itself, unless a person has opened something in it. */
  isOver: boolean
}

export function WorkGroup({ parts, isStreaming, isOver }: Props) {
  const chosen = useSignal<boolean | null>(null)
  const tools = parts.filter((part): part is ToolPart => part.kind === 'tool')
  const isFoldable = isOver && tools.length > 0 && parts.length >= FOLD_FROM_PARTS
  const isOpen = !isFoldable || (chosen.value ?? false)
  const handleClick = ({ target }: Event): void => {
    if (target instanceof Element && target.closest('summary')) chosen.value = true
  }
  return (
    <section class="work" aria-label="Work">
      {isFoldable && (
        <button
          type="button"
          class="work-summary"
          aria-expanded={isOpen}
          onClick={() => (chosen.value = !isOpen)}
        >
          <Icon name={tools.every(({ status }) => status === 'success') ? 'check' : 'alert'} />
          <span>{summarizeWork(tools)}</span>
          <Icon name="chevron" />
        </button>
      )}
      <div class="work-body" hidden={!isOpen} onClick={handleClick}>
        {parts.map((part, index) =>
          part.kind === 'tool' ? (
            <ToolBlock key={keyOfPart(part)} part={part} />
          ) : (
            <ThinkingBlock
              key={keyOfPart(part)}
              part={part}
              isStreaming={isStreaming && index === parts.length - 1}
            />
          ),
        )}
      </div>
    </section>
  )
}

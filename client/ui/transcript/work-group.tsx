import { useSignal } from '@preact/signals'
import type { ToolPart } from '#protocol/state'
import { Icon } from '../shell/icon.tsx'
import { keyOfPart, type WorkPart } from './group-parts.ts'
import { summarizeWork } from './summarize-work.ts'
import { ThinkingBlock } from './thinking-block.tsx'
import { ToolBlock } from './tool-block.tsx'

/** One tool call is a line already; a summary of it would be a second one. */
const FOLD_FROM_TOOLS = 2

type Props = {
  parts: readonly WorkPart[]
  isStreaming: boolean
  /** Set once the run is done: undefined keeps the work in view, null folds it without a time. */
  foldedMs: number | null | undefined
}

export function WorkGroup({ parts, isStreaming, foldedMs }: Props) {
  const chosen = useSignal<boolean | null>(null)
  const tools = parts.filter((part): part is ToolPart => part.kind === 'tool')
  const isFoldable = foldedMs !== undefined && tools.length >= FOLD_FROM_TOOLS
  const isOpen = !isFoldable || (chosen.value ?? false)
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
          <span>{summarizeWork(tools, foldedMs)}</span>
          <Icon name="chevron" />
        </button>
      )}
      <div class="work-body" hidden={!isOpen}>
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

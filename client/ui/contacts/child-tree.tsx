// The children of a step as one tree, live: who works on what, and how far they are.

import { useSignal } from '@preact/signals'
import type { ToolPart } from '#protocol/turns'
import { Icon } from '../shell/icon.tsx'
import { summarizeWork } from '../transcript/summarize-work.ts'
import { ToolBlock } from '../transcript/tool-block.tsx'
import { ChildRow } from './child-row.tsx'
import { summarizeChildren } from './child-status.ts'
import { openRunTree } from './slot.ts'

/** More than these fold to their summary once all of them are over. */
const SHOWN_WHEN_OVER = 6

type Props = { runId: string; parts: readonly ToolPart[] }

export function ChildTree({ runId, parts }: Props) {
  const chosen = useSignal<boolean | null>(null)
  const statuses = parts.flatMap((part) => (part.child === undefined ? [] : [part.child.status]))
  const isActive = parts.some(({ status }) => status === 'pending' || status === 'preparing')
  const isOpen = chosen.value ?? (isActive || parts.length <= SHOWN_WHEN_OVER)
  const cancelled = statuses.filter((status) => status === 'cancelled').length
  const words = isActive
    ? summarizeChildren(statuses)
    : [summarizeWork(parts), ...(cancelled === 0 ? [] : [`${cancelled} cancelled`])].join(', ')
  return (
    <section
      class="child-tree"
      data-part="children"
      data-active={String(isActive)}
      aria-label="Children"
    >
      <header class="child-tree-head">
        <button
          type="button"
          class="child-tree-fold"
          aria-expanded={isOpen}
          onClick={() => (chosen.value = !isOpen)}
        >
          <Icon name="users" />
          <span>{words || 'Starting children'}</span>
          <Icon name="chevron" />
        </button>
        <button type="button" class="text-button" onClick={() => openRunTree(runId)}>
          Runs
        </button>
      </header>
      <ul
        class="child-rows"
        hidden={!isOpen}
        tabIndex={parts.length > SHOWN_WHEN_OVER ? 0 : undefined}
      >
        {parts.map((part) =>
          part.child === undefined ? (
            <li key={part.callId}>
              <ToolBlock part={part} />
            </li>
          ) : (
            <ChildRow key={part.callId} part={part} child={part.child} />
          ),
        )}
      </ul>
    </section>
  )
}

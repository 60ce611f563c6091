import { useSignal } from '@preact/signals'
import type { ChildView, ToolPart } from '#protocol/turns'
import { formatDuration } from '../format.ts'
import { Markdown } from '../markdown/lazy-markdown.ts'
import { memo } from '../memo.ts'
import { Icon } from '../shell/icon.tsx'
import { SessionLink } from '../shell/session-link.tsx'
import { seconds } from '../state/clock.ts'
import { CHILD_CLASSES, CHILD_WORDS } from './child-status.ts'

const SECOND_MS = 1000

const countTools = (tools: number): string => `${tools} ${tools === 1 ? 'tool' : 'tools'}`

/** Its own component: a second that passes renders a number and nothing else. */
function Elapsed({ startedAt }: { startedAt: number }) {
  const elapsed = Math.max(0, seconds.value - startedAt)
  return <>{formatDuration(Math.floor(elapsed / SECOND_MS) * SECOND_MS).replace('.0', '')}</>
}

type Props = { part: ToolPart; child: ChildView }

export const ChildRow = memo(({ part, child }: Props) => {
  const isOpen = useSignal(false)
  const { agent, task, status, tools, summary, childSessionId, startedAt } = child
  const isActive = status === 'running' || status === 'waiting'
  const took = child.durationMs ?? part.durationMs
  const line = isActive ? child.activity : (summary ?? part.error?.message ?? '')
  return (
    <li
      class={`child-row ${CHILD_CLASSES[status]}`}
      data-child={childSessionId}
      data-call={part.callId}
      data-status={status}
    >
      <div class="child-head">
        <button
          type="button"
          class="child-fold"
          aria-expanded={isOpen.value}
          aria-label={`Details of ${agent}: ${task}`}
          onClick={() => (isOpen.value = !isOpen.peek())}
        >
          <Icon name="chevron" />
        </button>
        <SessionLink
          sessionId={childSessionId}
          class="child-link"
          title="Open the chat of this child"
        >
          <b>{agent}</b>
          <span class="child-task">{task}</span>
        </SessionLink>
        <span class="child-facts">
          <span class="child-status">
            <span class="status-dot" aria-hidden="true" />
            {CHILD_WORDS[status]}
          </span>
          {tools > 0 && <span>{countTools(tools)}</span>}
          <span class="child-time">
            {isActive ? (
              <Elapsed startedAt={startedAt} />
            ) : (
              took !== undefined && formatDuration(took)
            )}
          </span>
        </span>
      </div>
      {!isOpen.value && line !== '' && <p class="child-line">{line}</p>}
      {isOpen.value && <ChildDetails task={task} part={part} summary={summary} activity={line} />}
    </li>
  )
})

type DetailsProps = {
  task: string
  part: ToolPart
  summary: string | undefined
  activity: string
}

function ChildDetails({ task, part, summary, activity }: DetailsProps) {
  return (
    <div class="child-details">
      <h4>Task</h4>
      <div class="exchange-text">{task}</div>
      <h4>{summary === undefined ? 'Last seen' : 'Result'}</h4>
      <div class="exchange-text">
        {summary === undefined || part.status !== 'success' ? (
          (summary ?? (activity || 'Nothing yet.'))
        ) : (
          <Markdown text={summary} isDone />
        )}
      </div>
    </div>
  )
}

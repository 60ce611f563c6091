import type { RunRecord } from '#protocol/http'
import { formatDuration, formatTokens } from '../format.ts'
import { SessionLink } from '../shell/session-link.tsx'
import { seconds } from '../state/clock.ts'
import { folded } from '../state/session.ts'
import { held } from '../state/sessions.ts'
import { CHILD_CLASSES, CHILD_WORDS, type ChildStatus } from './child-status.ts'
import type { RunNode } from './run-tree.ts'

const statusOf = ({ outcome, session_id: id }: RunRecord): ChildStatus => {
  if (outcome !== null) return outcome
  return held.value.get(id)?.status === 'waiting' ? 'waiting' : 'running'
}

function factsOf({ started_at: start, duration_ms: took, usage, tool_calls: calls }: RunRecord) {
  const tokens = usage === null ? 0 : usage.inputTokens + usage.outputTokens
  return [
    `${calls.length} ${calls.length === 1 ? 'tool' : 'tools'}`,
    formatDuration(took ?? Math.max(0, seconds.value - start)),
    ...(tokens > 0 ? [formatTokens(tokens)] : []),
  ].join(' · ')
}

/** It has ended, and answers that it did not wait for would begin another one. */
const isAwaited = ({ run_id: id, outcome }: RunRecord): boolean =>
  outcome !== null &&
  folded.value.exchanges.some(({ runId, cancelled }) => runId === id && cancelled !== true)

type Props = { node: RunNode; onOpen: () => void; onCancel: (run: RunRecord) => void }

/** One run, and below it those that work for it. */
export function RunRow({ node, onOpen, onCancel }: Props) {
  const { run, children } = node
  const status = statusOf(run)
  const title = held.value.get(run.session_id)?.title ?? run.actual_model
  const handleOpen = ({ target }: Event): void => {
    if (target instanceof Element && target.closest('a')) onOpen()
  }
  return (
    <li class={`run-row ${CHILD_CLASSES[status]}`} data-run={run.run_id} data-status={status}>
      <div class="run-line" onClick={handleOpen}>
        <SessionLink sessionId={run.session_id} class="child-link" title="Open its chat">
          <b>{run.agent_id}</b>
          <span class="child-task">{title}</span>
        </SessionLink>
        {run.state === 'running' && (
          <button
            type="button"
            class="soft-button danger"
            aria-label={`Cancel the run of ${run.agent_id} and all that works for it`}
            onClick={() => onCancel(run)}
          >
            Cancel
          </button>
        )}
        {isAwaited(run) && (
          <button
            type="button"
            class="soft-button danger"
            aria-label={`Take back what the run of ${run.agent_id} has asked others for`}
            onClick={() => onCancel(run)}
          >
            Take back
          </button>
        )}
        <span class="child-facts">
          <span class="child-status">
            <span class="status-dot" aria-hidden="true" />
            {CHILD_WORDS[status]}
          </span>
          <span>{factsOf(run)}</span>
        </span>
      </div>
      {children.length > 0 && (
        <ul class="run-rows">
          {children.map((child) => (
            <RunRow key={child.run.run_id} node={child} onOpen={onOpen} onCancel={onCancel} />
          ))}
        </ul>
      )}
    </li>
  )
}

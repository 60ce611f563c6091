// What an agent is doing, as a line of text: model_loading → thinking → calling_tool → working → idle.
// Derived from the same state as the page's status, so that the two cannot differ.

import { describeTool } from '#protocol/describe-tool'
import { agentStatus, type AgentStatus } from '#protocol/live'
import type { SessionState } from '#protocol/state'
import type { ToolPart } from '#protocol/turns'
import type { UiDraft } from './ui-draft.ts'

type Activity = { status: AgentStatus; detail: string; isWaiting: boolean; tool: ToolPart | null }

/** Those of the document, which its clients know as passing. */
const DETAILS: Record<AgentStatus, string> = {
  idle: 'Idle',
  model_loading: 'Model loading...',
  thinking: 'Thinking...',
  calling_tool: 'Running',
  working: 'Running',
}

export function activityOf(state: SessionState): Activity {
  const status = agentStatus(state.run, state.open)
  const isWaiting = state.run.status === 'running' && state.run.waiting === true
  const tool = status === 'working' ? runningTool(state) : null
  const doing = tool === null ? DETAILS[status] : describeTool(tool).text
  return { status, detail: isWaiting ? 'Waiting for an answer' : doing, isWaiting, tool }
}

/** The last one: what began last is what is new. */
const runningTool = ({ open }: SessionState): ToolPart | null =>
  (open?.parts.findLast((part) => part.kind === 'tool' && part.status === 'pending') as
    | ToolPart
    | undefined) ?? null

/** One message where it is not as it was, none where it is. */
export function changedActivity(before: SessionState, after: SessionState): UiDraft[] {
  const was = activityOf(before)
  const is = activityOf(after)
  const isSame =
    was.status === is.status && was.detail === is.detail && was.tool?.callId === is.tool?.callId
  return isSame ? [] : [toDraft(is, after)]
}

function toDraft(activity: Activity, { run }: SessionState): UiDraft {
  const { status, detail, isWaiting, tool } = activity
  return {
    kind: 'activity',
    phase: status === 'idle' ? 'done' : 'doing',
    text: detail,
    data: {
      status,
      detail,
      ...(run.status === 'running' && { run_id: run.runId }),
      ...(tool !== null && toCallData(tool)),
      ...(isWaiting && { waiting: true }),
    },
  }
}

const toCallData = ({ callId, toolName }: Pick<ToolPart, 'callId' | 'toolName'>) => ({
  call_id: callId,
  tool: toolName,
})

/** A call is announced before it runs. */
export function callingTool(tool: ToolPart): UiDraft {
  const detail = describeTool(tool).text
  const data = { status: 'calling_tool', detail, ...toCallData(tool) }
  return { kind: 'activity', phase: 'doing', text: detail, data }
}

/** `output`: the beginning of what came of it, or why nothing did. */
export function endedTool(tool: ToolPart): UiDraft {
  const { text, detail: output } = describeTool(tool)
  const { status: outcome, durationMs } = tool
  const data = { detail: text, ...toCallData(tool), outcome, output, duration_ms: durationMs ?? 0 }
  return { kind: 'activity', phase: 'done', text, data }
}

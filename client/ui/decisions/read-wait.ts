// What a child asks, as its parent is told: one line of it. The rest is in the child's log, and is
// read there when somebody wants to answer it here.

import type { ChildWait } from '#protocol/agent-events'
import type { SessionEvent } from '#protocol/events'
import { fold } from '#protocol/reduce'
import { findTool } from '#protocol/reduce-decisions'
import type { ToolPart } from '#protocol/turns'

/** Characters that show nothing, or turn around what stands beside them. */
const HIDING = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const CUT = '…'

/**
 * Whether the line is all that has to be seen before it is allowed. A command is its text, as long as
 * none of it was cut; a change of a file is its diff, a tool its arguments, and neither is told here.
 */
export const isAllThereIs = ({ kind, title }: Pick<ChildWait, 'kind' | 'title'>): boolean =>
  kind === 'command' && title.trim() !== '' && !title.endsWith(CUT) && !HIDING.test(title)

/**
 * The call as it stands in the child, of the events that lead up to what is asked. Its id is that of
 * the question: those of calls are their own session's, and another may stand here already. null:
 * nothing of that id was asked.
 */
export function toAskedCall(
  events: readonly SessionEvent[],
  { id, callId, kind, title }: Pick<ChildWait, 'id' | 'callId' | 'kind' | 'title'>,
): ToolPart | null {
  const asked = events.at(-1)
  const isIt =
    (asked?.type === 'decision_requested' && asked.decisionId === id) ||
    (asked?.type === 'ask_user' && asked.questionId === id)
  if (!isIt) return null
  const { seq, at } = asked
  const begun = events.findLast((event) => isStart(event) && event.callId === callId)
  const toolName = kind === 'tool' ? title : ''
  const unknown = {
    type: 'tool_call_start',
    responseId: '',
    callId,
    toolName,
    arguments: '',
  } as const
  const tool = findTool(fold([begun ?? { ...unknown, seq: seq - 1, at }, asked]), callId)
  return tool === undefined ? null : { ...tool, callId: id }
}

const isStart = (
  event: SessionEvent,
): event is Extract<SessionEvent, { type: 'tool_call_start' }> => event.type === 'tool_call_start'

// Words and calls as the messages of seed 003.

import { newToolCall, settleTool } from '#protocol/reduce-parts'
import type { SessionState } from '#protocol/state'
import { isTextPart, type ToolPart } from '#protocol/turns'
import type { Logged, UiDraft } from './ui-draft.ts'

type Words = { responseId: string; partId: string; offset: number; delta: string }

/** Text at an offset takes the place of what stood there: a row repeats what was live before it. */
export const toToken = (
  { responseId, partId, offset, delta }: Words,
  data: { thinking: boolean },
): UiDraft => ({
  kind: 'token',
  text: delta,
  data: { ...data, done: false, response_id: responseId, part_id: partId, offset },
})

/** With what no delta has said: a short part has none. */
export function toLastToken(
  event: { responseId: string; partId: string; text: string; interrupted?: boolean | undefined },
  before: SessionState,
  data: { thinking: boolean },
): UiDraft {
  const { responseId, partId, text, interrupted } = event
  const held = before.open?.parts.filter(isTextPart).findLast((part) => part.partId === partId)
  const offset = held !== undefined && text.startsWith(held.text) ? held.text.length : 0
  return {
    kind: 'token',
    phase: 'done',
    text: text.slice(offset),
    data: {
      ...data,
      done: true,
      response_id: responseId,
      part_id: partId,
      offset,
      ...(interrupted === true && { interrupted }),
    },
  }
}

export const toSegment = (event: {
  responseId: string
  partId: string
  text: string
  interrupted?: boolean | undefined
}): UiDraft => ({
  kind: 'text_segment',
  text: event.text,
  data: {
    response_id: event.responseId,
    part_id: event.partId,
    ...(event.interrupted === true && { interrupted: true }),
  },
})

export const findTool = ({ open }: SessionState, callId: string): ToolPart | undefined =>
  open?.parts.filter((part) => part.kind === 'tool').findLast((part) => part.callId === callId)

/** A result whose call is not in the open response: what it says of itself has to do. */
export function toLoneTool(event: Logged<'tool_result'>): ToolPart {
  const call = newToolCall({ ...event, type: 'tool_call_start', responseId: '', arguments: '' })
  return settleTool(call, event)
}

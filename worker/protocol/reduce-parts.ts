// How an event changes one part of the open response. Part of the reducer.

import type { EventOf } from './events.ts'
import type { NoticePart, Part, Response, TextPart, ToolPart, ToolStatus } from './turns.ts'
import { spliceAt } from './text.ts'

export const putPart = (open: Response, part: Part): Response => ({
  ...open,
  parts: [...open.parts, part],
})

/**
 * Of something that the run did not say itself, and that may come in the middle of its words. Above
 * those: a replay leaves out deltas, and knows of the text only when that is done.
 */
export function putNotice(open: Response, notice: NoticePart): Response {
  const last = open.parts.at(-1)
  if (last?.kind !== 'text' || last.state !== 'open') return putPart(open, notice)
  return { ...open, parts: [...open.parts.slice(0, -1), notice, last] }
}

export function newText(
  kind: TextPart['kind'],
  event: { partId: string; callId?: string | undefined },
): TextPart {
  const part: TextPart = { kind, partId: event.partId, text: '', state: 'open' }
  return event.callId === undefined ? part : { ...part, callId: event.callId }
}

export const newToolCall = (event: EventOf<'tool_call_start'> & { at: number }): ToolPart => ({
  kind: 'tool',
  callId: event.callId,
  toolName: event.toolName,
  arguments: event.arguments,
  status: 'pending',
  startedAt: event.at,
  output: '',
})

function updateText(
  open: Response,
  kind: TextPart['kind'],
  event: { partId: string },
  change: (part: TextPart) => TextPart,
): Response {
  const index = open.parts.findLastIndex((p) => p.kind === kind && p.partId === event.partId)
  if (index < 0) return putPart(open, change(newText(kind, event)))
  return { ...open, parts: open.parts.with(index, change(open.parts[index] as TextPart)) }
}

export const applyDelta = (
  open: Response,
  kind: TextPart['kind'],
  event: { partId: string; offset: number; delta: string },
): Response =>
  updateText(open, kind, event, (part) => ({
    ...part,
    text: spliceAt(part.text, event.offset, event.delta),
  }))

export const applyTextDone = (
  open: Response,
  kind: TextPart['kind'],
  event: { partId: string; text: string; interrupted?: boolean | undefined },
): Response =>
  updateText(open, kind, event, (part) => ({
    ...part,
    text: event.text,
    state: event.interrupted === true ? 'interrupted' : 'done',
  }))

export function settleTool(tool: ToolPart, event: EventOf<'tool_result'>): ToolPart {
  const { child } = tool
  const isLeft = child?.status === 'running' || child?.status === 'waiting'
  return {
    ...tool,
    // Its parent does not wait for it any more, and it is told so.
    ...(child !== undefined && isLeft ? { child: { ...child, status: 'cancelled' } } : {}),
    status: toolStatusOf(event),
    output: '',
    durationMs: event.durationMs,
    ...(event.result === undefined ? {} : { result: event.result }),
    ...(event.error === undefined ? {} : { error: event.error }),
    ...(event.truncated === undefined ? {} : { truncated: event.truncated }),
  }
}

function toolStatusOf(event: EventOf<'tool_result'>): ToolStatus {
  if (event.ok) return 'success'
  if (event.error?.code === 'tool_interrupted') return 'interrupted'
  if (event.error?.code === 'tool_denied') return 'denied'
  return 'error'
}

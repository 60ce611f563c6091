// Thinking and tool calls that stand together are one piece of work; text stands by itself.
// The grouping depends on the parts alone, so it is the same live and after a reload.

import type { NoticePart, Part, TextPart, ToolPart } from '#protocol/state'

export type WorkPart = TextPart | ToolPart
export type Segment =
  | { kind: 'text'; key: string; part: TextPart }
  | { kind: 'notice'; key: string; part: NoticePart }
  | { kind: 'work'; key: string; parts: readonly WorkPart[] }

/** Nothing of its own to show: empty text that some models send between two calls, and the `think`
 * tool where a backend announces it, whose thought is a thinking part (TOOL5). */
const isBlank = (part: Part): boolean =>
  (part.kind === 'text' && part.text.trim() === '') ||
  (part.kind === 'tool' && part.toolName === 'think')

const isWork = (part: Part): part is WorkPart => part.kind === 'thinking' || part.kind === 'tool'

export function keyOfPart(part: Part): string {
  switch (part.kind) {
    case 'tool':
      return `tool:${part.callId}`
    case 'notice':
      return `notice:${part.seq}`
    default:
      return `${part.kind}:${part.partId}`
  }
}

export function groupParts(parts: readonly Part[]): Segment[] {
  const segments: Segment[] = []
  let work: WorkPart[] = []
  for (const part of parts) {
    if (isBlank(part)) continue
    if (isWork(part)) {
      if (work.length === 0) {
        work = []
        segments.push({ kind: 'work', key: `work:${keyOfPart(part)}`, parts: work })
      }
      work.push(part)
      continue
    }
    work = []
    segments.push(toSegment(part))
  }
  return segments
}

const toSegment = (part: TextPart | NoticePart): Segment =>
  part.kind === 'notice'
    ? { kind: 'notice', key: keyOfPart(part), part }
    : { kind: 'text', key: keyOfPart(part), part }

/** Nothing was answered: only the mark of how it ended is shown then. */
export const isEmptyAnswer = (parts: readonly Part[]): boolean =>
  parts.every((part) => isBlank(part) || part.kind === 'notice')

export const textOfAnswer = (parts: readonly Part[]): string =>
  parts
    .filter((part): part is TextPart => part.kind === 'text' && !isBlank(part))
    .map((part) => part.text.trim())
    .join('\n\n')

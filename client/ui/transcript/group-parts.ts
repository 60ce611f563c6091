// Thinking and tool calls that stand together are one piece of work; text stands by itself.
// The grouping depends on the parts alone, so it is the same live and after a reload.

import type { ChangesPart, NoticePart, Part, TextPart, ToolPart } from '#protocol/turns'

export type WorkPart = TextPart | ToolPart
export type Segment =
  | { kind: 'text'; key: string; part: TextPart }
  | { kind: 'notice'; key: string; part: NoticePart }
  /** What the answer has changed in the workspace. */
  | { kind: 'changes'; key: string; part: ChangesPart }
  /** Tries that failed one after the other. */
  | { kind: 'retries'; key: string; parts: readonly NoticePart[] }
  /** Children that were started together. */
  | { kind: 'children'; key: string; parts: readonly ToolPart[] }
  /** A call that is itself something to read. */
  | { kind: 'block'; key: string; part: ToolPart }
  /** `isOver`: text follows, so this much is done. */
  | { kind: 'work'; key: string; parts: readonly WorkPart[]; isOver: boolean }

/** Nothing of its own to show: empty text that some models send between two calls, and the `think`
 * tool where a backend announces it, whose thought is a thinking part (TOOL5). */
const isBlank = (part: Part): boolean =>
  (part.kind === 'text' && part.text.trim() === '') ||
  (part.kind === 'tool' && part.toolName === 'think')

/** Calls made for the person who reads: they are not folded into the work around them (UI2). */
export const isBlock = ({ toolName }: ToolPart): boolean =>
  /^(?:ask_user|update_plan|finalize_task)$/.test(toolName)

export function keyOfPart(part: Part): string {
  switch (part.kind) {
    case 'tool':
      return `tool:${part.callId}`
    case 'notice':
      return `notice:${part.seq}`
    case 'changes':
      return `changes:${part.checkpointId}`
    default:
      return `${part.kind}:${part.partId}`
  }
}

export function groupParts(parts: readonly Part[]): Segment[] {
  const shown = parts.filter((part) => !isBlank(part))
  const lastText = shown.findLastIndex(({ kind }) => kind === 'text')
  const segments: Segment[] = []
  for (const [index, part] of shown.entries()) {
    const next = toSegment(part, index < lastText)
    const last = next.kind === 'children' ? lastTree(segments) : segments.at(-1)
    if (!last || !join(last, next)) segments.push(next)
  }
  return segments
}

/** Calls that were made between two children do not part them: only what was said does. */
function lastTree(segments: readonly Segment[]): Segment | undefined {
  const at = segments.findLastIndex(({ kind }) => kind === 'children')
  return segments.slice(at + 1).every(({ kind }) => kind === 'work') ? segments[at] : undefined
}

function toSegment(part: Part, isOver: boolean): Segment {
  const key = keyOfPart(part)
  if (part.kind === 'text') return { kind: 'text', key, part }
  if (part.kind === 'changes') return { kind: 'changes', key, part }
  if (part.kind === 'tool' && part.toolName === 'agents_spawn') {
    return { kind: 'children', key: `children:${key}`, parts: [part] }
  }
  if (part.kind === 'tool' && isBlock(part)) return { kind: 'block', key, part }
  if (part.kind !== 'notice') return { kind: 'work', key: `work:${key}`, parts: [part], isOver }
  return part.code === 'model_retry'
    ? { kind: 'retries', key, parts: [part] }
    : { kind: 'notice', key, part }
}

/** Work joins work, a retry the retry before it, a child the others; false: it stands by itself. */
function join(last: Segment, next: Segment): boolean {
  if (last.kind === 'work' && next.kind === 'work') last.parts = [...last.parts, ...next.parts]
  else if (last.kind === 'retries' && next.kind === 'retries') {
    last.parts = [...last.parts, ...next.parts]
  } else if (last.kind === 'children' && next.kind === 'children') {
    last.parts = [...last.parts, ...next.parts]
  } else return false
  return true
}

/** Nothing was answered: only the mark of how it ended is shown then. */
export const isEmptyAnswer = (parts: readonly Part[]): boolean =>
  parts.every((part) => isBlank(part) || part.kind === 'notice')

/** Where another model took over, the last time. */
export const lastFallback = (parts: readonly Part[]): NoticePart | undefined =>
  parts.findLast(
    (part): part is NoticePart => part.kind === 'notice' && part.fallback !== undefined,
  )

/** Which model the answer came from in the end. */
export const answeredBy = ({ model, parts }: { model: string; parts: readonly Part[] }): string =>
  lastFallback(parts)?.fallback?.actual ?? model

/** The mark of a failed run says it; it is not said twice. */
export const lastError = (parts: readonly Part[]): NoticePart | null =>
  parts.findLast((part): part is NoticePart => part.kind === 'notice' && part.level === 'error') ??
  null

export const textOfAnswer = (parts: readonly Part[]): string =>
  parts
    .filter((part): part is TextPart => part.kind === 'text' && !isBlank(part))
    .map((part) => part.text.trim())
    .join('\n\n')

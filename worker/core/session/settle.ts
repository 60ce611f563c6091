// What is open when a run ends is settled, in its place: partial text stays and says that it is
// partial, and every call gets an answer, which also keeps the model's history valid.

import type { FragmentKind } from '#protocol/frames'
import { isTextPart, type ToolPart } from '#protocol/turns'
import { shorten } from '#protocol/text'
import type { Draft } from './draft.ts'
import { argumentsGiven } from './given-arguments.ts'

/** Live text of a part that may be ahead of its rows, or have none yet. */
export type OpenText = { kind: FragmentKind; id: string; responseId: string; text: string }

export function settleOpen(
  draft: Draft,
  live: readonly OpenText[],
  why: { text: string; by: string },
  keepOpen: (tool: ToolPart) => boolean = () => false,
): void {
  const parts = draft.state.open?.parts ?? []
  const settled = new Set<string>()
  for (const part of parts) {
    if (part.kind === 'tool') {
      if (part.status === 'pending' && !keepOpen(part)) settleTool(draft, part, live, why)
    } else if (isTextPart(part) && part.state === 'open') {
      const ahead = live.find((text) => text.kind === part.kind && text.id === part.partId)
      settled.add(part.partId)
      settleText(draft, part.kind, part.partId, ahead?.text ?? part.text)
    }
  }
  // A part whose text was only ever live comes last: parts are written one after another.
  for (const text of live) {
    if (text.kind !== 'text' && text.kind !== 'thinking') continue
    if (!settled.has(text.id) && text.text !== '') settleText(draft, text.kind, text.id, text.text)
  }
}

function settleText(draft: Draft, kind: 'text' | 'thinking', partId: string, text: string): void {
  const { run } = draft.state
  const responseId =
    draft.state.open?.responseId ?? (run.status === 'running' ? run.responseId : '')
  const type = kind === 'text' ? 'text_done' : 'thinking_done'
  draft.add({ type, responseId, partId, text, interrupted: true })
}

function settleTool(
  draft: Draft,
  tool: ToolPart,
  live: readonly OpenText[],
  why: { text: string; by: string },
): void {
  cancelDecision(draft, tool, why.by)
  const ahead = live.find((text) => text.kind === 'tool_output' && text.id === tool.callId)
  const output = ahead?.text ?? tool.output
  draft.add({
    type: 'tool_result',
    callId: tool.callId,
    toolName: tool.toolName,
    ok: false,
    ...(output === '' ? {} : { result: output }),
    error: { code: 'tool_interrupted', message: `Interrupted: ${why.text}${toEdited(tool)}` },
    durationMs: Math.max(0, draft.now - tool.startedAt),
  })
}

/** The model wrote something else: whatever became of it, it should know what it was. */
function toEdited(tool: ToolPart): string {
  const given = argumentsGiven(tool)
  return given === undefined ? '' : `. The person had changed the call to: ${shorten(given, 1000)}`
}

/** Nobody has to answer any more. A question is closed by the result of its call. */
function cancelDecision(draft: Draft, { callId, decision }: ToolPart, by: string): void {
  if (decision?.status !== 'pending' || decision.decisionId === null) return
  const { decisionId, kind, severity } = decision
  const end = { status: 'cancelled', by, severity, scope: 'once' } as const
  draft.add({ type: 'decision_resolved', decisionId, callId, kind, ...end })
}

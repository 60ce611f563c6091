// The steps of a response, recovered from the order of its parts: what the model said and called in
// one provider call, then the results, then what it said next. History draws the same lines from
// the events themselves; the state keeps no event, and so cannot tell two steps apart where a call
// follows a settled call with no word between. They count as one: no format here shows the line.

import { isTextPart, type Part, type TextPart, type ToolPart } from '#protocol/turns'

/** `isBroken`: the provider failed in it, and was asked again. */
export type Step = { parts: Part[]; isBroken: boolean }

type Content = TextPart | ToolPart

/** After these the step begins again, whatever it had said. */
const BREAKS = new Set(['model_retry', 'model_fallback'])

export function toSteps(parts: readonly Part[]): Step[] {
  const steps: Step[] = []
  let isNew = true
  const put = (part: Part): void => {
    if (isNew) steps.push({ parts: [], isBroken: false })
    isNew = false
    steps.at(-1)!.parts.push(part)
  }
  for (const part of parts) {
    const last = steps.at(-1)
    if (!isContent(part)) {
      if (part.kind === 'notice' && last !== undefined && !hasOpenCall(last)) {
        isNew = true
        if (BREAKS.has(part.code)) last.isBroken = true
      }
      put(part)
      continue
    }
    if (last !== undefined && isAnswered(last) && !followsCall(last, part)) isNew = true
    put(part)
    // Whatever cut it (a stop, a crash, the provider), it is not continued in the same step.
    if (isTextPart(part) && part.state === 'interrupted') isNew = true
  }
  return steps
}

const isContent = (part: Part): part is Content => part.kind === 'tool' || isTextPart(part)

export const contentOf = (step: Step): Content[] => step.parts.filter(isContent)

/** A thought that was a `think` call is a call, too: the model was called again after it. */
const callsOf = (step: Step): Content[] =>
  contentOf(step).filter((part) => part.kind === 'tool' || part.callId !== undefined)

export const hasCalls = (step: Step): boolean => callsOf(step).length > 0

export const isRunning = (tool: ToolPart): boolean =>
  tool.status === 'preparing' || tool.status === 'pending'

const isOpen = (part: Content): boolean =>
  part.kind === 'tool' ? isRunning(part) : part.state === 'open'

const hasOpenCall = (step: Step): boolean => callsOf(step).some(isOpen)

const isAnswered = (step: Step): boolean => hasCalls(step) && !hasOpenCall(step)

const followsCall = (step: Step, part: Content): boolean =>
  part.kind === 'tool' && contentOf(step).at(-1)?.kind === 'tool'

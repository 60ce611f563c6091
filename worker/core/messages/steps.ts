// The steps of a response: what the model said and called in one provider call, then the results,
// then what it said next. The state keeps no event and cannot tell them apart (a word after a call
// may be of the same step, or follow the call's result), so the lines are drawn while the events
// are folded. Where a part belongs is known with its first event and never changes afterwards.

import type { SessionEvent } from '#protocol/events'
import { isTextPart, type Part, type TextPart, type ToolPart } from '#protocol/turns'

/** `step`: counted from the start of the run. `at`: when the step began. */
export type StepMark = { step: number; at: number }

/** Of one run: by `keyOf` its parts. `isOver`: what comes next begins another step. */
export type StepFold = { mark: StepMark; isOver: boolean; marks: StepMarks }
export type StepMarks = ReadonlyMap<string, StepMark>

/** `isBroken`: the provider failed in it, and was asked again. */
export type Step = { parts: Part[]; at: number; isBroken: boolean }

type Content = TextPart | ToolPart

/** After these the step begins again, whatever it had said. */
const BREAKS = new Set(['model_retry', 'model_fallback'])

export const EMPTY_STEPS: StepFold = {
  mark: { step: 0, at: 0 },
  isOver: false,
  marks: new Map(),
}

/** `events`: of whole runs. */
export function markSteps(events: Iterable<SessionEvent>): StepMarks {
  const all = new Map<string, StepMark>()
  let steps = EMPTY_STEPS
  const keep = (): void => {
    for (const [key, mark] of steps.marks) all.set(key, mark)
  }
  for (const event of events) {
    if (isFirstAttempt(event)) keep()
    steps = applyToSteps(steps, event)
  }
  keep()
  return all
}

export function applyToSteps(steps: StepFold, event: SessionEvent): StepFold {
  switch (event.type) {
    case 'run_started':
      return endStep(isFirstAttempt(event) ? EMPTY_STEPS : steps, event.at)
    // The provider has ended its answer. Calls run after that: what follows a result is said next.
    case 'context_usage':
    case 'model_fallback':
      return endStep(steps, event.at)
    case 'tool_result':
      // A stop settles calls in the middle of an answer, before the words after them.
      return event.error?.code === 'tool_interrupted' ? steps : endStep(steps, event.at)
    case 'warning':
      return BREAKS.has(event.code) ? endStep(steps, event.at) : steps
    // They are let in between two steps.
    case 'user_message':
    case 'agent_message':
    case 'idle_prompt':
      return endStep(steps, event.at)
    case 'agent_callback_result':
      return event.as === 'message' ? endStep(steps, event.at) : steps
    case 'text_delta':
      return addPart(steps, keyOfText('text', event.partId))
    case 'thinking_start':
    case 'thinking_delta':
      return addPart(steps, keyOfText('thinking', event.partId))
    case 'tool_call_start':
      return addPart(steps, keyOfCall(event.callId))
    case 'text_done':
      return endPart(addPart(steps, keyOfText('text', event.partId)), event)
    case 'thinking_done':
      return endPart(addPart(steps, keyOfText('thinking', event.partId)), event)
    default:
      return steps
  }
}

const isFirstAttempt = (event: SessionEvent): boolean =>
  event.type === 'run_started' && event.attempt === 1

const endStep = ({ mark, marks }: StepFold, at: number): StepFold => ({
  mark: { step: mark.step, at },
  isOver: true,
  marks,
})

function addPart(steps: StepFold, key: string): StepFold {
  if (steps.marks.has(key)) return steps
  const { isOver } = steps
  const mark = isOver ? { ...steps.mark, step: steps.mark.step + 1 } : steps.mark
  return { mark, isOver: false, marks: new Map(steps.marks).set(key, mark) }
}

/** Whatever cut it (a stop, a crash, the provider), it is not continued in the same step. */
const endPart = (steps: StepFold, event: { at: number; interrupted?: boolean | undefined }) =>
  event.interrupted === true ? endStep(steps, event.at) : steps

const keyOfText = (kind: TextPart['kind'], partId: string): string => `${kind} ${partId}`
const keyOfCall = (callId: string): string => `tool ${callId}`
const keyOf = (part: Content): string =>
  part.kind === 'tool' ? keyOfCall(part.callId) : keyOfText(part.kind, part.partId)

export function toSteps(parts: readonly Part[], marks: StepMarks): Step[] {
  const steps: (Step & { step: number })[] = []
  /** A notice stands with what follows it, and so does what follows the notice. */
  let aside: Part[] = []
  for (const part of parts) {
    const last = steps.at(-1)
    if (isContent(part)) {
      const { step, at } = marks.get(keyOf(part)) ?? { step: last?.step ?? 0, at: 0 }
      if (last?.step === step) last.parts.push(...aside, part)
      else steps.push({ step, at, parts: [...aside, part], isBroken: false })
      aside = []
    } else if (part.kind === 'notice' || last === undefined || aside.length > 0) {
      if (part.kind === 'notice' && BREAKS.has(part.code) && last !== undefined) {
        last.isBroken = true
      }
      aside.push(part)
    } else last.parts.push(part)
  }
  return aside.length === 0 ? steps : [...steps, { parts: aside, at: 0, isBroken: false }]
}

const isContent = (part: Part): part is Content => part.kind === 'tool' || isTextPart(part)

export const contentOf = (step: Step): Content[] => step.parts.filter(isContent)

/** A thought that was a `think` call is a call, too: the model was called again after it. */
export const hasCalls = (step: Step): boolean =>
  contentOf(step).some((part) => part.kind === 'tool' || part.callId !== undefined)

export const isRunning = (tool: ToolPart): boolean =>
  tool.status === 'preparing' || tool.status === 'pending'

// Seed 001: messages in the shape of the AI SDK's version 4, with annotations. Read in order, put
// into a buffer that each flush empties, turned round at the end: newest first.
//
// A step with calls is the seed's AI_TOOL and stays in the buffer; one with words and no calls is
// its AI_MESSAGE and flushes. What the seed leaves open, or has for a database with rows that there
// are none of here:
// - The buffer never crosses a response: a run that is cut before its last text ends in a dummy,
//   also where no message follows. The dummy has the response's id, not a random one.
// - The last message of a response has the response's id, so that an answer keeps it from the first
//   call to the last word. One before it (a text that was cut, then continued) has a number behind.
// - A step of thinking alone is no AI_MESSAGE: there is no text to flush it with.
// - A message is as old as the step that says it, which began when the calls before it were settled.
// - `isComplete` of a call: whether it is settled. Of a message: whether its text is whole.
// - A setting that said yes or no in a person's place has said `accepted` or `rejected`.
// - A failed, denied or interrupted call has a `result`, its error's message.
// - Attached texts are `experimental_attachments`, that version's own place for them.
// - Notices and changed files have no place in it and are left out; `ui` has them.

import type {
  DecisionView,
  IdlePromptTurn,
  Part,
  Response,
  ToolPart,
  Turn,
  UserTurn,
} from '#protocol/turns'
import { parseArguments } from './arguments.ts'
import { TEXT_TYPE, toDataUrl, toFileName } from './attachment-url.ts'
import { toPromptId } from './prompt-id.ts'
import { contentOf, hasCalls, isRunning, toSteps, type Step, type StepMarks } from './steps.ts'

export type Validated = 'pending' | 'accepted' | 'rejected' | 'not_required'

export type ToolInvocation = {
  toolCallId: string
  toolName: string
  args: Record<string, unknown>
} & ({ state: 'call' } | { state: 'result'; result: string })

export type VercelPart =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; reasoning: string }
  | { type: 'tool-invocation'; toolInvocation: ToolInvocation }

export type VercelAnnotation =
  | { toolCallId: string; validated: Validated; isComplete: boolean }
  | { messageId: string; isComplete: boolean }

export type VercelMessage = { id: string; createdAt: string; content: string } & (
  | {
      role: 'user'
      experimental_attachments?: { name: string; contentType: string; url: string }[]
    }
  | { role: 'assistant'; parts: VercelPart[]; annotations: VercelAnnotation[] }
)

/** `next`: the turn after the last of these, where they are not the end of the session. */
export function toVercelMessages(
  turns: readonly Turn[],
  open: Response | null,
  marks: StepMarks,
  next: Turn | Response | null = null,
): VercelMessage[] {
  const following = [...turns, open ?? next]
  const messages = turns.flatMap((turn, index) => {
    if (turn.kind === 'user') return [toUserMessage(turn)]
    if (turn.kind === 'agent') return [toOthersMessage(turn.messageId, turn.at, turn.text)]
    if (turn.kind === 'callback') {
      const { exchangeId, result } = turn.callback
      return [toOthersMessage(exchangeId, turn.at, result)]
    }
    if (turn.kind === 'idle_prompt') return [toPromptMessage(turn)]
    if (turn.kind === 'notice') return []
    return toMessages(turn, { isOpen: false, marks, next: following[index + 1] ?? null })
  })
  if (open !== null) messages.push(...toMessages(open, { isOpen: true, marks, next }))
  return messages.reverse()
}

const toTime = (at: number): string => new Date(at).toISOString()

/** That format knows a user and an assistant: another agent is a user to this one. */
const toOthersMessage = (id: string, at: number, content: string): VercelMessage => ({
  id,
  role: 'user',
  createdAt: toTime(at),
  content,
})

function toUserMessage({ messageId, at, text, attachments }: UserTurn): VercelMessage {
  const message = { id: messageId, role: 'user', createdAt: toTime(at), content: text } as const
  if (attachments.length === 0) return message
  return {
    ...message,
    experimental_attachments: attachments.map((attachment) => ({
      name: toFileName(attachment),
      contentType: TEXT_TYPE,
      url: toDataUrl(attachment),
    })),
  }
}

/** Nobody wrote it, but it stands where a person's message would. */
const toPromptMessage = ({ seq, at, text }: IdlePromptTurn): VercelMessage => ({
  id: toPromptId(seq),
  role: 'user',
  createdAt: toTime(at),
  content: text,
})

type Place = { isOpen: boolean; marks: StepMarks; next: Turn | Response | null }

/** What was in the buffer at a flush; `said` where an AI_MESSAGE flushed it. */
type Flush = {
  parts: VercelPart[]
  annotations: VercelAnnotation[]
  said: { content: string; at: number; isComplete: boolean } | null
}

function toMessages(response: Response, place: Place): VercelMessage[] {
  const flushes = toFlushes(response.parts, place)
  return flushes.map(({ parts, annotations, said }, index) => {
    const isLast = index === flushes.length - 1
    const id = isLast ? response.responseId : `${response.responseId}-${index + 1}`
    return {
      id,
      role: 'assistant',
      createdAt: toTime(said?.at ?? dummyTime(response, place.next)),
      content: said?.content ?? '',
      parts,
      annotations:
        said === null
          ? annotations
          : [...annotations, { messageId: id, isComplete: said.isComplete }],
    }
  })
}

function toFlushes(parts: readonly Part[], { isOpen, marks }: Place): Flush[] {
  const flushes: Flush[] = []
  let buffer: Flush = { parts: [], annotations: [], said: null }
  const steps = toSteps(parts, marks)
  for (const [index, step] of steps.entries()) {
    addStep(buffer, step)
    const content = textOf(step)
    if (hasCalls(step) || content === '') continue
    const isWritten = !isOpen || index < steps.length - 1
    buffer.said = { content, at: step.at, isComplete: isWritten && isWhole(step) }
    flushes.push(buffer)
    buffer = { parts: [], annotations: [], said: null }
  }
  return buffer.parts.length === 0 ? flushes : [...flushes, buffer]
}

function addStep({ parts, annotations }: Flush, step: Step): void {
  for (const part of contentOf(step)) {
    if (part.kind === 'tool') {
      parts.push({ type: 'tool-invocation', toolInvocation: toInvocation(part) })
      annotations.push({
        toolCallId: part.callId,
        validated: toValidated(part.decision),
        isComplete: !isRunning(part),
      })
    } else if (part.text !== '') {
      const { text } = part
      parts.push(
        part.kind === 'text' ? { type: 'text', text } : { type: 'reasoning', reasoning: text },
      )
    }
  }
}

const textOf = (step: Step): string =>
  contentOf(step)
    .map((part) => (part.kind === 'text' ? part.text : ''))
    .join('')

const isWhole = (step: Step): boolean =>
  !step.isBroken && contentOf(step).every((part) => part.kind === 'tool' || part.state === 'done')

function toInvocation(tool: ToolPart): ToolInvocation {
  const { callId: toolCallId, toolName, result, error } = tool
  const call = { toolCallId, toolName, args: parseArguments(tool.arguments) }
  if (isRunning(tool)) return { ...call, state: 'call' }
  return { ...call, state: 'result', result: error?.message ?? result ?? '' }
}

function toValidated(decision: DecisionView | undefined): Validated {
  switch (decision?.status) {
    case undefined:
      return 'not_required'
    case 'pending':
      return 'pending'
    case 'accepted':
      return 'accepted'
    case 'rejected':
    case 'expired':
    case 'cancelled':
      return 'rejected'
  }
}

/** A dummy has no row of its own: as in the seed, it is as old as what follows it or came last. */
function dummyTime(response: Response, next: Turn | Response | null): number {
  const asks = ['user', 'idle_prompt']
  if (next !== null && 'kind' in next && asks.includes(next.kind)) return next.at
  const times = response.parts.map((part) =>
    part.kind === 'tool' ? part.startedAt + (part.durationMs ?? 0) : 0,
  )
  return Math.max(response.at, ...times)
}

// The model's view of the log: one more fold over the same events. Whatever happened (cancel,
// crash, steer), the result is a request that a strict provider accepts: every call is answered,
// an answer follows its call, and the last word is never the assistant's own.

import type { EventOf, SessionEvent } from '#protocol/events'
import type { AssistantPart, ModelMessage, ToolAnswer } from './model.ts'

const THINK_ANSWER = 'Noted.'
const INTERRUPTED_NOTE = '[The previous answer was interrupted before it was complete.]'
const CONTINUE_NOTE = '[Continue from where the previous answer stopped, without repeating it.]'

export type History = {
  messages: ModelMessage[]
  /** The assistant message in the making, and the answers to its calls so far. */
  parts: AssistantPart[]
  answers: ToolAnswer[]
  openThoughts: Map<string, string>
  interrupted: boolean
}

export const emptyHistory = (): History => ({
  messages: [],
  parts: [],
  answers: [],
  openThoughts: new Map(),
  interrupted: false,
})

/** Folds in place: a history belongs to one run and is thrown away with it. */
export function applyToHistory(history: History, event: SessionEvent): void {
  switch (event.type) {
    case 'run_started':
      // Another attempt is another message: live and folded from the log, the same.
      if (event.attempt > 1 && !hasOpenCalls(history)) closeMessage(history)
      return
    case 'user_message':
      return addUserMessage(history, event)
    case 'text_done':
      return addText(history, event)
    case 'thinking_start':
      if (event.callId !== undefined) history.openThoughts.set(event.partId, event.callId)
      return
    case 'thinking_done':
      return addThought(history, event)
    case 'tool_call_start':
      return addPart(history, {
        type: 'tool_call',
        callId: event.callId,
        toolName: event.toolName,
        arguments: event.arguments,
      })
    case 'tool_result':
      history.answers.push(toAnswer(event))
      return
    case 'run_done':
      closeMessage(history)
      history.interrupted = event.outcome !== 'done' && history.messages.at(-1)?.role !== 'user'
      return
    case 'session_cleared':
      Object.assign(history, emptyHistory())
      return
    default:
      return
  }
}

/** The messages of the next provider call. */
export function toMessages(history: History): ModelMessage[] {
  closeMessage(history)
  const { messages } = history
  if (messages.at(-1)?.role !== 'assistant') return messages
  const text = history.interrupted ? `${INTERRUPTED_NOTE}\n${CONTINUE_NOTE}` : CONTINUE_NOTE
  return [...messages, { role: 'user', text }]
}

function addUserMessage(history: History, event: EventOf<'user_message'>): void {
  closeMessage(history)
  const files = event.attachments.map(
    ({ name, range, content }) =>
      `\n\n[Attached: ${name}${range === undefined ? '' : ` (${range})`}]\n${content}`,
  )
  const note = history.interrupted ? `${INTERRUPTED_NOTE}\n\n` : ''
  history.interrupted = false
  history.messages.push({ role: 'user', text: `${note}${event.text}${files.join('')}` })
}

function addText(history: History, event: EventOf<'text_done'>): void {
  if (event.text.trim() !== '') addPart(history, { type: 'text', text: event.text })
  if (event.interrupted === true) history.interrupted = true
}

/** A thought that was a `think` call must be in the history as one, with its answer. */
function addThought(history: History, event: EventOf<'thinking_done'>): void {
  const callId = history.openThoughts.get(event.partId)
  if (callId === undefined) return
  history.openThoughts.delete(event.partId)
  const args = JSON.stringify({ thought: event.text })
  addPart(history, { type: 'tool_call', callId, toolName: 'think', arguments: args })
  history.answers.push({ callId, toolName: 'think', ok: true, text: THINK_ANSWER })
}

function addPart(history: History, part: AssistantPart): void {
  // Content after every call was answered belongs to the next step.
  if (isAnswered(history)) closeMessage(history)
  if (history.messages.at(-1)?.role === 'assistant') noteContinuation(history)
  history.parts.push(part)
}

/** Two assistant messages in a row: the second was written by a run that continued the first. */
function noteContinuation(history: History): void {
  if (history.parts.length > 0) return
  const text = history.interrupted ? `${INTERRUPTED_NOTE}\n${CONTINUE_NOTE}` : CONTINUE_NOTE
  history.interrupted = false
  history.messages.push({ role: 'user', text })
}

const callsOf = (history: History): Extract<AssistantPart, { type: 'tool_call' }>[] =>
  history.parts.filter((part) => part.type === 'tool_call')

function isAnswered(history: History): boolean {
  const calls = callsOf(history)
  return calls.length > 0 && calls.every((call) => findAnswer(history, call.callId) !== undefined)
}

/** A call that is safe to repeat runs again, and its answer is still to come. */
const hasOpenCalls = (history: History): boolean =>
  callsOf(history).some((call) => findAnswer(history, call.callId) === undefined)

const findAnswer = (history: History, callId: string): ToolAnswer | undefined =>
  history.answers.find((answer) => answer.callId === callId)

function closeMessage(history: History): void {
  if (history.parts.length === 0) return
  const calls = callsOf(history)
  history.messages.push({ role: 'assistant', parts: history.parts })
  if (calls.length > 0) {
    history.messages.push({
      role: 'tool',
      results: calls.map((call) => findAnswer(history, call.callId) ?? unanswered(call)),
    })
  }
  history.parts = []
  history.answers = []
}

/** The log settles every call before anything follows; a call without an answer was cut short. */
const unanswered = (call: { callId: string; toolName: string }): ToolAnswer => ({
  callId: call.callId,
  toolName: call.toolName,
  ok: false,
  text: 'tool_interrupted: no result',
})

function toAnswer(event: EventOf<'tool_result'>): ToolAnswer {
  const { callId, toolName, ok, result, error } = event
  if (ok) return { callId, toolName, ok, text: result ?? '' }
  const output = result === undefined || result === '' ? '' : `\nOutput so far:\n${result}`
  return { callId, toolName, ok, text: `${error?.code}: ${error?.message}${output}` }
}

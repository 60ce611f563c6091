// What the scripted model says, written in the message it answers.

import type { Reply, ReplyStep, WireToolCall } from '../../worker/testing/node/strict-openai.ts'

/** A message that says itself what the model answers, one reply for each call of the model. */
export const script = (...replies: Reply[]): string => `#script ${JSON.stringify(replies)}`

export const text = (content: string): ReplyStep => ({ text: content })
export const gate = (name: string): ReplyStep => ({ gate: name })
export const stop: ReplyStep = { finish: 'stop' }
export const callTools: ReplyStep = { finish: 'tool_calls' }

export const call = (
  id: string,
  name: string,
  input: Record<string, unknown>,
  options: Pick<WireToolCall, 'chunks'> = {},
): ReplyStep => ({ toolCall: { id, name, arguments: JSON.stringify(input), ...options } })

/** A call in two pieces, with something between them: its arguments are not complete until then. */
export function callInPieces(
  id: string,
  name: string,
  input: Record<string, unknown>,
  between: ReplyStep,
): ReplyStep[] {
  const json = JSON.stringify(input)
  const middle = Math.ceil(json.length / 2)
  const rest = { index: 0, function: { arguments: json.slice(middle) } }
  const chunk = {
    id: 'chatcmpl-rest',
    object: 'chat.completion.chunk',
    created: 0,
    model: 'strict',
    choices: [{ index: 0, delta: { tool_calls: [rest] }, finish_reason: null }],
  }
  return [
    { toolCall: { id, name, arguments: json.slice(0, middle), index: 0 } },
    between,
    { raw: `data: ${JSON.stringify(chunk)}\n\n` },
  ]
}

let gates = 0

/** A gate nobody else waits at: a gate that was opened once stays open. */
export const newGate = (): string => `gate-${++gates}`

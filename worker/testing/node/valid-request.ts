// Whether a strict provider would take what the loop is about to send: the rules of the real
// chat-completions API, and Parley's own that the last word is never the assistant's.

import type { ModelMessage } from '../../core/session/model.ts'
import { toCallId, toToolName } from '../../models/wire-names.ts'
import { findViolation, type ChatMessage } from './strict-openai-rules.ts'

/** Names and ids are written by the provider's file, like this. */
const toId = (id: string): string => toCallId(id, /^[\w-]{1,40}$/, 'call_')

/** null: valid. Otherwise what is wrong, in the words of the provider. */
export function findRequestProblem(messages: readonly ModelMessage[]): string | null {
  const body = { model: 'strict', stream: true, messages: messages.flatMap(toChatMessages) }
  const violation = findViolation(body)
  return violation === null ? null : `${violation.rule}: ${violation.message}`
}

function toChatMessages(message: ModelMessage): ChatMessage[] {
  switch (message.role) {
    case 'user':
      return [{ role: 'user', content: message.text }]
    case 'tool':
      return message.results.map(({ callId, text }) => ({
        role: 'tool',
        tool_call_id: toId(callId),
        content: text,
      }))
    case 'assistant':
      return [toAssistantMessage(message)]
  }
}

function toAssistantMessage({ parts }: Extract<ModelMessage, { role: 'assistant' }>): ChatMessage {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')
  const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [part] : []))
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 && {
      tool_calls: calls.map(({ callId, toolName, arguments: args }) => ({
        id: toId(callId),
        type: 'function' as const,
        function: { name: toToolName(toolName, 64), arguments: args },
      })),
    }),
  }
}

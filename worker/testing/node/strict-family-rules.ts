// What single families of models insist on behind chat completions, told by the model's name.

import type { ChatMessage, Rule, Violation } from './strict-openai-rules.ts'

const OPENAI_ID_CHARS = 40

/** Once the messages are known to be of the right shape. */
export function findFamilyViolation(
  messages: readonly ChatMessage[],
  model: string,
): Violation | null {
  // Of Gemini's calls only those of the turn that is going on are looked at.
  const turn = messages.findLastIndex(({ role }) => role === 'user')
  for (const [i, message] of messages.entries()) {
    const found =
      checkIds(message, model, i) ??
      checkThought(message, model, i) ??
      (i > turn && model.includes('gemini-3') ? checkSignature(message, i) : null)
    if (found !== null) return found
  }
  return null
}

function checkIds({ tool_calls: calls = [] }: ChatMessage, model: string, i: number) {
  const isMistral = model.includes('mistral')
  for (const [n, { id }] of calls.entries()) {
    const param = `messages[${i}].tool_calls[${n}].id`
    if (isMistral && !/^[a-zA-Z0-9]{9}$/.test(id)) {
      const text = `Tool call id was ${id} but must be a-z, A-Z, 0-9, with a length of 9.`
      return refuse('tool_call_id', text, param)
    }
    if (id.length > OPENAI_ID_CHARS) {
      const text = `Invalid '${param}': string too long. Expected a string with maximum length ${OPENAI_ID_CHARS}, but got a string with length ${id.length} instead.`
      return refuse('tool_call_id', text, param)
    }
  }
  return null
}

/** Some want the thought of every call again, others do not know the field. */
function checkThought(message: ChatMessage, model: string, i: number): Violation | null {
  const { tool_calls: calls = [], reasoning_content: thought } = message
  if (!/deepseek|kimi/.test(model)) {
    if (thought === undefined) return null
    const text = `'messages.${i}' : property 'reasoning_content' is unsupported`
    return refuse('thought', text, `messages[${i}].reasoning_content`)
  }
  if (calls.length === 0 || typeof thought === 'string') return null
  const text = `Missing \`reasoning_content\` field in the assistant message at message index ${i}.`
  return refuse('thought', text, `messages[${i}].reasoning_content`)
}

function checkSignature({ tool_calls: calls }: ChatMessage, i: number): Violation | null {
  const [first] = calls ?? []
  const signature = first?.extra_content?.google?.thought_signature
  if (first === undefined || (signature !== undefined && signature !== '')) return null
  const text = `Function call is missing a thought_signature in functionCall parts. Additional data, function call \`default_api:${first.function.name}\`, position ${i}.`
  return refuse('signature', text, `messages[${i}].tool_calls[0]`)
}

const refuse = (rule: Rule, message: string, param: string): Violation => ({ rule, message, param })

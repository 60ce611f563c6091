// What the real chat-completions API refuses, and one thing more: a request that ends with an
// assistant message, which Parley promises never to send.

import { findFamilyViolation } from './strict-family-rules.ts'

export type ChatToolCall = {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
  extra_content?: { google?: { thought_signature?: string } }
}
export type ChatMessage = {
  role: 'system' | 'developer' | 'user' | 'assistant' | 'tool'
  content?: string | null | { type: string; text?: string }[]
  tool_calls?: ChatToolCall[]
  reasoning_content?: unknown
  tool_call_id?: string
}
export type ChatTool = {
  type: 'function'
  function: { name: string; description?: string; parameters?: Record<string, unknown> }
}
export type ChatBody = {
  model: string
  messages: ChatMessage[]
  tools?: ChatTool[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
}

/** `rule` is ours, for tests; `message` and `param` look like the provider's. */
export type Violation = { rule: Rule; message: string; param: string }

export type Rule =
  | 'body'
  | 'messages_empty'
  | 'role'
  | 'content_required'
  | 'content_part'
  | 'tool_calls'
  | 'tool_call_id'
  | 'thought'
  | 'signature'
  | 'tool_call_duplicate'
  | 'tool_call_arguments'
  | 'tool_call_unanswered'
  | 'tool_orphan'
  | 'tools'
  | 'last_message'

type Json = Record<string, unknown>

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool'])
const PART_TYPES = new Set(['text', 'image_url', 'input_audio', 'file'])
const NAME = /^[a-zA-Z0-9_-]{1,64}$/

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isName = (value: unknown): boolean => typeof value === 'string' && NAME.test(value)

/** The first thing wrong with a request body, in the order in which a reader meets it. */
export function findViolation(body: unknown): Violation | null {
  if (!isObject(body)) return refuse('body', 'The body is not a JSON object.', 'body')
  if (typeof body.model !== 'string' || body.model === '') {
    return refuse('body', 'you must provide a model parameter', 'model')
  }
  if (body.stream !== true) return refuse('body', 'Only streaming is served here.', 'stream')
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return refuse('messages_empty', "[] is too short - 'messages'", 'messages')
  }
  const messages: unknown[] = body.messages
  return (
    first(messages, (message, i) => checkMessage(message, `messages[${i}]`)) ??
    findFamilyViolation(messages as ChatMessage[], body.model) ??
    checkPairs(messages as Json[]) ??
    checkLast(messages as Json[]) ??
    checkTools(body.tools)
  )
}

function checkMessage(message: unknown, at: string): Violation | null {
  if (!isObject(message)) return refuse('body', `Invalid type for '${at}'.`, at)
  if (typeof message.role !== 'string' || !ROLES.has(message.role)) {
    const known = [...ROLES].map((role) => `'${role}'`).join(', ')
    const text = `Invalid value: '${String(message.role)}'. Supported values are: ${known}.`
    return refuse('role', text, `${at}.role`)
  }
  return checkContent(message, at) ?? checkCalls(message, at)
}

function checkContent({ role, content, tool_calls }: Json, at: string): Violation | null {
  const where = `${at}.content`
  if (Array.isArray(content) && content.length > 0) {
    return first(content, (part, i) => checkPart(part, `${where}[${i}]`))
  }
  // An assistant may say nothing when it calls; a tool may return nothing.
  const mayBeEmpty = role === 'tool' || (role === 'assistant' && Array.isArray(tool_calls))
  if (typeof content === 'string' && (content.trim() !== '' || mayBeEmpty)) return null
  if (content === null && role === 'assistant' && mayBeEmpty) return null
  const text = `Invalid value for 'content': expected a non-empty string, got ${JSON.stringify(content)}.`
  return refuse('content_required', text, where)
}

function checkPart(part: unknown, at: string): Violation | null {
  if (!isObject(part) || !PART_TYPES.has(String(part.type))) {
    const type = isObject(part) ? String(part.type) : typeof part
    const known = [...PART_TYPES].map((name) => `'${name}'`).join(', ')
    const text = `Invalid value: '${type}'. Supported values are: ${known}.`
    return refuse('content_part', text, `${at}.type`)
  }
  if (part.type === 'text' && (typeof part.text !== 'string' || part.text === '')) {
    return refuse('content_part', `Invalid type for '${at}.text'.`, `${at}.text`)
  }
  return null
}

function checkCalls({ role, tool_calls, tool_call_id }: Json, at: string): Violation | null {
  if (role === 'tool' && (typeof tool_call_id !== 'string' || tool_call_id === '')) {
    const text = `Missing required parameter: '${at}.tool_call_id'.`
    return refuse('tool_orphan', text, `${at}.tool_call_id`)
  }
  if (tool_calls === undefined || tool_calls === null) return null
  const where = `${at}.tool_calls`
  if (role !== 'assistant' || !Array.isArray(tool_calls) || tool_calls.length === 0) {
    return refuse('tool_calls', `[] is too short - '${where}'`, where)
  }
  const wrong = first(tool_calls, (call, i) => checkCall(call, `${where}[${i}]`))
  if (wrong !== null) return wrong
  const ids = tool_calls.map((call: Json) => call.id as string)
  const duplicate = ids.find((id, i) => ids.indexOf(id) !== i)
  if (duplicate === undefined) return null
  const text = `Duplicate value for 'tool_call_id' of '${duplicate}' in message.`
  return refuse('tool_call_duplicate', text, where)
}

function checkCall(call: unknown, at: string): Violation | null {
  const named = isObject(call) && isObject(call.function) ? call.function : null
  if (
    !isObject(call) ||
    named === null ||
    call.type !== 'function' ||
    typeof call.id !== 'string' ||
    call.id === '' ||
    !isName(named.name)
  ) {
    return refuse('tool_calls', `Invalid tool call at '${at}'.`, at)
  }
  if (typeof named.arguments === 'string' && isJsonObject(named.arguments)) return null
  const text = `Invalid '${at}.function.arguments': expected a string that is a JSON object.`
  return refuse('tool_call_arguments', text, `${at}.function.arguments`)
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text))
  } catch {
    return false
  }
}

/** Every call is answered right after its message, and nothing is answered that was not called. */
function checkPairs(messages: readonly Json[]): Violation | null {
  let open = new Set<unknown>()
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!open.delete(message.tool_call_id)) return orphan(`messages[${i}].role`)
      continue
    }
    if (open.size > 0) return unanswered(open)
    if (Array.isArray(message.tool_calls)) {
      open = new Set(message.tool_calls.map((call: Json) => call.id))
    }
  }
  return open.size > 0 ? unanswered(open) : null
}

function orphan(param: string): Violation {
  const text =
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
  return refuse('tool_orphan', text, param)
}

function unanswered(ids: ReadonlySet<unknown>): Violation {
  const text =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each " +
    `'tool_call_id'. The following tool_call_ids did not have response messages: ${[...ids].join(', ')}`
  return refuse('tool_call_unanswered', text, 'messages')
}

function checkLast(messages: readonly Json[]): Violation | null {
  if (messages.at(-1)?.role !== 'assistant') return null
  const text = 'The last message must not be an assistant message.'
  return refuse('last_message', text, `messages[${messages.length - 1}]`)
}

function checkTools(tools: unknown): Violation | null {
  if (tools === undefined) return null
  if (!Array.isArray(tools) || tools.length === 0) {
    return refuse('tools', "[] is too short - 'tools'", 'tools')
  }
  return first(tools, (tool, i) => checkTool(tool, `tools[${i}]`))
}

function checkTool(tool: unknown, at: string): Violation | null {
  const named = isObject(tool) && tool.type === 'function' ? tool.function : null
  if (!isObject(named) || !isName(named.name)) {
    return refuse('tools', `Missing or invalid parameter: '${at}.function.name'.`, `${at}.function`)
  }
  const { name, parameters } = named
  if (parameters === undefined || (isObject(parameters) && parameters.type === 'object')) {
    return null
  }
  const text = `Invalid schema for function '${String(name)}': schema must be a JSON Schema of 'type: "object"'.`
  return refuse('tools', text, `${at}.function.parameters`)
}

function first(
  items: readonly unknown[],
  check: (item: unknown, index: number) => Violation | null,
): Violation | null {
  for (const [index, item] of items.entries()) {
    const violation = check(item, index)
    if (violation !== null) return violation
  }
  return null
}

const refuse = (rule: Rule, message: string, param: string): Violation => ({ rule, message, param })

// What Anthropic's messages API refuses, and one thing more: a request that ends with an assistant
// message, which Parley promises never to send.

import { createHash } from 'node:crypto'
import type { Violation as ViolationOf } from './strict-server.ts'

export type Block = Record<string, unknown> & { type: string }
export type AnthropicMessage = { role: 'user' | 'assistant'; content: string | Block[] }
export type AnthropicBody = {
  model: string
  max_tokens: number
  stream?: boolean
  system?: string | Block[]
  messages: AnthropicMessage[]
  tools?: Record<string, unknown>[]
  tool_choice?: { type: string }
  thinking?: { type: string; budget_tokens?: number; display?: string }
}

export type AnthropicRule =
  | 'body'
  | 'max_tokens'
  | 'messages_empty'
  | 'role'
  | 'first_message'
  | 'content_required'
  | 'content_block'
  | 'tool_use'
  | 'tool_use_duplicate'
  | 'tool_use_unanswered'
  | 'tool_result_orphan'
  | 'tools'
  | 'tools_required'
  | 'thinking_budget'
  | 'thinking_first'
  | 'thinking_signature'
  | 'cache_control'
  | 'last_message'

export type AnthropicViolation = ViolationOf<AnthropicRule>
type Found = AnthropicViolation | null
type Json = Record<string, unknown>
type Turn = { role: string; blocks: Block[] }

const ID = /^[a-zA-Z0-9_-]+$/
const NAME = /^[a-zA-Z0-9_-]{1,128}$/
const CACHE_BREAKPOINTS = 4
const LEAST_BUDGET = 1024
const THOUGHTS = ['thinking', 'redacted_thinking']
const BLOCKS: Record<string, readonly string[]> = {
  user: ['text', 'image', 'document', 'tool_result'],
  assistant: ['text', 'tool_use', ...THOUGHTS],
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isBlank = (value: unknown): boolean => typeof value !== 'string' || value.trim() === ''

/** Only the model that thought it can have signed it. */
export const signThought = (model: string, text: string): string =>
  createHash('sha256').update(`${model}\n${text}`).digest('base64')

/** The first thing wrong with a request body, in the order in which a reader meets it. */
export function findAnthropicViolation(body: unknown): Found {
  if (!isObject(body)) return refuse('body', 'Input should be a valid dictionary', 'body')
  if (isBlank(body.model)) return refuse('body', 'model: Field required', 'model')
  if (body.stream !== true) return refuse('body', 'Only streaming is served here.', 'stream')
  if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) {
    return refuse('max_tokens', 'max_tokens: Field required', 'max_tokens')
  }
  if (!Array.isArray(body.messages) || body.messages.length === 0) {
    return refuse('messages_empty', 'messages: at least one message is required', 'messages')
  }
  const wrong =
    first(body.messages, (message, i) => checkMessage(message, `messages.${i}`)) ??
    checkSystem(body.system) ??
    checkTools(body.tools)
  if (wrong !== null) return wrong
  const request = body as AnthropicBody
  const turns = toTurns(request.messages)
  return (
    checkEnds(turns) ??
    checkPairs(turns) ??
    checkToolsRequired(turns, request) ??
    checkThinking(turns, request) ??
    checkCache(turns, request)
  )
}

function checkMessage(message: unknown, at: string): Found {
  if (!isObject(message)) return refuse('body', `${at}: Input should be a valid dictionary`, at)
  const known = BLOCKS[String(message.role)]
  if (known === undefined) {
    const text = `${at}.role: Input should be 'user' or 'assistant'`
    return refuse('role', text, `${at}.role`)
  }
  const { content } = message
  if (typeof content === 'string') return checkText(content, `${at}.content`)
  if (!Array.isArray(content) || content.length === 0) {
    const text = `${at}: all messages must have non-empty content`
    return refuse('content_required', text, at)
  }
  return first(content, (block, i) => checkBlock(block, known, `${at}.content.${i}`))
}

function checkBlock(block: unknown, known: readonly string[], at: string): Found {
  if (!isObject(block) || !known.includes(String(block.type))) {
    return refuse('content_block', `${at}: Input tag found does not match the expected tags`, at)
  }
  switch (block.type) {
    case 'text':
      return checkText(block.text, at)
    case 'tool_use': {
      if (typeof block.id !== 'string' || !ID.test(block.id)) {
        const text = `${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`
        return refuse('tool_use', text, `${at}.tool_use.id`)
      }
      if (typeof block.name === 'string' && NAME.test(block.name) && isObject(block.input)) {
        return null
      }
      return refuse('tool_use', `${at}.tool_use.input: Input should be a valid dictionary`, at)
    }
    default:
      return null
  }
}

function checkText(text: unknown, at: string): Found {
  if (!isBlank(text)) return null
  return refuse('content_required', `${at}: text content blocks must be non-empty`, at)
}

function checkSystem(system: unknown): Found {
  if (system === undefined) return null
  const blocks: unknown[] = Array.isArray(system) ? system : [{ text: system }]
  return first(blocks, (block, i) => checkText(isObject(block) ? block.text : null, `system.${i}`))
}

function checkTools(tools: unknown): Found {
  if (tools === undefined) return null
  if (!Array.isArray(tools)) return refuse('tools', 'tools: Input should be a valid list', 'tools')
  const names = new Set<unknown>()
  return first(tools, (tool, i) => {
    const at = `tools.${i}.custom`
    if (!isObject(tool) || typeof tool.name !== 'string' || !NAME.test(tool.name)) {
      return refuse('tools', `${at}.name: String should match pattern`, at)
    }
    if (names.has(tool.name)) return refuse('tools', 'tools: Tool names must be unique.', at)
    names.add(tool.name)
    const schema = tool.input_schema
    if (isObject(schema) && schema.type === 'object') return null
    return refuse('tools', `${at}.input_schema.type: Field required`, at)
  })
}

/** Messages of one role in a row are one turn. */
function toTurns(messages: readonly AnthropicMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const { role, content } of messages) {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
    const last = turns.at(-1)
    if (last?.role === role) last.blocks.push(...blocks)
    else turns.push({ role, blocks: [...blocks] })
  }
  return turns
}

function checkEnds(turns: readonly Turn[]): Found {
  if (turns[0]?.role !== 'user') {
    const text = 'messages: first message must use the "user" role'
    return refuse('first_message', text, 'messages.0')
  }
  if (turns.at(-1)?.role !== 'assistant') return null
  const text = 'The last message must not be an assistant message.'
  return refuse('last_message', text, 'messages')
}

/** Every call is answered first thing in the next turn, and nothing else is answered. */
function checkPairs(turns: readonly Turn[]): Found {
  const seen = new Set<unknown>()
  let open = new Set<unknown>()
  for (const [i, { role, blocks }] of turns.entries()) {
    const at = `messages.${i}`
    if (role === 'user') {
      const leading = blocks.findIndex(({ type }) => type !== 'tool_result')
      const results = leading === -1 ? blocks : blocks.slice(0, leading)
      for (const { tool_use_id: id } of results) if (!open.delete(id)) return orphan(at)
      if (open.size > 0) return unanswered(open, at)
      const isLate = blocks.slice(results.length).some(({ type }) => type === 'tool_result')
      if (isLate) return orphan(at)
      continue
    }
    open = new Set()
    for (const { type, id } of blocks) {
      if (type !== 'tool_use') continue
      if (seen.has(id)) {
        return refuse('tool_use_duplicate', `${at}: \`tool_use\` ids must be unique`, at)
      }
      seen.add(id)
      open.add(id)
    }
  }
  return null
}

function orphan(at: string): AnthropicViolation {
  const text = `${at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
  return refuse('tool_result_orphan', text, at)
}

function unanswered(ids: ReadonlySet<unknown>, at: string): AnthropicViolation {
  const text = `${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...ids].join(', ')}.`
  return refuse('tool_use_unanswered', text, at)
}

function checkToolsRequired(turns: readonly Turn[], { tools }: AnthropicBody): Found {
  const hasCalls = turns.some(({ blocks }) => blocks.some(({ type }) => type === 'tool_use'))
  if (!hasCalls || (tools !== undefined && tools.length > 0)) return null
  const text =
    'Requests which include `tool_use` or `tool_result` blocks must define tools using the `tools` parameter'
  return refuse('tools_required', text, 'tools')
}

function checkThinking(turns: readonly Turn[], body: AnthropicBody): Found {
  const { thinking, model, max_tokens, tool_choice } = body
  const forged = turns
    .flatMap(({ blocks }) => blocks)
    .find((block) => block.type === 'thinking' && !isSigned(block, model))
  if (forged !== undefined) {
    return refuse('thinking_signature', 'Invalid `signature` in `thinking` block', 'messages')
  }
  // A model that decides itself may have decided not to think.
  if (thinking?.type !== 'enabled') return null
  const budget = thinking.budget_tokens ?? 0
  if (budget < LEAST_BUDGET || budget >= max_tokens) {
    const text = '`max_tokens` must be greater than `thinking.budget_tokens`'
    return refuse('thinking_budget', text, 'thinking')
  }
  if (tool_choice !== undefined && !['auto', 'none'].includes(tool_choice.type)) {
    const text = 'Thinking may not be enabled when tool_choice forces tool use.'
    return refuse('thinking_budget', text, 'tool_choice')
  }
  const last = turns.findLast(({ role }) => role === 'assistant')?.blocks ?? []
  if (!last.some(({ type }) => type === 'tool_use')) return null
  if (THOUGHTS.includes(last[0]!.type)) return null
  const text = `Expected \`thinking\` or \`redacted_thinking\`, but found \`${last[0]!.type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`
  return refuse('thinking_first', text, 'messages')
}

const isSigned = ({ thinking, signature }: Block, model: string): boolean =>
  typeof thinking === 'string' && signature === signThought(model, thinking)

function checkCache(turns: readonly Turn[], { system, tools }: AnthropicBody): Found {
  const blocks = turns.flatMap((turn) => turn.blocks)
  if (blocks.some((block) => THOUGHTS.includes(block.type) && block.cache_control != null)) {
    const text = 'cache_control cannot be set for thinking blocks'
    return refuse('cache_control', text, 'messages')
  }
  const all = [...(Array.isArray(system) ? system : []), ...(tools ?? []), ...blocks]
  const marked = all.filter((item: Json) => item.cache_control != null).length
  if (marked <= CACHE_BREAKPOINTS) return null
  const text = `A maximum of 4 blocks with cache_control may be provided. Found ${marked}.`
  return refuse('cache_control', text, 'messages')
}

function first(items: readonly unknown[], check: (item: unknown, index: number) => Found): Found {
  for (const [index, item] of items.entries()) {
    const violation = check(item, index)
    if (violation !== null) return violation
  }
  return null
}

const refuse = (rule: AnthropicRule, message: string, param: string): AnthropicViolation => ({
  rule,
  message,
  param,
})

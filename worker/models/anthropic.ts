// Anthropic's messages API: thoughts that go back signed, and a prompt whose prefix is cached.

import { createAnthropic } from '@ai-sdk/anthropic'
import type { ModelSummary } from '#protocol/http'
import type { Model, ModelMessage, ModelRequest } from '../core/session/model.ts'
import { toModelError, type Provider } from './errors.ts'
import { describeModel } from './info.ts'
import {
  toPrompt,
  toTools,
  type Dialect,
  type Prompt,
  type PromptPart,
  type ThinkingPart,
} from './prompt.ts'
import { ProviderCalls, watchBody } from './provider-call.ts'
import type { CallOptions } from './provider-types.ts'
import { readRedactedSignature } from './stream-parts.ts'
import { toCallId, toToolName } from './wire-names.ts'

export type AnthropicOptions = Provider & {
  modelId: string
  info?: ModelSummary
  /** null: as the model's name suggests. 0: off. */
  thinkingTokens?: number | null
  fetch?: typeof globalThis.fetch
}

type Thinking =
  | { type: 'adaptive'; display: 'summarized' }
  | { type: 'enabled'; budgetTokens: number }
  | { type: 'disabled' }

/** The API's own minimum. */
const LEAST_THINKING_TOKENS = 1024
/** Enough for any answer; the most a model can write would count against the context window. */
const OUTPUT_TOKENS = 32_000
const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/
const NAME_CHARS = 128
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } }

export function createAnthropicModel(options: AnthropicOptions): Model {
  const { apiKey, modelId, fetch = globalThis.fetch } = options
  const calls = new ProviderCalls((error) => toModelError(error, options))
  const chat = createAnthropic({
    baseURL: toBaseUrl(options.baseURL),
    // The package would look for a key in the environment: a proxy of one's own may need none.
    apiKey: apiKey ?? 'none',
    fetch: calls.wrap(fetch, watchBody),
  }).languageModel(modelId)
  const thinking = toThinking(modelId, options.thinkingTokens ?? null)

  return {
    id: modelId,
    info: options.info ?? describeModel(modelId, 'anthropic'),
    stream(request, signal, emit) {
      return calls.stream(chat, toCall(modelId, thinking, request), signal, emit)
    },
  }
}

/** Anthropic's own programs take the address without /v1, the package takes it with. */
function toBaseUrl(baseURL: string): string {
  const trimmed = baseURL.replace(/\/+$/, '')
  return trimmed.endsWith('/v1') ? trimmed : `${trimmed}/v1`
}

function toThinking(modelId: string, tokens: number | null): Thinking | null {
  if (isAdaptive(modelId)) {
    // Newer models think unless told not to, and keep their thoughts to themselves unless asked.
    return tokens === 0 ? { type: 'disabled' } : { type: 'adaptive', display: 'summarized' }
  }
  if (tokens === null || tokens === 0) return null
  return { type: 'enabled', budgetTokens: Math.max(LEAST_THINKING_TOKENS, tokens) }
}

/** From 4.6 on a model decides itself how much it thinks. */
function isAdaptive(modelId: string): boolean {
  const [, major, minor] = /claude-[a-z]+-(\d{1,2})(?:[-.](\d{1,2}))?(?!\d)/.exec(modelId) ?? []
  return Number(major) + Number(minor ?? 0) / 10 >= 4.6
}

const isCurrent = (modelId: string): boolean => /claude-[a-z]+-[4-9]/.test(modelId)

function toCall(
  modelId: string,
  configured: Thinking | null,
  request: ModelRequest,
): Omit<CallOptions, 'abortSignal'> {
  // Refused otherwise: with a budget, the turn that called tools has to begin with a thought.
  const isRefused = configured?.type === 'enabled' && !mayThink(request.messages, modelId)
  const thinking = isRefused ? null : configured
  const sendsThoughts = thinking !== null && thinking.type !== 'disabled'
  const prompt = toPrompt(request, toDialect(sendsThoughts ? modelId : null))
  const tools = toTools(withToolsOf(request))
  cachePrefix(prompt, tools)
  return {
    prompt,
    tools,
    ...(request.tools.length === 0 && tools.length > 0 && { toolChoice: { type: 'none' } }),
    ...(isCurrent(modelId) && { maxOutputTokens: OUTPUT_TOKENS }),
    providerOptions: { anthropic: thinking === null ? {} : { thinking } },
  }
}

/** null: no thought goes back. Only a model's own do: others cannot check the signature. */
const toDialect = (modelId: string | null): Dialect => ({
  toThought({ text, signature, model }): PromptPart | null {
    if (model !== modelId || signature === null) return null
    const redactedData = readRedactedSignature(signature)
    const proof = redactedData === null ? { signature } : { redactedData }
    return { type: 'reasoning', text, providerOptions: { anthropic: proof } }
  },
  toCallId: (id) => toCallId(id, CALL_ID, 'toolu_'),
  toToolName: (name) => toToolName(name, NAME_CHARS),
})

const isOwn = ({ model, signature }: ThinkingPart, modelId: string): boolean =>
  model === modelId && signature !== null

/** Whether the last turn of the assistant, if it called tools, begins with a thought of its own. */
function mayThink(messages: readonly ModelMessage[], modelId: string): boolean {
  const end = messages.findLastIndex(({ role }) => role === 'assistant')
  if (end === -1) return true
  // Messages of one role in a row are one turn to the API.
  const before = messages.slice(0, end).findLastIndex(({ role }) => role !== 'assistant')
  const parts = messages
    .slice(before + 1, end + 1)
    .flatMap((message) => (message.role === 'assistant' ? message.parts : []))
    .filter((part) => part.type !== 'text' || part.text.trim() !== '')
    .filter((part) => part.type !== 'thinking' || isOwn(part, modelId))
  return parts[0]?.type === 'thinking' || !parts.some(({ type }) => type === 'tool_call')
}

/** The API refuses calls in the history when no tool is declared, even if none may be called. */
function withToolsOf(request: ModelRequest): ModelRequest {
  if (request.tools.length > 0) return request
  const parts = request.messages.flatMap((message) =>
    message.role === 'assistant' ? message.parts : [],
  )
  const names = new Set(
    parts.flatMap((part) =>
      part.type === 'tool_call' ? [toToolName(part.toolName, NAME_CHARS)] : [],
    ),
  )
  const inputSchema = { type: 'object', properties: {} }
  const tools = [...names].map((name) => ({ name, description: 'Not available.', inputSchema }))
  return { ...request, tools }
}

/** What the next step of the run sends again: tools and system, and the conversation so far. */
function cachePrefix(prompt: Prompt, tools: NonNullable<CallOptions['tools']>): void {
  const [first] = prompt
  const lastTool = tools.at(-1)
  if (first?.role === 'system') first.providerOptions = CACHED
  else if (lastTool?.type === 'function') lastTool.providerOptions = CACHED
  const last = prompt.at(-1)
  if (last !== undefined && last !== first) last.providerOptions = CACHED
}

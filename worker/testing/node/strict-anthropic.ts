// A loopback server for Anthropic's messages API: it refuses what the real one refuses and streams
// the events that the real one streams. Scripts and gates are those of the chat-completions server.

import {
  findAnthropicViolation,
  signThought,
  type AnthropicBody,
  type AnthropicRule,
} from './strict-anthropic-rules.ts'
import {
  DEFAULT_USAGE,
  toPieces,
  type Wire,
  type WireToolCall,
  type WireUsage,
} from './strict-reply.ts'
import {
  startStrictServer,
  type Provider,
  type Refusal,
  type StrictServer,
  type StrictServerOptions,
} from './strict-server.ts'

export type StrictAnthropic = StrictServer<AnthropicBody, AnthropicRule>

const PROVIDER: Provider<AnthropicBody, AnthropicRule> = {
  path: '/v1/messages',
  findViolation: findAnthropicViolation,
  toRefusal: ({ message }) => refuse(400, 'invalid_request_error', message),
  checkHeaders: (headers, apiKey) => {
    const key = headers['x-api-key']
    if (key === undefined)
      return refuse(401, 'authentication_error', 'x-api-key header is required')
    if (apiKey !== undefined && key !== apiKey) {
      return refuse(401, 'authentication_error', 'invalid x-api-key')
    }
    if (headers['anthropic-version'] !== undefined) return null
    return refuse(400, 'invalid_request_error', 'anthropic-version: header is required')
  },
  notFound: (what) => refuse(404, 'not_found_error', `Not found (${what})`),
  notJson: () => refuse(400, 'invalid_request_error', 'The request body is not valid JSON'),
  createWire: (body, index) => new MessageWire(body, index),
}

export function startStrictAnthropic(
  options: StrictServerOptions<AnthropicBody> = {},
): Promise<StrictAnthropic> {
  return startStrictServer(PROVIDER, options)
}

const refuse = (status: number, type: string, message: string): Refusal => ({
  status,
  body: { type: 'error', error: { type, message } },
})

/** The scripts' words for why a reply ends, in Anthropic's. */
const STOP_REASONS: Record<string, string> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

class MessageWire implements Wire {
  private readonly body: AnthropicBody
  private readonly index: number
  private blocks = 0
  private open: 'text' | 'thinking' | null = null
  private thought = ''
  private hasBegun = false

  constructor(body: AnthropicBody, index: number) {
    this.body = body
    this.index = index
  }

  text(text: string): string {
    const start = this.start('text', { type: 'text', text: '' })
    return start + this.delta({ type: 'text_delta', text })
  }

  reasoning(text: string): string {
    const start = this.start('thinking', { type: 'thinking', thinking: '', signature: '' })
    this.thought += text
    return start + this.delta({ type: 'thinking_delta', thinking: text })
  }

  redacted(data: string): string {
    return this.start(null, { type: 'redacted_thinking', data }) + this.stop()
  }

  toolCall(call: WireToolCall): string[] {
    const { id, name } = call
    const start = this.start(null, { type: 'tool_use', id, name, input: {} })
    const pieces = ['', ...toPieces(call)].map((partial_json) =>
      this.delta({ type: 'input_json_delta', partial_json }),
    )
    return [start, ...pieces, this.stop()]
  }

  finish(reason: string, usage: WireUsage | null): string[] {
    const { completion_tokens } = usage ?? DEFAULT_USAGE
    const stop_reason = STOP_REASONS[reason] ?? reason
    return [
      this.begin() + this.close(),
      event('message_delta', {
        delta: { stop_reason, stop_sequence: null },
        usage: { ...toInputUsage(usage ?? DEFAULT_USAGE), output_tokens: completion_tokens },
      }),
      event('message_stop', {}),
    ]
  }

  error(error: { type: string; message: string }): string {
    return event('error', { error })
  }

  ping(): string {
    return event('ping', {})
  }

  private begin(): string {
    if (this.hasBegun) return ''
    this.hasBegun = true
    const message = {
      id: `msg_${this.index}`,
      type: 'message',
      role: 'assistant',
      model: this.body.model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...toInputUsage(DEFAULT_USAGE), output_tokens: 1 },
    }
    return event('message_start', { message }) + this.ping()
  }

  /** A block of a kind that goes on is not started again. */
  private start(kind: 'text' | 'thinking' | null, content_block: object): string {
    if (kind !== null && this.open === kind) return ''
    const before = this.begin() + this.close()
    this.open = kind
    return before + event('content_block_start', { index: this.blocks, content_block })
  }

  private delta(delta: object): string {
    return event('content_block_delta', { index: this.blocks, delta })
  }

  private close(): string {
    if (this.open === null) return ''
    const isThought = this.open === 'thinking'
    const signature = isThought ? signThought(this.body.model, this.thought) : ''
    this.open = null
    this.thought = ''
    return (isThought ? this.delta({ type: 'signature_delta', signature }) : '') + this.stop()
  }

  private stop(): string {
    const stopped = event('content_block_stop', { index: this.blocks })
    this.blocks++
    return stopped
  }
}

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`

/** Anthropic counts what was cached apart from the rest. */
function toInputUsage({ prompt_tokens, prompt_tokens_details }: WireUsage) {
  const cached = prompt_tokens_details?.cached_tokens ?? 0
  return {
    input_tokens: prompt_tokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
  }
}

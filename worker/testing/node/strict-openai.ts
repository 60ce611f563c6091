// A loopback chat-completions server for tests and benches. It refuses what the real API refuses,
// and its replies are scripts whose gates the test opens, so that no test has to sleep.

import { findViolation, type ChatBody, type Rule, type Violation } from './strict-openai-rules.ts'
import { toPieces, type Wire, type WireToolCall, type WireUsage } from './strict-reply.ts'
import {
  startStrictServer,
  type Provider,
  type Refusal,
  type Script as ScriptOf,
  type StrictServer,
  type StrictServerOptions,
} from './strict-server.ts'

export type { ChatBody, ChatMessage, Rule, Violation } from './strict-openai-rules.ts'
export type { Repeat, Reply, ReplyStep, WireToolCall, WireUsage } from './strict-reply.ts'
export type { Gate } from './strict-server.ts'
export { letProcessEnd } from './strict-server.ts'

export type Script = ScriptOf<ChatBody>
export type StrictOpenAiOptions = StrictServerOptions<ChatBody>
export type StrictOpenAi = StrictServer<ChatBody, Rule> & {
  /** The `authorization` header of each entry of `requests`. */
  readonly authorizations: (string | undefined)[]
}

const PROVIDER: Provider<ChatBody, Rule> = {
  path: '/v1/chat/completions',
  findViolation,
  toRefusal: ({ message, param }: Violation) => refuse(400, message, param),
  checkHeaders: ({ authorization }, apiKey) => {
    if (apiKey === undefined || authorization === `Bearer ${apiKey}`) return null
    const sent = authorization?.slice('Bearer '.length) ?? ''
    return refuse(401, `Incorrect API key provided: ${sent}.`, null, 'invalid_api_key')
  },
  notFound: (what) => refuse(404, `Invalid URL (${what})`, null),
  notJson: () => refuse(400, 'We could not parse the JSON body of your request.', null),
  createWire: (body, index) => new ChatWire(body, index),
}

export async function startStrictOpenAi(options: StrictOpenAiOptions = {}): Promise<StrictOpenAi> {
  const server = await startStrictServer(PROVIDER, options)
  // Not a spread: `aborted` is a getter, and a copy of it would stay at nought.
  return Object.defineProperty(server, 'authorizations', {
    get: () => server.headers.map(({ authorization }) => authorization),
  }) as StrictOpenAi
}

function refuse(
  status: number,
  message: string,
  param: string | null,
  code: string | null = null,
): Refusal {
  return { status, body: { error: { message, type: 'invalid_request_error', param, code } } }
}

class ChatWire implements Wire {
  private readonly body: ChatBody
  private readonly index: number
  private calls = 0
  private hasBegun = false

  constructor(body: ChatBody, index: number) {
    this.body = body
    this.index = index
  }

  text(text: string): string {
    return this.begin() + this.delta({ content: text })
  }

  reasoning(text: string): string {
    return this.begin() + this.delta({ reasoning_content: text })
  }

  redacted(): string {
    return ''
  }

  toolCall(call: WireToolCall): string[] {
    const index = call.index ?? this.calls
    this.calls = index + 1
    const { id, name } = call
    const { signature } = call
    const extra_content = { google: { thought_signature: signature } }
    const start = {
      index,
      id,
      type: 'function',
      function: { name, arguments: '' },
      ...(signature !== undefined && { extra_content }),
    }
    return [
      this.begin(),
      this.delta({ tool_calls: [start] }),
      ...toPieces(call).map((piece) =>
        this.delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]
  }

  finish(reason: string, usage: WireUsage | null): string[] {
    const pieces = [this.chunk([{ index: 0, delta: {}, finish_reason: reason }])]
    if (usage !== null && this.body.stream_options?.include_usage === true) {
      const total_tokens = usage.prompt_tokens + usage.completion_tokens
      pieces.push(this.chunk([], { ...usage, total_tokens }))
    }
    return [...pieces, 'data: [DONE]\n\n']
  }

  error(error: { type: string; message: string }): string {
    return `data: ${JSON.stringify({ error })}\n\n`
  }

  ping(): string {
    return ': ping\n\n'
  }

  /** The real API opens every reply with an empty delta that carries the role. */
  private begin(): string {
    if (this.hasBegun) return ''
    this.hasBegun = true
    return this.delta({ role: 'assistant', content: '' })
  }

  private delta(delta: Record<string, unknown>): string {
    return this.chunk([{ index: 0, delta, finish_reason: null }])
  }

  private chunk(choices: unknown[], usage?: unknown): string {
    return `data: ${JSON.stringify({
      id: `chatcmpl-${this.index}`,
      object: 'chat.completion.chunk',
      created: 1_750_000_000,
      model: this.body.model,
      choices,
      ...(usage !== undefined && { usage }),
    })}\n\n`
  }
}

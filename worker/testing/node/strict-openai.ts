// A loopback chat-completions server for tests and benches. It refuses what the real API refuses,
// and its replies are scripts whose gates the test opens, so that no test has to sleep.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { findViolation, type ChatBody, type Violation } from './strict-openai-rules.ts'

export type { ChatBody, ChatMessage, Rule, Violation } from './strict-openai-rules.ts'

export type WireUsage = {
  prompt_tokens: number
  completion_tokens: number
  prompt_tokens_details?: { cached_tokens: number }
}

export type ReplyStep =
  | { text: string }
  | { reasoning: string }
  | { toolCall: WireToolCall }
  /** Holds the reply until the test releases the gate of this name. */
  | { gate: string }
  | { delayMs: number }
  /** `usage: null` sends none, as many compatible servers do. */
  | { finish: string; usage?: WireUsage | null }
  /** An HTTP error; only as the first step. A string body is sent as it is. */
  | { status: number; body?: unknown }
  /** Never answers again; the client has to give up. */
  | { hang: true }
  /** Destroys the socket. */
  | { cut: true }
  /** Bytes as they are, for malformed streams. */
  | { raw: string }
  /** Many text deltas: as fast as the client reads, or at a fixed rate. */
  | Repeat

/** `chunks`: in how many pieces the arguments arrive. `index` is the place among parallel calls. */
export type WireToolCall = {
  id: string
  name: string
  arguments: string
  chunks?: number
  index?: number
}

export type Repeat = {
  repeat: number
  text: string | ((index: number) => string)
  perSecond?: number
}

export type Reply = readonly ReplyStep[]
export type Script = (body: ChatBody, index: number) => Reply

export type Gate = {
  /** Resolves when a reply waits here. */
  reached: Promise<void>
  /** Opens the gate for good. */
  release: () => void
}

export type StrictOpenAi = {
  /** Base URL, as a client is configured with it: ends in /v1. */
  url: string
  /** Every body that was JSON, refused ones too. */
  requests: ChatBody[]
  violations: Violation[]
  /** The `authorization` header of each entry of `requests`. */
  authorizations: (string | undefined)[]
  setScript: (script: Script) => void
  gate: (name: string) => Gate
  /** Replies that the client gave up on. */
  readonly aborted: number
  /** Resolves when `count` replies in all have been given up on. */
  untilAborted: (count?: number) => Promise<void>
  close: () => Promise<void>
}

export type StrictOpenAiOptions = {
  script?: Script
  apiKey?: string
  port?: number
  /** Ends with the process instead of keeping it alive. */
  isBackground?: boolean
}

const DEFAULT_REPLY: Reply = [{ text: 'Hello from the strict server.' }, { finish: 'stop' }]
const DEFAULT_USAGE: WireUsage = { prompt_tokens: 12, completion_tokens: 7 }
/** Deltas in one write at full speed: the socket, not this server, has to be the bottleneck. */
const BATCH = 64
const RATE_TICK_MS = 4
const KEEP_ALIVE_MS = 600_000

export async function startStrictOpenAi(options: StrictOpenAiOptions = {}): Promise<StrictOpenAi> {
  const state = new ServerState(options)
  const server = createServer((request, response) => {
    void serve(state, request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  // A connection that is closed for being idle just as it is used again is a failed run.
  server.keepAliveTimeout = KEEP_ALIVE_MS
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  if (options.isBackground === true) letProcessEnd(server)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: state.requests,
    violations: state.violations,
    authorizations: state.authorizations,
    setScript: (script) => (state.script = script),
    gate: (name) => state.gate(name),
    get aborted() {
      return state.aborted
    },
    untilAborted: (count = 1) => state.untilAborted(count),
    close: () => close(server),
  }
}

export function letProcessEnd(server: Server): void {
  server.unref()
  server.on('connection', (socket) => socket.unref())
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

class ServerState {
  readonly requests: ChatBody[] = []
  readonly violations: Violation[] = []
  readonly authorizations: (string | undefined)[] = []
  readonly apiKey: string | undefined
  script: Script
  aborted = 0
  private readonly gates = new Map<string, Gate & { reach: () => void; opened: Promise<void> }>()
  private readonly waiters: { count: number; resolve: () => void }[] = []

  constructor({ script, apiKey }: StrictOpenAiOptions) {
    this.script = script ?? (() => DEFAULT_REPLY)
    this.apiKey = apiKey
  }

  gate(name: string) {
    const known = this.gates.get(name)
    if (known !== undefined) return known
    const reached = Promise.withResolvers<void>()
    const opened = Promise.withResolvers<void>()
    const gate = {
      reached: reached.promise,
      reach: reached.resolve,
      opened: opened.promise,
      release: opened.resolve,
    }
    this.gates.set(name, gate)
    return gate
  }

  countAbort(): void {
    this.aborted++
    for (const waiter of this.waiters) if (waiter.count <= this.aborted) waiter.resolve()
  }

  untilAborted(count: number): Promise<void> {
    if (this.aborted >= count) return Promise.resolve()
    return new Promise((resolve) => this.waiters.push({ count, resolve }))
  }
}

async function serve(state: ServerState, request: IncomingMessage, response: ServerResponse) {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    return sendError(response, 404, `Invalid URL (${request.method} ${request.url})`, null)
  }
  const body = parseJson(await readText(request))
  if (body === undefined) return sendError(response, 400, 'We could not parse the JSON body.', null)
  const index = state.requests.push(body as ChatBody) - 1
  state.authorizations.push(request.headers.authorization)
  if (state.apiKey !== undefined && request.headers.authorization !== `Bearer ${state.apiKey}`) {
    const sent = request.headers.authorization?.slice('Bearer '.length) ?? ''
    return sendError(response, 401, `Incorrect API key provided: ${sent}.`, null, 'invalid_api_key')
  }
  const violation = findViolation(body)
  if (violation !== null) {
    state.violations.push(violation)
    return sendError(response, 400, violation.message, violation.param)
  }
  await new ReplyStream(state, body as ChatBody, response, index).play()
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function sendError(
  response: ServerResponse,
  status: number,
  message: string,
  param: string | null,
  code: string | null = null,
): void {
  const error = { message, type: 'invalid_request_error', param, code }
  sendJson(response, status, { error })
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

/** One reply being played. Stops by itself when the client is gone. */
class ReplyStream {
  private readonly state: ServerState
  private readonly body: ChatBody
  private readonly response: ServerResponse
  private readonly index: number
  private readonly gone: Promise<void>
  private calls = 0
  private hasBegun = false
  private isOver = false

  constructor(state: ServerState, body: ChatBody, response: ServerResponse, index: number) {
    this.state = state
    this.body = body
    this.response = response
    this.index = index
    this.gone = new Promise((resolve) => {
      response.once('close', () => {
        // `close` also follows an ordinary end and our own cut.
        if (!response.writableEnded && !this.isOver) state.countAbort()
        this.isOver = true
        resolve()
      })
    })
  }

  async play(): Promise<void> {
    const reply = this.state.script(this.body, this.index)
    const [first] = reply
    if (first !== undefined && 'status' in first) {
      return sendJson(this.response, first.status, first.body ?? '')
    }
    for (const step of reply) {
      if (this.isOver) return
      await this.playStep(step)
    }
    this.response.end()
  }

  private async playStep(step: ReplyStep): Promise<void> {
    if ('text' in step || 'reasoning' in step || 'toolCall' in step) await this.begin()
    if ('repeat' in step) return this.repeat(step)
    if ('text' in step) return this.write(this.delta({ content: step.text }))
    if ('reasoning' in step) return this.write(this.delta({ reasoning_content: step.reasoning }))
    if ('toolCall' in step) return this.toolCall(step.toolCall)
    if ('finish' in step) return this.finish(step.finish, step.usage)
    if ('raw' in step) return this.write(step.raw)
    if ('delayMs' in step) return this.race(wait(step.delayMs))
    if ('gate' in step) {
      const gate = this.state.gate(step.gate)
      this.open()
      gate.reach()
      return this.race(gate.opened)
    }
    if ('hang' in step) {
      this.open()
      return this.gone
    }
    if ('status' in step) throw new Error('a status can only be the first step of a reply')
    this.isOver = true
    this.response.destroy()
  }

  /** The real API opens every reply with an empty delta that carries the role. */
  private async begin(): Promise<void> {
    if (this.hasBegun) return
    this.hasBegun = true
    await this.write(this.delta({ role: 'assistant', content: '' }))
  }

  private race(until: Promise<void>): Promise<void> {
    return Promise.race([until, this.gone])
  }

  private async toolCall(call: WireToolCall): Promise<void> {
    const index = call.index ?? this.calls
    this.calls = index + 1
    const { id, name } = call
    const start = { index, id, type: 'function', function: { name, arguments: '' } }
    await this.write(this.delta({ tool_calls: [start] }))
    const size = Math.max(1, Math.ceil(call.arguments.length / (call.chunks ?? 1)))
    for (let at = 0; at < call.arguments.length; at += size) {
      const piece = { index, function: { arguments: call.arguments.slice(at, at + size) } }
      await this.write(this.delta({ tool_calls: [piece] }))
    }
  }

  private async finish(reason: string, usage: WireUsage | null = DEFAULT_USAGE): Promise<void> {
    await this.write(this.chunk([{ index: 0, delta: {}, finish_reason: reason }]))
    if (usage !== null && this.body.stream_options?.include_usage === true) {
      const total_tokens = usage.prompt_tokens + usage.completion_tokens
      await this.write(this.chunk([], { ...usage, total_tokens }))
    }
    await this.write('data: [DONE]\n\n')
  }

  private async repeat({ repeat, text, perSecond }: Repeat): Promise<void> {
    const constant = typeof text === 'string' ? this.delta({ content: text }) : ''
    const encode = (from: number, to: number): string => {
      if (typeof text === 'string') return constant.repeat(to - from)
      let out = ''
      for (let i = from; i < to; i++) out += this.delta({ content: text(i) })
      return out
    }
    const startedAt = performance.now()
    for (let sent = 0; sent < repeat && !this.isOver;) {
      const due =
        perSecond === undefined
          ? sent + BATCH
          : Math.floor(((performance.now() - startedAt) * perSecond) / 1000)
      const to = Math.min(repeat, due)
      if (to > sent) await this.write(encode(sent, to))
      else await this.race(wait(RATE_TICK_MS))
      sent = Math.max(sent, to)
    }
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

  private open(): void {
    if (this.response.headersSent) return
    this.response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
    })
    this.response.flushHeaders()
  }

  /** Waits for a slow reader, so that full speed is the client's speed. */
  private async write(text: string): Promise<void> {
    this.open()
    if (this.isOver || this.response.write(text)) return
    await this.race(new Promise((resolve) => this.response.once('drain', resolve)))
  }
}

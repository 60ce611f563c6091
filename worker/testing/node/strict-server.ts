// What the strict model servers share: HTTP on the loopback, scripts, gates, and the playing of a
// reply. What goes over the wire, and what is refused, is each server's own.

import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { ReplyPlayer, type Reply, type Wire } from './strict-reply.ts'

export type Gate = {
  /** Resolves when a reply waits here. */
  reached: Promise<void>
  /** Opens the gate for good. */
  release: () => void
}
type GateInside = Gate & { reach: () => void; opened: Promise<void> }

/** By name, made when first named: by the test or by a reply, whichever comes first. */
export class Gates {
  private readonly gates = new Map<string, GateInside>()

  get(name: string): GateInside {
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
}

export type Violation<Rule extends string> = { rule: Rule; message: string; param: string }
export type Script<Body> = (body: Body, index: number) => Reply

export type StrictServer<Body, Rule extends string> = {
  /** Base URL, as a client is configured with it: ends in /v1. */
  url: string
  /** Every body that was JSON, refused ones too. */
  requests: Body[]
  violations: Violation<Rule>[]
  /** What came with each entry of `requests`. */
  headers: IncomingHttpHeaders[]
  setScript: (script: Script<Body>) => void
  gate: (name: string) => Gate
  /** Replies that the client gave up on. */
  readonly aborted: number
  /** Resolves when `count` replies in all have been given up on. */
  untilAborted: (count?: number) => Promise<void>
  close: () => Promise<void>
}

export type StrictServerOptions<Body> = {
  script?: Script<Body>
  apiKey?: string
  port?: number
  /** Ends with the process instead of keeping it alive. */
  isBackground?: boolean
  /** Of another server, to share them with it. */
  gates?: Gates
}

/** An answer that is no stream. */
export type Refusal = { status: number; body: unknown }

/** What makes a server one provider's. */
export type Provider<Body, Rule extends string> = {
  path: string
  findViolation: (body: unknown) => Violation<Rule> | null
  toRefusal: (violation: Violation<Rule>) => Refusal
  /** Before the body is looked at: keys and versions. */
  checkHeaders: (headers: IncomingHttpHeaders, apiKey: string | undefined) => Refusal | null
  notFound: (what: string) => Refusal
  notJson: () => Refusal
  createWire: (body: Body, index: number) => Wire
}

const DEFAULT_REPLY: Reply = [{ text: 'Hello from the strict server.' }, { finish: 'stop' }]
const KEEP_ALIVE_MS = 600_000

class ServerState<Body, Rule extends string> {
  readonly requests: Body[] = []
  readonly violations: Violation<Rule>[] = []
  readonly headers: IncomingHttpHeaders[] = []
  readonly apiKey: string | undefined
  readonly gates: Gates
  script: Script<Body>
  aborted = 0
  private readonly waiters: { count: number; resolve: () => void }[] = []

  constructor({ script, apiKey, gates }: StrictServerOptions<Body>) {
    this.script = script ?? (() => DEFAULT_REPLY)
    this.apiKey = apiKey
    this.gates = gates ?? new Gates()
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

export async function startStrictServer<Body, Rule extends string>(
  provider: Provider<Body, Rule>,
  options: StrictServerOptions<Body>,
): Promise<StrictServer<Body, Rule>> {
  const state = new ServerState<Body, Rule>(options)
  const server = createServer((request, response) => {
    void serve(provider, state, request, response).catch((error: unknown) =>
      response.destroy(error as Error),
    )
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
    headers: state.headers,
    setScript: (script) => (state.script = script),
    gate: (name) => state.gates.get(name),
    get aborted() {
      return state.aborted
    },
    untilAborted: (count = 1) => state.untilAborted(count),
    close: () => closeServer(server),
  }
}

export function letProcessEnd(server: Server): void {
  server.unref()
  server.on('connection', (socket) => socket.unref())
}

export function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

async function serve<Body, Rule extends string>(
  provider: Provider<Body, Rule>,
  state: ServerState<Body, Rule>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refuse = ({ status, body }: Refusal): void => sendJson(response, status, body)
  if (request.method !== 'POST' || request.url !== provider.path) {
    return refuse(provider.notFound(`${request.method} ${request.url}`))
  }
  const body = parseJson(await readText(request))
  if (body === undefined) return refuse(provider.notJson())
  const index = state.requests.push(body as Body) - 1
  state.headers.push(request.headers)
  const refusal = provider.checkHeaders(request.headers, state.apiKey)
  if (refusal !== null) return refuse(refusal)
  const violation = provider.findViolation(body)
  if (violation !== null) {
    state.violations.push(violation)
    return refuse(provider.toRefusal(violation))
  }
  const reply = state.script(body as Body, index)
  const [first] = reply
  if (first !== undefined && 'status' in first) {
    for (const [name, value] of Object.entries(first.headers ?? {})) response.setHeader(name, value)
    return sendJson(response, first.status, first.body ?? '')
  }
  const wire = provider.createWire(body as Body, index)
  const player = new ReplyPlayer(wire, response, {
    gate: (name) => state.gates.get(name),
    countAbort: () => state.countAbort(),
  })
  await player.play(reply)
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

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

// A real MCP server on the loopback, of either era, that can be told to misbehave.

import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
  type CallToolResult,
  type ToolAnnotations,
} from '@modelcontextprotocol/server'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { closeServer, Gates, letProcessEnd, type Gate } from './strict-server.ts'

export type KitTool = {
  name: string
  description?: string
  annotations?: ToolAnnotations
  /** Properties of its input, as JSON schemas. */
  properties?: Record<string, { type: 'string' | 'number' | 'boolean' | 'array' }>
  run: (input: Record<string, unknown>, headers: Headers) => KitResult | Promise<KitResult>
}
export type KitResult = string | CallToolResult

/** A request as it came in. `rpc` is what it asked for: `tools/call`, or null for none. */
export type KitRequest = {
  method: string
  rpc: string | null
  id: unknown
  params: Record<string, unknown>
  session: string | null
  headers: Headers
}

/** What is sent instead of the server's own answer. */
export type Misbehaviour =
  | { kind: 'hang' }
  | { kind: 'die' }
  | { kind: 'result'; result: unknown }
  | { kind: 'raw'; status: number; headers?: Record<string, string>; body: string }

export type McpKit = {
  url: string
  readonly requests: readonly KitRequest[]
  /** What it offers from now on. */
  setTools: (tools: readonly KitTool[]) => void
  /** Asked before each answer; undefined leaves the answer to the server. */
  setMisbehaviour: (decide: Decide) => void
  gate: (name: string) => Gate
  /** For a tool: waits there until the test lets it go on. */
  wait: (gate: string) => Promise<void>
  /** Every open connection is cut, as when the process dies. */
  cutConnections: () => void
  /** Sessions that have begun and not been ended. */
  readonly sessions: ReadonlySet<string>
  /** Resolves when `count` requests like this have come in. */
  untilRequests: (matches: (request: KitRequest) => boolean, count?: number) => Promise<void>
  /** Resolves when a client has given up on an answer. */
  readonly abandoned: Promise<void>
  close: () => Promise<void>
}

/** `sessions`: 2025, with an event stream for each answer. `stateless`: 2026, and JSON. */
export type KitOptions = { era?: 'sessions' | 'stateless'; isBackground?: boolean }

type Decide = (request: KitRequest) => Misbehaviour | undefined
type Handle = (request: Request, body: unknown) => Promise<Response>

const behaveWell: Decide = () => undefined

export async function startMcpServer(options: KitOptions = {}): Promise<McpKit> {
  const gates = new Gates()
  const requests: KitRequest[] = []
  const sessions = new Set<string>()
  const waiting = new Set<() => void>()
  const abandoned = Promise.withResolvers<void>()
  let tools: readonly KitTool[] = []
  let decide = behaveWell

  const create = (headers: Headers) => createMcp(tools, headers)
  const handle =
    options.era === 'stateless' ? serveStateless(create) : serveSessions(create, sessions)
  const server = createServer((incoming, outgoing) => {
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) abandoned.resolve()
    })
    void (async () => {
      const { request, body } = await readRequest(incoming, outgoing)
      const seen = toKitRequest(request, body)
      requests.push(seen)
      for (const check of waiting) check()
      const misbehaviour = decide(seen)
      if (misbehaviour !== undefined) return misbehave(misbehaviour, seen, outgoing)
      await sendResponse(await handle(request, body), outgoing)
    })().catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  if (options.isBackground === true) letProcessEnd(server)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    sessions,
    abandoned: abandoned.promise,
    setTools: (next) => (tools = next),
    setMisbehaviour: (next) => (decide = next),
    gate: (name) => gates.get(name),
    wait: (name) => {
      gates.get(name).reach()
      return gates.get(name).opened
    },
    cutConnections: () => server.closeAllConnections(),
    untilRequests: (matches, count = 1) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (requests.filter(matches).length < count) return
          waiting.delete(check)
          resolve()
        }
        waiting.add(check)
        check()
      }),
    close: () => closeServer(server),
  }
}

function createMcp(tools: readonly KitTool[], headers: Headers): McpServer {
  const mcp = new McpServer({ name: 'kit', version: '1.0.0' }, { capabilities: { tools: {} } })
  for (const { name, description, annotations, properties = {}, run } of tools) {
    const inputSchema = fromJsonSchema<Record<string, unknown>>({
      type: 'object',
      properties,
      required: Object.keys(properties),
    })
    const config = {
      inputSchema,
      ...(description !== undefined && { description }),
      ...(annotations !== undefined && { annotations }),
    }
    mcp.registerTool(name, config, async (input) => {
      const result = await run(input, headers)
      return typeof result === 'string' ? { content: [{ type: 'text', text: result }] } : result
    })
  }
  return mcp
}

/** One server per request, as the 2026 protocol wants it. */
function serveStateless(create: (headers: Headers) => McpServer): Handle {
  return (request, body) => {
    const handler = createMcpHandler(() => create(request.headers), { legacy: 'reject' })
    return handler.fetch(request, { parsedBody: body })
  }
}

/** One server per session, which ends when the client says so. */
function serveSessions(create: (headers: Headers) => McpServer, sessions: Set<string>): Handle {
  const transports = new Map<string, WebStandardStreamableHTTPServerTransport>()
  return async (request, body) => {
    const known = transports.get(request.headers.get('mcp-session-id') ?? '')
    if (known !== undefined) return known.handleRequest(request, { parsedBody: body })
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => {
        transports.set(id, transport)
        sessions.add(id)
      },
      onsessionclosed: (id) => {
        transports.delete(id)
        sessions.delete(id)
      },
    })
    await create(request.headers).connect(transport)
    return transport.handleRequest(request, { parsedBody: body })
  }
}

async function readRequest(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<{ request: Request; body: unknown }> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const gone = new AbortController()
  outgoing.on('close', () => gone.abort())
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method ?? 'GET',
    headers: new Headers(incoming.headers as Record<string, string>),
    signal: gone.signal,
    ...(text !== '' && { body: text }),
  })
  return { request, body: text === '' ? undefined : JSON.parse(text) }
}

function toKitRequest({ method, headers }: Request, body: unknown): KitRequest {
  const { method: rpc = null, id, params = {} } = (body ?? {}) as Partial<Record<string, never>>
  return { method, rpc, id, params, session: headers.get('mcp-session-id'), headers }
}

function misbehave(how: Misbehaviour, { id }: KitRequest, outgoing: ServerResponse): void {
  switch (how.kind) {
    case 'hang':
      return
    case 'die':
      outgoing.destroy()
      return
    case 'result':
      outgoing.writeHead(200, { 'content-type': 'application/json' })
      outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, result: how.result }))
      return
    case 'raw':
      outgoing.writeHead(how.status, how.headers)
      outgoing.end(how.body)
  }
}

async function sendResponse(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.flushHeaders()
  if (response.body === null) return void outgoing.end()
  const body = Readable.fromWeb(response.body as never)
  outgoing.on('close', () => body.destroy())
  body.on('error', () => outgoing.destroy())
  body.pipe(outgoing)
}

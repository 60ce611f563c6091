// One connection to one server, for one use. It belongs to the request or object that opened it:
// workerd forbids to use it from another one, so none is kept.

import type { PriorDiscovery } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { boundFetch, type BoundedFetch, type Fetch } from './bound-fetch.ts'
import { CallResult } from './result-text.ts'
import type { McpServer } from './settings.ts'

export type { PriorDiscovery }

export type Sdk = typeof import('@modelcontextprotocol/client')

/** Large, and needed only where a server is configured: loaded when the first one is asked. */
export const client: { loaded: Sdk | null } = { loaded: null }

async function loadClient(): Promise<Sdk> {
  client.loaded ??= await import('@modelcontextprotocol/client')
  return client.loaded
}

/** The longest that a server may be given; whoever asks ends it before, with the signal. */
const REQUEST_MS = 600_000
/** A server is told that we are done with it, and nobody waits for long. */
const GOODBYE_MS = 2000
/** A stream that a server can resume is asked for again this often. */
const RESUMPTION = {
  maxRetries: 2,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 2000,
  reconnectionDelayGrowFactor: 2,
}
const CLIENT = { name: 'parley', version: '0.1.0' }
const ANSWER_LOST = 'the answer was lost'

/** Lenient: each tool is looked at on its own, so that one that is wrong does not hide the others. */
const ToolPage = z.object({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional().catch(undefined),
})
export type ToolPage = z.infer<typeof ToolPage>

export type Connection = {
  /** What need not be asked again when the next connection is opened. Plain data. */
  readonly prior: PriorDiscovery
  readonly hasTools: boolean
  listTools(cursor: string | undefined): Promise<ToolPage>
  callTool(name: string, input: unknown): Promise<z.infer<typeof CallResult>>
}

/** The server does not know the session any more: it has not done what it was asked. */
export class SessionGone extends Error {}
export class AnswerLost extends Error {}
export class AnswerTooLarge extends Error {}

export type ConnectionOptions = {
  fetch: Fetch
  signal: AbortSignal
  prior: PriorDiscovery | null
}

/** Rejects as soon as the signal does, whatever the server is at. */
export async function withConnection<T>(
  server: McpServer,
  { fetch, signal, prior }: ConnectionOptions,
  use: (connection: Connection) => Promise<T>,
): Promise<T> {
  // Also this ends with the signal: an object that is killed while it loads leaves it unsettled.
  const sdk = await endWith(signal, loadClient())
  signal.throwIfAborted()
  const bounded = boundFetch(fetch)
  const transport = createTransport(sdk, server, bounded)
  const mcp = new sdk.Client(CLIENT, { versionNegotiation: { mode: 'auto' } })
  const options = { signal, timeout: REQUEST_MS }

  const named = async <R>(request: Promise<R>): Promise<R> => {
    try {
      return await request
    } catch (error) {
      if (bounded.isOverflown()) throw new AnswerTooLarge()
      if (error instanceof sdk.ProtocolError && error.message === ANSWER_LOST)
        throw new AnswerLost()
      const isMissing = error instanceof sdk.SdkHttpError && error.status === 404
      throw isMissing && transport.sessionId !== undefined ? new SessionGone() : error
    }
  }
  const work = async () => {
    await named(mcp.connect(transport, { ...options, ...(prior !== null && { prior }) }))
    return use({
      prior: toPrior(mcp.getDiscoverResult()),
      hasTools: mcp.getServerCapabilities()?.tools !== undefined,
      listTools: (cursor) => {
        const params = cursor === undefined ? {} : { cursor }
        return named(mcp.request({ method: 'tools/list', params }, ToolPage, options))
      },
      callTool: (name, input) => {
        const params = { name, arguments: input as Record<string, unknown> }
        return named(mcp.request({ method: 'tools/call', params }, CallResult, options))
      },
    })
  }
  try {
    return await endWith(signal, work())
  } finally {
    void sayGoodbye(transport)
  }
}

type Transport = InstanceType<Sdk['StreamableHTTPClientTransport']>
type Discovered = Extract<PriorDiscovery, { kind: 'modern' }>['discover']

function toPrior(discover: Discovered | undefined): PriorDiscovery {
  if (discover === undefined) return { kind: 'legacy' }
  // Of any length, and for nobody.
  const { instructions: _, ...kept } = discover
  return { kind: 'modern', discover: kept }
}

function createTransport(sdk: Sdk, server: McpServer, bounded: BoundedFetch): Transport {
  /** The client waits for ever for an answer whose stream has ended: here that is an error. */
  class AnsweringTransport extends sdk.StreamableHTTPClientTransport {
    override async send(...[message, options]: Parameters<Transport['send']>): Promise<void> {
      const ids = [message].flat().flatMap((one) => ('method' in one && 'id' in one ? one.id : []))
      // Said at the end of every stream: a second answer to the same request is ignored.
      const endAnswers = () => {
        const error = { code: sdk.ProtocolErrorCode.InternalError, message: ANSWER_LOST }
        for (const id of ids) this.onmessage?.({ jsonrpc: '2.0', id, error })
      }
      const streams = bounded.streams()
      await super.send(message, { ...options, onRequestStreamEnd: endAnswers })
      if (bounded.streams() === streams) endAnswers()
    }
  }
  // Redirects within the server's own origin are followed, others are not: headers are secrets.
  return new AnsweringTransport(server.url, {
    fetch: bounded.fetch,
    requestInit: { headers: server.headers },
    reconnectionOptions: RESUMPTION,
    redirectPolicy: 'same-origin',
  })
}

/** Not every wait of the client ends with a signal: those of its handshake do not. */
function endWith<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort)
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

async function sayGoodbye(transport: Transport): Promise<void> {
  const timer = setTimeout(() => void transport.close(), GOODBYE_MS)
  try {
    await transport.terminateSession()
  } catch {
    // It is told out of politeness.
  } finally {
    clearTimeout(timer)
    await transport.close()
  }
}

// The servers of a deployment: what they offer, remembered for a short while, and calls of it.

import type { AnyTool } from '../core/tools/registry.ts'
import { ToolFailure, type ToolContext } from '../core/tools/tool.ts'
import { REMOTE_SEPARATOR, type RemoteServers, type ToolWarning } from '../core/tools/toolbox.ts'
import type { Fetch } from './bound-fetch.ts'
import { SessionGone, withConnection, type Connection, type PriorDiscovery } from './connection.ts'
import { toFailure } from './failures.ts'
import { hideSecrets } from './hide-secrets.ts'
import { loadListing, type ListedTool, type Listing } from './listing.ts'
import { toResultText } from './result-text.ts'
import type { McpServer, McpServers } from './settings.ts'

/** A run waits for it before its first word. */
const LIST_MS = 5000
/** A conversation asks once, and a tool that was added is there a minute later. */
const LISTING_KEPT_MS = 60_000
/** A server that is down must not cost every run its full wait. */
const FAILURE_KEPT_MS = 10_000

/** What a server may say of a tool that it does not have. */
const SOUNDS_MISSING = /not found|unknown|no such|not exist|not available/i

export type RemoteOptions = { fetch: Fetch; now?: () => number; listMs?: number }
type Offer = { tools: readonly AnyTool[]; warnings: readonly ToolWarning[] }

export function createRemoteServers(servers: McpServers, options: RemoteOptions): RemoteServers {
  const byName = new Map(servers.map((server) => [server.name, new RemoteServer(server, options)]))
  return {
    names: [...byName.keys()],
    isRepeatable: (toolName) => {
      const [server = ''] = toolName.split(REMOTE_SEPARATOR, 1)
      return byName.get(server)?.isRepeatable(toolName) ?? false
    },
    list: async (name, signal) =>
      (await byName.get(name)?.list(signal)) ?? { tools: [], warnings: [] },
  }
}

class RemoteServer {
  private readonly server: McpServer
  private readonly fetch: Fetch
  private readonly now: () => number
  private readonly listMs: number
  private offer: (Offer & { until: number }) | null = null
  private prior: PriorDiscovery | null = null
  private repeatable: ReadonlySet<string> = new Set()
  /** By the signal that it was asked with: another request must not wait for this one's answer. */
  private readonly asking = new WeakMap<AbortSignal, Promise<Offer>>()

  constructor(server: McpServer, { fetch, now = Date.now, listMs = LIST_MS }: RemoteOptions) {
    this.server = server
    this.fetch = fetch
    this.now = now
    this.listMs = listMs
  }

  isRepeatable(toolName: string): boolean {
    return this.repeatable.has(toolName)
  }

  list(signal: AbortSignal): Promise<Offer> {
    if (this.offer !== null && this.now() < this.offer.until) return Promise.resolve(this.offer)
    let asked = this.asking.get(signal)
    if (asked === undefined) {
      asked = this.ask(signal).finally(() => this.asking.delete(signal))
      this.asking.set(signal, asked)
    }
    return asked
  }

  private async ask(signal: AbortSignal): Promise<Offer> {
    const time = new AbortController()
    const timer = setTimeout(() => time.abort(new DOMException('', 'TimeoutError')), this.listMs)
    const deadline = AbortSignal.any([signal, time.signal])
    try {
      // Asked anew how it speaks: a server may have been replaced by a newer one.
      const listing = await this.connect(deadline, null, (connection) => {
        this.prior = connection.prior
        return loadListing(this.server, connection)
      })
      const { tools } = listing
      this.repeatable = new Set(
        tools.filter((tool) => tool.repeatable).map((tool) => tool.exposedName),
      )
      const offer = {
        tools: tools.map((tool) => this.toTool(tool)),
        warnings: toWarnings(this.server.name, listing),
      }
      return this.keep(offer, LISTING_KEPT_MS)
    } catch (error) {
      const { words } = toFailure(error, this.server)
      const message = `The tools of ${this.server.name} are missing: it ${words}.`
      const offer = { tools: [], warnings: [{ code: 'mcp_unavailable', message }] }
      // Whoever asked has gone, which says nothing about the server.
      return signal.aborted ? offer : this.keep(offer, FAILURE_KEPT_MS)
    } finally {
      clearTimeout(timer)
    }
  }

  private keep(offer: Offer, keptMs: number): Offer {
    this.offer = { ...offer, until: this.now() + keptMs }
    return this.offer
  }

  private drop(): void {
    this.offer = null
    this.prior = null
  }

  private toTool(tool: ListedTool): AnyTool {
    const { exposedName, description, inputSchema, readOnly, repeatable } = tool
    const { timeMs } = this.server
    return {
      name: exposedName,
      description,
      inputSchema,
      readOnly,
      repeatable,
      ...(timeMs !== undefined && { timeMs }),
      run: (input: unknown, context: ToolContext) => this.call(tool.name, input, context.signal),
    }
  }

  private async call(name: string, input: unknown, signal: AbortSignal): Promise<string> {
    try {
      return await this.connect(signal, this.prior, (connection) =>
        this.callOver(connection, name, input),
      )
    } catch (error) {
      if (error instanceof ToolFailure) throw error
      const { words } = toFailure(error, this.server)
      throw new ToolFailure(`${this.server.name} ${words}.`)
    }
  }

  private async callOver(connection: Connection, name: string, input: unknown): Promise<string> {
    const answer = await this.tryCall(connection, name, input)
    if (answer.ok) return answer.text
    if (!answer.isSuspect) throw new ToolFailure(answer.text)
    // Its tools have changed since they were listed, or the call was wrong: only a list can tell.
    this.drop()
    if (await isOffered(this.server, connection, name)) throw new ToolFailure(answer.text)
    throw new ToolFailure(`${this.server.name} does not offer this tool any more.`)
  }

  private async tryCall(
    connection: Connection,
    name: string,
    input: unknown,
  ): Promise<{ ok: boolean; text: string; isSuspect: boolean }> {
    try {
      const result = await connection.callTool(name, input)
      const text = hideSecrets(toResultText(result), this.server)
      // Older servers say in a result what newer ones say in an error.
      return { ok: !result.isError, text, isSuspect: SOUNDS_MISSING.test(text) }
    } catch (error) {
      const { words, isRefusal } = toFailure(error, this.server)
      if (!isRefusal) throw error
      return { ok: false, text: `${this.server.name} ${words}.`, isSuspect: true }
    }
  }

  /** A session that a server has forgotten is begun anew, once: what it refused it has not done. */
  private async connect<T>(
    signal: AbortSignal,
    prior: PriorDiscovery | null,
    use: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const options = { fetch: this.fetch, signal, prior }
    try {
      return await withConnection(this.server, options, use)
    } catch (error) {
      if (!(error instanceof SessionGone)) throw error
      return withConnection(this.server, options, use)
    }
  }
}

async function isOffered(server: McpServer, connection: Connection, name: string) {
  try {
    const { tools } = await loadListing(server, connection)
    return tools.some((tool) => tool.name === name)
  } catch {
    // Then it is not known to be gone, and what the server said first says more.
    return true
  }
}

function toWarnings(server: string, { skipped, isCut, tools }: Listing): ToolWarning[] {
  const messages: string[] = []
  if (skipped > 0) {
    const what = skipped === 1 ? 'tool' : 'tools'
    messages.push(`${skipped} ${what} of ${server} left out: malformed, too large or named twice.`)
  }
  if (isCut) messages.push(`${server} offers too many tools: the first ${tools.length} are used.`)
  return messages.map((message) => ({ code: 'mcp_tools_left_out', message }))
}

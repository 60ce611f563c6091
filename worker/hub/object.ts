// The Durable Object of one owner's hub. It wires and nothing else: no SQL, no parsing, no frames.

import type { HubAbout, InboxEntry } from '#protocol/hub'
import { SOCKETS_PER_HUB } from '#protocol/limits'
import { type Connection, Server } from 'partyserver'
import { HubCore } from '../core/hub/hub.ts'
import type { Projection } from '../core/session/session-deps.ts'
import { toCursor } from '../directory/cursor.ts'
import { loadSessions } from '../directory/sessions.ts'
import type { Env } from '../env.ts'
import { logFailure } from '../log.ts'
import { resolveModels } from '../models/resolve.ts'
import { OWNER_HEADER } from '../session/rpc.ts'
import { MeteredStorage } from '../session/storage.ts'
import { MODE_HEADER, type HubRpc } from './rpc.ts'

/** What a socket keeps across hibernation. */
type Attachment = { owner: string; mode: string; live: boolean }

/** What a new hub reads of the directory: the list begins with far fewer. */
const LOAD_SESSIONS = 10_000
/** Sessions that are asked what waits in them, which the directory does not know. */
const ASK_SESSIONS = 200

export class Hub extends Server<Env> implements HubRpc {
  static override options = { hibernate: true }
  private readonly core: HubCore
  private loading: Promise<void> | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    const sql = new MeteredStorage(ctx.storage)
    this.core = new HubCore({ sql, now: () => Date.now(), toCursor })
    for (const connection of this.getConnections<Attachment>()) {
      const { state } = connection
      this.core.add(connection, state?.live === true ? this.about(state.mode) : null)
    }
  }

  /** Upgrades only. */
  override async fetch(request: Request): Promise<Response> {
    const owner = request.headers.get(OWNER_HEADER)
    if (owner === null || request.headers.get('upgrade') !== 'websocket') {
      return new Response(null, { status: 404 })
    }
    if (this.core.size >= SOCKETS_PER_HUB) return new Response(null, { status: 429 })
    return super.fetch(request)
  }

  override onConnect(connection: Connection<Attachment>, { request }: { request: Request }): void {
    const owner = request.headers.get(OWNER_HEADER) ?? ''
    const mode = request.headers.get(MODE_HEADER) ?? ''
    connection.setState({ owner, mode, live: false })
    this.core.add(connection)
  }

  override async onMessage(
    connection: Connection<Attachment>,
    message: string | ArrayBuffer,
  ): Promise<void> {
    try {
      const hello = this.core.read(connection, message)
      if (hello === null) return
      const { owner, mode } = connection.state ?? { owner: '', mode: '' }
      await this.load(owner)
      this.core.hello(connection, hello, this.about(mode))
      connection.setState({ owner, mode, live: true })
    } catch (error) {
      // Partyserver would let this escape: the client reconnects and resumes from its seq.
      logFailure('hub_message_failed', error)
      this.core.remove(connection)
      connection.close(1011, 'something went wrong')
    }
  }

  override onClose(connection: Connection, code: number): void {
    this.core.remove(connection)
    // Partyserver leaves a close without a code unanswered, and the client would see it fail.
    if (code === 1005) connection.close(1000)
  }

  override onError(connection: Connection): void {
    this.core.remove(connection)
  }

  async put(owner: string, session: Projection): Promise<void> {
    await this.load(owner)
    this.core.put(session)
  }

  async drop(owner: string, sessionId: string): Promise<void> {
    await this.load(owner)
    this.core.drop(sessionId)
  }

  async inbox(owner: string): Promise<InboxEntry[]> {
    await this.load(owner)
    return this.core.inbox()
  }

  private about(mode: string): HubAbout {
    const models = resolveModels(this.env)
    const list = models.list()
    return {
      models: list,
      settings: { defaultModel: models.defaultId },
      mode,
      hasToken: list.some(({ provider }) => provider !== 'demo'),
    }
  }

  /** Once, for a hub that knows nothing: the owner's sessions may be older than it is. */
  private load(owner: string): Promise<void> {
    if (this.core.isStored) return Promise.resolve()
    this.loading ??= this.loadFrom(owner).catch((error: unknown) => {
      // Never keep a failure: the directory may be back for the next one who asks.
      this.loading = null
      throw error
    })
    return this.loading
  }

  private async loadFrom(owner: string): Promise<void> {
    const rows = await loadSessions(this.env.DB, owner, LOAD_SESSIONS)
    this.core.start(rows.map((row) => ({ ...row, deletedAt: null, waits: [] })))
    const active = rows.filter(({ status }) => status === 'running' || status === 'waiting')
    // Not awaited: their answer is a put, which waits for this.
    this.ctx.waitUntil(this.ask(owner, active.slice(0, ASK_SESSIONS)))
  }

  private async ask(owner: string, sessions: readonly { id: string }[]): Promise<void> {
    const asked = sessions.map(({ id }) => this.env.SESSION.getByName(id).announce(owner))
    for (const { status } of await Promise.allSettled(asked)) {
      if (status === 'rejected') logFailure('hub_ask_failed', 'a session did not answer')
    }
  }
}

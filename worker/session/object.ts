// The Durable Object of one session. It wires and nothing else: no SQL, no parsing, no events.

import type { Ack, Command } from '#protocol/commands'
import type { Rejection, SessionStats, SessionSummary } from '#protocol/http'
import { SOCKETS_PER_SESSION } from '#protocol/limits'
import { type Connection, Server } from 'partyserver'
import { Receiver } from '../core/session/receive.ts'
import { SessionCore } from '../core/session/session.ts'
import { BUILTIN_TOOLS } from '../core/tools/builtin.ts'
import { createRegistry } from '../core/tools/registry.ts'
import { dropSession, projectSession } from '../directory/sessions.ts'
import { parseSettings, type Env } from '../env.ts'
import { logFailure } from '../log.ts'
import { resolveModels } from '../models/resolve.ts'
import {
  OWNER_HEADER,
  type EventsPage,
  type EventsQuery,
  type NewSession,
  type Result,
  type SessionRpc,
} from './rpc.ts'
import { MeteredStorage } from './storage.ts'

/** What a socket keeps across hibernation. */
type Attachment = { owner: string; live: boolean }

const SYSTEM = `You are an assistant in Parley, a durable chat. Answer in Markdown. Use a tool when
it gives a better answer than guessing, several at once when they do not depend on each other.`

const tools = createRegistry(BUILTIN_TOOLS)

export class Session extends Server<Env> implements SessionRpc {
  static override options = { hibernate: true }
  private readonly storage: MeteredStorage
  private readonly core: SessionCore
  private readonly receiver: Receiver

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'))
    this.storage = new MeteredStorage(ctx.storage)
    this.core = this.wire()
    this.receiver = new Receiver(this.core)
    for (const connection of this.getConnections<Attachment>()) {
      this.core.subscribers.add(connection, connection.state?.live === true)
    }
    this.core.wake()
  }

  /** Upgrades only. An unknown session is refused before partyserver can store anything for it. */
  override async fetch(request: Request): Promise<Response> {
    const owner = request.headers.get(OWNER_HEADER) ?? ''
    if (!this.core.isOwnedBy(owner)) return refuse(404, 'not_found', 'no such session')
    if (this.core.subscribers.size >= SOCKETS_PER_SESSION) {
      return refuse(429, 'too_many_sockets', 'too many connections to this session')
    }
    await this.storage.meterName()
    return super.fetch(request)
  }

  override onConnect(connection: Connection<Attachment>, { request }: { request: Request }): void {
    connection.setState({ owner: request.headers.get(OWNER_HEADER) ?? '', live: false })
    this.core.subscribers.add(connection)
  }

  override onMessage(connection: Connection<Attachment>, message: string | ArrayBuffer): void {
    const owner = connection.state?.owner ?? ''
    try {
      if (this.receiver.receive(connection, owner, message)) {
        connection.setState({ owner, live: true })
      }
    } catch (error) {
      // Partyserver would let this escape: the client reconnects and resumes from its seq.
      logFailure('socket message failed', error, { session: this.core.folded.session.id })
      connection.close(1011, 'something went wrong')
    }
  }

  override onClose(connection: Connection, code: number): void {
    this.core.subscribers.remove(connection)
    // Partyserver leaves a close without a code unanswered, and the client would see it fail.
    if (code === 1005) connection.close(1000)
  }

  override onError(connection: Connection): void {
    this.core.subscribers.remove(connection)
  }

  override alarm(): Promise<void> {
    return this.core.alarm()
  }

  create(input: NewSession): Promise<Result<SessionSummary>> {
    return this.core.create(input)
  }

  async summary(owner: string): Promise<Result<SessionSummary & { empty: boolean }>> {
    return this.core.summary(owner)
  }

  async command(owner: string, command: Command, reason?: 'api'): Promise<Result<Ack>> {
    const result = this.core.command(owner, command, reason ?? 'user')
    // A program that renames and then lists expects to see it; a directory out of reach must not
    // hold up the answer for longer than one try.
    if (result.ok && command.type === 'configure') await this.core.settleDirectory()
    return result
  }

  async events(owner: string, query: EventsQuery): Promise<Result<EventsPage>> {
    return this.core.events(owner, query)
  }

  async stats(owner: string): Promise<Result<SessionStats>> {
    if (!this.core.isOwnedBy(owner)) return this.core.summary(owner) as Result<never>
    const { rowsWritten, rowsRead, databaseBytes } = this.storage
    const { seq, subscribers } = this.core
    const sockets = subscribers.size
    return { ok: true, value: { rowsWritten, rowsRead, databaseBytes, events: seq, sockets } }
  }

  remove(owner: string): Promise<Result<null>> {
    return this.core.remove(owner)
  }

  restore(owner: string): Promise<Result<SessionSummary>> {
    return this.core.restore(owner)
  }

  private wire(): SessionCore {
    const { ctx, env, storage } = this
    const settings = parseSettings(env)
    return new SessionCore({
      sql: storage,
      now: () => Date.now(),
      timers: {
        set: (ms, run) => setTimeout(run, ms),
        clear: (handle) => clearTimeout(handle as number),
      },
      models: resolveModels(env),
      tools,
      system: SYSTEM,
      commandRate: settings.commandRate,
      setAlarm: (at) => ctx.waitUntil(storage.setAlarm(at)),
      background: (work) => ctx.waitUntil(work),
      directory: {
        put: (owner, session) => projectSession(env.DB, owner, session),
        drop: (owner, id) => dropSession(env.DB, owner, id),
      },
      erase: () => ctx.storage.deleteAll(),
    })
  }
}

function refuse(status: number, code: Rejection['code'], message: string): Response {
  return Response.json({ error: { code, message } }, { status })
}

// A session over a socket that comes back by itself. The model knows the session; this knows when
// to speak: hello first on every connection, then whatever has no answer yet.

import type { Ack, Command } from '#protocol/commands'
import type { ServerFrame } from '#protocol/frames'
import { Api } from './api.ts'
import { readClose } from './close-codes.ts'
import { dialler } from './dialler.ts'
import { CommandError } from './errors.ts'
import { Listeners } from './listeners.ts'
import { isLive, LiveConnection, UNCONNECTED } from './live-connection.ts'
import { OLDER_PAGE_EVENTS } from './older-pages.ts'
import { parseServerFrame } from './parse-server-frame.ts'
import { randomId } from './random-id.ts'
import { refuseUnsent } from './refuse-unsent.ts'
import type { AfterLoss } from './reconnecting-socket.ts'
import { socketUrl, type SessionClientOptions } from './session-client-options.ts'
import { SessionCommands, type Ask } from './session-commands.ts'
import { SessionModel, type Settled } from './session-model.ts'
import type { ConnectionState, SessionHandle, SessionView } from './types.ts'

/** Between reports of how far this client has got, while it advances. */
export const SEEN_EVERY_MS = 1000

type Waiter = { resolve: (ack: Ack) => void; reject: (error: CommandError) => void }

class SessionClient extends SessionCommands implements SessionHandle {
  readonly sessionId: string
  readonly #model: SessionModel
  readonly #api: Api
  readonly #connection: LiveConnection
  readonly #newId: () => string
  readonly #listeners = new Listeners<SessionView>()
  readonly #waiters = new Map<string, Waiter>()
  #view: SessionView
  #seenTimer: ReturnType<typeof setTimeout> | undefined
  #loadingOlder: Promise<void> | null = null

  constructor(options: SessionClientOptions) {
    super()
    this.sessionId = options.sessionId
    this.#newId = options.newId ?? randomId
    this.#model = new SessionModel(options.sessionId, options.tail)
    this.#view = { ...this.#model.view, connection: UNCONNECTED }
    this.#api = new Api(options)
    this.#connection = new LiveConnection(
      {
        url: socketUrl(options),
        dial: dialler(options),
        random: options.random ?? Math.random,
      },
      {
        greet: () => this.#greet(),
        text: (text) => this.#read(text),
        lost: (code) => this.#lost(code),
        changed: (state) => this.#changed(state),
      },
    )
  }

  get view(): SessionView {
    return this.#view
  }

  subscribe(listener: (view: SessionView) => void): () => void {
    return this.#listeners.add(listener)
  }

  connect(): void {
    this.#connection.connect()
  }

  /** Commands without an answer stay, and go out with the next connect(). */
  close(): void {
    this.#connection.close()
  }

  wake(): void {
    this.#connection.wake()
  }

  /** Resolves when at least one more turn is there, or nothing older is left. */
  loadOlder(): Promise<void> {
    this.#loadingOlder ??= this.#loadTurns().finally(() => {
      this.#loadingOlder = null
    })
    return this.#loadingOlder
  }

  discard(id: string): void {
    this.#model.discard(id)
    this.#publish()
  }

  protected ask(fields: Ask): Promise<Ack> {
    const command: Command = { ...fields, id: this.#newId() }
    const answer = new Promise<Ack>((resolve, reject) => {
      this.#waiters.set(command.id, { resolve, reject })
    })
    this.#model.submit(command)
    const refusal = refuseUnsent(command)
    if (refusal === null) this.#connection.send(command)
    else this.#settle(this.#model.refuse(command.id, refusal))
    this.#publish()
    return answer
  }

  #greet(): void {
    this.#connection.send(this.#model.hello())
    for (const command of this.#model.waiting()) this.#connection.send(command)
    this.#publish()
  }

  #read(text: string): void {
    const frame = parseServerFrame(text) as ServerFrame | null
    if (frame === null) return
    const settled = this.#model.receive(frame)
    if (frame.type === 'ready') this.#connection.confirm(frame.version)
    else this.#publish()
    this.#settle(settled)
    this.#reportSeen()
  }

  #settle(settled: Settled | null): void {
    const waiter = settled === null ? undefined : this.#waiters.get(settled.id)
    if (settled === null || waiter === undefined) return
    this.#waiters.delete(settled.id)
    if (settled.ok) waiter.resolve(settled.ack)
    else waiter.reject(new CommandError(settled.refusal.code, settled.refusal.message))
  }

  #reportSeen(): void {
    if (this.#seenTimer !== undefined || !isLive(this.#view.connection)) return
    const seen = this.#model.seenFrame()
    if (seen === null) return
    this.#connection.send(seen)
    this.#seenTimer = setTimeout(() => {
      this.#seenTimer = undefined
      this.#reportSeen()
    }, SEEN_EVERY_MS)
  }

  #lost(code: number): AfterLoss {
    const { next, refusal } = readClose(code)
    if (refusal !== null) {
      for (const { id } of this.#model.waiting()) this.#settle(this.#model.refuse(id, refusal))
    }
    return next
  }

  /** No timer without a connection. */
  #changed(connection: ConnectionState): void {
    if (!isLive(connection)) {
      clearTimeout(this.#seenTimer)
      this.#seenTimer = undefined
    }
    this.#publish(connection)
  }

  async #loadTurns(): Promise<void> {
    for (;;) {
      const before = this.#model.olderBefore
      if (before === null) return
      const query = { before, limit: OLDER_PAGE_EVENTS }
      // Each page says where the next one begins.
      // oxlint-disable-next-line no-await-in-loop
      const page = await this.#api.events(this.sessionId, query)
      const added = this.#model.prepend(before, page)
      this.#publish()
      if (added !== 0) return
    }
  }

  #publish(connection: ConnectionState = this.#view.connection): void {
    const next: SessionView = { ...this.#model.view, connection }
    const isSame = (Object.keys(next) as (keyof SessionView)[]).every(
      (field) => next[field] === this.#view[field],
    )
    if (isSame) return
    this.#view = next
    this.#listeners.tell(next)
  }
}

export const createSessionClient = (options: SessionClientOptions): SessionHandle =>
  new SessionClient(options)

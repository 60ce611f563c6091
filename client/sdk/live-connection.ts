// A socket that comes back by itself and knows when it is dead. Whoever uses it speaks first on
// every connection and says when an answer proved it good.

import { PROTOCOL_VERSION } from '#protocol/version'
import type { DialSocket } from './dialler.ts'
import { Heartbeat } from './heartbeat.ts'
import { ReconnectingSocket, type AfterLoss } from './reconnecting-socket.ts'
import type { ConnectionState } from './types.ts'
import { bindWakeSignals, isOffline, isVisible } from './wake-signals.ts'

export type LiveOptions = { url: string; dial: DialSocket; random: () => number }

export type LiveHandlers = {
  /** Connected: an answer to what is said now is due. */
  greet: () => void
  text: (text: string) => void
  lost: (code: number, reason: string) => AfterLoss
  /** `state` may be as it was. */
  changed: (state: ConnectionState) => void
}

export const UNCONNECTED: ConnectionState = { status: 'waiting', attempt: 0 }

/** An outdated client hears everything, too. */
export const isLive = ({ status }: ConnectionState): boolean =>
  status === 'live' || status === 'outdated'

export class LiveConnection {
  readonly #handlers: LiveHandlers
  readonly #socket: ReconnectingSocket
  readonly #heartbeat: Heartbeat
  #unbind: (() => void) | null = null
  /** The network went away: the connection may not know yet that it is dead. */
  #isDoubtful = false

  constructor(options: LiveOptions, handlers: LiveHandlers) {
    this.#handlers = handlers
    this.#heartbeat = new Heartbeat({
      ping: () => this.#socket.send('ping'),
      dead: () => this.#socket.restart(),
      isVisible,
    })
    this.#socket = new ReconnectingSocket(options, {
      connecting: () => this.#disconnected({ status: 'connecting' }),
      open: () => this.#open(),
      text: (text) => {
        this.#heartbeat.heard()
        handlers.text(text)
      },
      lost: ({ code, reason }) => this.#lost(code, reason),
      waiting: (attempt) => this.#disconnected({ status: 'waiting', attempt }),
    })
  }

  connect(): void {
    this.#unbind ??= bindWakeSignals({
      wake: () => this.wake(),
      online: () => this.wake(),
      offline: () => this.#doubt(),
    })
    this.#socket.start()
  }

  close(): void {
    this.#unbind?.()
    this.#unbind = null
    this.#socket.stop()
    this.#heartbeat.stop()
    this.#handlers.changed(UNCONNECTED)
  }

  wake(): void {
    if (this.#socket.phase !== 'open') return this.#socket.hurry()
    if (this.#isDoubtful || this.#heartbeat.isSilent) this.#socket.restart()
    else this.#heartbeat.probe()
  }

  send(frame: object): void {
    this.#socket.send(JSON.stringify(frame))
  }

  /** The other side has answered and said which version it speaks. */
  confirm(version: number): void {
    this.#socket.confirm()
    this.#handlers.changed({ status: version > PROTOCOL_VERSION ? 'outdated' : 'live' })
  }

  #open(): void {
    this.#isDoubtful = false
    this.#handlers.greet()
    this.#heartbeat.start()
  }

  #lost(code: number, reason: string): AfterLoss {
    const next = this.#handlers.lost(code, reason)
    if (next === 'stop') {
      this.#heartbeat.stop()
      this.#handlers.changed({ status: 'gone', code, reason })
    }
    return next
  }

  /** No timer without a connection. */
  #disconnected(state: ConnectionState): void {
    this.#heartbeat.stop()
    this.#handlers.changed(isOffline() ? { status: 'offline' } : state)
  }

  /** The browser is offline. A server on this machine may still answer: only silence decides. */
  #doubt(): void {
    this.#isDoubtful = this.#socket.phase === 'open'
    if (this.#isDoubtful) this.#heartbeat.probe()
    else if (this.#socket.phase !== 'stopped') this.#handlers.changed({ status: 'offline' })
  }
}

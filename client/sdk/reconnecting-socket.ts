// One connection after another to one address. partysocket makes and watches each of them; the
// schedule is ours, because its own cannot be cut short (1.3.0): reconnect() while it waits comes
// to nothing at its connect lock, so a page that wakes up would wait on for seconds; close()
// leaves the waiting timer running, so a Node program could not end; and there is no jitter.

import PartySocket from 'partysocket/ws'

/** Until the first retry, at most: a lost frame of Wi-Fi should not be seen. */
export const FIRST_RETRY_MS = 300
/** Between retries, at most: a server that is back must not wait for its clients. */
export const MAX_RETRY_MS = 10_000
/** An attempt without an answer: on a phone the network changed under it. */
const CONNECT_TIMEOUT_MS = 10_000
/** An attempt younger than this is left alone: `online`, `pageshow` and others come together. */
const FRESH_ATTEMPT_MS = 1000

/** `at_once`: there is nothing to wait for. Ignored twice in a row, so that it cannot spin. */
export type AfterLoss = 'retry' | 'at_once' | 'stop'

export type SocketHandlers = {
  /** An attempt begins. */
  connecting: () => void
  open: () => void
  text: (text: string) => void
  lost: (close: { code: number; reason: string }) => AfterLoss
  /** The next attempt is scheduled. */
  waiting: (attempt: number) => void
}

export type SocketOptions = {
  url: string
  /** Anything that is constructed with a URL and behaves like a browser's WebSocket. */
  WebSocket: unknown
  random: () => number
}

type Phase = 'stopped' | 'connecting' | 'open' | 'waiting'

export class ReconnectingSocket {
  readonly #socket: PartySocket
  readonly #handlers: SocketHandlers
  readonly #random: () => number
  #phase: Phase = 'stopped'
  #attemptedAt = 0
  /** Losses since a connection last proved good. */
  #losses = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #isReplacing = false

  constructor({ url, WebSocket, random }: SocketOptions, handlers: SocketHandlers) {
    this.#handlers = handlers
    this.#random = random
    this.#socket = new PartySocket(url, undefined, {
      WebSocket,
      startClosed: true,
      maxRetries: 0,
      // Hello must be the first frame: nothing may be kept back and sent before it.
      maxEnqueuedMessages: 0,
      connectionTimeout: CONNECT_TIMEOUT_MS,
    })
    this.#socket.addEventListener('open', () => {
      this.#phase = 'open'
      handlers.open()
    })
    this.#socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') handlers.text(data)
    })
    // A close that partysocket makes up has no code in a browser; one that the server sent has.
    this.#socket.addEventListener('close', ({ code, reason }) => this.#lose(code, reason))
    // A constructor that throws is reported as an error without a close.
    this.#socket.addEventListener('error', () => this.#lose(1006, ''))
  }

  get phase(): Phase {
    return this.#phase
  }

  start(): void {
    if (this.#phase === 'stopped') this.#attempt()
  }

  stop(): void {
    this.#phase = 'stopped'
    this.#losses = 0
    clearTimeout(this.#retry)
    this.#socket.close()
  }

  /** Do not wait any longer for the next attempt, nor for one that hangs. */
  hurry(): void {
    const isHanging =
      this.#phase === 'connecting' && Date.now() - this.#attemptedAt >= FRESH_ATTEMPT_MS
    if (this.#phase === 'waiting' || isHanging) this.restart()
  }

  /** Give up this connection for a new one. */
  restart(): void {
    if (this.#phase === 'stopped') return
    this.#losses = 0
    this.#attempt()
  }

  /** The connection proved good: the next loss is the first again. Open alone proves nothing. */
  confirm(): void {
    this.#losses = 0
  }

  send(text: string): void {
    if (this.#phase === 'open') this.#socket.send(text)
  }

  #attempt(): void {
    clearTimeout(this.#retry)
    this.#phase = 'connecting'
    this.#attemptedAt = Date.now()
    this.#handlers.connecting()
    // It reports the connection it gives up as closed, there and then.
    this.#isReplacing = true
    this.#socket.reconnect()
    this.#isReplacing = false
  }

  #lose(code: number, reason: string): void {
    const isOurs = this.#phase === 'connecting' || this.#phase === 'open'
    if (this.#isReplacing || !isOurs) return
    this.#phase = 'waiting'
    const next = this.#handlers.lost({ code, reason })
    if (next === 'stop') return this.stop()
    this.#losses++
    if (next === 'at_once' && this.#losses === 1) return this.#attempt()
    this.#retry = setTimeout(() => this.#attempt(), retryDelay(this.#losses, this.#random))
    this.#handlers.waiting(this.#losses)
  }
}

/** Doubles up to the maximum; half of it is random, so that clients do not return together. */
export function retryDelay(losses: number, random: () => number): number {
  const full = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** (losses - 1))
  return full * (0.5 + random() / 2)
}

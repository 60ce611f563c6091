// One connection after another to one address. Ours, not partysocket's (docs/decisions/0006): a
// page that wakes up must not wait for a back-off, and a closed client must leave no timer.

import type { ClientSocket, DialSocket } from './dialler.ts'

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
  dial: DialSocket
  random: () => number
}

type Phase = 'stopped' | 'connecting' | 'open' | 'waiting'

export class ReconnectingSocket {
  readonly #url: string
  readonly #dial: DialSocket
  readonly #handlers: SocketHandlers
  readonly #random: () => number
  #socket: ClientSocket | null = null
  #phase: Phase = 'stopped'
  #attemptedAt = 0
  /** Losses since a connection last proved good. */
  #losses = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #timeout: ReturnType<typeof setTimeout> | undefined

  constructor({ url, dial, random }: SocketOptions, handlers: SocketHandlers) {
    this.#url = url
    this.#dial = dial
    this.#random = random
    this.#handlers = handlers
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
    this.#drop()
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
    if (this.#phase === 'open') this.#socket?.send(text)
  }

  #attempt(): void {
    clearTimeout(this.#retry)
    this.#drop()
    this.#phase = 'connecting'
    this.#attemptedAt = Date.now()
    this.#handlers.connecting()
    this.#timeout = setTimeout(() => this.#lose(1006, 'no answer'), CONNECT_TIMEOUT_MS)
    try {
      this.#watch(this.#dial(this.#url))
    } catch {
      // A URL or a policy that the constructor refuses: the same as a server that is not there.
      this.#lose(1006, '')
    }
  }

  /** What a connection says counts only while it is the current one. */
  #watch(socket: ClientSocket): void {
    this.#socket = socket
    const isCurrent = (): boolean => this.#socket === socket
    socket.addEventListener('open', () => {
      if (!isCurrent()) return
      clearTimeout(this.#timeout)
      this.#phase = 'open'
      this.#handlers.open()
    })
    socket.addEventListener('message', ({ data }) => {
      if (isCurrent() && typeof data === 'string') this.#handlers.text(data)
    })
    socket.addEventListener('close', ({ code, reason }) => {
      if (isCurrent()) this.#lose(code ?? 1006, reason ?? '')
    })
    // An error is followed by a close, but not everywhere: the first of the two counts.
    socket.addEventListener('error', () => {
      if (isCurrent()) this.#lose(1006, '')
    })
  }

  #drop(): void {
    clearTimeout(this.#timeout)
    const socket = this.#socket
    this.#socket = null
    socket?.close(1000)
  }

  #lose(code: number, reason: string): void {
    this.#drop()
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

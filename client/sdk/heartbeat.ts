// Notices a connection that died without saying so: a network that changed, a laptop that slept.
// The server answers `ping` without waking the session.

/** Between two questions, while the page is seen. */
export const PING_EVERY_MS = 20_000
/** An answer that takes longer will not come. */
export const PONG_WITHIN_MS = 10_000
/** …and when there is reason to doubt the connection and a person waits. */
export const PROBE_WITHIN_MS = 2000
/** Silent for longer than a question and its answer take: probably dead, not worth a question. */
const SILENT_MS = PING_EVERY_MS + PONG_WITHIN_MS

export type HeartbeatActions = {
  ping: () => void
  dead: () => void
  isVisible: () => boolean
}

export class Heartbeat {
  readonly #actions: HeartbeatActions
  #state: 'stopped' | 'resting' | 'asking' = 'stopped'
  #timer: ReturnType<typeof setTimeout> | undefined
  #heardAt = 0

  constructor(actions: HeartbeatActions) {
    this.#actions = actions
  }

  get isSilent(): boolean {
    return Date.now() - this.#heardAt > SILENT_MS
  }

  /** Something was asked: an answer is due. */
  start(): void {
    this.#heardAt = Date.now()
    this.#expect(PONG_WITHIN_MS)
  }

  stop(): void {
    this.#state = 'stopped'
    clearTimeout(this.#timer)
  }

  /** Anything that arrives is a sign of life. */
  heard(): void {
    this.#heardAt = Date.now()
    if (this.#state === 'asking') this.#rest()
  }

  /** Ask now, and do not wait long. */
  probe(): void {
    if (this.#state === 'stopped') return
    this.#actions.ping()
    this.#expect(PROBE_WITHIN_MS)
  }

  #rest(): void {
    this.#state = 'resting'
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#ask(), PING_EVERY_MS)
  }

  #ask(): void {
    if (!this.#actions.isVisible()) return this.#rest()
    this.#actions.ping()
    this.#expect(PONG_WITHIN_MS)
  }

  #expect(withinMs: number): void {
    this.#state = 'asking'
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.stop()
      this.#actions.dead()
    }, withinMs)
  }
}

// Tells the directory what a session says of itself. The wish to tell is durable (a flag written
// with the change); the telling may fail, and the alarm tries again. Only the newest state is
// told: a projection needs no history.

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 300_000

export class Outbox {
  private readonly deliver: () => Promise<void>
  private readonly delivered: () => void
  private wanted = false
  private sending: Promise<void> | null = null
  private failures = 0

  /** `delivered` is called when the newest state has arrived and nothing changed meanwhile. */
  constructor(deliver: () => Promise<void>, delivered: () => void) {
    this.deliver = deliver
    this.delivered = delivered
  }

  /** How long the alarm should wait before the next try; null when nothing is due. */
  get retryMs(): number | null {
    if (!this.wanted || this.sending !== null || this.failures === 0) return null
    return Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** (this.failures - 1))
  }

  /** Never rejects. Resolves when this try is over, whether it succeeded or not. */
  notify(): Promise<void> {
    this.wanted = true
    this.sending ??= this.send().finally(() => {
      this.sending = null
    })
    return this.sending
  }

  private async send(): Promise<void> {
    while (this.wanted) {
      this.wanted = false
      try {
        // One at a time: a later state must not be overtaken by an earlier one.
        // oxlint-disable-next-line no-await-in-loop
        await this.deliver()
        this.failures = 0
      } catch {
        this.wanted = true
        this.failures += 1
        return
      }
    }
    this.delivered()
  }
}

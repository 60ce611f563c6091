// Frames come as they come, writing waits for the client: a lane keeps what it is given in order.

/** Received but not taken by the client: past this it is cut off, and resumes by Last-Event-ID. */
const PENDING_CHARS = 4 * 1024 * 1024

/** What one client has not taken yet, over all the lanes that lead to it. */
export class Backlog {
  private chars = 0

  /** False: the client is too slow for it. */
  add(chars: number): boolean {
    this.chars += chars
    return this.chars <= PENDING_CHARS
  }

  remove(chars: number): void {
    this.chars -= chars
  }
}

export class Lane {
  private last: Promise<void> = Promise.resolve()
  private readonly fail: (error: unknown) => void

  constructor(fail: (error: unknown) => void) {
    this.fail = fail
  }

  run(work: () => Promise<void> | void): void {
    this.last = this.last.then(work).catch(this.fail)
  }
}

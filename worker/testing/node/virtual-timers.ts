// A clock that only the test moves.

import type { Timers } from '../../core/session/timers.ts'

export class VirtualTimers implements Timers {
  now = 1_000_000
  private next = 1
  private readonly pending = new Map<number, { at: number; run: () => void }>()

  set(ms: number, run: () => void): number {
    this.pending.set(this.next, { at: this.now + ms, run })
    return this.next++
  }

  clear(handle: unknown): void {
    this.pending.delete(handle as number)
  }

  get size(): number {
    return this.pending.size
  }

  advance(ms: number): void {
    const end = this.now + ms
    for (;;) {
      const due = [...this.pending].filter(([, timer]) => timer.at <= end)
      if (due.length === 0) break
      const [handle, timer] = due.reduce((a, b) => (b[1].at < a[1].at ? b : a))
      this.pending.delete(handle)
      this.now = Math.max(this.now, timer.at)
      timer.run()
    }
    this.now = end
  }

  /** The object died: its timers die with it. */
  drop(): void {
    this.pending.clear()
  }
}

// Time as a parameter, so that tests own it.

import { LOOK_UP_MS } from '#protocol/limits'

export interface Timers {
  set(ms: number, run: () => void): unknown
  clear(handle: unknown): void
}

/** A timer that is armed at most once and leaves nothing behind when disarmed. */
export class Timer {
  private readonly timers: Timers
  private readonly run: () => void
  private handle: unknown = null

  constructor(timers: Timers, run: () => void) {
    this.timers = timers
    this.run = run
  }

  get armed(): boolean {
    return this.handle !== null
  }

  arm(ms: number): void {
    this.handle ??= this.timers.set(ms, () => {
      this.handle = null
      this.run()
    })
  }

  disarm(): void {
    if (this.handle !== null) this.timers.clear(this.handle)
    this.handle = null
  }
}

/**
 * What is looked up elsewhere, in a database or another object: asked twice, within the time that a run
 * may hang on it. null: it failed both times, or was not heard of.
 */
export async function lookUp<T>(
  timers: Timers,
  find: () => Promise<T>,
): Promise<{ found: T } | null> {
  const once = async (): Promise<{ found: T } | null> => ({ found: await find() })
  const first = await within(timers, LOOK_UP_MS / 2, once(), null)
  return first ?? within(timers, LOOK_UP_MS / 2, once(), null)
}

/** What comes of it, or `otherwise` where it fails or takes longer than this. Never rejects. */
export function within<T>(timers: Timers, ms: number, work: Promise<T>, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const giveUp = (): void => resolve(otherwise)
    const timer = timers.set(ms, giveUp)
    void work.then(resolve, giveUp).finally(() => timers.clear(timer))
  })
}

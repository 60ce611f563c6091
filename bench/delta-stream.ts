// A reply of many short deltas. Each is five characters that carry its index, and the time of its
// writing is kept: that of its reading tells how long it took.

import { setTimeout as wait } from 'node:timers/promises'
import type { Reply } from './loopback-model.ts'

export const DELTA_CHARS = 5

/** Four word characters and a space: the index in base 36. */
const toDelta = (index: number): string => `${index.toString(36).padStart(4, '0')} `

/** No rate: as fast as it is read. `perWrite`: how many deltas share a write, which is one. */
export type Pace = { deltas: number; perSecond?: number; perWrite?: number }

export class DeltaStream {
  /** When each delta was written; as long as what has been written. */
  readonly writtenAt: number[] = []
  private readonly pace: Pace
  private readonly waiting: { count: number; resolve: () => void }[] = []

  constructor(pace: Pace) {
    this.pace = pace
  }

  get text(): string {
    return Array.from({ length: this.pace.deltas }, (_, index) => toDelta(index)).join('')
  }

  /** Played once: its times belong to one run. */
  readonly reply: Reply = async (write) => {
    const { deltas, perSecond, perWrite = 1 } = this.pace
    const startedAt = performance.now()
    for (let index = 0; index < deltas; index += perWrite) {
      if (perSecond !== undefined) {
        const early = startedAt + (index * 1000) / perSecond - performance.now()
        if (early > 0) await wait(early)
      }
      await write(...this.take(index, Math.min(deltas, index + perWrite)))
    }
  }

  untilWritten(count: number): Promise<void> {
    if (this.writtenAt.length >= count) return Promise.resolve()
    return new Promise((resolve) => this.waiting.push({ count, resolve }))
  }

  private take(from: number, to: number): string[] {
    const at = performance.now()
    const texts: string[] = []
    for (let index = from; index < to; index++) {
      this.writtenAt.push(at)
      texts.push(toDelta(index))
    }
    for (const { count, resolve } of this.waiting) if (count <= to) resolve()
    return texts
  }
}

/** From the writing of each delta to the first moment at which the reader holds all of it. */
export class DelayMeter {
  readonly delays: number[] = []
  private readonly stream: DeltaStream

  constructor(stream: DeltaStream) {
    this.stream = stream
  }

  /** The reader holds this many characters now. */
  advance(chars: number, at: number): void {
    const deltas = Math.floor(chars / DELTA_CHARS)
    while (this.delays.length < deltas) {
      this.delays.push(at - this.stream.writtenAt[this.delays.length]!)
    }
  }
}

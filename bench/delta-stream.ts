// A reply of many short deltas. Each is five characters that carry its index, and the time of its
// writing is kept: model and client are one process, so one clock tells how long each one took.

import type { Reply, Repeat } from '../worker/testing/node/strict-openai.ts'

export const DELTA_CHARS = 5

/** Four word characters and a space: the index in base 36. */
const toDelta = (index: number): string => `${index.toString(36).padStart(4, '0')} `

export class DeltaStream {
  readonly count: number
  readonly perSecond: number | undefined
  /** When each delta was written; as long as what has been written. */
  readonly writtenAt: number[] = []
  private readonly waiting: { count: number; resolve: () => void }[] = []

  constructor(count: number, perSecond?: number) {
    this.count = count
    this.perSecond = perSecond
  }

  get chars(): number {
    return this.count * DELTA_CHARS
  }

  get text(): string {
    return Array.from({ length: this.count }, (_, index) => toDelta(index)).join('')
  }

  /** A reply is played once: its times belong to one run. */
  toReply(): Reply {
    const { count, perSecond } = this
    const text = (index: number): string => {
      this.writtenAt[index] = performance.now()
      for (const waiter of this.waiting) if (waiter.count === index + 1) waiter.resolve()
      return toDelta(index)
    }
    const deltas: Repeat = {
      repeat: count,
      text,
      ...(perSecond === undefined ? {} : { perSecond }),
    }
    return [deltas, { finish: 'stop' }]
  }

  untilWritten(count: number): Promise<void> {
    if (this.writtenAt.length >= count) return Promise.resolve()
    return new Promise((resolve) => this.waiting.push({ count, resolve }))
  }
}

/** From the writing of each delta to the first moment at which the reader holds its last character. */
export class DelayMeter {
  readonly delays: number[] = []
  private readonly stream: DeltaStream

  constructor(stream: DeltaStream) {
    this.stream = stream
  }

  /** Deltas that the reader has, whole. */
  get held(): number {
    return this.delays.length
  }

  /** The reader holds this many characters now. */
  advance(chars: number, at: number): void {
    const deltas = Math.floor(chars / DELTA_CHARS)
    while (this.delays.length < deltas) {
      this.delays.push(at - this.stream.writtenAt[this.delays.length]!)
    }
  }
}

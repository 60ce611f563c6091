// A session's side of the protocol over a log in memory: resume, tail, pages, commands by id.

import type { Ack, Command } from '#protocol/commands'
import type { SessionEvent } from '#protocol/events'
import type { ClientFrame, Hello, ServerFrame } from '#protocol/frames'
import { TAIL_ALIGN_EVENTS, TAIL_EVENTS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import { toSnapshot } from '#protocol/state'
import { PROTOCOL_VERSION } from '#protocol/version'
import type { EventsPage } from '../older-pages.ts'
import { withoutSuperseded, type LogWriter } from './random-log.ts'

export class MemorySession {
  readonly log: LogWriter
  /** Replays and pages carry every delta, as they may. */
  readonly #deltas: boolean
  readonly #acks = new Map<string, Ack>()
  /** How many commands had an effect. */
  effects = 0

  constructor(log: LogWriter, { deltas = false } = {}) {
    this.log = log
    this.#deltas = deltas
  }

  /** What a frame is answered with. Events of a command come before its ack. */
  answer(frame: ClientFrame): ServerFrame[] {
    if (frame.type === 'seen') return []
    return frame.type === 'hello' ? this.resume(frame) : this.#command(frame)
  }

  resume({ after, tail }: Hello): ServerFrame[] {
    const { seq } = this.log.state
    if (after !== null && after > seq) return [{ type: 'resync', reason: 'ahead' }]
    const from = after ?? this.#tailStart(tail ?? TAIL_EVENTS)
    const before = this.log.events.slice(0, from)
    const gap = this.#rows().filter((event) => event.seq > from)
    const frames: ServerFrame[] = [
      { type: 'events', events: gap },
      {
        type: 'ready',
        sessionId: this.log.state.session.id,
        seq,
        from: from + 1,
        version: PROTOCOL_VERSION,
        fragments: [],
      },
    ]
    if (after !== null) return frames
    return [{ type: 'snapshot', seq: from, state: toSnapshot(fold(before)) }, ...frames]
  }

  page(before: number, limit: number): EventsPage {
    const below = this.#rows().filter((event) => event.seq < before)
    return { events: below.slice(-limit), hasMore: below.length > limit }
  }

  #rows(): readonly SessionEvent[] {
    return this.#deltas ? this.log.events : withoutSuperseded(this.log.events)
  }

  /** The seq before the tail: at a message, where one is near. */
  #tailStart(tail: number): number {
    const cut = Math.max(0, this.log.state.seq - tail)
    const isNear = ({ seq }: SessionEvent): boolean =>
      seq > cut - TAIL_ALIGN_EVENTS && seq <= cut + 1
    const turn = this.log.events.findLast((e) => e.type === 'user_message' && isNear(e))
    return turn === undefined ? cut : turn.seq - 1
  }

  #command(command: Command): ServerFrame[] {
    const { id } = command
    const earlier = this.#acks.get(id)
    if (earlier !== undefined) return [{ type: 'ack', id, ...earlier }]
    const first = this.log.events.length
    if (command.type === 'send') {
      this.log.endRun()
      this.log.message('queue', id)
      this.log.startRun()
      this.log.step()
    } else this.log.aside()
    this.effects++
    const events = this.log.events.slice(first)
    const caused = events.find(({ type }) => command.type !== 'send' || type === 'user_message')
    const ack: Ack = { seq: caused?.seq ?? null }
    this.#acks.set(id, ack)
    return [
      { type: 'events', events },
      { type: 'ack', id, ...ack },
    ]
  }
}

// What a client knows of one session: pure, no socket, no timer, no clock. Frames go in, the view
// comes out. State is built by the protocol's reducer and live tail and by nothing else.

import type { Ack, Command } from '#protocol/commands'
import type { SessionEvent } from '#protocol/events'
import type { Fragment, Hello, Seen, ServerFrame } from '#protocol/frames'
import { TAIL_EVENTS } from '#protocol/limits'
import { applyFragment, EMPTY_TAIL, trimTail } from '#protocol/live'
import { applyEvent } from '#protocol/reduce'
import { fromSnapshot, type Snapshot } from '#protocol/state'
import { PROTOCOL_VERSION } from '#protocol/version'
import { addOlderPage, olderThan, type EventsPage } from './older-pages.ts'
import {
  addCommand,
  applyAck,
  applyRefusal,
  discardRefused,
  forgetLanded,
  isLanded,
  landEvent,
  landQueued,
  settleUpTo,
  waitingCommands,
  type Refusal,
} from './outbox.ts'
import { NOTHING, toView, type Held, type ModelView } from './session-view.ts'

/** How a command ended. */
export type Settled =
  | { id: string; ok: true; ack: Ack }
  | { id: string; ok: false; refusal: Refusal }

export class SessionModel {
  readonly sessionId: string
  readonly #tailEvents: number
  #held = NOTHING
  #viewed = NOTHING
  #view = toView(NOTHING, null)
  /** The next hello asks for the end of the session instead of a gap. */
  #startsOver = true
  #seenSeq = 0

  constructor(sessionId: string, tailEvents = TAIL_EVENTS) {
    this.sessionId = sessionId
    this.#tailEvents = tailEvents
  }

  /** Same object until something changes, and its fields keep their identity where they can. */
  get view(): ModelView {
    if (this.#viewed !== this.#held) {
      this.#view = toView(this.#held, { held: this.#viewed, view: this.#view })
      this.#viewed = this.#held
    }
    return this.#view
  }

  /** First words of a connection. Live text that no row holds may be lost: it is dropped (LOG4). */
  hello(): Hello {
    this.#update({ tail: EMPTY_TAIL })
    const after = this.#startsOver ? null : this.#held.state.seq
    const hello: Hello = { type: 'hello', version: PROTOCOL_VERSION, after }
    return after === null ? { ...hello, tail: this.#tailEvents } : hello
  }

  /** Sent right after hello: all that has no answer yet, in order, with the ids it always had. */
  waiting(): Command[] {
    return waitingCommands(this.#held.outbox)
  }

  submit(command: Command): void {
    this.#update({ outbox: addCommand(this.#held.outbox, command) })
  }

  refuse(id: string, refusal: Refusal): Settled {
    const { outbox } = this.#held
    // Its effect is in the log, so it was not refused the first time.
    if (isLanded(outbox, id)) return this.#ack(id, {})
    this.#update({ outbox: applyRefusal(outbox, id, refusal) })
    return { id, ok: false, refusal }
  }

  discard(id: string): void {
    this.#update({ outbox: discardRefused(this.#held.outbox, id) })
  }

  receive(frame: ServerFrame): Settled | null {
    switch (frame.type) {
      case 'snapshot':
        this.#startAt(frame.seq, frame.state)
        return null
      case 'events':
        this.#fold(frame.events)
        return null
      case 'ready':
        this.#ready(frame)
        return null
      case 'fragment':
        this.#overlay([toFragment(frame)])
        return null
      case 'fragments':
        this.#overlay(frame.fragments)
        return null
      case 'ack': {
        const { type: _type, id, ...ack } = frame
        return this.#ack(id, ack)
      }
      case 'rejected': {
        const { id, code, message } = frame
        return id === null ? null : this.refuse(id, { code, message })
      }
      case 'resync':
        this.#resync(frame.reason)
        return null
      default:
        // A newer server's frame: nothing here depends on it.
        return null
    }
  }

  /** Ask for the page below this seq; null: there is nothing older to show. */
  get olderBefore(): number | null {
    return this.#held.older?.before ?? null
  }

  /** How many turns the page added; null: it was asked for before the session started over. */
  prepend(before: number, page: EventsPage): number | null {
    const { older, state } = this.#held
    if (older === null || older.before !== before) return null
    const added = addOlderPage(older, page)
    const turns = added.turns.length === 0 ? state.turns : [...added.turns, ...state.turns]
    this.#update({ older: added.older, state: turns === state.turns ? state : { ...state, turns } })
    return added.turns.length
  }

  /** Tells the server how far this client has got; null: nothing new since the last one. */
  seenFrame(): Seen | null {
    const { seq } = this.#held.state
    if (seq <= this.#seenSeq) return null
    this.#seenSeq = seq
    return { type: 'seen', seq }
  }

  #startAt(seq: number, snapshot: Snapshot): void {
    const { outbox } = this.#held
    this.#startsOver = false
    this.#seenSeq = 0
    this.#update({
      state: fromSnapshot(snapshot, seq),
      tail: EMPTY_TAIL,
      older: olderThan(seq + 1, snapshot.session.clearedSeq),
      outbox: settleUpTo(landQueued(outbox, snapshot.queue.items), seq),
      loaded: false,
    })
  }

  #fold(events: readonly SessionEvent[]): void {
    let { state, tail, outbox, older } = this.#held
    for (const event of events) {
      if (event.seq <= state.seq) continue
      state = applyEvent(state, event)
      tail = trimTail(tail, event)
      outbox = landEvent(outbox, event)
      if (event.type === 'session_cleared') older = null
    }
    this.#update({ state, tail, older, outbox: settleUpTo(outbox, state.seq) })
  }

  #ready(frame: Extract<ServerFrame, { type: 'ready' }>): void {
    const tail = frame.fragments.reduce(applyFragment, EMPTY_TAIL)
    // Without a snapshot the replay began at `from`, and nothing else says so.
    const older = this.#startsOver ? olderThan(frame.from, 0) : this.#held.older
    this.#startsOver = false
    this.#update({ tail, older, loaded: true })
  }

  #overlay(fragments: readonly Fragment[]): void {
    this.#update({ tail: fragments.reduce(applyFragment, this.#held.tail) })
  }

  #ack(id: string, ack: Ack): Settled {
    const { outbox, state } = this.#held
    this.#update({ outbox: applyAck(outbox, id, ack, state.seq) })
    return { id, ok: true, ack }
  }

  #resync(reason: Extract<ServerFrame, { type: 'resync' }>['reason']): void {
    if (reason === 'slow') return
    this.#startsOver = true
    // `too_far`: what is held is true, only old, and stays until the snapshot replaces it.
    if (reason === 'too_far') return
    this.#seenSeq = 0
    this.#update({ ...NOTHING, outbox: forgetLanded(this.#held.outbox) })
  }

  #update(changes: Partial<Held>): void {
    const next = { ...this.#held, ...changes }
    const isSame = (Object.keys(next) as (keyof Held)[]).every((k) => next[k] === this.#held[k])
    if (!isSame) this.#held = next
  }
}

export const createSessionModel = (sessionId: string, tailEvents?: number): SessionModel =>
  new SessionModel(sessionId, tailEvents)

function toFragment({
  type: _type,
  ...fragment
}: Extract<ServerFrame, { type: 'fragment' }>): Fragment {
  return fragment
}

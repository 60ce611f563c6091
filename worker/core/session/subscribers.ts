// Who is listening. A subscriber is given exactly what it has not got, then everything live.
// Replay and live cannot overlap: both happen within one turn of the event loop.

import type { SessionEvent } from '#protocol/events'
import {
  CLOSE,
  type Fragment,
  type Hello,
  type ResyncReason,
  type ServerFrame,
} from '#protocol/frames'
import { openPartIds } from '#protocol/live'
import { REPLAY_FRAME_CHARS, RESUME_EVENTS, SLOW_CLIENT_CHARS, TAIL_EVENTS } from '#protocol/limits'
import { toSnapshot, type SessionState } from '#protocol/state'
import { PROTOCOL_VERSION } from '#protocol/version'
import type { Log, StoredEvent } from './log.ts'

/** All that a session knows of a socket. `send` may throw when the peer is gone. */
export interface ClientSocket {
  send(text: string): void
  close(code: number, reason: string): void
}

/** Characters sent up to a seq, so that a `seen` tells how far behind a client is. */
type Mark = { seq: number; chars: number }
type Subscriber = { live: boolean; sentChars: number; seenChars: number; marks: Mark[] | null }

export class Subscribers {
  private readonly subscribers = new Map<ClientSocket, Subscriber>()

  get size(): number {
    return this.subscribers.size
  }

  /** A socket that has not said hello gets nothing; one that survived hibernation is live already. */
  add(socket: ClientSocket, live = false): void {
    this.subscribers.set(socket, { live, sentChars: 0, seenChars: 0, marks: null })
  }

  remove(socket: ClientSocket): void {
    this.subscribers.delete(socket)
  }

  isLive(socket: ClientSocket): boolean {
    return this.subscribers.get(socket)?.live ?? false
  }

  publish(events: readonly SessionEvent[]): void {
    if (events.length === 0 || this.subscribers.size === 0) return
    const text = JSON.stringify({ type: 'events', events })
    const seq = events.at(-1)!.seq
    for (const [socket, subscriber] of this.subscribers) {
      if (subscriber.live) this.sendTracked(socket, subscriber, text, seq)
    }
  }

  publishFragments(fragments: readonly Fragment[]): void {
    if (fragments.length === 0 || this.subscribers.size === 0) return
    const text = JSON.stringify(
      fragments.length === 1
        ? { type: 'fragment', ...fragments[0] }
        : { type: 'fragments', fragments },
    )
    for (const [socket, subscriber] of this.subscribers) {
      if (subscriber.live) this.sendTracked(socket, subscriber, text, null)
    }
  }

  reply(socket: ClientSocket, frame: ServerFrame): void {
    this.sendQuietly(socket, JSON.stringify(frame))
  }

  /** Hello, or hello again: the gap, then `ready`, then live. Returns false when told to resync. */
  resume(
    socket: ClientSocket,
    hello: Hello,
    session: { state: SessionState; log: Log; tail: Fragment[] },
  ): boolean {
    const { state, log } = session
    let after = hello.after
    if (after === null) {
      const base = log.stateBeforeTail(
        hello.tail ?? TAIL_EVENTS,
        state.seq,
        openPartIds(state.open),
      )
      this.reply(socket, { type: 'snapshot', seq: base.seq, state: toSnapshot(base) })
      after = base.seq
    } else {
      if (after > state.seq) return this.resync(socket, 'ahead')
      if (state.seq - after > RESUME_EVENTS) return this.resync(socket, 'too_far')
    }
    this.replay(socket, log, after, state)
    this.reply(socket, {
      type: 'ready',
      sessionId: state.session.id,
      seq: state.seq,
      from: after + 1,
      version: PROTOCOL_VERSION,
      fragments: session.tail,
    })
    // A send that threw has removed it: the peer is gone.
    if (!this.subscribers.has(socket)) return false
    this.subscribers.set(socket, { live: true, sentChars: 0, seenChars: 0, marks: null })
    return true
  }

  seen(socket: ClientSocket, seq: number): void {
    const subscriber = this.subscribers.get(socket)
    if (subscriber === undefined) return
    const marks = (subscriber.marks ??= [])
    const passed = marks.findLastIndex((mark) => mark.seq <= seq)
    if (passed < 0) return
    subscriber.seenChars = marks[passed]!.chars
    marks.splice(0, passed + 1)
  }

  closeAll(code: number, reason: string): void {
    for (const socket of this.subscribers.keys()) closeQuietly(socket, code, reason)
    this.subscribers.clear()
  }

  private replay(socket: ClientSocket, log: Log, after: number, state: SessionState): void {
    const openParts = openPartIds(state.open)
    const rows = log.page({ after, limit: Number.MAX_SAFE_INTEGER, openParts })
    for (const batch of batches(rows)) {
      const events = batch.map(({ data }) => data).join(',')
      this.sendQuietly(socket, `{"type":"events","events":[${events}]}`)
    }
  }

  private resync(socket: ClientSocket, reason: ResyncReason): false {
    this.reply(socket, { type: 'resync', reason })
    this.remove(socket)
    closeQuietly(socket, CLOSE.resync, reason)
    return false
  }

  private sendTracked(
    socket: ClientSocket,
    subscriber: Subscriber,
    text: string,
    seq: number | null,
  ): void {
    this.sendQuietly(socket, text)
    subscriber.sentChars += text.length
    // Only a client that reports what it has seen can be known to be slow.
    if (subscriber.marks === null) {
      subscriber.seenChars = subscriber.sentChars
      return
    }
    if (seq !== null) subscriber.marks.push({ seq, chars: subscriber.sentChars })
    if (subscriber.sentChars - subscriber.seenChars > SLOW_CLIENT_CHARS) this.resync(socket, 'slow')
  }

  private sendQuietly(socket: ClientSocket, text: string): void {
    try {
      socket.send(text)
    } catch {
      // The peer is gone; the platform reports the close, and a reconnect resumes from its seq.
      this.remove(socket)
    }
  }
}

function closeQuietly(socket: ClientSocket, code: number, reason: string): void {
  try {
    socket.close(code, reason)
  } catch {
    // Already closed by the other side.
  }
}

function* batches(rows: readonly StoredEvent[]): Generator<StoredEvent[]> {
  let batch: StoredEvent[] = []
  let chars = 0
  for (const row of rows) {
    if (batch.length > 0 && chars + row.data.length > REPLAY_FRAME_CHARS) {
      yield batch
      batch = []
      chars = 0
    }
    batch.push(row)
    chars += row.data.length
  }
  if (batch.length > 0) yield batch
}

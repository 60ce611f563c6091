// One session within the stream of all of an owner's: where the client is in it, and how it is fed.
// Everything it does is in one lane, so that its messages keep their order and none comes twice.

import type { SSEStreamingApi } from 'hono/streaming'
import { logFailure } from '../log.ts'
import { Lane, type Backlog } from './lane.ts'
import { catchUp, openRelay, type FeedEnd, type Relay, type SessionSource } from './session-feed.ts'
import { loadFold, UiListener } from './ui-listener.ts'

export type TrackDeps = {
  session: SessionSource
  sink: SSEStreamingApi
  owner: string
  backlog: Backlog
  /** False: there are enough; it is asked when it changes. */
  takeSocket: () => boolean
  giveSocket: () => void
  end: (end: 'slow') => void
}

export class SessionTrack {
  private readonly sessionId: string
  private readonly deps: TrackDeps
  private readonly lane: Lane
  /** Where the client is; `n`: it has that many messages of the event, null: all of them. */
  private at: { seq: number; n: number | null }
  private listener: UiListener | null = null
  private relay: Relay | null = null
  /** What was last heard of it. */
  private seq = 0
  private isBusy = false
  private isStopped = false

  constructor(sessionId: string, at: { seq: number; n: number | null }, deps: TrackDeps) {
    this.sessionId = sessionId
    this.at = at
    this.deps = deps
    this.lane = new Lane((error) => this.fail(error))
  }

  hear({ seq, isBusy }: { seq: number; isBusy: boolean }): void {
    this.isStopped = false
    this.seq = Math.max(this.seq, seq)
    this.isBusy = isBusy
    this.lane.run(() => this.step())
  }

  /** It is gone, or the client is. A session that is restored goes on where it was. */
  stop(): void {
    this.isStopped = true
    this.isBusy = false
    this.release()
  }

  private async step(): Promise<void> {
    const isBehind = this.position < this.seq || this.at.n !== null
    if (this.isStopped || (!isBehind && !this.isBusy)) return this.rest()
    const listener = this.listener ?? (await this.load())
    if (listener === null) return undefined
    if (this.isBusy) await this.hold(listener)
    if (this.relay === null || !this.isBusy) await catchUp(listener)
    return this.rest()
  }

  private get position(): number {
    return this.listener?.after ?? this.at.seq
  }

  /** null: it is not there any more, or is not the caller's. */
  private async load(): Promise<UiListener | null> {
    const { session, owner, sink } = this.deps
    const { seq, n } = this.at
    const place = { session, owner, sessionId: this.sessionId, seq }
    const found = await loadFold(place)
    if (!found.ok) return null
    const { fold, last } = found.value
    this.at = { seq: fold.state.seq, n: null }
    this.listener = new UiListener({ ...place, seq: this.at.seq }, fold, {
      sink,
      hasPassing: false,
    })
    if (n !== null && this.at.seq === seq) await this.listener.send(last.slice(n))
    return this.listener
  }

  private async hold(listener: UiListener): Promise<void> {
    if (this.relay !== null || !this.deps.takeSocket()) return
    const relay = await openRelay(listener, this.deps.backlog, this.lane)
    if (relay === null) return this.deps.giveSocket()
    this.relay = relay
    // Stopped while it was opened.
    if (this.isStopped) return this.release()
    const from = listener.after
    void relay.ended.then((end) => {
      // Not in the lane: that waits for the client, who takes nothing.
      if (end === 'slow') this.deps.end(end)
      this.lane.run(() => this.lose(relay, end, from))
    })
  }

  /** The object went away in the middle of what it did: it is asked again, unless that gets nowhere. */
  private async lose(relay: Relay, end: FeedEnd, from: number): Promise<void> {
    if (this.relay !== relay || end === 'slow') return
    this.release()
    if (end === 'too_far' || this.position > from) await this.step()
  }

  /** One session that cannot be reached does not end the stream: it is asked when it changes. */
  private fail(error: unknown): void {
    logFailure('session_track_failed', error)
    this.letGo()
  }

  /** Nothing is held for a session that does nothing. */
  private rest(): void {
    if (!this.isBusy && this.position >= this.seq) this.letGo()
  }

  private letGo(): void {
    this.release()
    this.at = { seq: this.position, n: this.at.n }
    this.listener = null
  }

  private release(): void {
    const { relay } = this
    if (relay === null) return
    this.relay = null
    this.deps.giveSocket()
    relay.stop('closed')
  }
}

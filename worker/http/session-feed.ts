// A session's log on its way to somebody who listens: the rest of it, page by page, then live over a
// hibernatable socket that the Worker holds, so that a listener does not keep the object awake.

import type { SSEStreamingApi } from 'hono/streaming'
import type { SessionEvent } from '#protocol/events'
import type { Fragment, Hello, ResyncReason, ServerFrame } from '#protocol/frames'
import { PROTOCOL_VERSION } from '#protocol/version'
import type { EventsPage, Result, SessionRpc } from '../session/rpc.ts'
import { Lane, type Backlog } from './lane.ts'
import { openSocket } from './session-stub.ts'

/** Events per question to the object while catching up. */
const PAGE_EVENTS = 500

/** What is asked of a session while it is followed. */
export type SessionSource = Pick<SessionRpc, 'events' | 'runs' | 'fetch'>

/** One who follows a session's log: where it is, and how it is told. */
export interface Follower {
  readonly session: SessionSource
  readonly owner: string
  /** It wants every event, also deltas that a later one superseded. */
  readonly wantsAll: boolean
  readonly sink: SSEStreamingApi
  /** The seq it has. */
  after: number
  /** Ascending, each once; without holes where it wants all. */
  sendEvents(events: readonly SessionEvent[]): Promise<void>
  sendFragments(fragments: readonly Fragment[]): Promise<void>
}

export type FeedEnd = ResyncReason | 'closed'

export const loadPage = (
  { session, owner, after, wantsAll }: Pick<Follower, 'session' | 'owner' | 'after' | 'wantsAll'>,
  before?: number,
): Promise<Result<EventsPage>> =>
  session.events(owner, {
    after,
    ...(before !== undefined && { before }),
    limit: PAGE_EVENTS,
    deltas: wantsAll,
  })

/** The rest of the log, one page after the other; each waits until the client has taken the last. */
export async function catchUp(follower: Follower, first?: EventsPage): Promise<void> {
  let page = first ?? (await nextPage(follower))
  while (page !== null && !follower.sink.aborted) {
    await deliver(follower, page.events)
    // oxlint-disable-next-line no-await-in-loop -- the next page starts where this one ended
    page = page.hasMore && page.events.length > 0 ? await nextPage(follower) : null
  }
}

async function nextPage(follower: Follower, before?: number): Promise<EventsPage | null> {
  const page = await loadPage(follower, before)
  return page.ok ? page.value : null
}

/** A replay and a socket may meet in the same event, and a socket leaves superseded deltas out. */
async function deliver(follower: Follower, events: readonly SessionEvent[]): Promise<void> {
  const fresh = events.filter(({ seq }) => seq > follower.after)
  const last = fresh.at(-1)
  if (last === undefined) return
  if (follower.wantsAll && last.seq - follower.after > fresh.length) {
    return fillGap(follower, last.seq)
  }
  await follower.sendEvents(fresh)
  follower.after = last.seq
}

async function fillGap(follower: Follower, upTo: number): Promise<void> {
  while (follower.after < upTo && !follower.sink.aborted) {
    // oxlint-disable-next-line no-await-in-loop -- the next page starts where this one ended
    const page = await nextPage(follower, upTo + 1)
    const last = page?.events.at(-1)
    if (page === null || last === undefined) return
    // oxlint-disable-next-line no-await-in-loop
    await follower.sendEvents(page.events)
    follower.after = last.seq
  }
}

/** Everything after `follower.after`, and on, until the socket ends in a way that is not caught up with. */
export async function feed(
  follower: Follower,
  backlog: Backlog,
  first: EventsPage,
): Promise<FeedEnd> {
  let page: EventsPage | null = first
  let end: FeedEnd = 'closed'
  while (page !== null && !follower.sink.aborted) {
    await catchUp(follower, page)
    const relay = await openRelay(follower, backlog)
    follower.sink.onAbort(() => relay?.stop('closed'))
    end = relay === null ? 'closed' : await relay.ended
    page = end === 'too_far' ? await nextPage(follower) : null
  }
  return end
}

/** Live from here; null: there is no such session any more. */
export async function openRelay(
  follower: Follower,
  backlog: Backlog,
  lane?: Lane,
): Promise<Relay | null> {
  const { webSocket } = await openSocket(follower.session, follower.owner)
  if (!webSocket) return null
  const relay = new Relay(follower, webSocket, backlog, lane)
  if (follower.sink.aborted) relay.stop('closed')
  return relay
}

export class Relay {
  /** Settles when the socket is over: with the reason, where the object gave one. */
  readonly ended: Promise<FeedEnd>
  private settle: (end: FeedEnd) => void = () => {}
  private isStopped = false
  private readonly follower: Follower
  private readonly socket: WebSocket
  private readonly backlog: Backlog
  private readonly lane: Lane

  constructor(follower: Follower, socket: WebSocket, backlog: Backlog, lane?: Lane) {
    this.follower = follower
    this.socket = socket
    this.backlog = backlog
    this.lane = lane ?? new Lane(() => this.stop('closed'))
    this.ended = new Promise((resolve) => {
      this.settle = resolve
    })
    socket.addEventListener('message', ({ data }) => this.receive(String(data)))
    // What was received before the end is still written.
    socket.addEventListener('close', () => this.lane.run(() => this.settle('closed')))
    socket.addEventListener('error', () => this.lane.run(() => this.settle('closed')))
    socket.accept()
    const hello: Hello = { type: 'hello', version: PROTOCOL_VERSION, after: follower.after }
    socket.send(JSON.stringify(hello))
  }

  stop(end: FeedEnd): void {
    this.isStopped = true
    this.socket.close(1000)
    this.settle(end)
  }

  private receive(raw: string): void {
    if (this.isStopped) return
    if (!this.backlog.add(raw.length)) return this.stop('slow')
    this.lane.run(async () => {
      try {
        if (!this.isStopped) await this.write(JSON.parse(raw) as ServerFrame)
      } finally {
        this.backlog.remove(raw.length)
      }
    })
  }

  private async write(frame: ServerFrame): Promise<void> {
    switch (frame.type) {
      case 'events':
        return deliver(this.follower, frame.events)
      case 'fragment':
        return this.follower.sendFragments([frame])
      case 'fragments':
      case 'ready':
        return this.follower.sendFragments(frame.fragments)
      case 'resync':
        return this.stop(frame.reason)
      case 'ack':
      case 'rejected':
      case 'snapshot':
        // Answers to what this listener never asks.
        return undefined
    }
  }
}

// A session's events as SSE. The Worker holds the listener, over a hibernatable socket to the
// object, so that somebody who only listens does not keep the object awake.

import { Hono } from 'hono'
import { streamSSE, type SSEStreamingApi } from 'hono/streaming'
import { z } from 'zod'
import type { SessionEvent } from '#protocol/events'
import type { Fragment, Hello, ResyncReason, ServerFrame } from '#protocol/frames'
import { check } from '#protocol/parse'
import { PROTOCOL_VERSION } from '#protocol/version'
import { logFailure } from '../log.ts'
import type { EventsPage, SessionRpc } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { seq } from './query.ts'
import { refuse } from './respond.ts'
import { openSocket, withSession } from './session-stub.ts'

/** Events per question to the object while catching up. */
const PAGE_EVENTS = 500
/** A client that went away is only noticed by writing to it; proxies drop a silent connection. */
const KEEP_ALIVE_MS = 20_000
/** Received but not taken by the client: past this it is cut off, and resumes by Last-Event-ID. */
const PENDING_CHARS = 4 * 1024 * 1024

const StreamQuery = z.object({ after: seq.default(0) })

/** One listener: where it is in the log, and how it is fed. */
type Listener = {
  sink: SSEStreamingApi
  session: SessionRpc
  owner: string
  after: number
}

export const stream = new Hono<AppEnv>()

stream.get('/:id/stream', withSession, async (c) => {
  // A browser that reconnects repeats the first address; what it has since received wins.
  const after = c.req.header('last-event-id') || c.req.query('after')
  const query = check<z.infer<typeof StreamQuery>>(StreamQuery, { after })
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { session } = c.var
  const { owner } = c.var.identity
  const first = await loadPage(session, owner, query.value.after)
  if (!first.ok) return refuse(c.req.raw, first.rejection)
  return streamSSE(c, (sink) => {
    // The socket to the object keeps this request alive after its client is gone, and the body goes
    // on being read; only the signal tells (compatibility flag enable_request_signal).
    c.req.raw.signal.addEventListener('abort', () => sink.abort())
    return feed({ sink, session, owner, after: query.value.after }, first.value)
  })
})

const loadPage = (session: SessionRpc, owner: string, after: number) =>
  session.events(owner, { after, limit: PAGE_EVENTS, deltas: false })

async function feed(listener: Listener, first: EventsPage): Promise<void> {
  const keepAlive = startKeepAlive(listener.sink)
  try {
    let page: EventsPage | null = first
    while (page !== null && !listener.sink.aborted) {
      await catchUp(listener, page)
      const end = await follow(listener)
      page = end === 'too_far' ? await nextPage(listener) : null
    }
  } catch (error) {
    // Ends the stream without a word: the client comes back with its Last-Event-ID.
    logFailure('stream_failed', error)
  } finally {
    clearInterval(keepAlive)
  }
}

/** The rest of the log, one page after the other; each waits until the client has taken the last. */
async function catchUp(listener: Listener, first: EventsPage): Promise<void> {
  let page: EventsPage | null = first
  while (page !== null && !listener.sink.aborted) {
    await sendEvents(listener, page.events)
    // oxlint-disable-next-line no-await-in-loop -- the next page starts where this one ended
    page = page.hasMore && page.events.length > 0 ? await nextPage(listener) : null
  }
}

async function nextPage({ session, owner, after }: Listener): Promise<EventsPage | null> {
  const page = await loadPage(session, owner, after)
  return page.ok ? page.value : null
}

/** Live from here. Settles when the socket is over: with the reason, where the object gave one. */
async function follow(listener: Listener): Promise<ResyncReason | 'closed'> {
  const { webSocket } = await openSocket(listener.session, listener.owner)
  if (!webSocket || listener.sink.aborted) return 'closed'
  return new Promise((resolve) => {
    const relay = new Relay(listener, webSocket, resolve)
    webSocket.addEventListener('message', ({ data }) => relay.receive(String(data)))
    webSocket.addEventListener('close', () => relay.end('closed'))
    webSocket.addEventListener('error', () => relay.end('closed'))
    listener.sink.onAbort(() => relay.stop('closed'))
    webSocket.accept()
    const hello: Hello = { type: 'hello', version: PROTOCOL_VERSION, after: listener.after }
    webSocket.send(JSON.stringify(hello))
  })
}

/** Frames come as they come, writing waits for the client: one chain keeps them in order. */
class Relay {
  private chain = Promise.resolve()
  private pendingChars = 0
  private readonly listener: Listener
  private readonly socket: WebSocket
  private readonly settle: (end: ResyncReason | 'closed') => void

  constructor(
    listener: Listener,
    socket: WebSocket,
    settle: (end: ResyncReason | 'closed') => void,
  ) {
    this.listener = listener
    this.socket = socket
    this.settle = settle
  }

  receive(raw: string): void {
    this.pendingChars += raw.length
    if (this.pendingChars > PENDING_CHARS) return this.stop('slow')
    this.chain = this.chain.then(async () => {
      await this.write(JSON.parse(raw) as ServerFrame)
      this.pendingChars -= raw.length
    })
  }

  /** What was received before the end is still written. */
  end(reason: ResyncReason | 'closed'): void {
    void this.chain.then(() => this.settle(reason))
  }

  stop(reason: ResyncReason | 'closed'): void {
    this.socket.close(1000)
    this.settle(reason)
  }

  private async write(frame: ServerFrame): Promise<void> {
    switch (frame.type) {
      case 'events':
        return sendEvents(this.listener, frame.events)
      case 'fragment':
        return sendFragments(this.listener.sink, [frame])
      case 'fragments':
      case 'ready':
        return sendFragments(this.listener.sink, frame.fragments)
      case 'resync':
        return this.resync(frame.reason)
      case 'ack':
      case 'rejected':
      case 'snapshot':
        // Answers to what this listener never asks.
        return undefined
    }
  }

  private async resync(reason: ResyncReason): Promise<void> {
    // `too_far` is caught up with, `slow` by coming back; only `ahead` needs the client's own doing.
    if (reason === 'ahead') await this.listener.sink.write(toSse({ reason }, 'event: resync\n'))
    this.stop(reason)
  }
}

const toSse = (data: object, head: string): string => `${head}data: ${JSON.stringify(data)}\n\n`

async function sendEvents(listener: Listener, events: SessionEvent[]): Promise<void> {
  // A replay and the live socket may meet in the same event.
  const fresh = events.filter((event) => event.seq > listener.after)
  const last = fresh.at(-1)
  if (last === undefined) return
  await listener.sink.write(fresh.map((event) => toSse(event, `id: ${event.seq}\n`)).join(''))
  listener.after = last.seq
}

async function sendFragments(sink: SSEStreamingApi, fragments: Fragment[]): Promise<void> {
  if (fragments.length === 0) return
  const messages = fragments.map((fragment) =>
    toSse({ ...fragment, type: 'fragment' }, 'event: fragment\n'),
  )
  await sink.write(messages.join(''))
}

function startKeepAlive(sink: SSEStreamingApi): ReturnType<typeof setInterval> {
  let isWriting = false
  return setInterval(() => {
    // A client that takes nothing must not collect comments.
    if (isWriting) return
    isWriting = true
    void sink.write(': keep-alive\n\n').then(() => {
      isWriting = false
    })
  }, KEEP_ALIVE_MS)
}

// A session's events as SSE.

import { Hono } from 'hono'
import type { SSEStreamingApi } from 'hono/streaming'
import { z } from 'zod'
import type { SessionEvent } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import { check } from '#protocol/parse'
import type { SessionRpc } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { Backlog } from './lane.ts'
import { seq } from './query.ts'
import { refuse } from './respond.ts'
import { feed, loadPage, type Follower } from './session-feed.ts'
import { withSession } from './session-stub.ts'
import { respondSse, toSse } from './sse.ts'

const StreamQuery = z.object({ after: seq.default(0) })

export const stream = new Hono<AppEnv>()

stream.get('/:id/stream', withSession, async (c) => {
  // A browser that reconnects repeats the first address; what it has since received wins.
  const after = c.req.header('last-event-id') || c.req.query('after')
  const query = check<z.infer<typeof StreamQuery>>(StreamQuery, { after })
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { session } = c.var
  const { owner } = c.var.identity
  const start = { session, owner, after: query.value.after, wantsAll: false }
  const first = await loadPage(start)
  if (!first.ok) return refuse(c.req.raw, first.rejection)
  return respondSse(c, async (sink) => {
    const end = await feed(new EventListener(start, sink), new Backlog(), first.value)
    // `too_far` is caught up with, `slow` by coming back; only `ahead` needs the client's own doing.
    if (end === 'ahead') await sink.write(toSse({ reason: end }, 'event: resync\n'))
  })
})

class EventListener implements Follower {
  readonly session: SessionRpc
  readonly owner: string
  readonly wantsAll = false
  after: number
  readonly sink: SSEStreamingApi

  constructor(start: { session: SessionRpc; owner: string; after: number }, sink: SSEStreamingApi) {
    this.session = start.session
    this.owner = start.owner
    this.after = start.after
    this.sink = sink
  }

  async sendEvents(events: readonly SessionEvent[]): Promise<void> {
    await this.sink.write(events.map((event) => toSse(event, `id: ${event.seq}\n`)).join(''))
  }

  async sendFragments(fragments: readonly Fragment[]): Promise<void> {
    if (fragments.length === 0) return
    const messages = fragments.map((fragment) =>
      toSse({ ...fragment, type: 'fragment' }, 'event: fragment\n'),
    )
    await this.sink.write(messages.join(''))
  }
}

// A page of a session's log.

import { Hono } from 'hono'
import { z } from 'zod'
import { PAGE_EVENTS, PAGE_EVENTS_MAX } from '#protocol/limits'
import type { AppEnv } from './app-env.ts'
import { readQuery } from './body.ts'
import { count, seq } from './query.ts'
import { answer, refuse } from './respond.ts'
import { withSession } from './session-stub.ts'

const EventsQuery = z.object({
  after: seq.optional(),
  before: seq.optional(),
  limit: count(1, PAGE_EVENTS_MAX).default(PAGE_EVENTS),
  deltas: z.enum(['0', '1']).default('0'),
})
type EventsQuery = z.infer<typeof EventsQuery>

export const events = new Hono<AppEnv>()

events.get('/:id/events', withSession, async (c) => {
  const query = readQuery<EventsQuery>(c, EventsQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { after, before, limit, deltas } = query.value
  const page = await c.var.session.events(c.var.identity.owner, {
    limit,
    deltas: deltas === '1',
    ...(after === undefined ? {} : { after }),
    ...(before === undefined ? {} : { before }),
  })
  return answer(c, page, (value) => value)
})

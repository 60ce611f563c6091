// A session as other chat programs read one (API2). The answer is the array itself, as they expect
// it; what pages it is in a header.

import { Hono } from 'hono'
import { z } from 'zod'
import type { AppEnv } from './app-env.ts'
import { readQuery } from './body.ts'
import { count, seq } from './query.ts'
import { refuse } from './respond.ts'
import { withSession } from './session-stub.ts'

const PAGE_TURNS = 50
const PAGE_TURNS_MAX = 200

const MessagesQuery = z.object({
  format: z.enum(['vercel', 'ui']),
  limit: count(1, PAGE_TURNS_MAX).default(PAGE_TURNS),
  cursor: seq.optional(),
})
type MessagesQuery = z.infer<typeof MessagesQuery>

export const messages = new Hono<AppEnv>()

messages.get('/:id/messages', withSession, async (c) => {
  const query = readQuery<MessagesQuery>(c, MessagesQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { format, limit, cursor } = query.value
  const page = await c.var.session.messages(c.var.identity.owner, {
    format,
    limit,
    ...(cursor === undefined ? {} : { before: cursor }),
  })
  if (!page.ok) return refuse(c.req.raw, page.rejection)
  const headers = page.value.cursor === null ? {} : { 'x-next-cursor': String(page.value.cursor) }
  return Response.json(page.value.messages, { headers })
})

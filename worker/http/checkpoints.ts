// What each run, and each person, has changed in the files of a session.

import { Hono } from 'hono'
import { z } from 'zod'
import type { AppEnv } from './app-env.ts'
import { readQuery } from './body.ts'
import { count, seq } from './query.ts'
import { answer, refuse } from './respond.ts'
import { withWorkspace } from './session-stub.ts'

const PAGE_CHECKPOINTS = 30
const PAGE_CHECKPOINTS_MAX = 100

const ListQuery = z.object({
  limit: count(1, PAGE_CHECKPOINTS_MAX).default(PAGE_CHECKPOINTS),
  cursor: seq.optional(),
})
const DiffQuery = z.object({ path: z.string() })

export const checkpoints = new Hono<AppEnv>()

checkpoints.get('/:id/checkpoints', withWorkspace, async (c) => {
  const query = readQuery<z.infer<typeof ListQuery>>(c, ListQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { limit, cursor } = query.value
  const page = await c.var.session.checkpoints(c.var.identity.owner, {
    limit,
    ...(cursor === undefined ? {} : { before: cursor }),
  })
  return answer(c, page, (value) => value)
})

checkpoints.get('/:id/checkpoints/:cid/diff', withWorkspace, async (c) => {
  const query = readQuery<z.infer<typeof DiffQuery>>(c, DiffQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { owner } = c.var.identity
  const { path } = query.value
  const diff = await c.var.session.checkpointDiff(owner, c.req.param('cid').slice(0, 200), path)
  return answer(c, diff, (value) => value)
})

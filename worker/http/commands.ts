// One command over HTTP: for programs that do not hold a socket. And what one would be judged as.

import { Hono } from 'hono'
import { z } from 'zod'
import { Edits } from '#protocol/decision-events'
import { parseCommand } from '#protocol/parse'
import type { AppEnv } from './app-env.ts'
import { readBody, readJson } from './body.ts'
import { answer, refuse } from './respond.ts'
import { withSession } from './session-stub.ts'

export const commands = new Hono<AppEnv>()

commands.post('/:id/commands', withSession, async (c) => {
  const json = await readJson(c)
  const command = json.ok ? parseCommand(json.value) : json
  if (!command.ok) return refuse(c.req.raw, command.rejection)
  const ack = await c.var.session.command(c.var.identity.owner, command.value, 'api')
  return answer(c, ack, (value) => ({ ok: true, ...value }))
})

const Edited = z.object({ edits: Edits })
type Edited = z.infer<typeof Edited>

commands.post('/:id/decisions/:decisionId/judge', withSession, async (c) => {
  const body = await readBody<Edited>(c, Edited)
  if (!body.ok) return refuse(c.req.raw, body.rejection)
  const asked = { decisionId: c.req.param('decisionId'), edits: body.value.edits }
  return answer(c, await c.var.session.judgeEdits(c.var.identity.owner, asked), (value) => value)
})

// One command over HTTP: for programs that do not hold a socket.

import { Hono } from 'hono'
import { parseCommand } from '#protocol/parse'
import type { AppEnv } from './app-env.ts'
import { readJson } from './body.ts'
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

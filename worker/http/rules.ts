// What an owner allowed or refused once and for all: listed, and taken back.

import { Hono } from 'hono'
import { dropRule, listRules } from '../directory/rules.ts'
import type { AppEnv } from './app-env.ts'
import { refuse } from './respond.ts'

export const rules = new Hono<AppEnv>()

rules.get('/rules', async (c) => c.json({ rules: await listRules(c.env.DB, c.var.identity.owner) }))

rules.delete('/rules/:id', async (c) => {
  const isGone = await dropRule(c.env.DB, c.var.identity.owner, c.req.param('id'))
  if (isGone) return c.json({ ok: true })
  return refuse(c.req.raw, { code: 'no_such_rule', message: 'no such rule' })
})

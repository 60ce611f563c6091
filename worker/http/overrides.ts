// What a session changes of an agent (AGT7), as seed 003 asks for it.

import { Hono } from 'hono'
import { z } from 'zod'
import { agentName, SentOverride } from '#protocol/agent-fields'
import type { Command } from '#protocol/commands'
import { isSessionId } from '#protocol/ids'
import { check } from '#protocol/parse'
import type { AppEnv } from './app-env.ts'
import { readBody, readQuery } from './body.ts'
import { answer, refuse } from './respond.ts'
import { NO_SESSION, sessionOf } from './session-stub.ts'
import { randomId, requireAgent } from './sessions.ts'

const Place = z.object({ session_id: z.string(), agent_id: agentName })
type Place = z.infer<typeof Place>

const Change = z.strictObject({
  session_id: z.string().optional(),
  agent_id: z.string().optional(),
  project_root: z.unknown().optional(),
  override: SentOverride.nullable(),
})
type Change = z.infer<typeof Change>

export const overrides = new Hono<AppEnv>()

overrides.get('/agent-override', async (c) => {
  const query = readQuery<Place>(c, Place)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { session_id: sessionId, agent_id: agent } = query.value
  if (!isSessionId(sessionId)) return refuse(c.req.raw, NO_SESSION)
  const own = await sessionOf(c.env, sessionId).override(c.var.identity.owner, agent)
  return answer(c, own, (override) => ({ session_id: sessionId, agent_id: agent, override }))
})

overrides.post('/agent-override', async (c) => {
  const body = await readBody<Change>(c, Change)
  if (!body.ok) return refuse(c.req.raw, body.rejection)
  const { override, project_root: _root, ...named } = body.value
  const place = check<Place>(Place, { ...c.req.query(), ...named })
  if (!place.ok) return refuse(c.req.raw, place.rejection)
  const { session_id: sessionId, agent_id: agentId } = place.value
  if (!isSessionId(sessionId)) return refuse(c.req.raw, NO_SESSION)
  const { owner } = c.var.identity
  // One that is gone may still be taken back to what it was.
  const agent = override === null ? null : await requireAgent(c.env, owner, agentId, 'agent_id')
  if (agent?.ok === false) return refuse(c.req.raw, agent.rejection)
  const command: Command = { type: 'override_set', id: randomId(), agentId, override }
  const set = await sessionOf(c.env, sessionId).command(owner, command, 'api')
  return answer(c, set, () => ({ session_id: sessionId, agent_id: agentId, override }))
})

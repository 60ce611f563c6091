// Agents as a resource (AGT1): the built-in ones are read only, an owner's own are theirs alone.

import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { agentFields, agentName } from '#protocol/agent-fields'
import type { Rejection } from '#protocol/http'
import { BASE_INSTRUCTIONS, COLOURS, findBuiltIn } from '../core/agents/agent.ts'
import {
  AGENTS_PER_OWNER,
  createAgent,
  deleteAgent,
  listAgents,
  loadAgent,
  updateAgent,
} from '../directory/agents.ts'
import type { Env } from '../env.ts'
import { resolveModels } from '../models/resolve.ts'
import type { AppEnv } from './app-env.ts'
import { clearAgentMission } from './agent-missions.ts'
import { readBody } from './body.ts'
import { refuse } from './respond.ts'

const DESCRIPTION_CHARS = 200

// A lone surrogate cannot be stored: it becomes U+FFFD at the door.
const wellFormed = z.string().overwrite((text) => text.toWellFormed())

const shape = {
  description: wellFormed.trim().max(DESCRIPTION_CHARS),
  ...agentFields,
  colour: z.enum(COLOURS),
}

const NewAgent = z.strictObject({
  name: agentName,
  description: shape.description.default(''),
  instructions: shape.instructions.default(BASE_INSTRUCTIONS),
  models: shape.models.default([]),
  tools: shape.tools.default(null),
  mode: shape.mode.default('agent'),
  colour: shape.colour.default('blue'),
})
type NewAgent = z.infer<typeof NewAgent>

const AgentChanges = z
  .strictObject(shape)
  .partial()
  .refine((changes) => Object.keys(changes).length > 0, { message: 'nothing to change' })
type AgentChanges = z.infer<typeof AgentChanges>

export const agents = new Hono<AppEnv>()

agents.get('/', async (c) => c.json({ agents: await listAgents(c.env.DB, c.var.identity.owner) }))

agents.post('/', async (c) => {
  const fields = await readBody<NewAgent>(c, NewAgent)
  if (!fields.ok) return refuse(c.req.raw, fields.rejection)
  const unknown = refuseUnknownModel(c.env, fields.value.models)
  if (unknown !== null) return refuse(c.req.raw, unknown)
  const made = await createAgent(c.env.DB, c.var.identity.owner, fields.value, Date.now())
  if (made === 'created') return c.json({ agent: { ...fields.value, builtIn: false } }, 201)
  return refuse(c.req.raw, made === 'full' ? FULL : toExists(fields.value.name))
})

agents.get('/:name', async (c) => {
  const agent = await loadAgent(c.env.DB, c.var.identity.owner, c.req.param('name'))
  return agent === null ? refuse(c.req.raw, NO_AGENT) : c.json({ agent })
})

agents.patch('/:name', async (c) => {
  const name = c.req.param('name')
  const changes = await readBody<AgentChanges>(c, AgentChanges)
  if (!changes.ok) return refuse(c.req.raw, changes.rejection)
  const unknown = refuseUnknownModel(c.env, changes.value.models ?? [])
  if (unknown !== null) return refuse(c.req.raw, unknown)
  if (findBuiltIn(name) !== null) return refuseBuiltIn(c, name)
  const { owner } = c.var.identity
  const agent = await updateAgent(
    c.env.DB,
    owner,
    name,
    withoutUndefined(changes.value),
    Date.now(),
  )
  return agent === null ? refuse(c.req.raw, NO_AGENT) : c.json({ agent })
})

agents.delete('/:name', async (c) => {
  const name = c.req.param('name')
  if (findBuiltIn(name) !== null) return refuseBuiltIn(c, name)
  // A goal of nobody's would go on being worked for, by the default agent.
  const cleared = await clearAgentMission(c.env, c.var.identity.owner, name)
  if (!cleared.ok && cleared.rejection.code !== 'no_such_mission') {
    return refuse(c.req.raw, cleared.rejection)
  }
  const isGone = await deleteAgent(c.env.DB, c.var.identity.owner, name)
  return isGone ? c.json({ ok: true }) : refuse(c.req.raw, NO_AGENT)
})

function refuseUnknownModel(env: Env, models: readonly string[]): Rejection | null {
  const { ids } = resolveModels(env)
  const at = models.findIndex((id) => !ids.includes(id))
  if (at < 0) return null
  const message = `models.${at}: there is no model ${models[at]}; there is ${ids.join(', ')}`
  return { code: 'unknown_model', message }
}

type Changed<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function withoutUndefined<T extends object>(fields: T): Changed<T> {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Changed<T>
}

const NO_AGENT: Rejection = { code: 'not_found', message: 'no such agent' }

const FULL: Rejection = {
  code: 'too_many_agents',
  message: `body: at most ${AGENTS_PER_OWNER} agents; delete one first`,
}

const toExists = (name: string): Rejection => ({
  code: 'agent_exists',
  message: `name: there is an agent ${name} already`,
})

const refuseBuiltIn = (c: Context, name: string): Response =>
  refuse(c.req.raw, {
    code: 'agent_built_in',
    message: `name: ${name} is built in and cannot be changed; make one under another name`,
  })

// Sessions as a resource: create, list, read, change, delete, restore, cost.

import { Hono, type Context } from 'hono'
import { encodeBase64Url } from 'hono/utils/encode'
import { z } from 'zod'
import { Changes, type Command } from '#protocol/commands'
import type { SessionSummary } from '#protocol/http'
import { DEFAULT_AGENT, type Agent } from '../core/agents/agent.ts'
import { loadAgent } from '../directory/agents.ts'
import { parseCursor, toCursor } from '../directory/cursor.ts'
import { findEmptySession, listSessions } from '../directory/sessions.ts'
import type { Env } from '../env.ts'
import { logFailure } from '../log.ts'
import { resolveModels } from '../models/resolve.ts'
import type { Result } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { readBody, readOptionalBody, readQuery } from './body.ts'
import { answer, refuse } from './respond.ts'
import { sessionOf, withSession } from './session-stub.ts'
import { count } from './query.ts'

const LIST_SESSIONS = 30
const LIST_SESSIONS_MAX = 100

const NewFields = Changes.pick({ title: true, agent: true, model: true })
type NewFields = z.infer<typeof NewFields>

const ListQuery = z.object({
  limit: count(1, LIST_SESSIONS_MAX).default(LIST_SESSIONS),
  cursor: z.string().optional(),
  q: z.string().trim().max(200).optional(),
})
type ListQuery = z.infer<typeof ListQuery>

export const sessions = new Hono<AppEnv>()

sessions.post('/', async (c) => {
  const fields = await readOptionalBody<NewFields>(c, NewFields)
  if (!fields.ok) return refuse(c.req.raw, fields.rejection)
  const { owner } = c.var.identity
  const reused =
    Object.keys(fields.value).length === 0 ? await findReusable(c.env, owner) : undefined
  if (reused !== undefined) return c.json({ session: reused })
  const created = await createSession(c.env, owner, fields.value)
  return answer(c, created, (session) => ({ session }), 201)
})

/** Opening the page again and again must not fill the list with empty sessions. */
async function findReusable(env: Env, owner: string): Promise<SessionSummary | undefined> {
  try {
    const id = await findEmptySession(env.DB, owner)
    if (id === null) return undefined
    // The directory may lag: only the session knows whether somebody has written in it since.
    const found = await sessionOf(env, id).summary(owner)
    if (!found.ok) return undefined
    const { empty, ...session } = found.value
    return empty && session.status === 'idle' ? session : undefined
  } catch (error) {
    // The directory never stands between a person and a new session.
    logFailure('directory_unavailable', error, { owner })
    return undefined
  }
}

export async function createSession(
  env: Env,
  owner: string,
  fields: NewFields,
): Promise<Result<SessionSummary>> {
  const agent = await requireAgent(env, owner, fields.agent ?? DEFAULT_AGENT, 'agent')
  if (!agent.ok) return agent
  const models = resolveModels(env)
  const own = agent.value.models.find((id) => models.ids.includes(id))
  const model = fields.model ?? own ?? models.defaultId
  if (!models.ids.includes(model)) {
    const message = `model: there is no model ${model}; there is ${models.ids.join(', ')}`
    return { ok: false, rejection: { code: 'unknown_model', message } }
  }
  const sessionId = randomId()
  return sessionOf(env, sessionId).create({
    sessionId,
    owner,
    model,
    agent: agent.value.name,
    mode: agent.value.mode,
    ...(fields.title === undefined ? {} : { title: fields.title }),
  })
}

/** The agent of that name; `field` is where the caller named it. */
export async function requireAgent(
  env: Env,
  owner: string,
  name: string,
  field: 'agent' | 'agent_id',
): Promise<Result<Agent>> {
  const agent = await loadAgent(env.DB, owner, name)
  if (agent !== null) return { ok: true, value: agent }
  const message = `${field}: there is no agent ${name}`
  return { ok: false, rejection: { code: 'unknown_agent', message } }
}

/** 16 random bytes, without padding: never handed out twice, and not to be guessed. */
export const randomId = (): string =>
  encodeBase64Url(crypto.getRandomValues(new Uint8Array(16)).buffer).slice(0, 22)

sessions.get('/', async (c) => {
  const query = readQuery<ListQuery>(c, ListQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { limit, cursor, q } = query.value
  const before = cursor === undefined ? null : parseCursor(cursor)
  if (cursor !== undefined && before === null) {
    return refuse(c.req.raw, { code: 'bad_request', message: 'cursor: not one of this server' })
  }
  const text = q === undefined || q === '' ? null : q
  const page = await listSessions(c.env.DB, c.var.identity.owner, { limit, before, text })
  return c.json({ sessions: page.sessions, nextCursor: page.next && toCursor(page.next) })
})

sessions.get('/:id', withSession, async (c) => answerSession(c))

sessions.patch('/:id', withSession, async (c) => {
  const changes = await readBody<z.infer<typeof Changes>>(c, Changes)
  if (!changes.ok) return refuse(c.req.raw, changes.rejection)
  if (Object.keys(changes.value).length === 0) {
    return refuse(c.req.raw, { code: 'bad_request', message: 'body: nothing to change' })
  }
  const command: Command = { type: 'configure', id: randomId(), ...changes.value }
  const done = await c.var.session.command(c.var.identity.owner, command, 'api')
  return done.ok ? answerSession(c) : refuse(c.req.raw, done.rejection)
})

async function answerSession(c: Context<AppEnv>): Promise<Response> {
  const found = await c.var.session.summary(c.var.identity.owner)
  return answer(c, found, (value) => ({ session: withoutEmpty(value) }))
}

function withoutEmpty(session: SessionSummary & { empty?: boolean }): SessionSummary {
  const { empty, ...summary } = session
  void empty
  return summary
}

sessions.delete('/:id', withSession, async (c) =>
  answer(c, await c.var.session.remove(c.var.identity.owner), () => ({ ok: true })),
)

sessions.post('/:id/restore', withSession, async (c) =>
  answer(c, await c.var.session.restore(c.var.identity.owner), (session) => ({ session })),
)

sessions.get('/:id/stats', withSession, async (c) =>
  answer(c, await c.var.session.stats(c.var.identity.owner), (stats) => stats),
)

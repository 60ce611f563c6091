// The way from a request to its session object.

import { createMiddleware } from 'hono/factory'
import { isSessionId } from '#protocol/ids'
import type { Env } from '../env.ts'
import { OWNER_HEADER, type Result, type SessionRpc } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { refuse } from './respond.ts'

export const sessionOf = (env: Env, sessionId: string): SessionRpc =>
  env.SESSION.getByName(sessionId)

/** Ids of the wrong shape never reach an object: probing must not create one. */
export const withSession = createMiddleware<AppEnv>(async (c, next) => {
  const id = c.req.param('id') ?? ''
  if (!isSessionId(id)) return refuse(c.req.raw, NO_SESSION)
  c.set('session', sessionOf(c.env, id))
  return next()
})

/** The session whose files these are: a child works on those of the session above it. */
export const workspaceOf = async (
  env: Env,
  owner: string,
  session: SessionRpc,
): Promise<Result<SessionRpc>> => {
  const id = await session.workspaceId(owner)
  return id.ok ? { ok: true, value: sessionOf(env, id.value) } : id
}

export const withWorkspace = createMiddleware<AppEnv>(async (c, next) => {
  const id = c.req.param('id') ?? ''
  if (!isSessionId(id)) return refuse(c.req.raw, NO_SESSION)
  const found = await workspaceOf(c.env, c.var.identity.owner, sessionOf(c.env, id))
  if (!found.ok) return refuse(c.req.raw, found.rejection)
  c.set('session', found.value)
  return next()
})

export const NO_SESSION = { code: 'not_found', message: 'no such session' } as const

/** A fresh request: nothing a client sent reaches the object, least of all the owner's name. */
export const openSocket = (session: Pick<SessionRpc, 'fetch'>, owner: string): Promise<Response> =>
  session.fetch(
    new Request('https://session/socket', {
      headers: { upgrade: 'websocket', [OWNER_HEADER]: owner },
    }),
  )

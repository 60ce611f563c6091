// Logging in with a token, for the page; and what the page needs to know about whoever is logged in.

import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { PROTOCOL_VERSION } from '#protocol/version'
import { check } from '#protocol/parse'
import { SOLE_OWNER, type Credential, type Settings } from '../env.ts'
import { resolveModels } from '../models/resolve.ts'
import type { Result } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { readBody } from './body.ts'
import { clearCookie, writeCookie } from './cookie.ts'
import { findCredential, requireIdentity } from './identity.ts'
import { limitRequests, takeRequest } from './rate-limit.ts'
import { refuse } from './respond.ts'

/** Tries per address: a person mistypes a few times, a guesser needs millions. */
const LOGIN_RATE = { perMinute: 10, burst: 10 } as const

const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data)\b/i
const Login = z.object({ token: z.string().min(1).max(1000) })

export const login = new Hono<AppEnv>()

login.post('/login', async (c) => {
  const address = c.req.header('cf-connecting-ip') ?? 'unknown'
  const limited = takeRequest(`login:${address}`, LOGIN_RATE)
  if (limited !== null) return refuse(c.req.raw, limited)
  const isForm = FORM.test(c.req.header('content-type') ?? '')
  const body = isForm ? await readForm(c) : await readBody(c, Login)
  if (!body.ok) return refuse(c.req.raw, body.rejection)
  const owner = await logIn(c, c.var.settings, body.value.token)
  if (owner === null) {
    return refuse(c.req.raw, { code: 'unauthorized', message: 'that token is not valid' })
  }
  return isForm ? c.redirect('/', 303) : c.json({ owner })
})

async function readForm(c: Context): Promise<Result<z.infer<typeof Login>>> {
  // Not a form after all: the same refusal as for a form without the field.
  const fields = await c.req.parseBody().catch(() => ({}))
  return check<z.infer<typeof Login>>(Login, fields)
}

async function logIn(c: Context, settings: Settings, token: string): Promise<string | null> {
  if (settings.isLoopbackOnly) return SOLE_OWNER
  const credential: Credential | null = await findCredential(token, settings.credentials)
  if (credential === null) return null
  await writeCookie(c, credential)
  return credential.owner
}

login.post('/logout', (c) => {
  clearCookie(c)
  return c.json({ ok: true })
})

login.get('/me', requireIdentity, limitRequests, (c) => {
  const { owner, mode } = c.var.identity
  const { ids, defaultId } = resolveModels(c.env)
  return c.json({ owner, mode, models: ids, defaultModel: defaultId, version: PROTOCOL_VERSION })
})

// Who is asking. A wrong credential is refused even where another one would do: falling back
// would hide that it is wrong.

import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { parseSettings, SOLE_OWNER, type Credential, type Settings } from '../env.ts'
import type { Result } from '../session/rpc.ts'
import { ACCESS_HEADER, verifyAccess } from './access.ts'
import type { AppEnv, Identity } from './app-env.ts'
import { readCookie } from './cookie.ts'
import { refuse } from './respond.ts'

export const requireSettings = createMiddleware<AppEnv>(async (c, next) => {
  const settings = parseSettings(c.env)
  if (settings.problem !== null) {
    return refuse(c.req.raw, { code: 'not_configured', message: settings.problem })
  }
  if (settings.isLoopbackOnly && !isLoopback(c.req.raw)) {
    const message =
      'set PARLEY_TOKEN (or PARLEY_TOKENS, or PARLEY_ACCESS_TEAM_DOMAIN and PARLEY_ACCESS_AUD): ' +
      'without a credential this server answers on loopback addresses only'
    return refuse(c.req.raw, { code: 'not_configured', message })
  }
  c.set('settings', settings)
  return next()
})

export const requireIdentity = createMiddleware<AppEnv>(async (c, next) => {
  const identity = await identify(c, c.var.settings)
  if (!identity.ok) return refuse(c.req.raw, identity.rejection)
  c.set('identity', identity.value)
  return next()
})

async function identify(c: Context<AppEnv>, settings: Settings): Promise<Result<Identity>> {
  if (settings.isLoopbackOnly) return accept(SOLE_OWNER, 'loopback')
  const bearer = c.req.header('authorization')
  if (bearer !== undefined) {
    const token = /^Bearer +(\S+) *$/i.exec(bearer)?.[1]
    const credential = token && (await findCredential(token, settings.credentials))
    return credential ? accept(credential.owner, 'token') : refused('that token is not valid')
  }
  const owner = await readCookie(c, settings.credentials)
  if (owner !== null) return accept(owner, 'token')
  const assertion = c.req.header(ACCESS_HEADER)
  if (settings.access !== null && assertion !== undefined) {
    const email = await verifyAccess(assertion, settings.access)
    return email === null ? refused('that Access token is not valid') : accept(email, 'access')
  }
  return refused('send Authorization: Bearer <token>, or log in')
}

const accept = (owner: string, mode: Identity['mode']): Result<Identity> => ({
  ok: true,
  value: { owner, mode },
})
const refused = (message: string): Result<never> => ({
  ok: false,
  rejection: { code: 'unauthorized', message },
})

/** Compared as digests and against all of them, so that time tells nothing about a token. */
export async function findCredential(
  token: string,
  credentials: readonly Credential[],
): Promise<Credential | null> {
  const given = await digest(token)
  let found: Credential | null = null
  for (const { credential, hash } of await digestsOf(credentials)) {
    if (crypto.subtle.timingSafeEqual(given, hash)) found = credential
  }
  return found
}

type Digested = { credential: Credential; hash: ArrayBuffer }
const digested = new WeakMap<readonly Credential[], Promise<Digested[]>>()

function digestsOf(credentials: readonly Credential[]): Promise<Digested[]> {
  let all = digested.get(credentials)
  if (all === undefined) {
    all = Promise.all(
      credentials.map(async (credential) => ({ credential, hash: await digest(credential.token) })),
    )
    digested.set(credentials, all)
  }
  return all
}

const digest = (text: string): Promise<ArrayBuffer> =>
  crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))

/**
 * The name the client used, by URL and by Host header: they differ when a header of the local
 * runtime rewrites the URL, and a name that a foreign DNS server points here must not count.
 */
export function isLoopback(request: Request): boolean {
  const host = request.headers.get('host')
  return isLoopbackUrl(request.url) && (host === null || isLoopbackUrl(`http://${host}`))
}

function isLoopbackUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { hostname } = new URL(text)
  if (hostname === 'localhost' || hostname.endsWith('.localhost')) return true
  return hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

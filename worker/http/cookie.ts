// The page's cookie: who, until when, signed. The key comes from that owner's token, so changing
// the token logs out every browser that used it, and nothing has to be stored.

import type { Context } from 'hono'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { decode, sign, verify } from 'hono/jwt'
import type { CookieOptions } from 'hono/utils/cookie'
import type { Credential } from '../env.ts'

const NAME = 'parley'
const LIFETIME_SECONDS = 30 * 24 * 3600

const keyOf = ({ token }: Credential): string => `parley cookie\n${token}`

// On https the name is bound to this very host: a neighbouring subdomain cannot plant one.
const isSecure = (c: Context): boolean => new URL(c.req.url).protocol === 'https:'

const optionsOf = (c: Context): CookieOptions => ({
  path: '/',
  httpOnly: true,
  sameSite: 'Lax',
  ...(isSecure(c) ? { secure: true, prefix: 'host' } : {}),
})

export async function writeCookie(c: Context, credential: Credential): Promise<void> {
  const exp = Math.floor(Date.now() / 1000) + LIFETIME_SECONDS
  const value = await sign({ sub: credential.owner, exp }, keyOf(credential), 'HS256')
  setCookie(c, NAME, value, { ...optionsOf(c), maxAge: LIFETIME_SECONDS })
}

export function clearCookie(c: Context): void {
  deleteCookie(c, NAME, optionsOf(c))
}

/** The owner a cookie proves; null for none, forged, expired, or of a token that was changed. */
export async function readCookie(
  c: Context,
  credentials: readonly Credential[],
): Promise<string | null> {
  const value = isSecure(c) ? getCookie(c, NAME, 'host') : getCookie(c, NAME)
  if (value === undefined) return null
  try {
    const { sub } = decode(value).payload
    const credential = credentials.find(({ owner }) => owner === sub)
    if (credential === undefined) return null
    const payload = await verify(value, keyOf(credential), 'HS256')
    return typeof payload.exp === 'number' ? credential.owner : null
  } catch {
    return null
  }
}

// Cloudflare Access in front: the JWT it adds is checked here, because the Worker may also be
// reachable by an address that Access does not guard.

import { decode, verifyWithJwks } from 'hono/jwt'
import type { HonoJsonWebKey } from 'hono/utils/jwt/jws'
import type { Settings } from '../env.ts'
import { logFailure } from '../log.ts'

export const ACCESS_HEADER = 'cf-access-jwt-assertion'

type Access = NonNullable<Settings['access']>
type KeySet = { keys: HonoJsonWebKey[]; at: number }

/** Access rotates its keys every six weeks, with a week of overlap. */
const KEYS_MS = 3_600_000
/** A token with an unknown key asks again, but not more often: anybody can send such a token. */
const RETRY_KEYS_MS = 60_000

const keySets = new Map<string, KeySet>()

/** The person's address; null when the token proves nothing. */
export async function verifyAccess(token: string, access: Access): Promise<string | null> {
  try {
    const payload = await verifyWithJwks(token, {
      keys: await loadKeys(access, decode(token).header.kid, Date.now()),
      allowedAlgorithms: ['RS256'],
      verification: { iss: access.issuer, aud: access.audience },
    })
    // A token without an end would never stop being valid.
    if (typeof payload.exp !== 'number') return null
    return typeof payload['email'] === 'string' ? toOwner(payload['email']) : null
  } catch {
    // Malformed, expired, for another audience or signed by someone else: all the same from here.
    return null
  }
}

/** Owners travel in headers; an address that cannot is not let in. */
const toOwner = (email: string): string | null =>
  /^[\x21-\x7e]{1,200}$/.test(email) ? email.toLowerCase() : null

async function loadKeys(
  access: Access,
  kid: string | undefined,
  now: number,
): Promise<HonoJsonWebKey[]> {
  const held = keySets.get(access.issuer)
  const isKnown = held?.keys.some((key) => key.kid === kid) === true
  if (held !== undefined && now - held.at < (isKnown ? KEYS_MS : RETRY_KEYS_MS)) return held.keys
  try {
    const response = await fetch(`${access.issuer}/cdn-cgi/access/certs`)
    const { keys } = await response.json<{ keys: HonoJsonWebKey[] }>()
    keySets.set(access.issuer, { keys, at: now })
    return keys
  } catch (error) {
    logFailure('access_keys_unavailable', error, { issuer: access.issuer })
    // Old keys still prove who signed; a failed fetch must not lock everybody out.
    return held?.keys ?? []
  }
}

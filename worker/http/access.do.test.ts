import { sign } from 'hono/jwt'
import type { JWTPayload } from 'hono/utils/jwt/types'
import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { Vars } from '../env.ts'
import { call } from '../testing/call-app.ts'

const ISSUER = 'https://team.cloudflareaccess.com'
const ACCESS: Vars = { PARLEY_ACCESS_TEAM_DOMAIN: 'team', PARLEY_ACCESS_AUD: 'app-1' }

const IN_AN_HOUR = Math.floor(Date.now() / 1000) + 3600
const CLAIMS = { iss: ISSUER, aud: ['app-1'], exp: IN_AN_HOUR, email: 'Ann@Example.com' }

type Jwk = JsonWebKey & { kid: string }
type Keys = { secret: Jwk; published: Jwk }
let keys: Keys
let stranger: Keys

async function makeKeys(kid: string): Promise<Keys> {
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: new Uint8Array([1, 0, 1]),
    hash: 'SHA-256',
  }
  const pair: object = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { privateKey, publicKey } = pair as CryptoKeyPair
  return { secret: await exportKey(privateKey, kid), published: await exportKey(publicKey, kid) }
}

async function exportKey(key: CryptoKey, kid: string): Promise<Jwk> {
  const jwk: object = await crypto.subtle.exportKey('jwk', key)
  return { ...(jwk as JsonWebKey), alg: 'RS256', kid }
}

beforeAll(async () => {
  keys = await makeKeys('k1')
  stranger = await makeKeys('k1')
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json({ keys: [keys.published] }),
  )
})
afterEach(() => vi.mocked(fetch).mockClear())

const tokenOf = (claims: JWTPayload, signer: Keys = keys) => sign(claims, signer.secret, 'RS256')

const ask = (token: string) =>
  call('/api/me', { vars: ACCESS, headers: { 'cf-access-jwt-assertion': token } })

test('[SAF1] an Access token lets its person in, under their address', async () => {
  const response = await ask(await tokenOf(CLAIMS))
  expect(await response.json()).toMatchObject({ owner: 'ann@example.com', mode: 'access' })
})

test('[SAF1] the keys are fetched once, not with every request', async () => {
  const token = await tokenOf(CLAIMS)
  await ask(token)
  await ask(token)
  expect(vi.mocked(fetch).mock.calls.length).toBeLessThanOrEqual(1)
})

test('[SAF1] a token that proves nothing is refused', async () => {
  const { exp: _, ...endless } = CLAIMS
  const { email: __, ...nameless } = CLAIMS
  const bad = {
    'another audience': await tokenOf({ ...CLAIMS, aud: ['app-2'] }),
    'another team': await tokenOf({ ...CLAIMS, iss: 'https://x.cloudflareaccess.com' }),
    expired: await tokenOf({ ...CLAIMS, exp: IN_AN_HOUR - 7200 }),
    'without an end': await tokenOf(endless),
    'without a person': await tokenOf(nameless),
    'of another signer': await tokenOf(CLAIMS, stranger),
    'signed with the published key as a secret': await sign(
      CLAIMS,
      JSON.stringify(keys.published),
      'HS256',
    ),
    'not a token': 'abc',
  }
  for (const [what, token] of Object.entries(bad)) {
    expect((await ask(token)).status, what).toBe(401)
  }
  expect((await call('/api/me', { vars: ACCESS })).status).toBe(401)
})

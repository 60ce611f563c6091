import { afterEach, describe, expect, test, vi } from 'vitest'
import type { Vars } from '../env.ts'
import { call, refusalOf, TWO_OWNERS, type Call } from '../testing/call-app.ts'

let lastAddress = 0

/** Each from an address of its own: tries are counted by address. */
function logIn(token: unknown, options: Call = {}): Promise<Response> {
  lastAddress += 1
  const headers = { 'cf-connecting-ip': `10.0.0.${lastAddress}`, ...options.headers }
  return call('/api/login', { vars: TWO_OWNERS, json: { token }, ...options, headers })
}

function cookieOf(response: Response): string {
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}

const meWith = (cookie: string, vars: Vars = TWO_OWNERS): Promise<Response> =>
  call('/api/me', { vars, headers: { cookie } })

describe('logging in', () => {
  afterEach(() => vi.useRealTimers())

  test('[SAF1] a token buys a cookie that scripts and other sites cannot use', async () => {
    const response = await logIn('alice-token')
    expect(await response.json()).toEqual({ owner: 'alice' })
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/; HttpOnly/)
    expect(cookie).toMatch(/; SameSite=Lax/)
    expect(cookie).not.toContain('alice-token')
    expect(await (await meWith(cookieOf(response))).json()).toMatchObject({
      owner: 'alice',
      mode: 'token',
    })
  })

  test('[SAF1] on https the cookie is Secure and bound to the host', async () => {
    const origin = 'https://parley.example'
    const response = await logIn('bob-token', { origin })
    expect(response.headers.get('set-cookie')).toMatch(/^__Host-parley=.*; Secure/)
    const headers = { cookie: cookieOf(response) }
    const me = await call('/api/me', { vars: TWO_OWNERS, origin, headers })
    expect(await me.json()).toMatchObject({ owner: 'bob' })
  })

  test('[SAF1] a form is answered with the page', async () => {
    const body = new URLSearchParams({ token: 'alice-token' })
    const response = await call('/api/login', { vars: TWO_OWNERS, body })
    expect(response.status).toBe(303)
    expect(response.headers.get('location')).toBe('/')
    expect((await meWith(cookieOf(response))).status).toBe(200)
  })

  test('[SAF1] a wrong token gets no cookie', async () => {
    const response = await logIn('wrong')
    expect(response.headers.get('set-cookie')).toBeNull()
    expect(await refusalOf(response)).toMatchObject({ status: 401, code: 'unauthorized' })
  })

  test('[SAF2] something that is no token is named', async () => {
    for (const token of [undefined, 5, '', {}]) {
      const refusal = await refusalOf(await logIn(token))
      expect(refusal).toMatchObject({ status: 400, code: 'bad_request' })
      expect(refusal.message).toMatch(/^token: /)
    }
  })

  test('[SAF2] guessing is slowed down', async () => {
    const headers = { 'cf-connecting-ip': '10.9.9.9' }
    const statuses: number[] = []
    for (let i = 0; i < 10; i++) statuses.push((await logIn('guess', { headers })).status)
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 401))
    const refused = await logIn('alice-token', { headers })
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('a cookie', () => {
  afterEach(() => vi.useRealTimers())

  test('[SAF1] cannot be changed or made up', async () => {
    const cookie = cookieOf(await logIn('alice-token'))
    const [head, payload, signature] = cookie.slice('parley='.length).split('.')
    const asBob = btoa(JSON.stringify({ sub: 'bob', exp: 9e9 })).replaceAll('=', '')
    const unsigned = btoa(JSON.stringify({ alg: 'none', typ: 'JWT' })).replaceAll('=', '')
    const forged = [
      `${head}.${asBob}.${signature}`,
      `${head}.${payload}.`,
      `${unsigned}.${payload}.`,
      `${head}.${payload}`,
      'x',
      '',
    ]
    for (const value of forged) {
      expect((await meWith(`parley=${value}`)).status, value).toBe(401)
    }
  })

  test('[SAF1] ends after its time', async () => {
    const cookie = cookieOf(await logIn('alice-token'))
    vi.setSystemTime(Date.now() + 31 * 24 * 3600 * 1000)
    expect((await meWith(cookie)).status).toBe(401)
  })

  test('[SAF1] ends when that owner’s token is changed, and no other', async () => {
    const alice = cookieOf(await logIn('alice-token'))
    const bob = cookieOf(await logIn('bob-token'))
    const rotated = { PARLEY_TOKENS: 'alice:new-token,bob:bob-token' }
    expect((await meWith(alice, rotated)).status).toBe(401)
    expect((await meWith(bob, rotated)).status).toBe(200)
  })

  test('[SAF1] is taken away by logging out', async () => {
    const response = await call('/api/logout', { method: 'POST', vars: TWO_OWNERS })
    expect(response.headers.get('set-cookie')).toMatch(/^parley=; Max-Age=0/)
  })
})

test('[API1] the page learns who it is and which models there are', async () => {
  const me = await (await call('/api/me')).json<{ models: string[]; defaultModel: string }>()
  expect(me).toMatchObject({ owner: 'owner', mode: 'loopback', version: 1 })
  expect(me.models).toContain(me.defaultModel)
})

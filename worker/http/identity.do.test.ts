import { describe, expect, test } from 'vitest'
import {
  call,
  closeOf,
  createSession,
  OTHER_ROUTES,
  refusalOf,
  sessionRoutes,
  TWO_OWNERS,
  UPGRADE,
} from '../testing/call-app.ts'

const ALICE = { vars: TWO_OWNERS, token: 'alice-token' }
const BOB = { vars: TWO_OWNERS, token: 'bob-token' }

describe('credentials', () => {
  test('[SAF1] no route answers without a credential', async () => {
    const { id } = await createSession(ALICE)
    for (const { path, ...options } of [...sessionRoutes(id), ...OTHER_ROUTES]) {
      const response = await call(path, { ...options, vars: TWO_OWNERS })
      expect(await refusalOf(response), path).toMatchObject({ status: 401, code: 'unauthorized' })
    }
  })

  test('[SAF1] a wrong token is refused, in every shape', async () => {
    const wrong = ['Bearer nope', 'Bearer', 'Bearer ', 'alice-token', 'Basic YWxpY2U6']
    for (const authorization of wrong) {
      const response = await call('/api/me', { vars: TWO_OWNERS, headers: { authorization } })
      expect(response.status, authorization).toBe(401)
      expect(response.headers.get('www-authenticate')).toBe('Bearer')
    }
  })

  test('[SAF1] the token says who is asking', async () => {
    const alice = await (await call('/api/me', ALICE)).json()
    expect(alice).toMatchObject({ owner: 'alice', mode: 'token' })
    expect(await (await call('/api/me', BOB)).json()).toMatchObject({ owner: 'bob' })
    const single = { vars: { PARLEY_TOKEN: 'one' }, token: 'one' }
    expect(await (await call('/api/me', single)).json()).toMatchObject({ owner: 'owner' })
  })

  test('[SAF1] another owner’s session is not there, on every route', async () => {
    const { id } = await createSession(ALICE)
    for (const { path, ...options } of sessionRoutes(id)) {
      const response = await call(path, { ...options, ...BOB })
      expect(await refusalOf(response), path).toMatchObject({ status: 404, code: 'not_found' })
    }
    const mine = await call(`/api/sessions/${id}`, ALICE)
    expect(await mine.json()).toMatchObject({ session: { id, title: 'Test', seq: 2 } })
    const { sessions } = await (await call('/api/sessions', BOB)).json<{ sessions: object[] }>()
    expect(sessions).not.toContainEqual(expect.objectContaining({ id }))
  })

  test('[SAF1] health needs no credential and says nothing else', async () => {
    const response = await call('/api/health', { vars: TWO_OWNERS })
    expect(await response.json()).toEqual({ ok: true })
  })
})

describe('no credential configured', () => {
  test('[SAF1] loopback addresses are served as the owner', async () => {
    const hosts = ['localhost', '127.0.0.1:8787', '127.9.8.7', '[::1]:99', 'app.localhost']
    for (const host of hosts) {
      const response = await call('/api/me', { origin: `http://${host}`, headers: { host } })
      expect(await response.json(), host).toMatchObject({ owner: 'owner', mode: 'loopback' })
    }
  })

  test('[SAF1] any other name is refused, with what to set', async () => {
    const hosts = ['example.com', '127.0.0.1.example.com', 'localhost.example.com', '192.168.0.9']
    for (const host of hosts) {
      const response = await call('/api/sessions', { origin: `http://${host}` })
      const refusal = await refusalOf(response)
      expect(refusal, host).toMatchObject({ status: 503, code: 'not_configured' })
      expect(refusal.message).toContain('PARLEY_TOKEN')
    }
  })

  test('[SAF1] a foreign Host is refused even where the address says loopback', async () => {
    for (const host of ['evil.example', 'localhost@evil.example', 'evil.example#localhost']) {
      const response = await call('/api/me', { headers: { host } })
      expect(response.status, host).toBe(503)
    }
  })

  test('[SAF1] a setting with a mistake closes the server, and is not repeated', async () => {
    const mistakes = [
      { PARLEY_TOKENS: 'secret-without-name' },
      { PARLEY_TOKENS: 'alice:' },
      { PARLEY_TOKENS: ',' },
      { PARLEY_TOKENS: 'a:secret,a:other' },
      { PARLEY_TOKENS: 'a:secret,b:secret' },
      { PARLEY_TOKEN: 'secret two' },
      { PARLEY_ACCESS_AUD: 'secret' },
      { PARLEY_REQUESTS_PER_MINUTE: 'many' },
      { PARLEY_ORIGINS: 'example.com' },
      { PARLEY_DEMO_RATE: '0' },
      { PARLEY_DEMO_RATE: '10001' },
      { PARLEY_DEMO_RATE: 'fast' },
      { PARLEY_SENSITIVE_PATTERNS: 'config.json,[abc' },
      // The comma parts them.
      { PARLEY_SENSITIVE_PATTERNS: '{a,b}' },
      { PARLEY_SENSITIVE_PATTERNS: 'x'.repeat(201) },
    ]
    for (const vars of mistakes) {
      const refusal = await refusalOf(await call('/api/me', { vars }))
      expect(refusal, JSON.stringify(vars)).toMatchObject({ status: 503, code: 'not_configured' })
      expect(refusal.message).toMatch(/^PARLEY_/)
      expect(refusal.message).not.toContain('secret')
    }
  })
})

describe('sockets', () => {
  test('[SAF1] without a credential the socket is closed with 4401', async () => {
    const { id } = await createSession(ALICE)
    const path = `/api/sessions/${id}/socket`
    const closed = await closeOf(await call(path, { vars: TWO_OWNERS, headers: UPGRADE }))
    expect(closed).toEqual({ code: 4401, reason: 'unauthorized' })
  })

  test('[SAF1] a session of someone else, or none, is closed with 4404', async () => {
    const { id } = await createSession(ALICE)
    for (const unknown of [id, 'BBBBBBBBBBBBBBBBBBBBBB', 'rubbish']) {
      const path = `/api/sessions/${unknown}/socket`
      const closed = await closeOf(await call(path, { ...BOB, headers: UPGRADE }))
      expect(closed, unknown).toEqual({ code: 4404, reason: 'not_found' })
    }
  })

  test('[SAF1] a client cannot name the owner itself', async () => {
    const { id } = await createSession(ALICE)
    const headers = { ...UPGRADE, 'x-parley-owner': 'alice', 'x-partykit-room': id }
    const closed = await closeOf(await call(`/api/sessions/${id}/socket`, { ...BOB, headers }))
    expect(closed.code).toBe(4404)
  })

  test('[API1] a request that is not an upgrade is told so', async () => {
    const { id } = await createSession(ALICE)
    const response = await call(`/api/sessions/${id}/socket`, ALICE)
    expect(response.headers.get('upgrade')).toBe('websocket')
    expect(await refusalOf(response)).toMatchObject({ status: 426, code: 'upgrade_required' })
  })
})

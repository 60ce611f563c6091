import { describe, expect, test } from 'vitest'
import {
  call,
  createSession,
  OTHER_ROUTES,
  refusalOf,
  sessionRoutes,
  UPGRADE,
} from '../testing/call-app.ts'

describe('foreign pages', () => {
  test('[SAF1] every route refuses a foreign Origin before anything else', async () => {
    const { id } = await createSession()
    const routes = [
      ...sessionRoutes(id),
      ...OTHER_ROUTES,
      { method: 'GET', path: '/api/health' },
      { method: 'POST', path: '/api/login', json: { token: 'x' } },
      { method: 'POST', path: '/api/logout' },
      { method: 'GET', path: '/api/unknown' },
      { method: 'OPTIONS', path: '/api/sessions' },
    ]
    for (const { path, ...options } of routes) {
      const headers = { origin: 'https://evil.example' }
      const refusal = await refusalOf(await call(path, { ...options, headers }))
      expect(refusal, path).toMatchObject({ status: 403, code: 'forbidden_origin' })
    }
    const session = await call(`/api/sessions/${id}`)
    expect(await session.json()).toMatchObject({ session: { title: 'Test', seq: 2 } })
  })

  test('[SAF1] what only looks like the own origin is foreign', async () => {
    const foreign = [
      'null',
      '',
      'http://localhost:1',
      'https://localhost',
      'http://localhost.evil.example',
      'http://127.0.0.1',
      'http://localhost/',
    ]
    for (const origin of foreign) {
      const response = await call('/api/health', { headers: { origin } })
      expect(response.status, origin).toBe(403)
    }
  })

  test('[SAF1] a socket is not upgraded for a foreign page', async () => {
    const { id } = await createSession()
    const headers = { ...UPGRADE, origin: 'https://evil.example' }
    const response = await call(`/api/sessions/${id}/socket`, { headers })
    expect(response.webSocket).toBeNull()
    expect(response.status).toBe(403)
  })
})

describe('own and allowed pages', () => {
  test('[SAF1] the own page, and a program without Origin, are served', async () => {
    expect((await call('/api/health', { headers: { origin: 'http://localhost' } })).status).toBe(
      200,
    )
    expect((await call('/api/health')).status).toBe(200)
  })

  test('[SAF1] an allowed page is served, and only that', async () => {
    const vars = { PARLEY_ORIGINS: 'https://app.example, https://two.example/' }
    const allowed = { vars, headers: { origin: 'https://app.example' } }
    const response = await call('/api/sessions', allowed)
    expect(response.status).toBe(200)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example')
    expect(response.headers.get('access-control-allow-credentials')).toBeNull()
    const preflight = await call('/api/sessions', { ...allowed, method: 'OPTIONS' })
    expect(preflight.status).toBe(204)
    const other = await call('/api/sessions', { vars, headers: { origin: 'https://x.example' } })
    expect(other.status).toBe(403)
    expect(other.headers.get('access-control-allow-origin')).toBeNull()
  })

  test('[API1] an allowed page can open a socket', async () => {
    const { id } = await createSession()
    const vars = { PARLEY_ORIGINS: 'https://app.example' }
    const headers = { ...UPGRADE, origin: 'https://app.example' }
    const response = await call(`/api/sessions/${id}/socket`, { vars, headers })
    expect(response.status).toBe(101)
    response.webSocket?.accept()
    response.webSocket?.close(1000)
  })
})

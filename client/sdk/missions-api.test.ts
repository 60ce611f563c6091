import { describe, expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { MissionsApi } from './missions-api.ts'

type Call = { method: string; url: string; body: unknown }

function apiWith(answer: () => Response): { api: MissionsApi; calls: Call[] } {
  const calls: Call[] = []
  const fetch = (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    const { href } = new URL(input instanceof Request ? input.url : input)
    const body: unknown = typeof init.body === 'string' ? JSON.parse(init.body) : undefined
    calls.push({ method: init.method ?? 'GET', url: href, body })
    return Promise.resolve(answer())
  }
  return { api: new MissionsApi({ origin: 'https://parley.test/', token: 't', fetch }), calls }
}

const BASE = 'https://parley.test/api'

describe('[AGT7] missions over HTTP', () => {
  test('a target is named in the address, encoded', async () => {
    const { api, calls } = apiWith(() => Response.json({ mission: null, missions: [], ok: true }))
    expect(await api.standing({ agent_id: 'a&b' })).toBe(null)
    expect(await api.history({ session_id: 's 1' })).toEqual([])
    await api.clear({ session_id: 's1' })
    expect(calls).toMatchObject([
      { method: 'GET', url: `${BASE}/mission?agent_id=a%26b` },
      { method: 'GET', url: `${BASE}/missions?session_id=s+1` },
      { method: 'DELETE', url: `${BASE}/mission?session_id=s1` },
    ])
  })

  test('a new one is sent with its target', async () => {
    const { api, calls } = apiWith(() => Response.json({ mission: {} }, { status: 201 }))
    await api.set({ agent_id: 'coder' }, { text: 'Tidy', every_minutes: 5 })
    const body = { agent_id: 'coder', text: 'Tidy', every_minutes: 5 }
    expect(calls).toEqual([{ method: 'POST', url: `${BASE}/mission`, body }])
  })

  test('a refusal, a broken answer and a broken line are ApiErrors', async () => {
    const error = { code: 'no_such_mission', message: 'none' }
    const refused = apiWith(() => Response.json({ error }, { status: 404 }))
    await expect(refused.api.clear({ agent_id: 'a' })).rejects.toMatchObject({
      code: 'no_such_mission',
      status: 404,
    })
    const broken = apiWith(() => new Response('<html>'))
    await expect(broken.api.history({ agent_id: 'a' })).rejects.toBeInstanceOf(ApiError)
    const cut = apiWith(() => {
      throw new TypeError('offline')
    })
    await expect(cut.api.history({ agent_id: 'a' })).rejects.toMatchObject({ code: 'network' })
  })
})

import { env, runInDurableObject } from 'cloudflare:test'
import { describe, expect, test, vi } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { CLIENT_FRAME_BYTES, MESSAGE_TEXT_BYTES } from '#protocol/limits'
import {
  call,
  createSession,
  refusalOf,
  sessionRoutes,
  UNKNOWN_ID,
  type Call,
} from '../testing/call-app.ts'

const send = (text: unknown) => ({ type: 'send', id: 'c1', text })

async function eventsOf(id: string): Promise<SessionEvent[]> {
  const response = await call(`/api/sessions/${id}/events`)
  return (await response.json<{ events: SessionEvent[] }>()).events
}

/** A body without Content-Length: its size is only known by reading it. */
function endless(chunk: string, chunks: number): ReadableStream {
  const bytes = new TextEncoder().encode(chunk)
  let left = chunks
  return new ReadableStream({
    pull(controller) {
      left -= 1
      if (left < 0) controller.close()
      else controller.enqueue(bytes)
    },
  })
}

describe('bodies', () => {
  test('[SAF2] a body that is too large is refused by its declared size', async () => {
    const { id } = await createSession()
    const headers = { 'content-length': String(CLIENT_FRAME_BYTES + 1) }
    const body = '{}'
    const response = await call(`/api/sessions/${id}/commands`, { body, headers })
    expect(await refusalOf(response)).toMatchObject({ status: 413, code: 'too_large' })
  })

  test('[SAF2] a body that is too large is refused while it is read', async () => {
    const { id } = await createSession()
    const body = endless('x'.repeat(64 * 1024), 17)
    const response = await call(`/api/sessions/${id}/commands`, { body })
    expect(await refusalOf(response)).toMatchObject({ status: 413, code: 'too_large' })
  })

  test('[SAF2] a message that is too large is refused, one at the limit is not', async () => {
    const { id } = await createSession()
    const path = `/api/sessions/${id}/commands`
    const tooLong = await call(path, { json: send('x'.repeat(MESSAGE_TEXT_BYTES + 1)) })
    expect(await refusalOf(tooLong)).toMatchObject({ status: 413, code: 'too_large' })
    expect(await eventsOf(id)).toHaveLength(2)
    const longest = await call(path, { json: send('x'.repeat(MESSAGE_TEXT_BYTES)) })
    expect(longest.status).toBe(200)
  })

  test('[SAF2] broken JSON is refused on every route that takes a body', async () => {
    const { id } = await createSession()
    const routes = [
      ...sessionRoutes(id).filter(({ json }) => json !== undefined),
      { path: '/api/sessions', method: 'POST' },
      { path: '/api/login', method: 'POST' },
    ]
    for (const { path, method } of routes) {
      for (const body of ['{"type":"send","id":"c1","te', '{"a":1}}', '\u0000', 'undefined']) {
        const refusal = await refusalOf(await call(path, { method, body }))
        expect(refusal, `${method} ${path}`).toMatchObject({ status: 400, code: 'bad_request' })
      }
    }
    expect(await eventsOf(id)).toHaveLength(2)
  })
})

describe('wrong fields', () => {
  type Case = [path: string, json: unknown, message: RegExp, method?: string]

  async function expectRefused([path, json, message, method]: Case): Promise<void> {
    const options: Call = { json, ...(method === undefined ? {} : { method }) }
    const refusal = await refusalOf(await call(path, options))
    expect(refusal, JSON.stringify(json)).toMatchObject({ status: 400, code: 'bad_request' })
    expect(refusal.message).toMatch(message)
  }

  test('[SAF2] of a command are named by their path, and nothing is logged', async () => {
    const { id } = await createSession()
    const path = `/api/sessions/${id}/commands`
    const cases: Case[] = [
      [path, send(5), /^text: /],
      [path, send('   '), /^text: /],
      [path, { ...send('hi'), id: 7 }, /^id: /],
      [path, { ...send('hi'), id: 'a b' }, /^id: /],
      [path, { ...send('hi'), delivery: 'soon' }, /^delivery: /],
      [path, { ...send('hi'), extra: 1 }, /^extra: /],
      [
        path,
        { ...send('hi'), attachments: [{ name: 'a', content: 5 }] },
        /^attachments\.0\.content: /,
      ],
      [path, { type: 'explode', id: 'c1' }, /^type: /],
      [path, [], /^(body|type): /],
      [path, null, /^(body|type): /],
      [path, 'send', /^(body|type): /],
    ]
    for (const one of cases) await expectRefused(one)
    expect(await eventsOf(id)).toHaveLength(2)
  })

  test('[SAF2] of the other routes are named by their path', async () => {
    const { id } = await createSession()
    const cases: Case[] = [
      ['/api/sessions', { title: 5 }, /^title: /],
      ['/api/sessions', { colour: 'red' }, /^colour: /],
      [`/api/sessions/${id}`, { mode: 'turbo' }, /^mode: /, 'PATCH'],
      [`/api/sessions/${id}`, { sensitivePatterns: ['a', 2] }, /^sensitivePatterns\.1: /, 'PATCH'],
      [`/api/sessions/${id}`, {}, /^body: /, 'PATCH'],
      ['/api/chat', { text: 5 }, /^text: /],
      ['/api/chat', { text: 'hi', delivery: 'x' }, /^delivery: /],
      ['/api/chat', { text: 'hi', session_id: 5 }, /^session_id: /],
      ['/api/agent-cancel', { run_id: 5 }, /^run_id: /],
      ['/api/agent-cancel', {}, /^run_id: /],
    ]
    for (const one of cases) await expectRefused(one)
  })

  test('[SAF2] of a query are named too', async () => {
    const { id } = await createSession()
    const queries = [
      'limit=0',
      'limit=x',
      'limit=-1',
      'limit=1.5',
      'limit=',
      'after=x',
      'before=-2',
    ]
    for (const query of [...queries, 'deltas=yes', 'after=99999999999999999999']) {
      const refusal = await refusalOf(await call(`/api/sessions/${id}/events?${query}`))
      expect(refusal, query).toMatchObject({ status: 400, code: 'bad_request' })
      expect(refusal.message).toContain(`${query.split('=')[0]}: `)
    }
    for (const query of ['limit=0', 'limit=x', 'cursor=x', 'cursor=', 'cursor=zz.'])
      expect((await call(`/api/sessions?${query}`)).status, query).toBe(400)
    expect((await call(`/api/sessions/${id}/stream?after=x`)).status).toBe(400)
  })
})

describe('what is not there', () => {
  test('[SAF2] a session that does not exist is 404 everywhere, and nothing is stored', async () => {
    for (const { path, ...options } of sessionRoutes(UNKNOWN_ID)) {
      const refusal = await refusalOf(await call(path, options))
      expect(refusal, path).toMatchObject({ status: 404, code: 'not_found' })
    }
    const rows = await env.DB.prepare('SELECT * FROM sessions WHERE id = ?').bind(UNKNOWN_ID).all()
    expect(rows.results).toEqual([])
    const stub = env.SESSION.getByName(UNKNOWN_ID)
    const stored = await runInDurableObject(stub, async (_, { storage }) => ({
      tables: storage.sql
        .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf%'")
        .toArray(),
      keys: await storage.list(),
      alarm: await storage.getAlarm(),
    }))
    expect(stored).toEqual({ tables: [], keys: new Map(), alarm: null })
  })

  test('[SAF2] an id of the wrong shape is 404 before it reaches an object', async () => {
    for (const id of ['x', '..%2f', 'a'.repeat(65), '%00', 'AAAA AAAA AAAA AAAA']) {
      for (const { path, ...options } of sessionRoutes(id)) {
        expect((await call(path, options)).status, path).toBe(404)
      }
    }
  })

  test('[API1] an unknown route is 404, a wrong method 405 with the right ones', async () => {
    const { id } = await createSession()
    for (const path of ['/api/nothing', '/api', '/api/', `/api/sessions/${id}/nothing`, '/v1/x']) {
      expect(await refusalOf(await call(path)), path).toMatchObject({ code: 'not_found' })
    }
    const response = await call(`/api/sessions/${id}/commands`)
    expect(response.headers.get('allow')).toBe('POST')
    expect(await refusalOf(response)).toMatchObject({ status: 405, code: 'method_not_allowed' })
    expect((await call('/api/sessions', { method: 'DELETE' })).status).toBe(405)
  })

  test('[SAF2] a failure inside says nothing about the inside', async () => {
    const broken = {
      prepare(): never {
        throw new Error('secret detail of the database')
      },
    }
    const log = vi.spyOn(console, 'error').mockReturnValue()
    const response = await call('/api/sessions', { vars: { DB: broken } as never })
    expect(log.mock.lastCall?.[0]).toContain('"event":"request_failed"')
    log.mockRestore()
    expect(response.status).toBe(500)
    expect(await response.json()).toEqual({
      error: { code: 'internal', message: 'something went wrong' },
    })
  })
})

import { expect, test } from 'vitest'
import { createApi, type Api } from './api.ts'
import { ApiError } from './errors.ts'

type Call = { method: string; path: string; body: unknown; authorization: string | null }

function createScene(answer: () => Response | Promise<Response>, token?: string) {
  const calls: Call[] = []
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init)
    const url = new URL(request.url)
    const text = await request.text()
    calls.push({
      method: request.method,
      path: url.pathname + url.search,
      body: text === '' ? null : JSON.parse(text),
      authorization: request.headers.get('authorization'),
    })
    return answer()
  }
  const api = createApi({
    origin: 'https://parley.example/',
    fetch,
    ...(token === undefined ? {} : { token }),
  })
  return { api, calls }
}

async function failureOf(answer: () => Response | Promise<Response>): Promise<ApiError> {
  const { api } = createScene(answer)
  try {
    await api.me()
  } catch (error) {
    if (error instanceof ApiError) return error
    throw error
  }
  throw new Error('did not fail')
}

test.each<[string, (api: Api) => Promise<unknown>, string, unknown]>([
  ['me', (api) => api.me(), 'GET /api/me', null],
  ['login', (api) => api.login('t'), 'POST /api/login', { token: 't' }],
  ['logout', (api) => api.logout(), 'POST /api/logout', null],
  ['list', (api) => api.listSessions(), 'GET /api/sessions', null],
  [
    'list from a cursor',
    (api) => api.listSessions({ cursor: 'a&b', limit: 5, q: 'x y' }),
    'GET /api/sessions?cursor=a%26b&limit=5&q=x+y',
    null,
  ],
  ['create', (api) => api.createSession(), 'POST /api/sessions', {}],
  ['create with', (api) => api.createSession({ title: 'T' }), 'POST /api/sessions', { title: 'T' }],
  ['get', (api) => api.getSession('a/b'), 'GET /api/sessions/a%2Fb', null],
  [
    'patch',
    (api) => api.patchSession('s', { pinned: true }),
    'PATCH /api/sessions/s',
    { pinned: true },
  ],
  [
    'runs',
    (api) => api.listRuns('s', { limit: 1 }),
    'GET /api/agent-runs?session_id=s&limit=1',
    null,
  ],
  ['child runs', (api) => api.childRuns('s.3'), 'GET /api/agent-children?run_id=s.3', null],
  ['cancel', (api) => api.cancelRun('s.3'), 'POST /api/agent-cancel', { run_id: 's.3' }],
  ['delete', (api) => api.deleteSession('s'), 'DELETE /api/sessions/s', null],
  ['restore', (api) => api.restoreSession('s'), 'POST /api/sessions/s/restore', null],
  ['events', (api) => api.events('s'), 'GET /api/sessions/s/events', null],
  [
    'events before',
    (api) => api.events('s', { before: 9, limit: 3, deltas: true }),
    'GET /api/sessions/s/events?before=9&limit=3&deltas=1',
    null,
  ],
  [
    'events after zero',
    (api) => api.events('s', { after: 0 }),
    'GET /api/sessions/s/events?after=0',
    null,
  ],
  [
    'command',
    (api) => api.command('s', { type: 'clear', id: 'c' }),
    'POST /api/sessions/s/commands',
    { type: 'clear', id: 'c' },
  ],
  ['models', (api) => api.listModels(), 'GET /api/models', null],
  ['tools', (api) => api.listTools(), 'GET /api/tools', null],
  ['agents', (api) => api.listAgents(), 'GET /api/agents', null],
  [
    'create an agent',
    (api) => api.createAgent({ name: 'a', mode: 'ask' }),
    'POST /api/agents',
    { name: 'a', mode: 'ask' },
  ],
  [
    'change an agent',
    (api) => api.patchAgent('a/b', { tools: null }),
    'PATCH /api/agents/a%2Fb',
    { tools: null },
  ],
  ['delete an agent', (api) => api.deleteAgent('a'), 'DELETE /api/agents/a', null],
])('[API1] %s asks for what it says', async (_name, call, expected, body) => {
  const { api, calls } = createScene(() => Response.json({ session: { id: 's' } }))
  await call(api)
  expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([expected])
  expect(calls[0]?.body).toEqual(body)
})

test('[API1] answers come without their wrapping', async () => {
  const { api } = createScene(() => Response.json({ session: { id: 's' } }, { status: 201 }))
  await expect(api.createSession()).resolves.toEqual({ id: 's' })
  const acked = createScene(() => Response.json({ ok: true, seq: 4, queued: false }))
  await expect(acked.api.command('s', { type: 'clear', id: 'c' })).resolves.toEqual({
    seq: 4,
    queued: false,
  })
})

test('[SAF1] a token is sent as a header, and only where one is given', async () => {
  const withToken = createScene(() => Response.json({}), 'secret')
  await withToken.api.me()
  expect(withToken.calls[0]).toMatchObject({ path: '/api/me', authorization: 'Bearer secret' })
  const without = createScene(() => Response.json({}))
  await without.api.me()
  expect(without.calls[0]?.authorization).toBeNull()
})

test('[SAF2] a refusal is an ApiError with code, message, status and how long to wait', async () => {
  const body = { error: { code: 'rate_limited', message: 'too fast' } }
  const init = { status: 429, headers: { 'retry-after': '7' } }
  const error = await failureOf(() => Response.json(body, init))
  expect(error).toMatchObject({
    name: 'ApiError',
    code: 'rate_limited',
    message: 'too fast',
    status: 429,
    retryAfter: 7,
  })
})

test.each<[string, () => Response]>([
  ['a page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['nothing', () => new Response(null, { status: 502 })],
  ['JSON of another shape', () => Response.json({ error: 'no' }, { status: 502 })],
  ['null', () => Response.json(null, { status: 502 })],
  ['a code that is no text', () => Response.json({ error: { code: 7 } }, { status: 502 })],
])('[SAF2] an error whose body is %s is an ApiError too', async (_name, answer) => {
  expect(await failureOf(answer)).toMatchObject({ code: 'http_error', status: 502 })
})

test('a success that is not JSON is an ApiError', async () => {
  expect(await failureOf(() => new Response('<html>'))).toMatchObject({
    code: 'bad_response',
    status: 200,
  })
})

test('no answer, or half of one, is the code `network`', async () => {
  const refused = await failureOf(() => Promise.reject(new TypeError('fetch failed')))
  expect(refused).toMatchObject({ code: 'network', message: 'fetch failed', status: 0 })
  const broken = new ReadableStream({
    start: (controller) => controller.error(new Error('cut')),
  })
  expect(await failureOf(() => new Response(broken))).toMatchObject({ code: 'network' })
})

import { afterEach, expect, test, vi } from 'vitest'
import { resolveModels } from './resolve.ts'

afterEach(() => vi.unstubAllGlobals())

async function firstRequest(env: Parameters<typeof resolveModels>[0]): Promise<Request> {
  const requests: Request[] = []
  vi.stubGlobal('fetch', (input: string, init: RequestInit) => {
    requests.push(new Request(input, init))
    return Promise.resolve(new Response('', { status: 500 }))
  })
  const { get, defaultId } = resolveModels(env)
  const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
  await get(defaultId)
    ?.stream(request, new AbortController().signal, () => {})
    .catch(() => {})
  return requests[0]!
}

test.each([
  [{}],
  [{ OPENAI_BASE_URL: '', OPENAI_API_KEY: '  ', OPENAI_MODEL: 'gpt' }],
  [{ OPENAI_MODEL: 'gpt' }],
])('[SES4] with nothing configured there is the demo model: %j', (env) => {
  const models = resolveModels(env)
  expect(models.ids).toEqual(['demo', 'demo-backup'])
  expect(models.defaultId).toBe('demo')
  expect(models.get('demo')?.id).toBe('demo')
})

test('[BAK1] configured models come first, in order and once each, and the demo stays', () => {
  const models = resolveModels({
    OPENAI_BASE_URL: 'http://localhost:11434/v1',
    OPENAI_MODEL: ' llama3, qwen3 ,llama3,, demo',
  })
  expect(models.ids).toEqual(['llama3', 'qwen3', 'demo', 'demo-backup'])
  expect(models.defaultId).toBe('llama3')
  expect(models.ids.map((id) => models.get(id)?.id)).toEqual(models.ids)
  expect(models.get('qwen3')).toBe(models.get('qwen3'))
  expect(models.get('gpt-unknown')).toBeNull()
})

test('[BAK1] a key alone means the public OpenAI address', async () => {
  const request = await firstRequest({ OPENAI_API_KEY: 'sk-1' })
  expect(request.url).toBe('https://api.openai.com/v1/chat/completions')
  expect(request.headers.get('authorization')).toBe('Bearer sk-1')
  expect(await request.json()).toMatchObject({ model: 'gpt-4.1-mini' })
})

test('[BAK1] an address without a key sends no authorization', async () => {
  const request = await firstRequest({
    OPENAI_BASE_URL: 'http://localhost:11434/v1/',
    OPENAI_MODEL: 'llama3',
  })
  expect(request.url).toBe('http://localhost:11434/v1/chat/completions')
  expect(request.headers.has('authorization')).toBe(false)
})

test('[BAK1] every provider that is configured is offered, in order, and an id belongs to one', () => {
  const models = resolveModels({
    OPENAI_API_KEY: 'sk-1',
    OPENAI_MODEL: 'gpt-4o,shared',
    ANTHROPIC_API_KEY: 'sk-2',
    ANTHROPIC_MODEL: 'claude-opus-4-5,shared',
    WORKERS_AI_MODEL: '@cf/meta/llama-3.3-70b-instruct-fp8-fast',
    AI: { run: () => Promise.resolve(null) },
    PARLEY_MODEL_INFO: '{"shared":{"window":8192,"tools":false}}',
  })
  expect(models.list().map(({ id, provider }) => [id, provider])).toEqual([
    ['gpt-4o', 'openai'],
    ['shared', 'openai'],
    ['claude-opus-4-5', 'anthropic'],
    ['@cf/meta/llama-3.3-70b-instruct-fp8-fast', 'workers-ai'],
    ['demo', 'demo'],
    ['demo-backup', 'demo'],
  ])
  expect(models.get('shared')?.info).toMatchObject({ window: 8192, tools: false })
  expect(resolveModels({ WORKERS_AI_MODEL: '@cf/x' }).ids).toEqual(['demo', 'demo-backup'])
})

test('[RUN7] what takes over is what is configured and known, never the model itself or a demo', () => {
  const models = resolveModels({
    OPENAI_API_KEY: 'sk-1',
    OPENAI_MODEL: 'a,b,c',
    PARLEY_FALLBACK: 'c, demo, unknown, a',
  })
  expect(models.fallbacksOf('b')).toEqual(['c', 'a'])
  expect(models.fallbacksOf('a')).toEqual(['c'])
  expect(models.fallbacksOf('demo')).toEqual(['demo-backup'])
  expect(models.fallbacksOf('demo-backup')).toEqual([])
})

test.each([
  ['https://api.anthropic.com', 'https://api.anthropic.com/v1/messages'],
  ['http://localhost:1/v1/', 'http://localhost:1/v1/messages'],
  [undefined, 'https://api.anthropic.com/v1/messages'],
])('[BAK1] Anthropic’s address %s is taken with and without its version', async (base, url) => {
  const request = await firstRequest({
    ANTHROPIC_BASE_URL: base,
    ANTHROPIC_API_KEY: 'sk-2',
    ANTHROPIC_MODEL: 'claude-opus-4-5',
  })
  expect(request.url).toBe(url)
  expect(request.headers.get('x-api-key')).toBe('sk-2')
})

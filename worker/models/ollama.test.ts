import { afterEach, expect, test, vi } from 'vitest'
import type { Model } from '../core/session/model.ts'
import { createOpenAiModel, type OpenAiOptions } from './openai.ts'
import { resolveModels } from './resolve.ts'

afterEach(() => vi.unstubAllGlobals())

const chunk = (delta: object, finish_reason: string | null, system_fingerprint: string | null) =>
  `data: ${JSON.stringify({ system_fingerprint, choices: [{ index: 0, delta, finish_reason }] })}\n\n`

/** A server that answers in two words, and its own API beside. */
function serve(fingerprint: string | null, loaded: () => Response | Promise<Response>) {
  const asked: string[] = []
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = input as string
    asked.push(url)
    if (!url.endsWith('/v1/chat/completions')) return loaded()
    const words = ['Well, ', 'well.'].map((content) => chunk({ content }, null, fingerprint))
    return new Response(`${words.join('')}${chunk({}, 'stop', fingerprint)}data: [DONE]\n\n`)
  }
  return { asked, fetch }
}

const loadedWith = (name: string, context_length?: number) => () =>
  Response.json({ models: [{ name, model: name, context_length }] })

async function answer(options: Partial<OpenAiOptions>): Promise<Model> {
  const model = createOpenAiModel({
    baseURL: 'http://pc:11434/v1',
    modelId: 'llama3.2',
    ...options,
  })
  await hear(model)
  return model
}

async function hear(model: Model): Promise<void> {
  const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
  const finish = await model.stream(request, new AbortController().signal, () => {})
  expect(finish.stopReason).toBe('stop')
  // What nobody waits for has its turn.
  await new Promise((resolve) => setImmediate(resolve))
}

test('[RUN8] the window of a model that Ollama serves is what Ollama gives it', async () => {
  const { asked, fetch } = serve('fp_ollama', loadedWith('llama3.2:latest', 4096))
  const model = await answer({ fetch })
  expect(model.info).toMatchObject({ id: 'llama3.2', window: 4096, tools: true })
  expect(model.notice).toMatchObject({
    code: 'small_window',
    message: expect.stringContaining('OLLAMA_CONTEXT_LENGTH') as string,
  })
  expect(asked).toEqual(['http://pc:11434/v1/chat/completions', 'http://pc:11434/api/ps'])
})

test('[RUN8] a large one is no news', async () => {
  const { fetch } = serve('fp_ollama', loadedWith('llama3.2', 65_536))
  const model = await answer({ fetch })
  expect(model.info.window).toBe(65_536)
  expect(model.notice).toBe(null)
})

test.each<[string, string | null, Partial<OpenAiOptions>]>([
  ['a server that is not Ollama', 'fp_44709d6fcb', {}],
  ['a server that does not say', null, {}],
  ['Ollama, where the window was given by hand', 'fp_ollama', { hasOwnWindow: true }],
])('[RUN8] %s is not asked', async (_, fingerprint, options) => {
  const { asked, fetch } = serve(fingerprint, loadedWith('llama3.2', 4096))
  const model = await answer({ fetch, ...options })
  expect(asked).toHaveLength(1)
  expect(model.info.window).toBe(131_072)
  expect(model.notice).toBe(null)
})

test.each<[string, () => Response | Promise<Response>]>([
  ['does not say it', loadedWith('llama3.2')],
  ['has unloaded the model', loadedWith('qwen3', 4096)],
  ['is behind a proxy that hides it', () => new Response('<html>', { status: 404 })],
  ['never says', () => Promise.withResolvers<Response>().promise],
])('[RUN8] where it %s the window is what the name suggests', async (_, loaded) => {
  const { fetch } = serve('fp_ollama', loaded)
  const model = await answer({ fetch })
  expect(model.info.window).toBe(131_072)
  expect(model.notice).toBe(null)
})

test('[RUN8] PARLEY_MODEL_INFO has the last word', async () => {
  const { asked, fetch } = serve('fp_ollama', loadedWith('llama3.2', 4096))
  vi.stubGlobal('fetch', fetch)
  const info = JSON.stringify({ 'llama3.2': { window: 20_000 } })
  const env = { OPENAI_BASE_URL: 'http://pc:11434/v1', OPENAI_MODEL: 'llama3.2' }
  const given = resolveModels({ ...env, PARLEY_MODEL_INFO: info }).get('llama3.2')!
  await hear(given)
  expect(given.info.window).toBe(20_000)
  expect(asked).toHaveLength(1)
  const other = resolveModels(env).get('llama3.2')!
  await hear(other)
  expect(other.info.window).toBe(4096)
})

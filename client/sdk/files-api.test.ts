import { describe, expect, test } from 'vitest'
import { ApiError } from './errors.ts'
import { FilesApi } from './files-api.ts'

type Call = { method: string; url: string; headers: Record<string, string> }

function apiWith(answer: () => Response): { api: FilesApi; calls: Call[] } {
  const calls: Call[] = []
  const fetch = (input: RequestInfo | URL, init: RequestInit = {}): Promise<Response> => {
    // As a browser reads it: an address that climbs is another one.
    const { href } = new URL(input instanceof Request ? input.url : input)
    const headers = init.headers as Record<string, string>
    calls.push({ method: init.method ?? 'GET', url: href, headers })
    return Promise.resolve(answer())
  }
  const options = { origin: 'https://parley.test', token: 'secret', fetch }
  return { api: new FilesApi('session-0123456789', options), calls }
}

const BASE = 'https://parley.test/api/sessions/session-0123456789'
const written = (): Response => Response.json({ file: null, seq: 7 })

describe('files over HTTP', () => {
  test('[FILE1] each name of a path is encoded by itself', async () => {
    const { api, calls } = apiWith(written)
    await api.remove('a b/ü?#%.txt', 'any')
    expect(calls[0]).toMatchObject({
      method: 'DELETE',
      url: `${BASE}/files/a%20b/%C3%BC%3F%23%25.txt`,
      headers: { authorization: 'Bearer secret' },
    })
  })

  test.each(['..', '../x', 'a/../../../me', './x', '.', 'a/..'])(
    '[FILE1] %j stays a path under /files/, so that the server can refuse it',
    async (path) => {
      const { api, calls } = apiWith(written)
      await api.write(path, 'x', 'any')
      const url = calls[0]?.url ?? ''
      expect(url.startsWith(`${BASE}/files/`)).toBe(true)
      expect(decodeURIComponent(url.slice(`${BASE}/files/`.length))).toBe(`./${path}`)
    },
  )

  test('[FILE4] a write says which version it is over', async () => {
    const { api, calls } = apiWith(written)
    await api.write('a', 'x', { hash: 'abc' })
    await api.write('a', 'x', 'absent')
    await api.write('a', 'x', 'any')
    expect(calls.map(({ headers }) => headers)).toEqual([
      { authorization: 'Bearer secret', 'if-match': '"abc"' },
      { authorization: 'Bearer secret', 'if-none-match': '*' },
      { authorization: 'Bearer secret' },
    ])
  })

  test('[FILE1] a text keeps its byte order mark, and what is no text has none', async () => {
    const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61])
    const headers = { etag: '"abc"', 'content-type': 'text/plain; charset=utf-8' }
    const text = await apiWith(() => new Response(bytes, { headers })).api.read('a')
    expect(text).toEqual({ bytes, text: '\ufeffa', hash: 'abc' })
    const binary = { etag: '"abc"', 'content-type': 'application/octet-stream' }
    const other = await apiWith(() => new Response(bytes, { headers: binary })).api.read('a')
    expect(other.text).toBeNull()
  })

  test('[FILE4] a refusal is an ApiError with its status and code', async () => {
    const body = { error: { code: 'file_conflict', message: 'It is another by now.' } }
    const { api } = apiWith(() => Response.json(body, { status: 412 }))
    const error: unknown = await api.write('a', 'x', { hash: 'abc' }).catch((e: unknown) => e)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ code: 'file_conflict', status: 412 })
  })

  test('[FILE1] an answer that breaks off is a network failure', async () => {
    const { api } = apiWith(() => {
      throw new TypeError('connection reset')
    })
    await expect(api.list()).rejects.toMatchObject({ code: 'network' })
  })
})

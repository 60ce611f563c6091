// The files of a session over HTTP. Apart from the rest of the API: a page that shows no file loads
// none of it. Everything that goes wrong is an ApiError.

import type { CheckpointsPage, FileDiffView, FileList, WrittenFile } from '#protocol/http'
import { parseObject, sessionPath, toError, type ApiOptions } from './api.ts'
import { ApiError } from './errors.ts'

/** `text` null: these bytes are no text. `hash`: which version it is. */
export type FileContent = {
  bytes: Uint8Array<ArrayBuffer>
  text: string | null
  hash: string
}

/** What a file has to be for it to be written: a version by its hash, or not there at all. */
export type Precondition = { hash: string } | 'absent' | 'any'

type Fetched = { response: Response; bytes: Uint8Array<ArrayBuffer> }
type Sent = { body?: BodyInit; headers?: Record<string, string> }

export class FilesApi {
  readonly #base: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof globalThis.fetch

  constructor(sessionId: string, { origin, token, fetch }: ApiOptions) {
    this.#base = origin.replace(/\/+$/, '') + sessionPath(sessionId)
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
  }

  list(): Promise<FileList> {
    return this.#json('GET', '/files')
  }

  /** `version`: the hash of a content that this path has or had. */
  async read(path: string, version?: string): Promise<FileContent> {
    const query = version === undefined ? '' : `?version=${encodeURIComponent(version)}`
    const { response, bytes } = await this.#request('GET', toFilePath(path) + query)
    const isText = response.headers.get('content-type')?.startsWith('text/') === true
    const hash = /^(?:W\/)?"(.*)"$/.exec(response.headers.get('etag') ?? '')?.[1] ?? ''
    // A byte order mark is a byte of the file: it must be there again when the text is saved.
    return { bytes, text: isText ? keepingMark.decode(bytes) : null, hash }
  }

  write(path: string, body: BodyInit, expected: Precondition): Promise<WrittenFile> {
    return this.#json('PUT', toFilePath(path), { body, headers: toConditions(expected) })
  }

  remove(path: string, expected: Precondition): Promise<WrittenFile> {
    return this.#json('DELETE', toFilePath(path), { headers: toConditions(expected) })
  }

  move(from: string, to: string): Promise<WrittenFile> {
    return this.#json('POST', '/files/move', {
      body: JSON.stringify({ from, to }),
      headers: { 'content-type': 'application/json' },
    })
  }

  /** Every file of the archive, or none of them. What has the same path is replaced. */
  unpack(archive: Blob): Promise<{ files: number; seq: number }> {
    return this.#json('POST', '/files.zip', { body: archive })
  }

  /** Newest first. `cursor`: the last page's `nextCursor`. */
  checkpoints(query: { cursor?: string; limit?: number } = {}): Promise<CheckpointsPage> {
    const fields = Object.entries(query).map(([name, value]) => [name, String(value)])
    return this.#json('GET', `/checkpoints?${new URLSearchParams(fields).toString()}`)
  }

  diff(checkpointId: string, path: string): Promise<FileDiffView> {
    const query = new URLSearchParams({ path }).toString()
    return this.#json('GET', `/checkpoints/${encodeURIComponent(checkpointId)}/diff?${query}`)
  }

  /** For links that a person follows. */
  urlOf(path: string): string {
    return this.#base + toFilePath(path)
  }

  get archiveUrl(): string {
    return `${this.#base}/files.zip`
  }

  async #json<T>(method: string, path: string, sent?: Sent): Promise<T> {
    const { response, bytes } = await this.#request(method, path, sent)
    const json = parseObject(decoder.decode(bytes))
    if (json === null) throw new ApiError('bad_response', 'not a JSON answer', response.status)
    return json as T
  }

  async #request(method: string, path: string, sent: Sent = {}): Promise<Fetched> {
    const headers = { ...this.#headers, ...sent.headers }
    const { response, bytes } = await this.#exchange(path, { ...sent, method, headers })
    if (!response.ok) throw toError(response, parseObject(decoder.decode(bytes)))
    return { response, bytes }
  }

  /** The whole answer: a connection that breaks in mid-body is a network failure too. */
  async #exchange(path: string, init: RequestInit): Promise<Fetched> {
    try {
      const response = await this.#fetch(this.#base + path, init)
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) }
    } catch (error) {
      throw new ApiError('network', error instanceof Error ? error.message : 'no answer')
    }
  }
}

const decoder = new TextDecoder()
const keepingMark = new TextDecoder('utf-8', { ignoreBOM: true })

/** A path that climbs would be another address before it is sent: the server is to refuse it. */
function toFilePath(path: string): string {
  const names = path.split('/')
  const climbs = names.some((name) => name === '.' || name === '..')
  return `/files/${climbs ? encodeURIComponent(`./${path}`) : names.map(encodeURIComponent).join('/')}`
}

function toConditions(expected: Precondition): Record<string, string> {
  if (expected === 'any') return {}
  return expected === 'absent' ? { 'if-none-match': '*' } : { 'if-match': `"${expected.hash}"` }
}

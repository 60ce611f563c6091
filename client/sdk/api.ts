// The HTTP side of a server. Everything that goes wrong is an ApiError.

import type { Ack, Command } from '#protocol/commands'
import type { SessionChanges, SessionEvent } from '#protocol/events'
import type { SessionSummary } from '#protocol/http'
import { ApiError } from './errors.ts'

export type Me = {
  owner: string
  mode: string
  models: string[]
  defaultModel: string
  version: number
}
/** A hit of a search says where. */
export type ListedSession = SessionSummary & { snippet?: string }
export type SessionPage = { sessions: ListedSession[]; nextCursor: string | null }
export type EventsAnswer = { events: SessionEvent[]; seq: number; hasMore: boolean }
export type EventsQuery = { after?: number; before?: number; limit?: number; deltas?: boolean }

export type ApiOptions = {
  /** `https://…`, without a path. In a page: `location.origin`. */
  origin: string
  /** Sent as a bearer token. A page leaves it out: its cookie says who it is. */
  token?: string
  fetch?: typeof globalThis.fetch
}

type Query = Record<string, string | number | undefined>
type Request = { query?: Query; body?: unknown }

export class Api {
  readonly #origin: string
  readonly #headers: Record<string, string>
  readonly #fetch: typeof globalThis.fetch

  constructor({ origin, token, fetch }: ApiOptions) {
    this.#origin = origin.replace(/\/+$/, '')
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    // Called as a function of the global object: browsers refuse any other `this`.
    this.#fetch = fetch ?? ((input, init) => globalThis.fetch(input, init))
  }

  me(): Promise<Me> {
    return this.#request('GET', '/api/me')
  }

  login(token: string): Promise<{ owner: string }> {
    return this.#request('POST', '/api/login', { body: { token } })
  }

  async logout(): Promise<void> {
    await this.#request('POST', '/api/logout')
  }

  /** Newest first. `cursor`: the last page's `nextCursor`. */
  listSessions(query: { cursor?: string; limit?: number; q?: string } = {}): Promise<SessionPage> {
    return this.#request('GET', '/api/sessions', { query })
  }

  /** With no fields an empty idle session is used again, if there is one. */
  async createSession(
    fields: { title?: string; agent?: string; model?: string } = {},
  ): Promise<SessionSummary> {
    const answer = await this.#request<OneSession>('POST', '/api/sessions', { body: fields })
    return answer.session
  }

  async getSession(sessionId: string): Promise<SessionSummary> {
    return (await this.#request<OneSession>('GET', sessionPath(sessionId))).session
  }

  async patchSession(sessionId: string, changes: SessionChanges): Promise<SessionSummary> {
    const request = { body: changes }
    return (await this.#request<OneSession>('PATCH', sessionPath(sessionId), request)).session
  }

  /** Hidden at once; `restoreSession` brings it back for a few seconds. */
  async deleteSession(sessionId: string): Promise<void> {
    await this.#request('DELETE', sessionPath(sessionId))
  }

  async restoreSession(sessionId: string): Promise<SessionSummary> {
    return (await this.#request<OneSession>('POST', sessionPath(sessionId, 'restore'))).session
  }

  events(sessionId: string, { deltas, ...range }: EventsQuery = {}): Promise<EventsAnswer> {
    const query = { ...range, deltas: deltas === true ? 1 : undefined }
    return this.#request('GET', sessionPath(sessionId, 'events'), { query })
  }

  /** For programs without a socket. The same id again has no second effect. */
  async command(sessionId: string, command: Command): Promise<Ack> {
    const { ok: _ok, ...ack } = await this.#request<Ack & { ok: true }>(
      'POST',
      sessionPath(sessionId, 'commands'),
      { body: command },
    )
    return ack
  }

  async #request<T>(method: string, path: string, { query, body }: Request = {}): Promise<T> {
    const init: RequestInit = {
      method,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }
    const url = `${this.#origin}${path}${toQueryString(query)}`
    const { response, text } = await this.#exchange(url, init)
    const json = parseObject(text)
    if (!response.ok) throw toError(response, json)
    if (json === null) throw new ApiError('bad_response', 'not a JSON answer', response.status)
    return json as T
  }

  /** The whole answer: a connection that breaks in mid-body is a network failure too. */
  async #exchange(url: string, init: RequestInit): Promise<{ response: Response; text: string }> {
    try {
      const response = await this.#fetch(url, init)
      return { response, text: await response.text() }
    } catch (error) {
      throw new ApiError('network', error instanceof Error ? error.message : 'no answer')
    }
  }
}

export const createApi = (options: ApiOptions): Api => new Api(options)

type OneSession = { session: SessionSummary }

export const sessionPath = (sessionId: string, resource?: string): string =>
  `/api/sessions/${encodeURIComponent(sessionId)}${resource === undefined ? '' : `/${resource}`}`

function toQueryString(query: Query = {}): string {
  const fields = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields).toString()}`
}

function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** Something between us and the server may have answered: then there is no code to read. */
function toError(response: Response, json: object | null): ApiError {
  const { error } = (json ?? {}) as { error?: { code?: unknown; message?: unknown } }
  const code = typeof error?.code === 'string' ? error.code : 'http_error'
  const message =
    typeof error?.message === 'string' ? error.message : `the server answered ${response.status}`
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(code, message, response.status, retryAfter >= 0 ? retryAfter : null)
}

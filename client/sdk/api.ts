// The HTTP side of a server. Everything that goes wrong is an ApiError.

import type { Ack, Command } from '#protocol/commands'
import type { Edits, SavedRule } from '#protocol/decision-events'
import type { SessionChanges, SessionEvent } from '#protocol/events'
import type { AgentSummary, Judged, ModelSummary, RunRecord, SessionSummary } from '#protocol/http'
import type { InboxEntry } from '#protocol/hub'
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
/** A new agent needs a name; the rest has defaults. Names do not change. */
export type NewAgent = Pick<AgentSummary, 'name'> & AgentChanges
export type AgentChanges = Partial<Omit<AgentSummary, 'name' | 'builtIn'>>
/** `server` null: one of Parley's own. */
export type ToolSummary = {
  name: string
  description: string
  server: string | null
  readOnly: boolean
}
export type ToolsAnswer = {
  tools: ToolSummary[]
  warnings: { code: string; message: string }[]
}
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

  /** What a call would be judged as with these edits. Nothing is decided. */
  judge(sessionId: string, decisionId: string, edits: Edits): Promise<Judged> {
    const path = `${sessionPath(sessionId, 'decisions')}/${encodeURIComponent(decisionId)}/judge`
    return this.#request('POST', path, { body: { edits } })
  }

  /** Of a session, newest first. `cursor`: the last page's `nextCursor`. */
  listRuns(
    sessionId: string,
    query: { cursor?: string; limit?: number } = {},
  ): Promise<{ runs: RunRecord[]; nextCursor: string | null }> {
    return this.#request('GET', '/api/agent-runs', { query: { session_id: sessionId, ...query } })
  }

  /** Runs elsewhere that work, or worked, for this one: of agents it asked and children it started. */
  async childRuns(runId: string): Promise<RunRecord[]> {
    const query = { run_id: runId }
    return (await this.#request<{ runs: RunRecord[] }>('GET', '/api/agent-children', { query }))
      .runs
  }

  /** Ends it and everything that works for it. `seq`: of its last event. */
  cancelRun(runId: string): Promise<{ ok: true; seq: number | null }> {
    return this.#request('POST', '/api/agent-cancel', { body: { run_id: runId } })
  }

  /** What waits for this person in any session, oldest first. */
  async inbox(): Promise<InboxEntry[]> {
    return (await this.#request<{ items: InboxEntry[] }>('GET', '/api/inbox')).items
  }

  /** What this person allowed or refused for good. */
  async listRules(): Promise<SavedRule[]> {
    return (await this.#request<{ rules: SavedRule[] }>('GET', '/api/rules')).rules
  }

  async removeRule(ruleId: string): Promise<void> {
    await this.#request('DELETE', `/api/rules/${encodeURIComponent(ruleId)}`)
  }

  listModels(): Promise<{ models: ModelSummary[]; default: string }> {
    return this.#request('GET', '/api/models')
  }

  listTools(): Promise<ToolsAnswer> {
    return this.#request('GET', '/api/tools')
  }

  /** The built-in ones first. */
  async listAgents(): Promise<AgentSummary[]> {
    return (await this.#request<{ agents: AgentSummary[] }>('GET', '/api/agents')).agents
  }

  async createAgent(fields: NewAgent): Promise<AgentSummary> {
    return (await this.#request<OneAgent>('POST', '/api/agents', { body: fields })).agent
  }

  async patchAgent(name: string, changes: AgentChanges): Promise<AgentSummary> {
    return (await this.#request<OneAgent>('PATCH', agentPath(name), { body: changes })).agent
  }

  /** Its sessions stay: another agent answers in them. */
  async deleteAgent(name: string): Promise<void> {
    await this.#request('DELETE', agentPath(name))
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
type OneAgent = { agent: AgentSummary }

const agentPath = (name: string): string => `/api/agents/${encodeURIComponent(name)}`

export const sessionPath = (sessionId: string, resource?: string): string =>
  `/api/sessions/${encodeURIComponent(sessionId)}${resource === undefined ? '' : `/${resource}`}`

function toQueryString(query: Query = {}): string {
  const fields = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  return fields.length === 0 ? '' : `?${new URLSearchParams(fields).toString()}`
}

export function parseObject(text: string): object | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

/** Something between us and the server may have answered: then there is no code to read. */
export function toError(response: Response, json: object | null): ApiError {
  const { error } = (json ?? {}) as { error?: { code?: unknown; message?: unknown } }
  const code = typeof error?.code === 'string' ? error.code : 'http_error'
  const message =
    typeof error?.message === 'string' ? error.message : `the server answered ${response.status}`
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new ApiError(code, message, response.status, retryAfter >= 0 ? retryAfter : null)
}

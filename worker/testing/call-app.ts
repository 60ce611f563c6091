// Requests to the Worker as a client would make them, with the settings a test wants.

import { env } from 'cloudflare:test'
import type { ErrorBody, SessionSummary } from '#protocol/http'
import type { Vars } from '../env.ts'
import worker from '../index.ts'

export const ORIGIN = 'http://localhost'

/** Two owners. One object, so that its settings are parsed once, as they are in production. */
export const TWO_OWNERS: Vars = { PARLEY_TOKENS: 'alice:alice-token,bob:bob-token' }
/** No credential configured: only loopback is served, and there is no limit on the rate. */
export const LOOPBACK: Vars = {}

export type Call = {
  method?: string
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  body?: BodyInit
  token?: string
  headers?: Record<string, string>
  vars?: Vars
  origin?: string
}

const environments = new Map<Vars, typeof env>()

function environmentOf(vars: Vars): typeof env {
  const known = environments.get(vars) ?? { ...env, ...vars }
  environments.set(vars, known)
  return known
}

export function call(path: string, options: Call = {}): Promise<Response> {
  const { json, token, vars = LOOPBACK, origin = ORIGIN } = options
  const headers = new Headers(options.headers)
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
  const body = json === undefined ? options.body : JSON.stringify(json)
  const method = options.method ?? (body === undefined ? 'GET' : 'POST')
  const request = new Request(`${origin}${path}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body }),
  })
  return Promise.resolve(worker.fetch(request, environmentOf(vars), testContext))
}

// The app uses nothing of it; what a route starts it also awaits.
const testContext = { waitUntil() {}, passThroughOnException() {}, props: {} } as never

/** Status and code of a refusal. */
export async function refusalOf(
  response: Response,
): Promise<{ status: number; code: string; message: string }> {
  const { error } = await response.json<ErrorBody>()
  return { status: response.status, code: error.code, message: error.message }
}

export async function createSession(options: Call = {}): Promise<SessionSummary> {
  const response = await call('/api/sessions', { ...options, json: { title: 'Test' } })
  const { session } = await response.json<{ session: SessionSummary }>()
  return session
}

/** The close code of a socket that the server accepted. */
export async function closeOf(response: Response): Promise<{ code: number; reason: string }> {
  const socket = response.webSocket
  if (socket === null) throw new Error(`no upgrade: ${response.status}`)
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
  })
  socket.accept()
  return closed
}

export const UPGRADE = { upgrade: 'websocket' }

/** Every route of a session, as a request that would be right if the session were there. */
export const sessionRoutes = (id: string): (Call & { path: string; method: string })[] => [
  { method: 'GET', path: `/api/sessions/${id}` },
  { method: 'PATCH', path: `/api/sessions/${id}`, json: { title: 'New' } },
  { method: 'DELETE', path: `/api/sessions/${id}` },
  { method: 'POST', path: `/api/sessions/${id}/restore` },
  { method: 'GET', path: `/api/sessions/${id}/events` },
  { method: 'GET', path: `/api/sessions/${id}/messages?format=ui` },
  { method: 'GET', path: `/api/sessions/${id}/files` },
  { method: 'GET', path: `/api/sessions/${id}/files/a.txt` },
  { method: 'PUT', path: `/api/sessions/${id}/files/a.txt`, body: 'a' },
  { method: 'DELETE', path: `/api/sessions/${id}/files/a.txt` },
  { method: 'POST', path: `/api/sessions/${id}/files/move`, json: { from: 'a', to: 'b' } },
  { method: 'GET', path: `/api/sessions/${id}/files.zip` },
  { method: 'POST', path: `/api/sessions/${id}/files.zip`, body: 'no archive' },
  { method: 'GET', path: `/api/sessions/${id}/checkpoints` },
  { method: 'GET', path: `/api/sessions/${id}/checkpoints/c2/diff?path=a.txt` },
  { method: 'GET', path: `/api/workspace/tree?session_id=${id}` },
  { method: 'GET', path: `/api/sessions/${id}/stream` },
  { method: 'GET', path: `/api/events?session_id=${id}` },
  { method: 'GET', path: `/api/sessions/${id}/stats` },
  {
    method: 'POST',
    path: `/api/sessions/${id}/commands`,
    json: { type: 'send', id: 'c1', text: 'hi' },
  },
  { method: 'POST', path: '/api/chat', json: { session_id: id, text: 'hi' } },
  { method: 'POST', path: '/api/agent-cancel', json: { run_id: `${id}.3` } },
  { method: 'GET', path: `/api/agent-runs?session_id=${id}` },
  { method: 'GET', path: `/api/agent-children?run_id=${id}.3` },
  { method: 'GET', path: `/api/agent-context?run_id=${id}.3` },
  { method: 'GET', path: `/api/mission?session_id=${id}` },
  { method: 'POST', path: '/api/mission', json: { session_id: id, text: 'A goal' } },
  { method: 'DELETE', path: `/api/mission?session_id=${id}` },
  { method: 'GET', path: `/api/missions?session_id=${id}` },
  { method: 'GET', path: `/api/agent-override?session_id=${id}&agent_id=assistant` },
  {
    method: 'POST',
    path: `/api/agent-override?session_id=${id}&agent_id=assistant`,
    json: { override: { instructions: 'Be brief.' } },
  },
]

export const OTHER_ROUTES: (Call & { path: string; method: string })[] = [
  { method: 'GET', path: '/api/me' },
  { method: 'GET', path: '/api/sessions' },
  { method: 'POST', path: '/api/sessions', json: {} },
  { method: 'POST', path: '/api/chat', json: { text: 'hi' } },
  { method: 'GET', path: '/api/models' },
  { method: 'GET', path: '/api/tools' },
  { method: 'GET', path: '/api/agents' },
  { method: 'GET', path: '/api/inbox' },
  { method: 'GET', path: '/api/events' },
  { method: 'GET', path: '/api/rules' },
  { method: 'DELETE', path: '/api/rules/rule-1' },
  { method: 'GET', path: '/api/hub/socket' },
  {
    method: 'POST',
    path: '/api/ask-user-response',
    json: { question_id: 'AAAAAAAAAAAAAAAAAAAAAA.q3', answers: {} },
  },
  { method: 'POST', path: '/api/agents', json: { name: 'critic' } },
  { method: 'GET', path: '/api/missions' },
  { method: 'GET', path: '/api/mission?agent_id=assistant' },
]

export const UNKNOWN_ID = 'AAAAAAAAAAAAAAAAAAAAAA'

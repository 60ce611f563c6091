import { sessionPath } from './api.ts'
import type { WebSocketClass } from './dialler.ts'

export type SessionClientOptions = {
  /** `https://…`, without a path. In a page: `location.origin`. */
  origin: string
  sessionId: string
  /** Sent as a header, which Node's WebSocket and `ws` can do. A page uses its cookie instead. */
  token?: string
  /** More headers for the socket, where the WebSocket takes them. */
  headers?: Record<string, string>
  WebSocket?: WebSocketClass
  fetch?: typeof globalThis.fetch
  /** How many events to open with. */
  tail?: number
  random?: () => number
  newId?: () => string
}

export const toSocketUrl = (origin: string, path: string): string =>
  origin.replace(/^http/, 'ws').replace(/\/+$/, '') + path

export const socketUrl = ({ origin, sessionId }: SessionClientOptions): string =>
  toSocketUrl(origin, sessionPath(sessionId, 'socket'))

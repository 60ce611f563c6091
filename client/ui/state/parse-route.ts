// `/` is a new chat, `/s/<id>` a session, `/s/<id>#<seq>` an event in it.

import { isSessionId } from '#protocol/ids'

export type Route = { name: 'new' } | { name: 'session'; sessionId: string; seq: number | null }

export function parseRoute(pathname: string, hash: string): Route {
  const sessionId = /^\/s\/([^/]+)\/?$/.exec(pathname)?.[1]
  if (sessionId === undefined || !isSessionId(sessionId)) return { name: 'new' }
  const seq = /^#(\d{1,15})$/.exec(hash)?.[1]
  return { name: 'session', sessionId, seq: seq === undefined ? null : Number(seq) }
}

export function toPath(route: Route): string {
  if (route.name === 'new') return '/'
  return `/s/${route.sessionId}${route.seq === null ? '' : `#${route.seq}`}`
}

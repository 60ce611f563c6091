// The way in for sockets. Credentials are checked here; whether the session exists and is the
// caller's, only the object knows.

import { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'
import { isUpgrade, refuse } from './respond.ts'
import { NO_SESSION, openSocket, withSession } from './session-stub.ts'

export const socket = new Hono<AppEnv>()

socket.get('/:id/socket', withSession, async (c) => {
  if (!isUpgrade(c.req.raw)) {
    const message = 'this address speaks WebSocket: send Upgrade: websocket'
    return refuse(c.req.raw, { code: 'upgrade_required', message })
  }
  const response = await openSocket(c.var.session, c.var.identity.owner)
  if (response.webSocket) return new Response(null, { status: 101, webSocket: response.webSocket })
  if (response.status === 429) {
    return refuse(c.req.raw, { code: 'too_many_sockets', message: 'too many sockets' })
  }
  return refuse(c.req.raw, NO_SESSION)
})

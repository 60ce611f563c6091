// Addresses that speak WebSocket, and the socket on its way from an object to the client.

import { createMiddleware } from 'hono/factory'
import type { AppEnv } from './app-env.ts'
import { isUpgrade, refuse } from './respond.ts'
import { NO_SESSION } from './session-stub.ts'

export const requireUpgrade = createMiddleware<AppEnv>(async (c, next) => {
  if (isUpgrade(c.req.raw)) return next()
  const message = 'this address speaks WebSocket: send Upgrade: websocket'
  return refuse(c.req.raw, { code: 'upgrade_required', message })
})

export function passSocket(request: Request, { webSocket, status }: Response): Response {
  if (webSocket) return new Response(null, { status: 101, webSocket })
  if (status !== 429) return refuse(request, NO_SESSION)
  return refuse(request, TOO_MANY_SOCKETS)
}

export const TOO_MANY_SOCKETS = { code: 'too_many_sockets', message: 'too many sockets' } as const

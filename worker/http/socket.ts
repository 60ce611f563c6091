// The way in for sockets. Credentials are checked here; whether the session exists and is the
// caller's, only the object knows.

import { Hono } from 'hono'
import type { AppEnv } from './app-env.ts'
import { openSocket, withSession } from './session-stub.ts'
import { passSocket, requireUpgrade } from './upgrade.ts'

export const socket = new Hono<AppEnv>()

socket.get('/:id/socket', withSession, requireUpgrade, async (c) =>
  passSocket(c.req.raw, await openSocket(c.var.session, c.var.identity.owner)),
)

// The way in for a socket to one's own hub: whose it is, the credential says.

import { Hono } from 'hono'
import type { Env } from '../env.ts'
import { hubOf, MODE_HEADER } from '../hub/rpc.ts'
import { OWNER_HEADER } from '../session/rpc.ts'
import type { AppEnv, Identity } from './app-env.ts'
import { passSocket, requireUpgrade } from './upgrade.ts'

export const hub = new Hono<AppEnv>()

hub.get('/hub/socket', requireUpgrade, async (c) =>
  passSocket(c.req.raw, await openHubSocket(c.env, c.var.identity)),
)

/** A fresh request: nothing a client sent reaches the object, least of all the owner's name. */
export function openHubSocket(env: Env, { owner, mode }: Identity): Promise<Response> {
  const headers = { upgrade: 'websocket', [OWNER_HEADER]: owner, [MODE_HEADER]: mode }
  return hubOf(env, owner).fetch(new Request('https://hub/socket', { headers }))
}

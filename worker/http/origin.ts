// A page on another site must not use the browser of someone who is logged in here, or who runs
// Parley on their own machine. Browsers name the page in Origin for everything that matters:
// sockets, posts, and reads by script. A program sends none.

import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { parseSettings } from '../env.ts'
import type { AppEnv } from './app-env.ts'
import { isUpgrade, refuse } from './respond.ts'

// Bearer tokens only: the cookie is SameSite and stays with the server's own page.
const allowPage = cors({
  origin: (origin) => origin,
  allowMethods: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'],
  allowHeaders: ['authorization', 'content-type', 'last-event-id'],
  exposeHeaders: ['retry-after', 'x-next-cursor'],
  maxAge: 600,
})

export const refuseForeignOrigin = createMiddleware<AppEnv>(async (c, next) => {
  const origin = c.req.header('origin')
  if (origin === undefined || origin === new URL(c.req.url).origin) return next()
  if (!parseSettings(c.env).origins.has(origin)) {
    const message = 'this server answers only its own page; see PARLEY_ORIGINS'
    return refuse(c.req.raw, { code: 'forbidden_origin', message })
  }
  return isUpgrade(c.req.raw) ? next() : allowPage(c, next)
})

// The Worker: who may ask, what they asked for, and where it goes.

import { Hono } from 'hono'
import { methodNotAllowed } from 'hono/method-not-allowed'
import type { Env } from './env.ts'
import { agents } from './http/agents.ts'
import type { AppEnv } from './http/app-env.ts'
import { limitBody } from './http/body.ts'
import { chat } from './http/chat.ts'
import { checkpoints } from './http/checkpoints.ts'
import { commands } from './http/commands.ts'
import { events } from './http/events.ts'
import { files } from './http/files.ts'
import { hub } from './http/hub.ts'
import { requireIdentity, requireSettings } from './http/identity.ts'
import { inbox } from './http/inbox.ts'
import { login } from './http/login.ts'
import { messages } from './http/messages.ts'
import { missions } from './http/missions.ts'
import { models } from './http/models.ts'
import { refuseForeignOrigin } from './http/origin.ts'
import { overrides } from './http/overrides.ts'
import { limitRequests } from './http/rate-limit.ts'
import { notFound, refuse } from './http/respond.ts'
import { rules } from './http/rules.ts'
import { runs } from './http/runs.ts'
import { sessions } from './http/sessions.ts'
import { socket } from './http/socket.ts'
import { stream } from './http/stream.ts'
import { tools } from './http/tools.ts'
import { uiEvents } from './http/ui-events.ts'
import { workspace } from './http/workspace.ts'
import { logFailure } from './log.ts'

export { Hub } from './hub/object.ts'
export { Session } from './session/object.ts'

const app = new Hono<AppEnv>()

app.onError((error, c) => {
  logFailure('request_failed', error, { method: c.req.method, path: c.req.path })
  return refuse(c.req.raw, { code: 'internal', message: 'something went wrong' })
})
app.notFound((c) => notFound(c.req.raw))

app.use(async (c, next) => {
  await next()
  // The response to an upgrade cannot be changed.
  if (c.res.status === 101 || !c.req.path.startsWith('/api/')) return
  c.res.headers.set('x-content-type-options', 'nosniff')
  if (!c.res.headers.has('cache-control')) c.res.headers.set('cache-control', 'no-store')
})
app.use(
  methodNotAllowed({
    app,
    onMethodNotAllowed: (c, methods) => {
      const message = `use ${methods.join(', ')}`
      const response = refuse(c.req.raw, { code: 'method_not_allowed', message })
      response.headers.set('allow', methods.join(', '))
      return response
    },
  }),
)
app.use(refuseForeignOrigin)

app.get('/api/health', (c) => c.json({ ok: true }))
app.use('/api/*', requireSettings, limitBody)
app.route('/api', login)
app.use('/api/*', requireIdentity, limitRequests)
for (const resource of [chat, runs, models, tools, hub, inbox, rules, uiEvents, workspace]) {
  app.route('/api', resource)
}
for (const resource of [missions, overrides]) app.route('/api', resource)
app.route('/api/agents', agents)
for (const resource of [sessions, events, messages, stream, commands, files, checkpoints, socket]) {
  app.route('/api/sessions', resource)
}

// Other protocols will live here; until then the single page must not answer for them.
for (const path of ['/api/*', '/v1/*', '/a2a', '/ag-ui', '/.well-known/*']) {
  app.all(path, (c) => notFound(c.req.raw))
}
app.all('*', (c) => c.env.ASSETS.fetch(c.req.raw))

export default { fetch: app.fetch } satisfies ExportedHandler<Env>

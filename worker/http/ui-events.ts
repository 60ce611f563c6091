// `GET /api/events` of seed 003: one session with everything it says, or all of the caller's with
// what lasts. Names are snake_case, as there.

import { Hono, type Context } from 'hono'
import { z } from 'zod'
import type { Rejection } from '#protocol/http'
import { isSessionId } from '#protocol/ids'
import { parseUiMessageId, type UiMessageId } from '#protocol/ui-message'
import { toResync } from '../core/messages/ui-events.ts'
import type { Result } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { readQuery } from './body.ts'
import { openHubSocket } from './hub.ts'
import { Backlog } from './lane.ts'
import { OwnerFeed } from './owner-feed.ts'
import { seq } from './query.ts'
import { refuse } from './respond.ts'
import { feed, loadPage } from './session-feed.ts'
import { NO_SESSION, sessionOf } from './session-stub.ts'
import { respondSse } from './sse.ts'
import { loadFold, sendLive, UiListener } from './ui-listener.ts'
import { TOO_MANY_SOCKETS } from './upgrade.ts'

const UiEventsQuery = z.object({ session_id: z.string().optional(), after: seq.optional() })
type UiEventsQuery = z.infer<typeof UiEventsQuery>

export const uiEvents = new Hono<AppEnv>()

uiEvents.get('/events', async (c) => {
  const query = readQuery<UiEventsQuery>(c, UiEventsQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { session_id: sessionId, after } = query.value
  const resume = readResume(c, sessionId)
  if (!resume.ok) return refuse(c.req.raw, resume.rejection)
  if (sessionId !== undefined) return tellSession(c, sessionId, resume.value, after ?? 0)
  if (after !== undefined) return refuse(c.req.raw, AFTER_WHAT)
  return tellOwner(c, resume.value)
})

const AFTER_WHAT: Rejection = { code: 'bad_request', message: 'after: needs session_id' }

/** A browser that reconnects repeats the first address; what it has since received wins. */
function readResume(c: Context<AppEnv>, sessionId?: string): Result<UiMessageId | null> {
  const header = c.req.header('last-event-id') ?? ''
  if (header === '') return { ok: true, value: null }
  const value = parseUiMessageId(header)
  if (value !== null && (sessionId ?? value.sessionId) === value.sessionId) {
    return { ok: true, value }
  }
  const message = 'Last-Event-ID: expected the id of a message of this stream'
  return { ok: false, rejection: { code: 'bad_request', message } }
}

async function tellSession(
  c: Context<AppEnv>,
  sessionId: string,
  resume: UiMessageId | null,
  after: number,
): Promise<Response> {
  if (!isSessionId(sessionId)) return refuse(c.req.raw, NO_SESSION)
  const { owner } = c.var.identity
  const seq = resume?.seq ?? after
  const place = { session: sessionOf(c.env, sessionId), owner, sessionId, seq }
  const first = await loadPage({ ...place, after: seq, wantsAll: true })
  if (!first.ok) return refuse(c.req.raw, first.rejection)
  const at = await loadFold(place)
  if (!at.ok) return refuse(c.req.raw, at.rejection)
  const { fold, last } = at.value
  return respondSse(c, async (sink) => {
    const tellAgain = (reason: string) => sendLive(sink, [toResync(reason, Date.now(), sessionId)])
    if (fold.state.seq < seq) return tellAgain('ahead')
    const listener = new UiListener(place, fold, { sink, hasPassing: true })
    if (resume !== null) await listener.send(last.slice(resume.n))
    const end = await feed(listener, new Backlog(), first.value)
    if (end === 'slow' || end === 'ahead') await tellAgain(end)
  })
}

async function tellOwner(c: Context<AppEnv>, resume: UiMessageId | null): Promise<Response> {
  const { webSocket } = await openHubSocket(c.env, c.var.identity)
  if (!webSocket) return refuse(c.req.raw, TOO_MANY_SOCKETS)
  return respondSse(c, async (sink) => {
    const { owner } = c.var.identity
    const ownerFeed = new OwnerFeed({ sink, owner, sessionOf: (id) => sessionOf(c.env, id) })
    const end = await ownerFeed.follow(webSocket, resume)
    if (end === 'slow') await sendLive(sink, [toResync(end, Date.now())])
  })
}

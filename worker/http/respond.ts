// Refusals as responses. A browser cannot read the answer to a refused upgrade, so a socket is
// accepted and closed with a code that says why.

import type { Context } from 'hono'
import { CLOSE } from '#protocol/frames'
import { statusOf, type ErrorBody, type ErrorCode, type Rejection } from '#protocol/http'
import type { Result } from '../session/rpc.ts'

const CLOSE_CODES: Partial<Record<ErrorCode, number>> = {
  unauthorized: CLOSE.unauthorized,
  not_found: CLOSE.notFound,
  rate_limited: CLOSE.tooMany,
  too_many_sockets: CLOSE.tooMany,
}

export const isUpgrade = (request: Request): boolean =>
  request.headers.get('upgrade')?.toLowerCase() === 'websocket'

export function refuse(request: Request, rejection: Rejection): Response {
  const closeCode = isUpgrade(request) ? CLOSE_CODES[rejection.code] : undefined
  if (closeCode !== undefined) return acceptAndClose(closeCode, rejection.code)
  const { code, message, retryAfterSeconds } = rejection
  const headers = new Headers()
  if (retryAfterSeconds !== undefined) headers.set('retry-after', String(retryAfterSeconds))
  if (code === 'unauthorized') headers.set('www-authenticate', 'Bearer')
  if (code === 'upgrade_required') headers.set('upgrade', 'websocket')
  const body: ErrorBody = { error: { code, message } }
  return Response.json(body, { status: statusOf(code), headers })
}

export const notFound = (request: Request): Response =>
  refuse(request, { code: 'not_found', message: 'no such thing here' })

function acceptAndClose(code: number, reason: string): Response {
  const { 0: client, 1: server } = new WebSocketPair()
  server.accept()
  server.close(code, reason)
  return new Response(null, { status: 101, webSocket: client })
}

/** A session's answer as a response. */
export function answer<T>(
  c: Context,
  result: Result<T>,
  toBody: (value: T) => object,
  status: 200 | 201 | 202 = 200,
): Response {
  if (!result.ok) return refuse(c.req.raw, result.rejection)
  return Response.json(toBody(result.value), { status })
}

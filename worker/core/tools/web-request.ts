// One request to an address that a model named and that was checked: never a redirect on its own,
// never anything of this server with it.

import { shorten } from '#protocol/text'
import { ToolFailure } from './tool.ts'

export const WEB_TIME_MS = 20_000
/** A redirect's address is the page's words: no room for a speech above the line. */
const SHOWN_ADDRESS_CHARS = 300
const REDIRECT_STATUS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const ACCEPT = 'text/html, application/xhtml+xml, text/*, application/json, application/xml;q=0.9'

export type WebOptions = {
  fetch: typeof globalThis.fetch
  /** Any host and port: for tests, and for a server that only its owner reaches. */
  allowPrivate?: boolean
  /** For tests. */
  timeMs?: number
}

export type WebRequest = {
  toolName: string
  url: URL
  method: 'GET' | 'POST' | 'PUT'
  body?: { text: string; contentType: string }
  /** What is said when there is no answer, after the address. */
  noAnswer: string
}

export async function sendRequest(
  fetch: WebOptions['fetch'],
  { toolName, url, method, body, noAnswer }: WebRequest,
  signal: AbortSignal,
): Promise<Response> {
  try {
    return await fetch(url, {
      signal,
      method,
      redirect: 'manual',
      headers: {
        accept: ACCEPT,
        'user-agent': `Parley/1.0 (${toolName})`,
        ...(body && { 'content-type': body.contentType }),
      },
      ...(body && { body: body.text }),
    })
  } catch (error) {
    if (signal.aborted) throw error
    throw new ToolFailure(`${toShown(url)} ${noAnswer}`)
  }
}

export const isRedirect = ({ status }: Response): boolean => REDIRECT_STATUS.has(status)

export const toShown = ({ href }: URL): string =>
  href.length <= SHOWN_ADDRESS_CHARS ? href : `${shorten(href, SHOWN_ADDRESS_CHARS)}…`

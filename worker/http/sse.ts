// A response of server-sent events: how it is written, kept alive and ended.

import type { Context } from 'hono'
import { streamSSE, type SSEStreamingApi } from 'hono/streaming'
import { logFailure } from '../log.ts'
import type { AppEnv } from './app-env.ts'

/** A client that went away is only noticed by writing to it; proxies drop a silent connection. */
const KEEP_ALIVE_MS = 20_000

/** The stream ends when `feed` does. */
export const respondSse = (
  c: Context<AppEnv>,
  feed: (sink: SSEStreamingApi) => Promise<void>,
): Response =>
  streamSSE(c, async (sink) => {
    // A socket to an object keeps this request alive after its client is gone, and the body goes
    // on being read; only the signal tells (compatibility flag enable_request_signal).
    c.req.raw.signal.addEventListener('abort', () => sink.abort())
    const keepAlive = startKeepAlive(sink)
    try {
      await feed(sink)
    } catch (error) {
      // Ends the stream without a word: the client comes back with its Last-Event-ID.
      logFailure('stream_failed', error)
    } finally {
      clearInterval(keepAlive)
    }
  })

export const toSse = (data: object, head: string): string =>
  `${head}data: ${JSON.stringify(data)}\n\n`

function startKeepAlive(sink: SSEStreamingApi): ReturnType<typeof setInterval> {
  let isWriting = false
  return setInterval(() => {
    // A client that takes nothing must not collect comments.
    if (isWriting) return
    isWriting = true
    void sink.write(': keep-alive\n\n').then(() => {
      isWriting = false
    })
  }, KEEP_ALIVE_MS)
}

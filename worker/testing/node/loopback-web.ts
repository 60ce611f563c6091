// A web on the loopback: names that look public are served by one HTTP server of this process, over
// real sockets, so that a tool which refuses private addresses can be tested with all its checks on.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Handler = (request: IncomingMessage, response: ServerResponse) => void

export type LoopbackWeb = {
  /** Every name leads to the server; `http://example.com/a` is served by the page `example.com/a`. */
  fetch: typeof globalThis.fetch
  /** What was asked for, in order, as it was given to `fetch`. */
  asked: string[]
  /** The server's own address: `/example.com/a` behind it is the page `example.com/a`. */
  origin: string
  serve: (page: string, handler: Handler) => void
  /** A page that is always the same. */
  serveText: (page: string, body: string | Uint8Array, headers?: Record<string, string>) => void
  close: () => Promise<void>
}

export async function startLoopbackWeb(): Promise<LoopbackWeb> {
  const pages = new Map<string, Handler>()
  const asked: string[] = []
  const server = createServer((request, response) => {
    const page = request.url!.slice(1).split('?')[0]!
    const handler = pages.get(page)
    if (handler !== undefined) return handler(request, response)
    response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing here')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    asked,
    origin,
    fetch: (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      asked.push(url.href)
      return fetch(`${origin}/${url.host}${url.pathname}${url.search}`, init)
    },
    serve: (page, handler) => pages.set(page, handler),
    serveText: (page, body, headers = { 'content-type': 'text/html' }) => {
      pages.set(page, (_, response) => response.writeHead(200, headers).end(body))
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

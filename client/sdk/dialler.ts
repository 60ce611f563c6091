// Opening a socket with headers. Browsers cannot, and need not: the page's cookie is sent anyway.

/** As much of a WebSocket as a client needs: the browser's, Node's, and that of `ws` have it. */
export interface ClientSocket {
  send(text: string): void
  close(code?: number): void
  addEventListener(type: 'open' | 'error', listener: () => void): void
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void
  addEventListener(
    type: 'close',
    listener: (event: { code?: number; reason?: string }) => void,
  ): void
}

/** Node's and that of `ws` take headers with the URL. */
export type WebSocketClass = new (
  url: string,
  init?: string | string[] | { headers: Record<string, string> },
) => object

export type DialSocket = (url: string) => ClientSocket

export type DialOptions = {
  token?: string
  headers?: Record<string, string>
  WebSocket?: WebSocketClass
}

export function dialler({ token, headers, WebSocket }: DialOptions): DialSocket {
  const Base = WebSocket ?? (globalThis.WebSocket as unknown as WebSocketClass | undefined)
  if (Base === undefined) throw new Error('no WebSocket here: pass one as an option')
  if (token === undefined && headers === undefined) return (url) => new Base(url) as ClientSocket
  const bearer = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const init = { headers: { ...bearer, ...headers } }
  return (url) => new Base(url, init) as ClientSocket
}

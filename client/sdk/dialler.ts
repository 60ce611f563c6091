// Opening a socket with headers. Browsers cannot, and need not: the page's cookie is sent anyway.

/** The browser's WebSocket, Node's, or that of `ws`. The latter two take headers with the URL. */
export type WebSocketClass = new (
  url: string,
  init?: string | string[] | { headers: Record<string, string> },
) => object

export type DialOptions = {
  token?: string
  headers?: Record<string, string>
  WebSocket?: WebSocketClass
}

/** Something to be constructed with a URL alone. */
export function dialler({ token, headers, WebSocket }: DialOptions): unknown {
  const Base = WebSocket ?? (globalThis.WebSocket as unknown as WebSocketClass | undefined)
  if (Base === undefined) throw new Error('no WebSocket here: pass one as an option')
  if (token === undefined && headers === undefined) return Base
  const init = {
    headers: { ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers },
  }
  return function dial(url: string) {
    return new Base(url, init)
  }
}

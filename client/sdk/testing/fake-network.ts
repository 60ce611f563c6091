// Sockets whose every event the test decides.

import type { ClientFrame, ServerFrame } from '#protocol/frames'
import type { HubFrame } from '#protocol/hub'
import type { WebSocketClass } from '../dialler.ts'

export class FakeSocket extends EventTarget {
  readonly url: string
  readonly init: unknown
  readonly sent: string[] = []
  readyState = 0
  binaryType = 'blob'
  bufferedAmount = 0

  constructor(url: string, init?: unknown) {
    super()
    this.url = url
    this.init = init
  }

  get frames(): ClientFrame[] {
    return this.sent
      .filter((text) => text.startsWith('{'))
      .map((text) => JSON.parse(text) as ClientFrame)
  }

  send(text: string): void {
    this.sent.push(text)
  }

  /** The client's own close: a dead peer never confirms it. */
  close(): void {
    this.readyState = 3
  }

  accept(): void {
    this.readyState = 1
    this.dispatchEvent(new Event('open'))
  }

  deliver(...frames: (ServerFrame | HubFrame | 'pong')[]): void {
    for (const frame of frames) {
      const data = frame === 'pong' ? frame : JSON.stringify(frame)
      this.dispatchEvent(new MessageEvent('message', { data }))
    }
  }

  /** The connection ends from the other side. */
  drop(code = 1006, reason = ''): void {
    this.readyState = 3
    this.dispatchEvent(Object.assign(new Event('close'), { code, reason }))
  }
}

export type FakeNetwork = {
  WebSocket: WebSocketClass
  sockets: FakeSocket[]
  /** The connection that was begun last. */
  last: () => FakeSocket
}

export function createFakeNetwork(): FakeNetwork {
  const sockets: FakeSocket[] = []
  class WebSocket extends FakeSocket {
    constructor(url: string, init?: unknown) {
      super(url, init)
      sockets.push(this)
    }
  }
  return { WebSocket, sockets, last: () => sockets.at(-1)! }
}

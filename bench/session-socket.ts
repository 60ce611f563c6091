// A client at the level of the wire: it counts what arrives, and parses no more than it must.

import { randomUUID } from 'node:crypto'
import type { SessionEvent } from '#protocol/events'
import type { Fragment, ServerFrame } from '#protocol/frames'
import { withDeadline } from './deadline.ts'

const FRAME_MS = 60_000

/** Text of the open part that is now held: up to this character. */
export type TextListener = (endChar: number, at: number) => void

export class SessionSocket {
  readonly openedAt = performance.now()
  frames = 0
  bytes = 0
  sentBytes = 0
  seq = 0
  /** The text of the newest part, row over fragments over rows, as a client would show it. */
  text = ''
  /** How much of it came in rows: what a client that reconnects still has. */
  durableChars = 0
  onText: TextListener = () => {}
  private readonly socket: WebSocket
  /** What the session last said went wrong. */
  private failure = ''
  private onLost: (why: string) => void = () => {}
  private readonly waiters = new Set<(frame: ServerFrame) => void>()

  private constructor(socket: WebSocket) {
    this.socket = socket
    socket.addEventListener('message', ({ data }) => this.receive(String(data)))
    socket.addEventListener('close', ({ code }) => this.onLost(`the socket closed with ${code}`))
  }

  /** Open, and nothing said yet. */
  static async open(origin: string, sessionId: string): Promise<SessionSocket> {
    const url = `${origin.replace('http', 'ws')}/api/sessions/${sessionId}/socket`
    const socket = new SessionSocket(new WebSocket(url))
    const opened = Promise.withResolvers<void>()
    socket.socket.addEventListener('open', () => opened.resolve())
    socket.socket.addEventListener('error', () => opened.reject(new Error(`no socket at ${url}`)))
    await withDeadline(opened.promise, FRAME_MS, 'opening a socket')
    return socket
  }

  static async connect(
    origin: string,
    sessionId: string,
    after: number | null = null,
  ): Promise<SessionSocket> {
    const socket = await SessionSocket.open(origin, sessionId)
    await socket.hello(after)
    return socket
  }

  /** Resolves when the gap has been sent. */
  async hello(after: number | null): Promise<void> {
    const ready = this.until('ready', ({ type }) => type === 'ready')
    this.write({ type: 'hello', version: 1, after })
    await ready
  }

  /** Sends a message; resolves with the time at which its run was over. */
  async run(text: string): Promise<number> {
    const done = this.untilRunDone()
    this.send(text)
    return done
  }

  send(text: string): void {
    this.write({ type: 'send', id: randomUUID(), text })
  }

  async untilRunDone(): Promise<number> {
    let at = 0
    await this.until('run_done', (frame) => {
      if (frame.type === 'rejected') throw new Error(`rejected: ${frame.message}`)
      if (frame.type !== 'events') return false
      const end = frame.events.find(({ type }) => type === 'run_done')
      if (end?.type !== 'run_done') return false
      if (end.outcome !== 'done') throw new Error(`a run ended as ${end.outcome}: ${this.failure}`)
      at = performance.now()
      return true
    })
    return at
  }

  close(): void {
    this.socket.close()
  }

  private until(what: string, isIt: (frame: ServerFrame) => boolean): Promise<void> {
    const found = Promise.withResolvers<void>()
    const waiter = (frame: ServerFrame): void => {
      try {
        if (!isIt(frame)) return
        found.resolve()
      } catch (error) {
        found.reject(error)
      }
      this.waiters.delete(waiter)
    }
    this.waiters.add(waiter)
    this.onLost = (why) => found.reject(new Error(`${what}: ${why}`))
    return withDeadline(found.promise, FRAME_MS, what)
  }

  private write(frame: object): void {
    const text = JSON.stringify(frame)
    this.sentBytes += Buffer.byteLength(text)
    this.socket.send(text)
  }

  private receive(data: string): void {
    const at = performance.now()
    this.frames += 1
    this.bytes += Buffer.byteLength(data)
    const frame = JSON.parse(data) as ServerFrame
    switch (frame.type) {
      case 'fragment':
        this.addFragment(frame, at)
        break
      case 'fragments':
      case 'ready':
        for (const fragment of frame.fragments) this.addFragment(fragment, at)
        if (frame.type === 'ready') this.seq = frame.seq
        break
      case 'events':
        for (const event of frame.events) this.addEvent(event, at)
        break
      default:
        break
    }
    for (const waiter of this.waiters) waiter(frame)
  }

  private addFragment({ kind, offset, text }: Fragment, at: number): void {
    if (kind === 'text') this.put(offset, text, at)
  }

  private addEvent(event: SessionEvent, at: number): void {
    this.seq = event.seq
    if (event.type === 'error') this.failure = `${event.code}, ${event.message}`
    if (event.type === 'run_started') this.text = ''
    else if (event.type === 'text_delta') this.put(event.offset, event.delta, at)
    else if (event.type === 'text_done') this.put(0, event.text, at)
    else return
    this.durableChars = this.text.length
  }

  private put(offset: number, text: string, at: number): void {
    if (offset > this.text.length) throw new Error(`a gap in the text before ${offset}`)
    this.text = this.text.slice(0, offset) + text
    this.onText(this.text.length, at)
  }
}

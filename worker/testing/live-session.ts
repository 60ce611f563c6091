// A session in the real object, over the real Worker: for tests that run in workerd.

import { env, SELF } from 'cloudflare:test'
import type { Command } from '#protocol/commands'
import type { EventType, SessionEvent } from '#protocol/events'
import type { ServerFrame } from '#protocol/frames'
import type { SessionStats } from '#protocol/http'
import { saveRule } from '../directory/rules.ts'
import type { Session } from '../session/object.ts'

const ORIGIN = 'http://localhost'

declare global {
  namespace Cloudflare {
    interface Env {
      MODEL_CONTROL_URL?: string
    }
  }
}

export const api = (path: string, init?: RequestInit): Promise<Response> =>
  SELF.fetch(`${ORIGIN}/api${path}`, init)

export const postJson = (path: string, body: unknown): Promise<Response> =>
  api(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

const control = env.MODEL_CONTROL_URL ?? ''

/** Gates of the model server, which runs in another process. */
export const model = {
  reached: (gate: string): Promise<Response> => fetch(`${control}/gates/${gate}/reached`),
  release: (gate: string): Promise<Response> => fetch(`${control}/gates/${gate}/release`),
  violations: async (): Promise<unknown[]> => {
    const response = await fetch(control)
    return (await response.json<{ violations: unknown[] }>()).violations
  },
  /** How often the tool `mark` was run outside, by its words: those that begin like this. */
  executions: async (beginning: string): Promise<Record<string, number>> =>
    (await fetch(`${control}/executions/${beginning}`)).json(),
  /** How many requests hold this text, of all that ever came. */
  count: async (text: string): Promise<number> => (await fetch(`${control}/count/${text}`)).json(),
}

export const script = (...replies: unknown[][]): string => `#script ${JSON.stringify(replies)}`

/** As if somebody had said "always" to this tool. */
export const allowTool = (toolName: string): Promise<void> =>
  saveRule(env.DB, 'owner', {
    ruleId: `test-${toolName}`,
    verdict: 'allow',
    kind: 'tool',
    pattern: toolName,
    description: toolName,
    createdAt: 0,
  })

export class LiveSession {
  readonly id: string

  private constructor(id: string) {
    this.id = id
  }

  static async create(): Promise<LiveSession> {
    const response = await postJson('/sessions', { title: 'a test' })
    const { session } = await response.json<{ session: { id: string } }>()
    return new LiveSession(session.id)
  }

  /** One that is there already, or that an agent will make. */
  static at(sessionId: string): LiveSession {
    return new LiveSession(sessionId)
  }

  /** A new one in which a person has written this, and somebody who watches. */
  static async begin(text: string): Promise<{ session: LiveSession; socket: LiveSocket }> {
    const session = await LiveSession.create()
    const socket = await session.connect(0)
    socket.command({ type: 'send', text })
    return { session, socket }
  }

  get stub(): DurableObjectStub<Session> {
    return env.SESSION.get(env.SESSION.idFromName(this.id))
  }

  async command(command: Record<string, unknown>): Promise<{ seq: number; runId: string }> {
    const body = { id: crypto.randomUUID(), ...command }
    const response = await postJson(`/sessions/${this.id}/commands`, body)
    return response.json()
  }

  async events(deltas = false): Promise<SessionEvent[]> {
    const response = await api(`/sessions/${this.id}/events?limit=1000${deltas ? '&deltas=1' : ''}`)
    return (await response.json<{ events: SessionEvent[] }>()).events
  }

  async eventsOf<T extends EventType>(type: T): Promise<Extract<SessionEvent, { type: T }>[]> {
    return (await this.events()).filter(
      (event): event is Extract<SessionEvent, { type: T }> => event.type === type,
    )
  }

  /** Until somebody who opens it now sees that its first run is over. */
  async untilDone(): Promise<void> {
    const socket = await this.connect(0)
    await socket.untilType('run_done')
    socket.close()
  }

  async stats(): Promise<SessionStats> {
    return (await api(`/sessions/${this.id}/stats`)).json()
  }

  async connect(after: number | null = null): Promise<LiveSocket> {
    const response = await api(`/sessions/${this.id}/socket`, { headers: { Upgrade: 'websocket' } })
    if (response.webSocket === null) throw new Error(`no socket: ${response.status}`)
    const socket = new LiveSocket(response.webSocket)
    socket.send({ type: 'hello', version: 1, after })
    await socket.until((frame) => frame.type === 'ready')
    return socket
  }
}

export class LiveSocket {
  readonly frames: ServerFrame[] = []
  readonly closed: Promise<{ code: number; reason: string }>
  bytes = 0
  private readonly socket: WebSocket
  private readonly waiting = new Set<() => void>()
  private pongs = 0

  constructor(socket: WebSocket) {
    this.socket = socket
    socket.accept()
    this.closed = new Promise((resolve) => {
      socket.addEventListener('close', ({ code, reason }) => resolve({ code, reason }))
      socket.addEventListener('error', () => resolve({ code: 1006, reason: '' }))
    })
    socket.addEventListener('message', ({ data }) => {
      if (data === 'pong') this.pongs += 1
      else {
        this.bytes += (data as string).length
        this.frames.push(JSON.parse(data as string) as ServerFrame)
      }
      for (const check of this.waiting) check()
    })
  }

  send(frame: Record<string, unknown> | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  command(command: Record<string, unknown> & { type: Command['type'] }): void {
    this.send({ id: crypto.randomUUID(), ...command })
  }

  close(): void {
    this.socket.close(1000, 'bye')
  }

  get events(): SessionEvent[] {
    return this.frames.flatMap((frame) => (frame.type === 'events' ? frame.events : []))
  }

  until(matches: (frame: ServerFrame) => boolean): Promise<ServerFrame> {
    return this.wait(() => this.frames.find(matches))
  }

  untilEvent(matches: (event: SessionEvent) => boolean): Promise<SessionEvent> {
    return this.wait(() => this.events.find(matches))
  }

  async untilType<T extends EventType>(type: T): Promise<Extract<SessionEvent, { type: T }>> {
    const event = await this.untilEvent((one) => one.type === type)
    return event as Extract<SessionEvent, { type: T }>
  }

  async ping(): Promise<void> {
    const before = this.pongs
    this.socket.send('ping')
    await this.wait(() => this.pongs > before || undefined)
  }

  private wait<T>(find: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const check = (): void => {
        const found = find()
        if (found === undefined) return
        this.waiting.delete(check)
        resolve(found)
      }
      this.waiting.add(check)
      check()
    })
  }
}

// A hub in Node, the sessions that tell it, and the clients that listen.

import type { InboxItem } from '#protocol/http'
import {
  applyHubFrame,
  EMPTY_HUB,
  type HubAbout,
  type HubFrame,
  type HubState,
} from '#protocol/hub'
import { HubCore } from '../../core/hub/hub.ts'
import type { Projection } from '../../core/session/session-deps.ts'
import type { ClientSocket } from '../../core/session/subscribers.ts'
import { MemorySql } from './memory-sql.ts'

export const ABOUT: HubAbout = {
  models: [],
  settings: { defaultModel: 'scripted' },
  mode: 'loopback',
  hasToken: true,
}

export const toSessionId = (n: number): string => `session-of-hub-${String(n).padStart(4, '0')}`

export const makeItem = (sessionId: string, at: number): InboxItem => ({
  id: `${sessionId}.d${at}`,
  sessionId,
  callId: `call-${at}`,
  kind: 'command',
  title: `rm file-${at}`,
  reason: 'deletes a file',
  severity: 'high',
  at,
})

export function makeProjection(n: number, changes: Partial<Projection> = {}): Projection {
  const seq = changes.seq ?? 1
  return {
    id: toSessionId(n),
    title: 'New chat',
    status: 'idle',
    agent: 'assistant',
    model: 'scripted',
    mode: 'agent',
    seq,
    createdAt: 1,
    updatedAt: 1000 * n + seq,
    pinned: false,
    empty: false,
    deletedAt: null,
    waits: [],
    ...changes,
  }
}

export class HubSocket implements ClientSocket {
  readonly frames: HubFrame[] = []
  closed: { code: number; reason: string } | null = null

  send(text: string): void {
    if (this.closed !== null) throw new Error('closed')
    this.frames.push(JSON.parse(text) as HubFrame)
  }

  close(code: number, reason: string): void {
    this.closed ??= { code, reason }
  }
}

const toCursor = ({ id }: { id: string }): string => `after ${id}`

export class HubHarness {
  readonly sql = new MemorySql()
  now = 1_000_000
  core = this.wake()

  wake(): HubCore {
    this.core = new HubCore({ sql: this.sql, now: () => this.now, toCursor })
    return this.core
  }

  connect(after: number | null): HubSocket {
    const socket = new HubSocket()
    this.core.add(socket)
    this.say(socket, { type: 'hello', version: 1, after })
    return socket
  }

  say(socket: HubSocket, frame: unknown): void {
    const hello = this.core.read(socket, JSON.stringify(frame))
    if (hello !== null) this.core.hello(socket, hello, ABOUT)
  }

  /** The object sleeps and wakes; its sockets stay. */
  evict(sockets: readonly HubSocket[] = []): void {
    this.wake()
    for (const socket of sockets) this.core.add(socket, ABOUT)
  }
}

/** A client that takes in what has arrived when it likes. */
export class HubReader {
  state: HubState = EMPTY_HUB
  socket: HubSocket | null = null
  private isTold = false
  private taken = 0
  private readonly harness: HubHarness

  constructor(harness: HubHarness) {
    this.harness = harness
  }

  connect(): void {
    this.drop()
    this.socket = this.harness.connect(this.isTold ? this.state.seq : null)
    this.taken = 0
  }

  /** What had not been read is lost. */
  drop(): void {
    if (this.socket !== null) this.harness.core.remove(this.socket)
    this.socket = null
  }

  read(most = Number.POSITIVE_INFINITY): void {
    const frames = this.socket?.frames.slice(this.taken, this.taken + most) ?? []
    this.taken += frames.length
    for (const frame of frames) {
      if (frame.type === 'init') this.isTold = true
      this.state = applyHubFrame(this.state, frame)
    }
  }
}

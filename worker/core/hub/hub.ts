// One owner's hub: what every session last said of itself, in the order in which it was heard, and
// who listens. A projection: it may lag, it can be made again, and hearing something twice, late or
// out of order changes nothing. Runs in a Durable Object, or in Node with a file for a database.

import type { Hello } from '#protocol/frames'
import type { Rejection } from '#protocol/http'
import {
  oldestFirst,
  type HubAbout,
  type HubChange,
  type HubFrame,
  type InboxEntry,
} from '#protocol/hub'
import { HUB_SESSIONS } from '#protocol/limits'
import { parseHubFrame } from '#protocol/parse'
import { PROTOCOL_VERSION } from '#protocol/version'
import type { Projection } from '../session/session-deps.ts'
import type { ClientSocket } from '../session/subscribers.ts'
import type { Sql } from '../session/sql.ts'
import { FrameGuard, rejectBinary } from '../sockets/frame-guard.ts'
import { compareSessions, summaryOf } from './compare.ts'
import { HubStore } from './hub-store.ts'

export type HubDeps = {
  sql: Sql
  now: () => number
  /** Where the list of sessions goes on after this one. */
  toCursor: (last: { updatedAt: number; id: string }) => string
}

/** null: it has not said hello. */
type Listener = HubAbout | null

export class HubCore {
  private readonly deps: HubDeps
  private readonly store: HubStore
  private readonly guard = new FrameGuard()
  private readonly listeners = new Map<ClientSocket, Listener>()

  constructor(deps: HubDeps) {
    this.deps = deps
    this.store = new HubStore(deps.sql)
  }

  /** Something of this owner was heard before. If not, the directory may know more. */
  get isStored(): boolean {
    return this.store.isStored
  }

  get size(): number {
    return this.listeners.size
  }

  /** What the directory knows, for a hub that knows nothing. No sessions: nothing is stored. */
  start(sessions: readonly Projection[]): void {
    if (this.store.isStored || sessions.length === 0) return
    this.store.create(this.deps.now(), sessions)
    // Who was told that there is nothing learns better.
    for (const [socket, about] of this.listeners) {
      if (about !== null) this.reply(socket, this.init(about))
    }
  }

  put(session: Projection): void {
    if (!this.store.isStored) this.store.create(this.deps.now(), [])
    const held = this.store.find(session.id)
    if (held === 'gone' || (held !== null && held.seq > session.seq)) return
    if (held !== null && JSON.stringify(held) === JSON.stringify(session)) return
    this.publish(this.store.keep(session, compareSessions(held, session)))
  }

  drop(sessionId: string): void {
    if (!this.store.isStored) return
    const held = this.store.find(sessionId)
    if (held === 'gone') return
    this.publish(this.store.drop(sessionId, compareSessions(held, null)))
  }

  /** Everything that waits for a person, oldest first. */
  inbox(): InboxEntry[] {
    return oldestFirst(this.store.inbox())
  }

  /** `about`: what it was told at hello, where it survived hibernation and is live already. */
  add(socket: ClientSocket, about: Listener = null): void {
    this.listeners.set(socket, about)
  }

  remove(socket: ClientSocket): void {
    this.listeners.delete(socket)
  }

  /** The hello of a frame; null: it was refused, and that was said. */
  read(socket: ClientSocket, raw: string | ArrayBuffer): Hello | null {
    if (typeof raw !== 'string') return this.refuse(socket, rejectBinary(raw))
    const frame = parseHubFrame(raw)
    if (!frame.ok) return this.refuse(socket, frame.rejection)
    this.guard.accept(socket)
    return frame.value
  }

  /** What it has missed, or everything; then live. */
  hello(socket: ClientSocket, { after }: Hello, about: HubAbout): void {
    // Closed while the directory was asked.
    if (!this.listeners.has(socket)) return
    const missed = after === null ? null : this.store.changesAfter(after)
    if (missed === null) this.reply(socket, this.init(about))
    else for (const change of missed) this.send(socket, change)
    this.reply(socket, { type: 'ready', seq: this.store.seq, version: PROTOCOL_VERSION })
    if (this.listeners.has(socket)) this.listeners.set(socket, about)
  }

  private init(about: HubAbout): HubFrame {
    const newest = this.store.newest(HUB_SESSIONS + 1)
    const sessions = newest.slice(0, HUB_SESSIONS).map(summaryOf)
    const last = newest.length > HUB_SESSIONS ? sessions.at(-1) : undefined
    const nextCursor = last === undefined ? null : this.deps.toCursor(last)
    const inbox = this.inbox()
    return { type: 'init', seq: this.store.seq, sessions, nextCursor, inbox, ...about }
  }

  private publish(changes: readonly HubChange[]): void {
    for (const change of changes) {
      const text = JSON.stringify(change)
      for (const [socket, about] of this.listeners) if (about !== null) this.send(socket, text)
    }
  }

  private refuse(socket: ClientSocket, rejection: Rejection): null {
    const { code, message } = rejection
    this.reply(socket, { type: 'rejected', id: null, code, message })
    const close = this.guard.refuse(socket, rejection, true)
    if (close !== null) {
      this.remove(socket)
      socket.close(close.code, close.reason)
    }
    return null
  }

  private reply(socket: ClientSocket, frame: HubFrame): void {
    this.send(socket, JSON.stringify(frame))
  }

  private send(socket: ClientSocket, text: string): void {
    try {
      socket.send(text)
    } catch {
      // The peer is gone; the platform reports the close, and a reconnect resumes from its seq.
      this.remove(socket)
    }
  }
}

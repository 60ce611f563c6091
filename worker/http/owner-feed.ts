// All sessions of an owner in one stream. The hub says which of them change; what they say comes
// from each session itself: over a socket while it is busy, else by asking for what is missing.

import type { SSEStreamingApi } from 'hono/streaming'
import type { Hello } from '#protocol/frames'
import type { SessionSummary } from '#protocol/http'
import type { HubFrame, HubInit } from '#protocol/hub'
import type { UiMessageId } from '#protocol/ui-message'
import { PROTOCOL_VERSION } from '#protocol/version'
import { toConnected, toRemoved, toResync } from '../core/messages/ui-events.ts'
import { logFailure } from '../log.ts'
import { Backlog, Lane } from './lane.ts'
import type { SessionSource } from './session-feed.ts'
import { SessionTrack, type TrackDeps } from './session-track.ts'
import { sendLive } from './ui-listener.ts'

/** Busy sessions that are heard as they speak: each costs a socket and the text of its open answer. */
const HELD_SOCKETS = 20
/** The platform gives one request 1,000 questions to objects; then the client has to come again. */
const QUESTIONS = 900

export type OwnerFeedEnd = 'closed' | 'slow' | 'used_up'

type OwnerDeps = {
  sink: SSEStreamingApi
  owner: string
  sessionOf: (sessionId: string) => SessionSource
}

export class OwnerFeed {
  private readonly deps: OwnerDeps
  private readonly backlog = new Backlog()
  private readonly hubLane = new Lane((error) => this.fail(error))
  private readonly tracks = new Map<string, SessionTrack>()
  /** Who changed before this is none that the hub began with. */
  private oldest = -Infinity
  private resume: UiMessageId | null = null
  private sockets = 0
  private questions = 0
  private settle: (end: OwnerFeedEnd) => void = () => {}

  constructor(deps: OwnerDeps) {
    this.deps = deps
  }

  /** Settles when it is over, with every socket closed. */
  async follow(hub: WebSocket, resume: UiMessageId | null): Promise<OwnerFeedEnd> {
    const ended = new Promise<OwnerFeedEnd>((resolve) => {
      this.settle = resolve
    })
    this.deps.sink.onAbort(() => this.settle('closed'))
    this.resume = resume
    hub.addEventListener('message', ({ data }) => this.receive(String(data)))
    hub.addEventListener('close', () => this.settle('closed'))
    hub.addEventListener('error', () => this.settle('closed'))
    hub.accept()
    const hello: Hello = { type: 'hello', version: PROTOCOL_VERSION, after: null }
    hub.send(JSON.stringify(hello))
    if (this.deps.sink.aborted) this.settle('closed')
    const end = await ended
    hub.close(1000)
    for (const track of this.tracks.values()) track.stop()
    return end
  }

  private receive(raw: string): void {
    if (!this.backlog.add(raw.length)) return this.settle('slow')
    this.hubLane.run(async () => {
      try {
        await this.hear(JSON.parse(raw) as HubFrame)
      } finally {
        this.backlog.remove(raw.length)
      }
    })
  }

  private async hear(frame: HubFrame): Promise<void> {
    switch (frame.type) {
      case 'init':
        return this.start(frame)
      case 'session_changed':
        return this.hearChange(frame.session)
      case 'session_removed':
        this.tracks.get(frame.id)?.stop()
        return sendLive(this.deps.sink, [toRemoved(frame.id, Date.now())])
      case 'inbox_changed':
      case 'ready':
      case 'rejected':
        // What waits is told by the session that it waits in.
        return undefined
    }
  }

  /** What the client reads from here on is no older than where its sessions are told from. */
  private async start({ sessions, nextCursor }: HubInit): Promise<void> {
    const { resume } = this
    const at = Date.now()
    this.resume = null
    await sendLive(this.deps.sink, [resume ? toResync('resumed', at) : toConnected(at)])
    this.oldest = nextCursor === null ? -Infinity : (sessions.at(-1)?.updatedAt ?? -Infinity)
    // Of one session it is known what the client has.
    if (resume !== null) {
      const { sessionId, seq, n } = resume
      this.track(sessionId, { seq, n }).hear({ seq, isBusy: false })
    }
    for (const session of sessions) this.hearSession(session, session.seq)
  }

  private async hearChange(session: SessionSummary): Promise<void> {
    const isNew = session.createdAt > this.oldest
    // Nobody knows how far it was told: the client reads it, and is told what follows.
    if (!isNew && !this.tracks.has(session.id)) {
      await sendLive(this.deps.sink, [toResync('unknown_before', Date.now(), session.id)])
    }
    this.hearSession(session, isNew ? 0 : session.seq)
  }

  private hearSession({ id, seq, status }: SessionSummary, from: number): void {
    const isBusy = status === 'running' || status === 'waiting'
    this.track(id, { seq: from, n: null }).hear({ seq, isBusy })
  }

  private track(sessionId: string, from: { seq: number; n: number | null }): SessionTrack {
    const held = this.tracks.get(sessionId)
    if (held !== undefined) return held
    const track = new SessionTrack(sessionId, from, this.trackDeps(sessionId))
    this.tracks.set(sessionId, track)
    return track
  }

  private trackDeps(sessionId: string): TrackDeps {
    const { sink, owner } = this.deps
    return {
      session: this.sourceOf(sessionId),
      sink,
      owner,
      backlog: this.backlog,
      takeSocket: () => {
        if (this.sockets >= HELD_SOCKETS) return false
        this.sockets += 1
        return true
      },
      giveSocket: () => {
        this.sockets -= 1
      },
      end: (end) => this.settle(end),
    }
  }

  /** A new way to the object for each question: one that it died on leads nowhere any more. */
  private sourceOf(sessionId: string): SessionSource {
    const ask = (): SessionSource => {
      this.questions += 1
      if (this.questions >= QUESTIONS) this.settle('used_up')
      return this.deps.sessionOf(sessionId)
    }
    return {
      events: (...args) => ask().events(...args),
      runs: (...args) => ask().runs(...args),
      fetch: (...args) => ask().fetch(...args),
    }
  }

  /** The client comes back with its Last-Event-ID. */
  private fail(error: unknown): void {
    logFailure('owner_stream_failed', error)
    this.settle('closed')
  }
}

import { describe, expect, test } from 'vitest'
import { applyHubFrame, EMPTY_HUB, type HubFrame } from '#protocol/hub'
import { BAD_FRAMES, CLIENT_FRAME_BYTES, HUB_CHANGES, HUB_SESSIONS } from '#protocol/limits'
import {
  HubHarness,
  HubReader,
  HubSocket,
  makeItem,
  makeProjection,
  toSessionId,
} from '../../testing/node/hub-harness.ts'
import { RandomSource } from '../../testing/random-source.ts'
import type { Projection } from '../session/session-deps.ts'
import { summaryOf } from './compare.ts'

const typesOf = (frames: readonly HubFrame[]): string[] => frames.map(({ type }) => type)
const tables = (harness: HubHarness): unknown[] =>
  harness.sql.exec('SELECT name FROM sqlite_master')

describe('a hub', () => {
  test('[SES1] begins with everything, then says what changes, one seq after the other', () => {
    const harness = new HubHarness()
    harness.core.put(makeProjection(1))
    const socket = harness.connect(null)
    harness.core.put(makeProjection(1, { seq: 2, status: 'running', title: 'Trip' }))
    harness.core.put(makeProjection(2))
    expect(typesOf(socket.frames)).toEqual(['init', 'ready', 'session_changed', 'session_changed'])
    const [init, ready, first, second] = socket.frames
    expect(init).toMatchObject({
      sessions: [{ id: toSessionId(1) }],
      nextCursor: null,
      inbox: [],
      mode: 'loopback',
      settings: { defaultModel: 'scripted' },
    })
    const seq = (ready as { seq: number }).seq
    expect(first).toMatchObject({ seq: seq + 1, session: { status: 'running', title: 'Trip' } })
    expect(second).toMatchObject({ seq: seq + 2, session: { id: toSessionId(2) } })
    expect((first as { session: object }).session).not.toHaveProperty('waits')
  })

  test('[SES1] hears something twice, or late, and says nothing', () => {
    const harness = new HubHarness()
    const newer = makeProjection(1, { seq: 5, title: 'Newer' })
    harness.core.put(newer)
    const socket = harness.connect(null)
    harness.core.put(newer)
    harness.core.put(makeProjection(1, { seq: 4, title: 'Older' }))
    expect(typesOf(socket.frames)).toEqual(['init', 'ready'])
    expect(harness.connect(null).frames[0]).toMatchObject({ sessions: [{ title: 'Newer' }] })
  })

  test('[DEC6] lists what waits in every session, oldest first, with the title of its session', () => {
    const harness = new HubHarness()
    const socket = harness.connect(null)
    const [late, early] = [makeItem(toSessionId(1), 9), makeItem(toSessionId(2), 4)]
    harness.core.put(makeProjection(1, { title: 'One', status: 'waiting', waits: [late] }))
    harness.core.put(makeProjection(2, { title: 'Two', status: 'waiting', waits: [early] }))
    expect(harness.core.inbox()).toEqual([
      { ...early, sessionTitle: 'Two' },
      { ...late, sessionTitle: 'One' },
    ])
    harness.core.put(makeProjection(1, { seq: 2, title: 'One', status: 'running' }))
    expect(harness.core.inbox().map(({ id }) => id)).toEqual([early.id])
    expect(socket.frames.at(-1)).toMatchObject({
      type: 'inbox_changed',
      added: [],
      removed: [late.id],
    })
  })

  test('[DEC6] a session that is renamed renames what waits in it', () => {
    const harness = new HubHarness()
    const waits = [makeItem(toSessionId(1), 4)]
    harness.core.put(makeProjection(1, { title: 'Before', waits }))
    const socket = harness.connect(null)
    harness.core.put(makeProjection(1, { seq: 2, title: 'After', waits }))
    expect(socket.frames.at(-1)).toMatchObject({
      type: 'inbox_changed',
      added: [{ sessionTitle: 'After' }],
      removed: [],
    })
  })

  test('[DEC6] [SES2] a deleted session takes what waits in it along, and brings it back', () => {
    const harness = new HubHarness()
    const shown = makeProjection(1, { waits: [makeItem(toSessionId(1), 4)] })
    harness.core.put(shown)
    const socket = harness.connect(null)
    harness.core.put({ ...shown, deletedAt: 50 })
    expect(harness.core.inbox()).toEqual([])
    harness.core.put(shown)
    expect(harness.core.inbox()).toHaveLength(1)
    expect(typesOf(socket.frames.slice(2))).toEqual([
      'inbox_changed',
      'session_removed',
      'session_changed',
      'inbox_changed',
    ])
  })

  test('[SES2] what was erased is not revived by a late word of it', () => {
    const harness = new HubHarness()
    harness.core.put(makeProjection(1, { deletedAt: 50 }))
    const socket = harness.connect(null)
    harness.core.drop(toSessionId(1))
    harness.core.drop(toSessionId(1))
    harness.core.put(makeProjection(1, { seq: 9 }))
    harness.evict([socket])
    harness.core.put(makeProjection(1, { seq: 9 }))
    expect(typesOf(socket.frames)).toEqual(['init', 'ready'])
    expect(harness.connect(null).frames[0]).toMatchObject({ sessions: [] })
  })

  test('[SAF2] stores nothing before it hears of a session', () => {
    const harness = new HubHarness()
    const socket = harness.connect(null)
    harness.core.start([])
    harness.core.drop(toSessionId(1))
    expect(harness.core.inbox()).toEqual([])
    expect(socket.frames[0]).toMatchObject({ type: 'init', seq: 0, sessions: [] })
    expect(tables(harness)).toEqual([])
  })
})

describe('resuming', () => {
  test('[LOG3] a client is told exactly what it missed, and nothing where it missed nothing', () => {
    const harness = new HubHarness()
    harness.core.put(makeProjection(1))
    const reader = new HubReader(harness)
    reader.connect()
    reader.read()
    reader.drop()
    harness.core.put(makeProjection(2))
    harness.core.put(makeProjection(1, { seq: 2, waits: [makeItem(toSessionId(1), 3)] }))
    reader.connect()
    expect(typesOf(reader.socket?.frames ?? [])).toEqual([
      'session_changed',
      'session_changed',
      'inbox_changed',
      'ready',
    ])
    reader.read()
    reader.connect()
    expect(typesOf(reader.socket?.frames ?? [])).toEqual(['ready'])
  })

  test('[LOG3] one that is ahead, too far behind, or of a hub before this one begins again', () => {
    const harness = new HubHarness()
    for (let seq = 1; seq <= 2; seq++) harness.core.put(makeProjection(1, { seq }))
    const { seq } = harness.connect(null).frames[0] as { seq: number }
    for (const after of [0, 1, harness.now - 1, seq + 1]) {
      expect(typesOf(harness.connect(after).frames), `after ${after}`).toEqual(['init', 'ready'])
    }
    for (let n = 3; n <= 2 * HUB_CHANGES; n++) harness.core.put(makeProjection(1, { seq: n }))
    expect(typesOf(harness.connect(seq).frames)).toEqual(['init', 'ready'])
    const kept = harness.sql.exec<{ n: number }>('SELECT count(*) AS n FROM changes')[0]?.n ?? 0
    expect(kept).toBeGreaterThanOrEqual(HUB_CHANGES)
    expect(kept).toBeLessThan(HUB_CHANGES * 1.2)
    const last = (harness.connect(null).frames[0] as { seq: number }).seq
    expect(harness.connect(last - HUB_CHANGES + 1).frames).toHaveLength(HUB_CHANGES)
  })

  test('[LOG3] a hub that was lost is ahead of every client of the one before', () => {
    const before = new HubHarness()
    for (let seq = 1; seq <= 40; seq++) before.core.put(makeProjection(1, { seq }))
    const { seq } = before.connect(null).frames[0] as { seq: number }
    const after = new HubHarness()
    after.now = before.now + 1000
    after.core.start([makeProjection(1, { seq: 41 })])
    expect(typesOf(after.connect(seq).frames)).toEqual(['init', 'ready'])
  })

  test('[SES1] the newest sessions come first, the rest is a page of the directory', () => {
    const harness = new HubHarness()
    harness.core.start(Array.from({ length: HUB_SESSIONS + 5 }, (_, n) => makeProjection(n)))
    const init = harness.connect(null).frames[0] as { sessions: { id: string }[] }
    expect(init.sessions).toHaveLength(HUB_SESSIONS)
    expect(init.sessions[0]?.id).toBe(toSessionId(HUB_SESSIONS + 4))
    expect(init).toMatchObject({ nextCursor: `after ${toSessionId(5)}` })
  })

  test('[SES1] what a client holds beyond the newest stays when it begins again', () => {
    const harness = new HubHarness()
    harness.core.start(Array.from({ length: HUB_SESSIONS + 5 }, (_, n) => makeProjection(n)))
    const reader = new HubReader(harness)
    reader.connect()
    harness.core.put(makeProjection(2, { seq: 2, title: 'Old, and renamed' }))
    reader.read()
    const again = harness.connect(null).frames[0]!
    const state = applyHubFrame(reader.state, again)
    expect(state.sessions.get(toSessionId(2))?.title).toBe('Old, and renamed')
    expect(state.sessions.has(toSessionId(1))).toBe(false)
    expect(state.start).not.toBe(reader.state.start)
  })

  test('[SES1] who listened to an empty hub is told what the directory knew', () => {
    const harness = new HubHarness()
    const socket = harness.connect(null)
    harness.evict([socket])
    harness.core.start([makeProjection(1)])
    harness.core.put(makeProjection(1))
    expect(typesOf(socket.frames)).toEqual(['init', 'ready', 'init'])
    expect(socket.frames.at(-1)).toMatchObject({ sessions: [{ id: toSessionId(1) }] })
  })
})

describe('hostile frames', () => {
  const wrong = ['{', '[]', 'null', '{"type":"send","id":"x","text":"hi"}', '{"type":"hello"}']

  test.each(wrong)('[SAF2] %s is refused, and the socket goes on', (raw) => {
    const harness = new HubHarness()
    const socket = new HubSocket()
    harness.core.add(socket)
    expect(harness.core.read(socket, raw)).toBe(null)
    expect(socket.frames).toMatchObject([{ type: 'rejected', id: null, code: 'bad_request' }])
    expect(socket.closed).toBe(null)
    harness.core.put(makeProjection(1))
    expect(socket.frames).toHaveLength(1)
  })

  test('[SAF2] the tenth in a row closes, and a good one in between counts', () => {
    const harness = new HubHarness()
    const socket = harness.connect(null)
    for (let n = 1; n < BAD_FRAMES; n++) harness.core.read(socket, '{')
    harness.say(socket, { type: 'hello', version: 1, after: null })
    for (let n = 1; n < BAD_FRAMES; n++) harness.core.read(socket, '{')
    expect(socket.closed).toBe(null)
    harness.core.read(socket, new ArrayBuffer(1))
    expect(socket.closed).toMatchObject({ code: 4400 })
    expect(harness.core.size).toBe(0)
  })

  test('[SAF2] a frame that is too large closes at once', () => {
    const harness = new HubHarness()
    for (const raw of [
      ' '.repeat(CLIENT_FRAME_BYTES + 1),
      new ArrayBuffer(CLIENT_FRAME_BYTES + 1),
    ]) {
      const socket = harness.connect(null)
      harness.core.read(socket, raw)
      expect(socket.closed).toMatchObject({ code: 4413 })
    }
  })

  test('[CAN5] a peer that is gone keeps nobody from the news', () => {
    const harness = new HubHarness()
    const [gone, here] = [harness.connect(null), harness.connect(null)]
    gone.closed = { code: 1006, reason: '' }
    harness.core.put(makeProjection(1))
    expect(typesOf(here.frames)).toContain('session_changed')
    expect(harness.core.size).toBe(1)
  })
})

/** What sessions say of themselves, in their own order; told in none. */
class Sessions {
  readonly said: Projection[][] = []
  readonly erased = new Set<number>()
  private readonly random: RandomSource

  constructor(random: RandomSource) {
    this.random = random
  }

  latest(n: number): Projection {
    return this.said[n]!.at(-1)!
  }

  change(): void {
    const { random } = this
    const isNew = this.said.length === 0 || random.chance(0.15)
    const n = isNew ? this.said.push([]) - 1 : random.below(this.said.length)
    if (this.erased.has(n)) return
    const seq = (this.said[n]!.at(-1)?.seq ?? 0) + 1 + random.below(3)
    const waits = Array.from({ length: random.below(3) }, (_, i) =>
      makeItem(toSessionId(n), 10 * random.below(5) + i),
    )
    this.said[n]!.push(
      makeProjection(n, {
        seq,
        waits,
        title: random.pick(['New chat', 'Trip', 'Work']),
        status: waits.length > 0 ? 'waiting' : random.pick(['idle', 'running', 'error']),
        pinned: random.chance(0.2),
        updatedAt: 1000 + random.below(1000),
        deletedAt: random.chance(0.1) ? seq : null,
      }),
    )
  }

  /** As a fold of nothing but the last words of each. */
  expected(): { sessions: Map<string, unknown>; inbox: string[] } {
    const shown = this.said
      .filter((_, n) => !this.erased.has(n))
      .map((said) => said.at(-1)!)
      .filter(({ deletedAt }) => deletedAt === null)
    const sessions = new Map(shown.map((session) => [session.id, summaryOf(session)]))
    const waits = shown.flatMap(({ waits }) => waits)
    const inbox = waits.sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1)).map(({ id }) => id)
    return { sessions, inbox }
  }
}

const SEEDS = 150

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  '[LOG3] [DEC6] [SES1] told twice, late and in any order, clients, hub and fold end equal (seed %i)',
  (seed) => {
    const random = new RandomSource(seed)
    const harness = new HubHarness()
    const sessions = new Sessions(random)
    const readers = [new HubReader(harness), new HubReader(harness), new HubReader(harness)]
    for (let step = 0; step < 150; step++) {
      sessions.change()
      const n = random.below(sessions.said.length)
      // The newest state, or one that was overtaken on its way.
      harness.core.put(random.chance(0.6) ? sessions.latest(n) : random.pick(sessions.said[n]!))
      if (random.chance(0.02)) {
        sessions.erased.add(n)
        harness.core.drop(toSessionId(n))
      }
      if (random.chance(0.04)) {
        const open = readers.flatMap(({ socket }) => (socket === null ? [] : [socket]))
        harness.evict(open)
      }
      const reader = random.pick(readers)
      if (random.chance(0.2)) reader.connect()
      if (random.chance(0.1)) reader.drop()
      if (random.chance(0.5)) reader.read(1 + random.below(5))
    }
    for (let n = 0; n < sessions.said.length; n++) harness.core.put(sessions.latest(n))
    const { sessions: list, inbox } = sessions.expected()
    expect(harness.core.inbox().map(({ id }) => id)).toEqual(inbox)
    const whole = applyHubFrame(EMPTY_HUB, harness.connect(null).frames[0]!)
    expect(new Map(whole.sessions)).toEqual(list)
    for (const reader of readers) {
      reader.connect()
      reader.read()
      expect(new Map(reader.state.sessions)).toEqual(list)
      expect(reader.state.inbox).toEqual(harness.core.inbox())
      expect(reader.state.seq).toBe(whole.seq)
    }
  },
)

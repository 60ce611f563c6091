import { describe, expect, test } from 'vitest'
import { CLOSE } from '#protocol/frames'
import type { SessionEvent } from '#protocol/events'
import {
  REPLAY_FRAME_CHARS,
  RESUME_EVENTS,
  SLOW_CLIENT_CHARS,
  TAIL_ALIGN_EVENTS,
  TAIL_EVENTS,
} from '#protocol/limits'
import { applyFragment, EMPTY_TAIL, viewOpen } from '#protocol/live'
import { fold } from '#protocol/reduce'
import { fromSnapshot, hot, type SessionState } from '#protocol/state'
import { PROTOCOL_VERSION } from '#protocol/version'
import { FuzzSession } from '../../testing/node/fuzz-session.ts'
import {
  OWNER,
  SESSION_ID,
  SessionHarness,
  TestSocket,
} from '../../testing/node/session-harness.ts'
import { Subscribers } from './subscribers.ts'

const seqs = (events: readonly SessionEvent[]): number[] => events.map(({ seq }) => seq)
const kinds = (socket: TestSocket): string[] => socket.frames.map(({ type }) => type)

async function turn(harness: SessionHarness, text: string): Promise<void> {
  harness.command({ type: 'send', text })
  await harness.settle()
  harness.model.current.text(`An answer to ${text}`).finish()
  await harness.settle()
}

/** One session of `turns` turns of five events each, after its first event. */
async function sessionOf(turns: number): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  for (let i = 1; i <= turns; i++) await turn(harness, `question ${i}`)
  return harness
}

/** A session with this many events, most of them cheap. */
async function longSession(events: number): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  for (let i = 2; i <= events; i++) harness.command({ type: 'configure', title: `title ${i}` })
  return harness
}

/** What a client that opened at the end holds. */
function tailClient(socket: TestSocket): SessionState {
  const { seq, state } = socket.last('snapshot')
  return fold(socket.events, fromSnapshot(state, seq))
}

const event = (seq: number, chars = 10): SessionEvent => ({
  type: 'warning',
  code: 'x',
  message: 'x'.repeat(chars),
  seq,
  at: 0,
})

/** Rows that opening at the end reads. */
async function costOfOpening(turns: number): Promise<number> {
  const harness = await sessionOf(turns)
  let rows = 0
  const exec = harness.database.exec.bind(harness.database)
  harness.database.exec = (query, ...bindings) => {
    const found = exec(query, ...bindings)
    rows += found.length
    return found as never
  }
  harness.connect(null, 40)
  return rows
}

function listen(): { subscribers: Subscribers; socket: TestSocket } {
  const subscribers = new Subscribers()
  const socket = new TestSocket()
  subscribers.add(socket, true)
  return { subscribers, socket }
}

describe('hello', () => {
  test('[LOG3] after 0 is given everything, then ready', async () => {
    const harness = await sessionOf(2)
    const socket = harness.connect(0)
    expect(kinds(socket)).toEqual(['events', 'ready'])
    expect(fold(socket.events)).toEqual(harness.folded())
    expect(socket.last('ready')).toEqual({
      type: 'ready',
      sessionId: SESSION_ID,
      seq: 11,
      from: 1,
      version: PROTOCOL_VERSION,
      fragments: [],
    })
  })

  test('[LOG3] after N is given exactly the gap, for every N', async () => {
    const harness = await sessionOf(3)
    const all = seqs(harness.events())
    for (const after of all) {
      const socket = harness.connect(after)
      expect(seqs(socket.events)).toEqual(all.filter((seq) => seq > after))
      expect(socket.last('ready')).toMatchObject({ from: after + 1, seq: all.length })
      expect(kinds(socket)).not.toContain('snapshot')
    }
  })

  test('[LOG3] a client with everything is given nothing but ready', async () => {
    const harness = await sessionOf(1)
    expect(kinds(harness.connect(6))).toEqual(['ready'])
  })

  test('[LOG3] [LOG4] in mid-stream: rows after its seq, then what is only live', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.model.current.text('The first words ')
    harness.timers.advance(500)
    harness.model.current.text('and the next')
    const socket = harness.connect(3)
    expect(socket.events).toMatchObject([{ type: 'text_delta', delta: 'The first words ' }])
    const { fragments } = socket.last('ready')
    expect(fragments).toMatchObject([{ kind: 'text', offset: 16, text: 'and the next' }])
    const view = viewOpen(harness.folded(), fragments.reduce(applyFragment, EMPTY_TAIL))
    expect(view?.parts).toMatchObject([{ text: 'The first words and the next' }])
  })

  test('[LOG3] a replay leaves out superseded deltas, and nothing else', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    for (const word of ['The first words ', 'and the next ', 'and the last']) {
      harness.model.current.text(word)
      harness.timers.advance(500)
    }
    harness.model.current.emit({ type: 'part_end' }).text('A part that is still open')
    harness.timers.advance(500)
    const left = harness.connect(0).events
    expect(left.map(({ type }) => type)).toEqual([
      'session_created',
      'user_message',
      'run_started',
      'text_done',
      'text_delta',
    ])
    expect(fold(left)).toEqual(harness.folded())
  })

  test('[LOG3] a client ahead of the log is told so and closed, and gets nothing more', async () => {
    const harness = await sessionOf(1)
    const socket = harness.connect(7)
    expect(socket.frames).toEqual([{ type: 'resync', reason: 'ahead' }])
    expect(socket.closed).toEqual({ code: CLOSE.resync, reason: 'ahead' })
    await turn(harness, 'more')
    expect(socket.frames).toHaveLength(1)
    expect(harness.core.subscribers.size).toBe(0)
  })

  test('[LOG3] [LOG6] five thousand events behind are replayed, one more is too far', async () => {
    const harness = await longSession(RESUME_EVENTS + 10)
    const near = harness.connect(10)
    expect(near.events).toHaveLength(RESUME_EVENTS)
    expect(near.closed).toBe(null)
    const far = harness.connect(9)
    expect(far.frames).toEqual([{ type: 'resync', reason: 'too_far' }])
    expect(far.closed).toEqual({ code: CLOSE.resync, reason: 'too_far' })
  })

  test('[LOG3] hello again on the same socket resumes from what it names', async () => {
    const harness = await sessionOf(2)
    const socket = harness.connect(0)
    harness.receiver.receive(socket, OWNER, '{"type":"hello","version":1,"after":9}')
    expect(
      seqs(socket.frames.flatMap((f) => (f.type === 'events' ? f.events : [])).slice(-2)),
    ).toEqual([10, 11])
    await turn(harness, 'more')
    expect(seqs(socket.events).slice(-5)).toEqual([12, 13, 14, 15, 16])
  })

  test('[LOG3] a replay is cut into frames that any client accepts', async () => {
    const harness = await SessionHarness.create()
    const text = 'x'.repeat(100_000)
    for (let i = 0; i < 6; i++) {
      harness.command({ type: 'send', text })
      harness.command({ type: 'cancel' })
    }
    const socket = harness.connect(0)
    const frames = socket.frames.filter((frame) => frame.type === 'events')
    expect(frames).toHaveLength(3)
    for (const frame of frames) {
      expect(JSON.stringify(frame).length).toBeLessThan(REPLAY_FRAME_CHARS + 1000)
    }
    expect(seqs(socket.events)).toEqual(seqs(harness.events()))
  })

  test('[LOG3] an event larger than a frame still goes out, alone', async () => {
    const harness = await SessionHarness.create()
    const attachments = [{ name: 'a', content: 'x'.repeat(REPLAY_FRAME_CHARS + 1) }]
    harness.command({ type: 'send', text: 'look', attachments })
    const socket = harness.connect(0)
    expect(seqs(socket.events)).toEqual([1, 2, 3])
    expect(kinds(socket)).toEqual(['events', 'events', 'events', 'ready'])
  })
})

describe('opening at the end', () => {
  test('[LOG7] a short session is given whole, behind a snapshot of nothing', async () => {
    const harness = await sessionOf(2)
    const socket = harness.connect(null)
    expect(kinds(socket)).toEqual(['snapshot', 'events', 'ready'])
    expect(socket.last('snapshot').seq).toBe(0)
    expect(socket.last('ready')).toMatchObject({ from: 1, seq: 11 })
    expect(tailClient(socket)).toEqual(harness.folded())
  })

  test('[LOG7] an empty session opens, too', async () => {
    const harness = await SessionHarness.create()
    expect(tailClient(harness.connect(null))).toEqual(harness.folded())
  })

  test('[LOG7] the tail is moved back to the start of a turn', async () => {
    const harness = await sessionOf(30)
    // Turn n is the seqs 5n-3 to 5n+1; the last 12 events begin inside turn 28.
    const socket = harness.connect(null, 12)
    const { from, seq } = socket.last('ready')
    expect(seq).toBe(151)
    expect(socket.events[0]).toMatchObject({ type: 'user_message', seq: from })
    expect(from).toBe(137)
  })

  test('[LOG7] a tail that begins with a turn is not moved', async () => {
    const harness = await sessionOf(30)
    const socket = harness.connect(null, 15)
    expect(socket.last('ready').from).toBe(137)
    expect(socket.events).toHaveLength(15)
  })

  test('[LOG7] is 200 events where the client does not say', async () => {
    const harness = await longSession(1000)
    const socket = harness.connect(null)
    expect(socket.events).toHaveLength(TAIL_EVENTS)
    expect(socket.last('ready').from).toBe(1000 - TAIL_EVENTS + 1)
    expect(socket.last('snapshot').state.session.title).toBe('title 800')
  })

  test('[LOG7] is moved back by at most 200 more', async () => {
    const harness = await SessionHarness.create()
    await turn(harness, 'the only turn')
    for (let i = 7; i <= 6 + TAIL_ALIGN_EVENTS + 100; i++) {
      harness.command({ type: 'configure', title: `title ${i}` })
    }
    const last = harness.events().length
    const reached = harness.connect(null, last - 1 - TAIL_ALIGN_EVENTS)
    expect(reached.last('ready').from).toBe(2)
    const missed = harness.connect(null, 50)
    expect(missed.last('ready').from).toBe(last - 50 + 1)
    expect(tailClient(missed)).toEqual({ ...harness.folded(), turns: [] })
  })

  test('[LOG7] inside a long run the open response comes with the snapshot, whole', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    for (let step = 0; step < 40; step++) {
      for (let i = 0; i < 6; i++) {
        const call = { type: 'tool_call', id: '', toolName: 'search', arguments: '{}' } as const
        harness.model.current.emit(call)
      }
      harness.model.current.finish('tool_calls')
      await harness.settle()
      for (const run of harness.tools.open) run.settle({ ok: true, result: `result ${step}` })
      await harness.settle()
    }
    harness.model.current.text('And while it speaks ')
    harness.timers.advance(500)
    const socket = harness.connect(null, 20)
    expect(socket.last('ready').from).toBeGreaterThan(400)
    expect(tailClient(socket)).toEqual({ ...harness.folded(), turns: [] })
    harness.model.current.finish()
    await harness.settle()
    expect(tailClient(socket).turns).toEqual(harness.folded().turns.slice(-1))
  })

  test('[LOG7] the rows it reads do not grow with the session', async () => {
    const short = await costOfOpening(60)
    expect(await costOfOpening(400)).toBeLessThan(short + 120)
  })

  const SEEDS = Array.from({ length: 60 }, (_, index) => 9900 + index)
  test.each(SEEDS)(
    '[LOG7] [LOG2] seed %i: the snapshot is the state as of its seq, and the tail leads to now',
    async (seed) => {
      const fuzz = await FuzzSession.run(seed, 220)
      const { harness } = fuzz
      const events = harness.events()
      const full = fold(events)
      for (const tail of [1, 2, 7, 30, 120]) {
        const socket = harness.connect(null, tail)
        const { seq, state } = socket.last('snapshot')
        expect(hot(state)).toEqual(hot(fold(events.slice(0, seq))))
        const { turns, ...rest } = tailClient(socket)
        const { turns: allTurns, ...all } = full
        expect(rest).toEqual(all)
        expect(turns).toEqual(allTurns.slice(allTurns.length - turns.length))
        expect(socket.last('ready')).toMatchObject({ from: seq + 1, seq: events.length })
      }
    },
  )
})

describe('live', () => {
  test('[LOG1] a socket that has not said hello gets nothing', async () => {
    const harness = await SessionHarness.create()
    const socket = new TestSocket()
    harness.core.subscribers.add(socket)
    await turn(harness, 'hello')
    expect(socket.frames).toEqual([])
  })

  test('[LOG3] [RUN2] every event arrives, once, in order, on every socket', async () => {
    const harness = await SessionHarness.create()
    const sockets = [harness.connect(0), harness.connect(null), harness.connect(1)]
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    for (let i = 0; i < 5; i++) {
      harness.model.current.text('more and more words ')
      harness.timers.advance(450)
    }
    harness.command({ type: 'cancel' })
    for (const socket of sockets) {
      const live = seqs(socket.events).filter((seq) => seq > 1)
      expect(live).toEqual(seqs(harness.events()).slice(1))
    }
  })

  test('[CAN2] the end of a run is sent before the answer to the cancel', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(0)
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.receiver.receive(socket, OWNER, '{"type":"cancel","id":"stop"}')
    expect(socket.frames.slice(-2)).toMatchObject([
      { type: 'events', events: [{ type: 'output_cancelled' }, { type: 'run_done' }] },
      { type: 'ack', id: 'stop', seq: socket.events.at(-1)?.seq },
    ])
  })

  test('[LOG3] a commit of several events is one frame: nobody sees half of it', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(0)
    harness.command({ type: 'send', text: 'hello' })
    expect(socket.frames.at(-1)).toMatchObject({
      type: 'events',
      events: [{ type: 'user_message' }, { type: 'run_started' }],
    })
  })

  test('[CAN5] a socket that throws is forgotten; the others and the run do not notice', async () => {
    const harness = await SessionHarness.create()
    const gone = harness.connect(0)
    const there = harness.connect(0)
    gone.closed = { code: 1006, reason: '' }
    await turn(harness, 'hello')
    expect(harness.core.subscribers.size).toBe(1)
    expect(seqs(there.events)).toEqual([1, 2, 3, 4, 5, 6])
    expect(harness.core.folded.run).toEqual({ status: 'idle' })
  })

  test('[LOG3] a socket that slept through with the object is live at once when it wakes', async () => {
    const harness = await sessionOf(1)
    const socket = harness.connect(null)
    const before = socket.frames.length
    harness.hibernate([socket])
    expect(socket.frames).toHaveLength(before)
    await turn(harness, 'more')
    expect(seqs(socket.events).slice(-5)).toEqual([7, 8, 9, 10, 11])
  })

  test('one fragment is a frame of its own kind, several travel together', () => {
    const subscribers = new Subscribers()
    const socket = new TestSocket()
    subscribers.add(socket, true)
    const fragment = { responseId: 'r', kind: 'text', partId: 'p', offset: 0, text: 'x' } as const
    subscribers.publishFragments([])
    subscribers.publishFragments([fragment])
    subscribers.publishFragments([fragment, { ...fragment, partId: 'q' }])
    expect(socket.frames).toEqual([
      { type: 'fragment', ...fragment },
      { type: 'fragments', fragments: [fragment, { ...fragment, partId: 'q' }] },
    ])
  })

  test('[SES2] deleting closes every socket as not found', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(0)
    await harness.core.remove(OWNER)
    expect(socket.closed).toMatchObject({ code: CLOSE.notFound })
    expect(harness.core.subscribers.size).toBe(0)
  })
})

describe('a slow client', () => {
  const CHUNK = SLOW_CLIENT_CHARS / 8

  test('[LOG6] that reports what it has seen is told to resync when it falls too far behind', () => {
    const { subscribers, socket } = listen()
    subscribers.seen(socket, 0)
    let seq = 0
    while (socket.closed === null && seq < 100) subscribers.publish([event(++seq, CHUNK)])
    expect(seq).toBe(8)
    expect(socket.frames.at(-1)).toEqual({ type: 'resync', reason: 'slow' })
    expect(socket.closed).toEqual({ code: CLOSE.resync, reason: 'slow' })
    expect(subscribers.size).toBe(0)
    subscribers.publish([event(++seq)])
    expect(socket.frames).toHaveLength(9)
  })

  test('[LOG6] that keeps up is never told, however much it is sent', () => {
    const { subscribers, socket } = listen()
    for (let seq = 1; seq <= 100; seq++) {
      subscribers.publish([event(seq, CHUNK)])
      subscribers.seen(socket, seq - 3)
    }
    expect(socket.closed).toBe(null)
    expect(socket.events).toHaveLength(100)
  })

  test('[LOG6] that never reports cannot be known to be slow', () => {
    const { subscribers, socket } = listen()
    for (let seq = 1; seq <= 30; seq++) subscribers.publish([event(seq, CHUNK)])
    expect(socket.closed).toBe(null)
  })

  test('[LOG6] what it was sent before its first report does not count against it', () => {
    const { subscribers, socket } = listen()
    for (let seq = 1; seq <= 7; seq++) subscribers.publish([event(seq, CHUNK)])
    subscribers.seen(socket, 1)
    for (let seq = 8; seq <= 14; seq++) subscribers.publish([event(seq, CHUNK)])
    expect(socket.closed).toBe(null)
  })

  test('[LOG6] a report from another day, or of a socket that is gone, changes nothing', () => {
    const { subscribers, socket } = listen()
    subscribers.seen(socket, 0)
    subscribers.seen(new TestSocket(), 5)
    for (let seq = 1; seq <= 7; seq++) subscribers.publish([event(seq, CHUNK)])
    subscribers.seen(socket, 0)
    subscribers.publish([event(8, CHUNK)])
    expect(socket.closed).toMatchObject({ reason: 'slow' })
  })

  test('[LOG6] fragments count as well, and the next event it reports covers them', () => {
    const { subscribers, socket } = listen()
    subscribers.seen(socket, 0)
    const text = 'x'.repeat(CHUNK)
    const fragment = { responseId: 'r', kind: 'text', partId: 'p', offset: 0, text } as const
    for (let seq = 1; seq <= 20; seq++) {
      subscribers.publishFragments([fragment, fragment])
      subscribers.publish([event(seq)])
      subscribers.seen(socket, seq)
    }
    expect(socket.closed).toBe(null)
    for (let i = 0; i < 4; i++) subscribers.publishFragments([fragment, fragment])
    expect(socket.closed).toMatchObject({ reason: 'slow' })
  })

  test('[LOG3] comes back with its seq and is given the gap', async () => {
    const harness = await SessionHarness.create()
    const slow = harness.connect(0)
    harness.receiver.receive(slow, OWNER, '{"type":"seen","seq":1}')
    const text = 'x'.repeat(200_000)
    for (let i = 0; i < 12; i++) {
      harness.command({ type: 'send', text })
      harness.command({ type: 'cancel' })
    }
    expect(slow.closed).toMatchObject({ reason: 'slow' })
    const had = slow.events.at(-1)?.seq ?? 0
    const again = harness.connect(had)
    expect(seqs([...slow.events, ...again.events])).toEqual(seqs(harness.events()))
  })
})

import { describe, expect, test } from 'vitest'
import { CLOSE } from '#protocol/frames'
import { BAD_FRAMES, CLIENT_FRAME_BYTES, MESSAGE_TEXT_BYTES } from '#protocol/limits'
import { OWNER, SessionHarness, TestSocket } from '../../testing/node/session-harness.ts'

const up = (harness: SessionHarness, socket: TestSocket, frame: unknown): boolean =>
  harness.receiver.receive(
    socket,
    OWNER,
    typeof frame === 'string' || frame instanceof ArrayBuffer ? frame : JSON.stringify(frame),
  )

const HELLO = { type: 'hello', version: 1, after: 0 }

describe('what arrives on a socket', () => {
  test('[API1] a command is answered under its own id', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(0)
    up(harness, socket, { type: 'send', id: 'm1', text: 'hello' })
    expect(socket.last('ack')).toEqual({
      type: 'ack',
      id: 'm1',
      seq: 2,
      queued: false,
      runId: expect.stringMatching(/\.3$/) as string,
    })
    up(harness, socket, { type: 'queue_remove', id: 'm2', itemId: 'gone' })
    expect(socket.last('rejected')).toMatchObject({ id: 'm2', code: 'no_such_item' })
    expect(socket.closed).toBe(null)
  })

  test('[API1] commands may follow hello at once', async () => {
    const harness = await SessionHarness.create()
    const socket = new TestSocket()
    harness.core.subscribers.add(socket)
    expect(up(harness, socket, HELLO)).toBe(true)
    expect(up(harness, socket, { type: 'send', id: 'm1', text: 'hello' })).toBe(false)
    expect(socket.frames.map(({ type }) => type)).toEqual(['events', 'ready', 'events', 'ack'])
  })

  test('[SAF2] before hello a command is refused, by its id, and has no effect', async () => {
    const harness = await SessionHarness.create()
    const socket = new TestSocket()
    harness.core.subscribers.add(socket)
    up(harness, socket, { type: 'send', id: 'm1', text: 'hello' })
    up(harness, socket, { type: 'seen', seq: 1 })
    expect(socket.frames).toMatchObject([
      { type: 'rejected', id: 'm1', code: 'hello_required' },
      { type: 'rejected', id: null, code: 'hello_required' },
    ])
    expect(harness.events()).toHaveLength(1)
  })

  test('[SAF2] the tenth bad frame in a row closes the socket; each was answered', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    for (let i = 1; i < BAD_FRAMES; i++) up(harness, socket, 'nonsense')
    expect(socket.closed).toBe(null)
    up(harness, socket, 'nonsense')
    expect(socket.closed).toMatchObject({ code: CLOSE.badFrames })
    const refused = socket.frames.filter(({ type }) => type === 'rejected')
    expect(refused).toHaveLength(BAD_FRAMES)
    expect(refused[0]).toMatchObject({ id: null, code: 'bad_request' })
    expect(harness.core.subscribers.size).toBe(0)
  })

  test.each([{ type: 'cancel', id: 'ok' }, { type: 'seen', seq: 1 }, HELLO])(
    '[SAF2] a good frame in between starts the count again: %j',
    async (good) => {
      const harness = await SessionHarness.create()
      const socket = harness.connect(1)
      for (let i = 0; i < 3 * BAD_FRAMES; i++) {
        up(harness, socket, i % (BAD_FRAMES - 1) === 0 ? good : 'nonsense')
      }
      expect(socket.closed).toBe(null)
    },
  )

  test('[SAF2] a command that is well made but refused is no bad frame', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    for (let i = 0; i < 3 * BAD_FRAMES; i++) {
      up(harness, socket, { type: 'continue', id: `c${i}` })
    }
    expect(socket.closed).toBe(null)
  })

  test('[SAF2] a frame over 1 MiB is refused and closes the socket', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    up(harness, socket, 'x'.repeat(CLIENT_FRAME_BYTES + 1))
    expect(socket.last('rejected')).toMatchObject({ id: null, code: 'too_large' })
    expect(socket.closed).toMatchObject({ code: CLOSE.tooLarge })
  })

  test('[SAF2] a message that is too long is refused by its id, and the socket stays', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    up(harness, socket, { type: 'send', id: 'long', text: 'x'.repeat(MESSAGE_TEXT_BYTES + 1) })
    expect(socket.last('rejected')).toMatchObject({ id: 'long', code: 'too_large' })
    expect(socket.closed).toBe(null)
  })

  test('[SAF2] binary frames are refused', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    up(harness, socket, new ArrayBuffer(8))
    expect(socket.last('rejected')).toMatchObject({ id: null, code: 'bad_request' })
  })

  test('[SAF1] a socket of another owner commands nothing', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    harness.receiver.receive(socket, 'mallory', '{"type":"clear","id":"x"}')
    expect(socket.last('rejected')).toMatchObject({ id: 'x', code: 'not_found' })
    expect(harness.events()).toHaveLength(1)
  })
})

describe('the rate of commands', () => {
  const RATE = { commandRate: { perMinute: 60, burst: 3 } }

  test('[SAF2] over it a command is refused, changes nothing, and is taken a little later', async () => {
    const harness = await SessionHarness.create(RATE)
    for (let i = 0; i < 3; i++) harness.command({ type: 'configure', title: `title ${i}` })
    const refused = harness.try({ type: 'configure', title: 'too fast', id: 'late' })
    expect(refused).toMatchObject({
      ok: false,
      rejection: { code: 'rate_limited', retryAfterSeconds: 1 },
    })
    expect(harness.events()).toHaveLength(4)
    harness.timers.advance(1000)
    expect(harness.command({ type: 'configure', title: 'too fast', id: 'late' })).toEqual({
      seq: 5,
    })
  })

  test('[SAF2] [LOG5] sending again what was answered costs nothing', async () => {
    const harness = await SessionHarness.create(RATE)
    for (let i = 0; i < 20; i++) {
      expect(harness.command({ type: 'configure', title: 'same', id: 'same' })).toEqual({ seq: 2 })
    }
    expect(harness.try({ type: 'configure', title: 'other' }).ok).toBe(true)
  })
})

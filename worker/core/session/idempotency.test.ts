import { describe, expect, test } from 'vitest'
import type { Command } from '#protocol/commands'
import { parseCommand } from '#protocol/parse'
import { Crash } from '../../testing/node/memory-sql.ts'
import { OWNER, SESSION_ID, SessionHarness } from '../../testing/node/session-harness.ts'

/** By HTTP: parsed as the route parses it. */
function post(harness: SessionHarness, body: Record<string, unknown>) {
  const parsed = parseCommand(body)
  if (!parsed.ok) throw new Error(parsed.rejection.message)
  return harness.core.command(OWNER, parsed.value, 'api')
}

const SEND = { type: 'send', id: 'm1', text: 'hello' } as const

describe('the same id again', () => {
  test('[LOG5] by socket: the first answer, and no second effect', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    harness.receiver.receive(socket, OWNER, JSON.stringify(SEND))
    const first = socket.last('ack')
    const before = harness.events()
    harness.receiver.receive(socket, OWNER, JSON.stringify(SEND))
    expect(socket.last('ack')).toEqual(first)
    expect(socket.frames.filter(({ type }) => type === 'ack')).toHaveLength(2)
    expect(harness.events()).toEqual(before)
  })

  test('[LOG5] by HTTP after the socket, and by the socket after HTTP', async () => {
    const harness = await SessionHarness.create()
    const socket = harness.connect(1)
    harness.receiver.receive(socket, OWNER, JSON.stringify(SEND))
    const { type: _type, id: _id, ...ack } = socket.last('ack')
    expect(post(harness, SEND)).toEqual({ ok: true, value: ack })
    const stop = { type: 'cancel', id: 'stop' }
    const answered = post(harness, stop)
    harness.receiver.receive(socket, OWNER, JSON.stringify(stop))
    expect(answered).toEqual({ ok: true, value: { seq: socket.last('ack').seq } })
    expect(harness.events().filter(({ type }) => type === 'run_done')).toHaveLength(1)
  })

  test('[LOG5] whatever has happened since: the answer is what it was then', async () => {
    const harness = await SessionHarness.create()
    const first = harness.command(SEND)
    const queued = harness.command({ type: 'send', id: 'm2', text: 'next' })
    await harness.settle()
    harness.model.current.text('An answer').finish()
    await harness.settle()
    harness.command({ type: 'cancel' })
    harness.command({ type: 'clear' })
    expect(harness.command(SEND)).toEqual(first)
    expect(harness.command({ type: 'send', id: 'm2', text: 'next' })).toEqual(queued)
    expect(queued).toEqual({ seq: 4, queued: true, runId: `${SESSION_ID}.3` })
  })

  test('[LOG5] after hibernation and after a crash', async () => {
    const harness = await SessionHarness.create()
    const first = harness.command(SEND)
    harness.crash()
    expect(harness.command(SEND)).toEqual(first)
    await harness.settle()
    harness.model.current.text('An answer').finish()
    await harness.settle()
    harness.hibernate()
    expect(harness.command(SEND)).toEqual(first)
    expect(harness.events().filter(({ type }) => type === 'user_message')).toHaveLength(1)
  })

  test('[LOG5] a command that changed nothing keeps its answer as well', async () => {
    const harness = await SessionHarness.create()
    const stop = { type: 'cancel', id: 'stop' } as const
    expect(harness.command(stop)).toEqual({ seq: null })
    harness.command(SEND)
    harness.crash()
    // Sent again by a client that never saw the answer: it must not stop what began since.
    expect(harness.command(stop)).toEqual({ seq: null })
    expect(harness.core.folded.run.status).toBe('running')
  })

  test('[LOG5] with another body is refused, and the first stands', async () => {
    const harness = await SessionHarness.create()
    harness.command(SEND)
    const others: Command[] = [
      { ...SEND, text: 'other' },
      { ...SEND, delivery: 'steer' },
      { type: 'cancel', id: 'm1' },
    ]
    for (const other of others) {
      expect(harness.core.command(OWNER, other, 'user')).toMatchObject({
        ok: false,
        rejection: { code: 'id_reused', message: expect.stringContaining('m1') as string },
      })
    }
    expect(harness.events()).toHaveLength(3)
  })

  test('[LOG5] a refusal is not kept: the condition may heal', async () => {
    const harness = await SessionHarness.create()
    const again = { type: 'continue', id: 'go' } as const
    expect(harness.try(again)).toMatchObject({ ok: false })
    harness.command(SEND)
    harness.command({ type: 'cancel' })
    expect(harness.command(again)).toMatchObject({ runId: expect.any(String) as string })
  })

  test('[LOG5] the id of a message in the queue is the id of its command, delivered or not', async () => {
    const harness = await SessionHarness.create()
    harness.command(SEND)
    harness.command({ type: 'send', id: 'm2', text: 'next' })
    harness.command({ type: 'queue_remove', itemId: 'm2' })
    // Taken back by a person: sending it again must not bring it back.
    harness.command({ type: 'send', id: 'm2', text: 'next' })
    expect(harness.core.folded.queue.items).toEqual([])
  })
})

describe('a crash around the append', () => {
  test('[LOG5] before it: nothing was kept, and sending again does it once', async () => {
    const harness = await SessionHarness.create()
    harness.database.crashAt = 'before_commit'
    expect(() => harness.command(SEND)).toThrow(Crash)
    harness.wake()
    expect(harness.events()).toHaveLength(1)
    expect(harness.command(SEND)).toEqual({ seq: 2, queued: false, runId: `${SESSION_ID}.3` })
    expect(harness.command(SEND)).toEqual({ seq: 2, queued: false, runId: `${SESSION_ID}.3` })
  })

  test('[LOG5] after it: all of it was kept, and sending again does nothing', async () => {
    const harness = await SessionHarness.create()
    harness.database.crashAt = 'after_commit'
    expect(() => harness.command(SEND)).toThrow(Crash)
    harness.wake()
    expect(harness.command(SEND)).toEqual({ seq: 2, queued: false, runId: `${SESSION_ID}.3` })
    const types = harness.events().map(({ type }) => type)
    expect(types).toEqual(['session_created', 'user_message', 'run_started', 'run_started'])
  })
})

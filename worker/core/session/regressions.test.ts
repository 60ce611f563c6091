// What once was wrong, found by reading and by mutation.

import { expect, test } from 'vitest'
import type { EventBody } from '#protocol/events'
import { CLIENT_FRAME_BYTES, EVENT_BYTES } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import { fromSnapshot } from '#protocol/state'
import { OWNER, SessionHarness } from '../../testing/node/session-harness.ts'

async function begin(): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text: 'hello' })
  await harness.settle()
  return harness
}

test.each(['text', 'thinking'] as const)(
  '[SAF2] one delta of 3 MB is cut into events of at most 512 KiB: %s',
  async (type) => {
    const harness = await begin()
    harness.model.current.emit({ type, text: 'word '.repeat(600_000) }).finish()
    await harness.settle()
    const sizes = harness.events().map((event) => JSON.stringify(event).length)
    expect(Math.max(...sizes)).toBeLessThan(EVENT_BYTES)
  },
)

test('[LOG7] opening a session that is never idle does not fold all of it', async () => {
  const harness = await begin()
  for (let i = 0; i < 300; i++) {
    harness.command({ type: 'send', text: 'next' })
    await harness.settle()
    harness.model.current.text('A good answer').finish()
    await harness.settle()
  }
  const rows: number[] = []
  const exec = harness.database.exec.bind(harness.database)
  harness.database.exec = (query, ...bindings) => {
    const found = exec(query, ...bindings)
    rows.push(found.length)
    return found as never
  }
  harness.connect(null)
  expect(Math.max(...rows)).toBeLessThan(500)
})

test('[SES2] erasing with the directory out of reach waits before it tries again', async () => {
  const harness = await SessionHarness.create()
  await harness.core.remove(OWNER)
  harness.timers.advance(10_000)
  harness.directoryFails = true
  await harness.core.alarm()
  expect(harness.erased).toBe(false)
  expect(harness.alarmAt).toBeGreaterThan(harness.timers.now)
})

test('[SES2] an erasure that failed has not stopped the run of a session that is restored', async () => {
  const harness = await begin()
  await harness.core.remove(OWNER)
  harness.timers.advance(10_000)
  harness.directoryFails = true
  await harness.core.alarm()
  harness.directoryFails = false
  await harness.core.restore(OWNER)
  expect(harness.core.folded.run.status).toBe('running')
  harness.model.current.text('A good answer').finish()
  await harness.settle()
  expect(harness.core.folded.run.status).toBe('idle')
})

test('[SES2] a hello after the delete is given nothing', async () => {
  const harness = await SessionHarness.create()
  await harness.core.remove(OWNER)
  const socket = harness.connect(0)
  expect(socket.frames).toEqual([])
  expect(socket.closed).toMatchObject({ code: 4404 })
})

test('[TOOL7] a call that was begun and never came is an error, whatever the stop reason says', async () => {
  const harness = await begin()
  harness.model.current.emit({ type: 'tool_input', id: 'a', toolName: 'search', text: '{' })
  harness.model.current.finish('stop')
  await harness.settle()
  expect(harness.events().at(-1)).toMatchObject({ outcome: 'failed' })
})

test('[TOOL7] beside a call that came, one that never came is not preparing for ever', async () => {
  const harness = await begin()
  harness.model.current.emit({ type: 'tool_input', id: 'a', toolName: 'search', text: '{' })
  harness.model.current.emit({ type: 'tool_call', id: 'b', toolName: 'search', arguments: '{}' })
  harness.model.current.finish('tool_calls')
  await harness.settle()
  harness.tools.open[0]?.settle({ ok: true, result: 'found' })
  await harness.settle()
  expect(harness.connect(0).last('ready').fragments).toEqual([])
})

test('[LOG2] output of a tool after its result is dropped', async () => {
  const harness = await begin()
  harness.model.current.emit({ type: 'tool_call', id: 'a', toolName: 'search', arguments: '{}' })
  harness.model.current.finish('tool_calls')
  await harness.settle()
  const [run] = harness.tools.open
  run?.settle({ ok: true, result: 'found' })
  await harness.settle()
  run?.context.output('late output')
  harness.timers.advance(500)
  // Live it shows beside the result; a replay leaves the delta out: two different states.
  expect(fold(harness.connect(0).events)).toEqual(harness.folded())
})

test('[LOG2] a response that another one follows without a steer is kept', () => {
  const run = 'session-0123456789.1'
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  const bodies: EventBody[] = [
    { type: 'run_started', runId: run, responseId: `${run}.1`, model: 'm', agent: 'a', attempt: 1 },
    { type: 'text_done', responseId: `${run}.1`, partId: 'p', text: 'One.' },
    { type: 'text_done', responseId: `${run}.2`, partId: 'q', text: 'Two.' },
    { type: 'run_done', runId: run, outcome: 'done', stopReason: 'stop', usage, durationMs: 1 },
  ]
  const state = fold(bodies.map((body, index) => ({ seq: index + 1, at: 0, ...body })))
  expect(state.turns).toMatchObject([{ parts: [{ text: 'One.' }] }, { parts: [{ text: 'Two.' }] }])
})

test('[RUN9] the history of a continued run is the same live and folded from the log', async () => {
  const harness = await begin()
  harness.model.current.text('One, two, three, ')
  harness.timers.advance(500)
  harness.crash()
  await harness.settle()
  harness.model.current.text('four, five.')
  harness.model.current.emit({ type: 'tool_call', id: 'a', toolName: 'search', arguments: '{}' })
  harness.model.current.finish('tool_calls')
  await harness.settle()
  harness.tools.open[0]?.settle({ ok: true, result: 'found' })
  await harness.settle()
  const live = harness.model.current.request.messages
  harness.model.current.text('Six.').finish()
  await harness.settle()
  harness.command({ type: 'send', text: 'next' })
  await harness.settle()
  expect(harness.model.current.request.messages.slice(0, live.length)).toEqual(live)
})

test('a hello on a socket that is gone does not bring it back', async () => {
  const harness = await SessionHarness.create()
  const socket = harness.connect(0)
  harness.core.subscribers.remove(socket)
  socket.close(1006, '')
  harness.receiver.receive(socket, OWNER, '{"type":"hello","version":1,"after":0}')
  expect(harness.core.subscribers.size).toBe(0)
})

test('[RUN2] the fragment after a row waits for a tick of its own', async () => {
  const harness = await begin()
  const socket = harness.connect(0)
  const sent: { type: string; at: number }[] = []
  socket.onSend = () => sent.push({ type: socket.frames.at(-1)!.type, at: harness.timers.now })
  for (let i = 0; i < 120; i++) {
    harness.model.current.text(`some words ${i} `)
    harness.timers.advance(10)
  }
  for (const [index, { type, at }] of sent.entries()) {
    const next = sent[index + 1]
    if (type === 'events' && next) expect(next.at - at).toBeGreaterThanOrEqual(35)
  }
})

test('[RUN3] fifty steps are of a run, not of each of its attempts', async () => {
  const harness = await begin()
  const step = async () => {
    harness.model.current.emit({ type: 'tool_call', id: '', toolName: 't', arguments: '{}' })
    harness.model.current.finish('tool_calls')
    await harness.settle()
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
  }
  for (let i = 0; i < 40; i++) await step()
  harness.crash()
  await harness.settle()
  for (let i = 0; i < 12 && harness.core.folded.run.status === 'running'; i++) await step()
  expect(harness.events().at(-1)).toMatchObject({ outcome: 'step_limit' })
})

test('[LOG7] a tail that begins inside an open part has the words before it', async () => {
  const harness = await begin()
  for (let i = 0; i < 110; i++) {
    harness.model.current.text(`Part number ${i} of it`).emit({ type: 'part_end' })
    harness.command({ type: 'configure', title: `title ${i}` })
  }
  harness.model.current.text('The first words, ')
  harness.timers.advance(500)
  harness.command({ type: 'configure', title: 'in between' })
  harness.model.current.text('the last words.')
  harness.timers.advance(500)
  const socket = harness.connect(null, 1)
  const { seq, state } = socket.last('snapshot')
  const folded = fold(socket.events, fromSnapshot(state, seq))
  expect(folded.open?.parts.at(-1)).toMatchObject({ text: 'The first words, the last words.' })
  expect(folded.open).toEqual(harness.folded().open)
})

test('[CAN1] [SAF2] stop works when the rate of commands is used up', async () => {
  const harness = await SessionHarness.create({ commandRate: { perMinute: 1, burst: 1 } })
  harness.command({ type: 'send', text: 'hello' })
  expect(harness.try({ type: 'send', text: 'more' })).toMatchObject({
    ok: false,
    rejection: { code: 'rate_limited', retryAfterSeconds: expect.any(Number) },
  })
  expect(harness.command({ type: 'cancel' }).seq).toBe(harness.events().at(-1)?.seq)
})

test('[QUE1] continue releases a held queue also after the transcript was cleared', async () => {
  const harness = await begin()
  harness.command({ type: 'send', text: 'waiting' })
  harness.command({ type: 'clear' })
  expect(harness.folded().queue).toMatchObject({ held: true, items: [{ text: 'waiting' }] })
  harness.command({ type: 'continue' })
  await harness.settle()
  expect(harness.folded().queue).toEqual({ held: false, items: [] })
  expect(harness.model.current.request.messages).toEqual([{ role: 'user', text: 'waiting' }])
})

test('[SAF2] a binary frame that is too large is closed like a text one', async () => {
  const harness = await begin()
  const socket = harness.connect()
  harness.receiver.receive(socket, OWNER, new ArrayBuffer(CLIENT_FRAME_BYTES + 1))
  expect(socket.closed).toMatchObject({ code: 4413 })
})

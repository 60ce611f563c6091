import { expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import type { Fragment, ServerFrame } from '#protocol/frames'
import { fold } from '#protocol/reduce'
import { SessionModel } from './session-model.ts'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter, randomLog } from './testing/random-log.ts'

function connect(model: SessionModel, session: MemorySession): void {
  for (const frame of session.resume(model.hello())) model.receive(frame)
}

const open = (session: MemorySession): SessionModel => {
  const model = new SessionModel('s')
  connect(model, session)
  return model
}

/** A run that has written nothing yet. */
function startedRun(): { log: LogWriter; session: MemorySession; responseId: string } {
  const log = new LogWriter(createRandom(1))
  log.message()
  const responseId = `${log.startRun()}.1`
  return { log, session: new MemorySession(log), responseId }
}

const textAt = (responseId: string, offset: number, text: string): Fragment => ({
  responseId,
  kind: 'text',
  partId: 'p',
  offset,
  text,
})

const send = (id: string, text = id) => ({ type: 'send', id, text }) as const
const textOf = (model: SessionModel): string =>
  (model.view.open?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('')
const events = (...all: SessionEvent[]): ServerFrame => ({ type: 'events', events: all })

test('[LOG7] the first hello asks for the end of the session', () => {
  expect(new SessionModel('s', 50).hello()).toEqual({
    type: 'hello',
    version: 1,
    after: null,
    tail: 50,
  })
})

test('[LOG3] a later hello names the last seq that is held, and gets exactly the gap', () => {
  const log = randomLog(createRandom(3), 60, false)
  const session = new MemorySession(log)
  const model = open(session)
  const { seq } = model.view.state
  log.endRun()
  log.message()
  const hello = model.hello()
  expect(hello).toEqual({ type: 'hello', version: 1, after: seq })
  for (const frame of session.resume(hello)) model.receive(frame)
  expect(model.view.state).toEqual(fold(log.events))
})

test('[LOG3] a replay that broke off is continued where it broke off', () => {
  const log = randomLog(createRandom(4), 80, false)
  const session = new MemorySession(log, { deltas: true })
  const model = new SessionModel('s', 30)
  const [snapshot, replay] = session.resume(model.hello())
  if (replay?.type !== 'events') throw new Error('no replay')
  model.receive(snapshot!)
  model.receive(events(...replay.events.slice(0, 7)))
  expect(model.view.loaded).toBe(false)
  expect(model.hello().after).toBe(replay.events[6]!.seq)
  connect(model, session)
  expect(model.view.loaded).toBe(true)
  expect(model.view.hasOlder).toBe(true)
  expect(model.view.state).toEqual({ ...fold(log.events), turns: model.view.state.turns })
})

test('[LOG3] events that come twice are folded once', () => {
  const { log, session, responseId } = startedRun()
  const model = open(session)
  const delta = log.add({ type: 'text_delta', responseId, partId: 'p', offset: 0, delta: 'once' })
  model.receive(events(delta))
  const { view } = model
  model.receive(events(delta))
  expect(textOf(model)).toBe('once')
  expect(model.view).toBe(view)
})

test('[LOG2] live text lies over the open response until its row arrives', () => {
  const { log, session, responseId } = startedRun()
  const model = open(session)
  expect(model.view.status).toBe('model_loading')
  model.receive({ type: 'fragment', ...textAt(responseId, 0, 'Hello') })
  model.receive({ type: 'fragments', fragments: [textAt(responseId, 5, ', wor')] })
  expect(textOf(model)).toBe('Hello, wor')
  expect(model.view.status).toBe('working')
  expect(model.view.state.open?.parts).toEqual([])
  const delta = 'Hello, world'
  model.receive(events(log.add({ type: 'text_delta', responseId, partId: 'p', offset: 0, delta })))
  expect(textOf(model)).toBe('Hello, world')
  expect(model.view.tail.size).toBe(0)
})

test('[LOG4] what was shown and then lost is gone after a reconnect', () => {
  const { log, session, responseId } = startedRun()
  const model = open(session)
  const delta = 'kept'
  model.receive(events(log.add({ type: 'text_delta', responseId, partId: 'p', offset: 0, delta })))
  model.receive({ type: 'fragment', ...textAt(responseId, 4, ' and lost in a crash') })
  expect(textOf(model)).toBe('kept and lost in a crash')
  model.hello()
  expect(textOf(model)).toBe('kept')
  connect(model, session)
  expect(textOf(model)).toBe('kept')
  expect(model.view.state).toEqual(fold(log.events))
})

test('[LOG4] the tail is rebuilt from what the server says is live', () => {
  const { session, responseId } = startedRun()
  const model = open(session)
  model.receive({ type: 'fragment', ...textAt(responseId, 0, 'old old old') })
  for (const frame of session.resume(model.hello())) {
    const fragments = [textAt(responseId, 0, 'new')]
    model.receive(frame.type === 'ready' ? { ...frame, fragments } : frame)
  }
  expect(textOf(model)).toBe('new')
})

test('[LOG4] a client that is ahead of the log drops everything and opens at the end', () => {
  const session = new MemorySession(randomLog(createRandom(5), 40, false))
  const model = open(session)
  const other = new MemorySession(randomLog(createRandom(6), 12, false))
  const [resync] = other.resume(model.hello())
  expect(resync).toEqual({ type: 'resync', reason: 'ahead' })
  model.receive(resync!)
  expect(model.view.state.turns).toEqual([])
  expect(model.view.loaded).toBe(false)
  expect(model.hello().after).toBeNull()
  connect(model, other)
  expect(model.view.state).toEqual(fold(other.log.events))
})

test('[LOG6] one that is too far behind keeps what it shows until the end arrives', () => {
  const log = randomLog(createRandom(7), 40, false)
  const session = new MemorySession(log)
  const model = open(session)
  const { turns } = model.view.state
  model.receive({ type: 'resync', reason: 'too_far' })
  expect(model.view.state.turns).toBe(turns)
  expect(model.hello().after).toBeNull()
  connect(model, session)
  expect(model.view.state).toEqual({ ...fold(log.events), turns: model.view.state.turns })
})

test('[LOG6] one that was slow goes on from its seq', () => {
  const model = open(new MemorySession(randomLog(createRandom(7), 40, false)))
  model.receive({ type: 'resync', reason: 'slow' })
  expect(model.hello().after).toBe(model.view.state.seq)
})

test('[LOG6] reports how far it has got, once for each advance', () => {
  const { log, session } = startedRun()
  const model = open(session)
  expect(model.seenFrame()).toEqual({ type: 'seen', seq: 3 })
  expect(model.seenFrame()).toBeNull()
  log.step()
  connect(model, session)
  expect(model.seenFrame()).toEqual({ type: 'seen', seq: log.state.seq })
})

test('[MOR3] frames and events of a newer server are passed over, and the place is kept', () => {
  const { session } = startedRun()
  const model = open(session)
  const { seq } = model.view.state
  const future = { type: 'from_the_future', seq: seq + 1, at: 0 } as unknown as SessionEvent
  model.receive(events(future))
  expect(model.view.state.seq).toBe(seq + 1)
  const { view } = model
  expect(model.receive({ type: 'hologram' } as unknown as ServerFrame)).toBeNull()
  expect(model.view).toBe(view)
})

test('deltas leave the transcript alone: 20,000 of them, one array of 2,000 turns', () => {
  const log = new LogWriter(createRandom(1))
  for (let i = 0; i < 2000; i++) log.message()
  const responseId = `${log.startRun()}.1`
  const model = new SessionModel('s')
  model.receive(events(...log.events))
  const { turns, queue, session } = model.view.state
  expect(turns).toHaveLength(2000)
  let offset = 0
  const seq = log.state.seq + 1
  for (let i = 0; i < 20_000; i++) {
    const delta = `${i} `
    const body = { type: 'text_delta', responseId, partId: 'p', offset, delta } as const
    model.receive(events({ ...body, seq: seq + i, at: 0 }))
    offset += delta.length
    const { view } = model
    if (view.state.turns !== turns || view.state.queue !== queue) throw new Error(`copied at ${i}`)
    // Nothing lies over the row: the response is shown as it is, not copied again.
    if (view.open !== view.state.open) throw new Error(`overlaid at ${i}`)
  }
  expect(model.view.state.session).toBe(session)
  expect(textOf(model)).toHaveLength(offset)
})

test('a change that does not touch the open response does not make it new', () => {
  const { session, responseId } = startedRun()
  const model = open(session)
  model.receive({ type: 'fragment', ...textAt(responseId, 0, 'live text') })
  const { open: before, pending } = model.view
  model.submit({ type: 'cancel', id: 'c1' })
  expect(model.view.open).toBe(before)
  model.submit(send('c2'))
  expect(model.view.open).toBe(before)
  expect(model.view.pending).not.toBe(pending)
  expect(model.view).toBe(model.view)
})

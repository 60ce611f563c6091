import { expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { fold } from '#protocol/reduce'
import type { Turn } from '#protocol/turns'
import { addOlderPage, olderThan, type EventsPage } from './older-pages.ts'
import { SessionModel } from './session-model.ts'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter, randomLog } from './testing/random-log.ts'

const SEEDS = 150

function open(session: MemorySession, tail: number): SessionModel {
  const model = new SessionModel('s', tail)
  for (const frame of session.resume(model.hello())) model.receive(frame)
  return model
}

/** One page; the turns held before must be the same objects after it. */
function loadPage(model: SessionModel, session: MemorySession, limit: number): number {
  const held = model.view.state.turns
  const before = model.olderBefore
  if (before === null) throw new Error('nothing older')
  const added = model.prepend(before, session.page(before, limit)) ?? Number.NaN
  const { turns } = model.view.state
  expect(turns.length).toBe(held.length + added)
  held.forEach((turn, i) => expect(turns[added + i]).toBe(turn))
  return added
}

function loadAll(model: SessionModel, session: MemorySession, limit: number): void {
  while (model.view.hasOlder) loadPage(model, session, limit)
}

/** `runs` answers of one step each. */
function logOf(runs: number): LogWriter {
  const log = new LogWriter(createRandom(1))
  for (let run = 0; run < runs; run++) {
    log.message()
    log.startRun()
    log.step()
    log.endRun()
  }
  return log
}

const pageOf = (events: SessionEvent[]): EventsPage => ({ events, hasMore: true })

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  '[LOG7] a tail and its older pages are the turns of the whole log (seed %i)',
  (seed) => {
    const random = createRandom(seed)
    const log = randomLog(random, 10 + random.below(400))
    const session = new MemorySession(log, { deltas: random.chance(0.5) })
    const model = open(session, 1 + random.below(80))
    const whole = fold(log.events)
    expect(model.view.state).toEqual({ ...whole, turns: model.view.state.turns })
    loadAll(model, session, 2 + random.below(60))
    expect(model.view.state).toEqual(whole)
  },
)

test('[LOG7] what opening costs does not grow with the session', () => {
  const opened = [50, 500].map((runs) => {
    const frames = new MemorySession(logOf(runs)).resume(new SessionModel('s', 20).hello())
    return frames.flatMap((frame) => (frame.type === 'events' ? frame.events : [])).length
  })
  expect(Math.abs(opened[0]! - opened[1]!)).toBeLessThan(20)
})

test('[LOG7] the beginning of a turn that a page cuts off waits for the next page', () => {
  const { events, state } = logOf(3)
  const [first, second] = events.filter((event) => event.type === 'run_done')
  const between = (from: number, to: number) => events.filter((e) => e.seq >= from && e.seq < to)
  const end = events.length + 1
  const page1 = addOlderPage({ before: end, held: [] }, pageOf(between(second!.seq + 2, end)))
  expect(page1.turns).toEqual([])
  const page2 = addOlderPage(page1.older!, pageOf(between(first!.seq, second!.seq + 2)))
  const isLater = (turn: Turn): boolean => 'seq' in turn && turn.seq > first!.seq
  expect(page2.turns).toEqual(state.turns.filter(isLater))
  expect(page2.older).toEqual({ before: first!.seq, held: [first] })
  const page3 = addOlderPage(page2.older!, pageOf(between(1, first!.seq)))
  expect(page3).toEqual({ older: null, turns: state.turns.filter((turn) => !isLater(turn)) })
})

test('[LOG7] a response that the tail cuts has its earlier parts, and is there once', () => {
  const log = new LogWriter(createRandom(1))
  log.message()
  const responseId = `${log.startRun()}.1`
  log.add({ type: 'text_done', responseId, partId: 'early', text: 'before the cut' })
  const far = Array.from({ length: 500 }, (_, i) => `later ${i}`)
  for (const text of far) log.add({ type: 'text_done', responseId, partId: text, text })
  const session = new MemorySession(log)
  const model = open(session, 10)
  expect(model.view.open?.parts[0]).toMatchObject({ partId: 'early', text: 'before the cut' })
  expect(model.view.open?.parts.length).toBe(501)
  loadAll(model, session, 100)
  expect(model.view.state).toEqual(fold(log.events))
  log.endRun()
  model.receive({ type: 'events', events: log.events.slice(-2) })
  expect(model.view.state.turns.map((turn) => turn.kind)).toEqual(['user', 'assistant'])
})

test('[LOG7] turns before a session was cleared are not shown, and not asked for', () => {
  const log = logOf(3)
  const cleared = log.add({ type: 'session_cleared', by: 'owner' })
  log.message()
  log.startRun()
  log.step()
  log.endRun()
  const older = { before: log.events.length + 1, held: [] }
  const added = addOlderPage(older, pageOf(log.events.slice(5)))
  expect(added).toEqual({ older: null, turns: fold(log.events).turns })
  expect(olderThan(cleared.seq + 2, cleared.seq)).not.toBeNull()
  expect(olderThan(cleared.seq + 1, cleared.seq)).toBeNull()
})

test('[LOG7] clearing the session leaves nothing older', () => {
  const log = logOf(9)
  const session = new MemorySession(log)
  const model = open(session, 5)
  loadPage(model, session, 20)
  expect(model.view.hasOlder).toBe(true)
  model.receive({ type: 'events', events: [log.add({ type: 'session_cleared', by: 'owner' })] })
  expect(model.view.hasOlder).toBe(false)
  expect(model.view.state.turns).toEqual([])
})

test('[LOG7] a page that was asked for before the session started over is dropped', () => {
  const session = new MemorySession(logOf(9))
  const model = open(session, 5)
  const before = model.olderBefore!
  const page = session.page(before, 20)
  model.receive({ type: 'resync', reason: 'ahead' })
  expect(model.prepend(before, page)).toBeNull()
  expect(model.view.state.turns).toEqual([])

  const late = open(session, 5)
  late.receive({ type: 'resync', reason: 'too_far' })
  for (let i = 0; i < 20; i++) session.log.message()
  for (const frame of session.resume(late.hello())) late.receive(frame)
  expect(late.prepend(before, page)).toBeNull()
  loadAll(late, session, 50)
  expect(late.view.state.turns).toEqual(session.log.state.turns)
})

test('[LOG7] a page of nothing but superseded deltas does not stop the paging', () => {
  const session = new MemorySession(logOf(200))
  const model = open(session, 5)
  const before = model.olderBefore!
  const nothing: SessionEvent[] = []
  expect(model.prepend(before, { events: nothing, hasMore: true })).toBe(0)
  expect(model.olderBefore).toBeLessThan(before)
  expect(model.prepend(model.olderBefore!, { events: nothing, hasMore: false })).toBe(0)
  expect(model.view.hasOlder).toBe(false)
})

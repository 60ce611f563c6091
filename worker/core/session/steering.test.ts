import { describe, expect, test } from 'vitest'
import type { Delivery, EventOf, EventType, SessionEvent } from '#protocol/events'
import { fold } from '#protocol/reduce'
import { hot } from '#protocol/state'
import { Crash } from '../../testing/node/memory-sql.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { Log } from './log.ts'

const of = <T extends EventType>(
  harness: SessionHarness,
  type: T,
): (EventOf<T> & { seq: number })[] =>
  harness.events().filter((event) => event.type === type) as unknown as (EventOf<T> & {
    seq: number
  })[]

/**
 * A question, a tool, and a second message while the tool runs. The object may die at any write;
 * whoever finds it dead wakes it, and a command without an answer is sent again under its id.
 */
class Life {
  readonly harness: SessionHarness
  private readonly delivery: Delivery
  deaths = 0

  constructor(harness: SessionHarness, delivery: Delivery) {
    this.harness = harness
    this.delivery = delivery
  }

  async live(): Promise<void> {
    const { harness, delivery } = this
    await this.command({ type: 'send', id: 'm1', text: 'the question' })
    await this.act(() => {
      if (!harness.model.isCalled) return
      harness.model.current.text('Let me look that up. ')
      harness.timers.advance(500)
    })
    await this.act(() => {
      if (!harness.model.isCalled) return
      const call = { type: 'tool_call', id: 'a', toolName: 'search', arguments: '{}' } as const
      harness.model.current.emit(call)
      harness.model.current.finish('tool_calls')
    })
    await this.command({ type: 'send', id: 'm2', text: 'the second message', delivery })
    for (let i = 0; i < 20 && harness.core.folded.run.status === 'running'; i++) {
      await this.act(() => {
        for (const open of harness.tools.open) open.settle({ ok: true, result: 'found' })
      })
      await this.act(() => {
        if (harness.model.isCalled) harness.model.current.text('A good answer').finish()
      })
    }
  }

  private async command(command: Parameters<SessionHarness['command']>[0]): Promise<void> {
    for (let i = 0; i < 2; i++) {
      if (await this.act(() => void this.harness.command(command))) return
    }
    throw new Error('died twice')
  }

  /** False: the object died in it, and was woken. */
  private async act(act: () => void): Promise<boolean> {
    const { harness } = this
    try {
      act()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    await harness.settle()
    if (!harness.isDead) return true
    this.deaths += 1
    harness.wake()
    await harness.settle()
    return false
  }
}

type Point = 'before_commit' | 'after_commit'
const POINTS: Point[] = ['before_commit', 'after_commit']
const DELIVERIES: Delivery[] = ['queue', 'steer', 'interrupt']
const NEVER = Number.POSITIVE_INFINITY

async function liveThrough(
  delivery: Delivery,
  point: Point,
  at: number,
): Promise<{ life: Life; writes: number }> {
  const harness = await SessionHarness.create()
  const { database } = harness
  const transaction = database.transaction.bind(database)
  let writes = 0
  database.transaction = (run) => {
    if (++writes === at) database.crashAt = point
    return transaction(run)
  }
  const life = new Life(harness, delivery)
  await life.live()
  return { life, writes }
}

const runIdOf = (event: SessionEvent): string | null => {
  if ('runId' in event && event.runId !== undefined) return event.runId
  if ('responseId' in event) return event.responseId.slice(0, event.responseId.lastIndexOf('.'))
  return null
}

/** No hole, one fold, one end per run and nothing of it afterwards, one answer per call. */
function checkWhole(harness: SessionHarness): void {
  const events = harness.events()
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  const full = fold(events)
  expect(harness.core.folded).toEqual({ ...full, turns: [] })
  expect(new Log(harness.database).load()?.hot).toEqual(hot(full))
  expect(full.run).toEqual({ status: 'idle' })
  expect(full.queue).toEqual({ items: [], held: false })
  const ended: string[] = []
  for (const event of events) {
    const runId = runIdOf(event)
    if (runId === null) continue
    expect(ended, `${event.type} ${event.seq} after its run ended`).not.toContain(runId)
    if (event.type === 'run_done') ended.push(runId)
  }
  const started = new Set(of(harness, 'run_started').map(({ runId }) => runId))
  expect(ended).toEqual([...started])
  const called = of(harness, 'tool_call_start').map(({ callId }) => callId)
  expect(of(harness, 'tool_result').map(({ callId }) => callId)).toEqual(called)
  for (const { request } of harness.model.calls) {
    expect(findRequestProblem(request.messages), JSON.stringify(request.messages)).toBe(null)
  }
}

/** What the model was told by people, in each request: each once, in order. */
function checkRequests(harness: SessionHarness): void {
  for (const { request } of harness.model.calls) {
    const told = request.messages.flatMap((message) =>
      message.role === 'user' && /question|second/.test(message.text) ? [message.text] : [],
    )
    expect(told[0]).toBe('the question')
    expect(told.length).toBeLessThanOrEqual(2)
    if (told.length === 2) expect(told[1]).toMatch(/the second message$/)
  }
  const last = harness.model.calls.at(-1)?.request.messages ?? []
  expect(JSON.stringify(last)).toContain('the second message')
}

/** Where the second message came in, and what became of the run it met. */
function checkOrder(harness: SessionHarness, delivery: Delivery): void {
  const messages = of(harness, 'user_message')
  expect(messages.map(({ messageId }) => messageId)).toEqual(['m1', 'm2'])
  expect(messages[1]).toMatchObject({ delivery, text: 'the second message' })
  const ends = of(harness, 'run_done')
  const entered = messages[1]!.seq
  const [result] = of(harness, 'tool_result')
  switch (delivery) {
    case 'queue':
      expect(ends.map(({ outcome }) => outcome)).toEqual(['done', 'done'])
      expect(entered).toBeGreaterThan(ends[0]!.seq)
      break
    case 'interrupt':
      expect(ends.map(({ outcome }) => outcome)).toEqual(['cancelled', 'done'])
      expect(entered).toBeGreaterThan(ends[0]!.seq)
      break
    case 'steer':
      if (ends.length === 1) {
        // It met the run: between its steps, after every answer.
        expect(entered).toBeLessThan(ends[0]!.seq)
      } else {
        // It came when the last step was under way: the next run is its own.
        expect(entered).toBeGreaterThan(ends[0]!.seq)
      }
      expect(ends.every(({ outcome }) => outcome === 'done')).toBe(true)
      break
  }
  if (result !== undefined) expect(entered).toBeGreaterThan(result.seq)
}

function check(life: Life, delivery: Delivery): void {
  checkWhole(life.harness)
  checkOrder(life.harness, delivery)
  checkRequests(life.harness)
}

for (const delivery of DELIVERIES) {
  describe(`[QUE2] [RUN9] a message sent with ${delivery} while a tool runs`, () => {
    test('without a crash, it is delivered once and in its place', async () => {
      const { life } = await liveThrough(delivery, 'before_commit', NEVER)
      check(life, delivery)
      expect(life.deaths).toBe(0)
      expect(of(life.harness, 'tool_call_start')).toHaveLength(1)
      const runs = of(life.harness, 'run_done').length
      expect(runs).toBe(delivery === 'steer' ? 1 : 2)
    })

    for (const point of POINTS) {
      test(`with a crash ${point.replace('_', ' ')} of every write, the same`, async () => {
        const { writes } = await liveThrough(delivery, point, NEVER)
        expect(writes).toBeGreaterThan(6)
        for (let at = 1; at <= writes; at++) {
          const { life } = await liveThrough(delivery, point, at)
          try {
            expect(life.deaths).toBe(1)
            check(life, delivery)
          } catch (error) {
            throw new Error(`write ${at} of ${writes}, ${point}`, { cause: error })
          }
        }
      })
    }
  })
}

async function busy(): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text: 'the question', id: 'm1' })
  await harness.settle()
  harness.model.current.emit({
    type: 'tool_call',
    id: 'a',
    toolName: 'search',
    arguments: '{}',
  })
  harness.model.current.finish('tool_calls')
  await harness.settle()
  return harness
}

describe('[QUE2] steers in a run', () => {
  test('several enter together, in order, behind the results, before the next call', async () => {
    const harness = await busy()
    for (const id of ['s1', 's2', 's3']) {
      harness.command({ type: 'send', text: `text of ${id}`, id, delivery: 'steer' })
    }
    harness.command({ type: 'send', text: 'later', id: 'q1' })
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
    expect(harness.model.current.request.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'user',
      'user',
      'user',
    ])
    expect(of(harness, 'user_message').map(({ messageId }) => messageId)).toEqual([
      'm1',
      's1',
      's2',
      's3',
    ])
    expect(harness.core.folded.queue.items.map(({ itemId }) => itemId)).toEqual(['q1'])
  })

  test('[RUN7] one that comes in the wait before a retry is answered, once, in its place', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'the question', id: 'm1' })
    await harness.settle()
    const { ModelError } = await import('./model.ts')
    harness.model.current.fail(new ModelError('model_unavailable', 'gone'))
    await harness.settle()
    harness.command({ type: 'send', text: 'shorter', id: 's1', delivery: 'steer' })
    harness.timers.advance(2000)
    await harness.settle()
    harness.model.current.text('A good answer').finish()
    await harness.settle()
    harness.model.current.text('A shorter answer').finish()
    await harness.settle()
    expect(of(harness, 'user_message').map(({ messageId }) => messageId)).toEqual(['m1', 's1'])
    expect(of(harness, 'run_done').map(({ outcome }) => outcome)).toEqual(['done', 'done'])
    checkWhole(harness)
  })

  test('[RUN7] an interrupt in the wait before a retry ends that run and makes no further call of it', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'the question', id: 'm1' })
    await harness.settle()
    const { ModelError } = await import('./model.ts')
    harness.model.current.fail(new ModelError('model_unavailable', 'gone'))
    await harness.settle()
    harness.command({ type: 'send', text: 'this instead', id: 'i1', delivery: 'interrupt' })
    await harness.settle()
    expect(harness.model.calls).toHaveLength(2)
    harness.timers.advance(60_000)
    await harness.settle()
    expect(harness.model.calls).toHaveLength(2)
    harness.model.current.text('Instead').finish()
    await harness.settle()
    expect(of(harness, 'run_done').map(({ outcome }) => outcome)).toEqual(['cancelled', 'done'])
    checkWhole(harness)
  })
})

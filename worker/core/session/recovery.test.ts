import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { fold } from '#protocol/reduce'
import { hot } from '#protocol/state'
import { Crash } from '../../testing/node/memory-sql.ts'
import { SessionHarness, TestSocket } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { Log } from './log.ts'

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const delivered = (harness: SessionHarness): string[] =>
  of(harness, 'user_message').map(({ messageId }) => messageId)

async function begin(...queued: string[]): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text: 'hello', id: 'm1' })
  await harness.settle()
  for (const id of queued) harness.command({ type: 'send', text: `text of ${id}`, id })
  return harness
}

async function callTools(harness: SessionHarness, names: string[]): Promise<void> {
  for (const [i, toolName] of names.entries()) {
    harness.model.current.emit({ type: 'tool_call', id: `call-${i}`, toolName, arguments: '{}' })
  }
  harness.model.current.finish('tool_calls')
  await harness.settle()
}

/** The log has no hole, and the object and what it stored are a fold of it. */
function checkWhole(harness: SessionHarness): void {
  const events = harness.events()
  const full = fold(events)
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  expect(harness.core.folded).toEqual({ ...full, turns: [] })
  expect(new Log(harness.database).load()?.hot).toEqual(hot(full))
}

describe('the object dies', () => {
  test('[RUN9] during a stream: what was stored stays, what was not is gone for everyone', async () => {
    const harness = await begin()
    const socket = harness.connect(0)
    harness.model.current.text('Stored in a row. ')
    harness.timers.advance(500)
    harness.model.current.text('Only ever live.')
    harness.timers.advance(40)
    expect(JSON.stringify(socket.frames)).toContain('Only ever live.')
    harness.crash([socket])
    await harness.settle()
    checkWhole(harness)
    expect(of(harness, 'text_done')).toMatchObject([
      { text: 'Stored in a row. ', interrupted: true },
    ])
    const again = harness.connect(socket.events.at(-1)?.seq ?? 0)
    expect(fold([...socket.events, ...again.events])).toEqual(harness.folded())
    expect(JSON.stringify(harness.events())).not.toContain('Only ever live.')
  })

  test('[RUN9] [LOG4] never loses more than one flush interval of what was shown', async () => {
    const harness = await begin()
    const socket = harness.connect(0)
    for (let i = 0; i < 50; i++) {
      harness.model.current.text(`word ${i} `)
      harness.timers.advance(30)
    }
    const shownBefore = harness.timers.now - 400
    harness.crash([socket])
    const kept = of(harness, 'text_done')[0]?.text ?? ''
    const words = Math.floor((shownBefore - 1_000_000) / 30) - 1
    expect(words).toBeGreaterThan(30)
    expect(kept).toContain(`word ${words} `)
  })

  test('[RUN9] new text is a new part of the same response, of the same run', async () => {
    const harness = await begin()
    harness.model.current.text('The first part of it ')
    harness.timers.advance(500)
    harness.crash()
    await harness.settle()
    harness.model.current.text('and the second part').finish()
    await harness.settle()
    expect(harness.folded().turns).toHaveLength(2)
    expect(harness.folded().turns[1]).toMatchObject({
      parts: [
        { text: 'The first part of it ', state: 'interrupted' },
        { text: 'and the second part', state: 'done' },
      ],
      end: { outcome: 'done' },
    })
    expect(of(harness, 'run_started').map(({ attempt }) => attempt)).toEqual([1, 2])
  })

  test('[RUN9] during tools: open ones are interrupted, settled ones stay, safe ones run again', async () => {
    const harness = await begin()
    await callTools(harness, ['search', 'search', 'safe_search'])
    harness.tools.open[0]?.settle({ ok: true, result: 'first' })
    await harness.settle()
    harness.tools.open[0]?.context.output('half of it')
    harness.timers.advance(500)
    const before = harness.tools.runs.length
    harness.crash()
    await harness.settle()
    checkWhole(harness)
    expect(harness.folded().open?.parts).toMatchObject([
      { callId: 'call-0', status: 'success', result: 'first' },
      { callId: 'call-1', status: 'interrupted', result: 'half of it' },
      { callId: 'call-2', status: 'pending' },
    ])
    expect(harness.tools.runs.slice(before)).toMatchObject([{ toolName: 'safe_search' }])
    harness.tools.open[0]?.settle({ ok: true, result: 'again' })
    await harness.settle()
    expect(harness.folded().open?.parts[2]).toMatchObject({ status: 'success', result: 'again' })
    expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
  })

  test('[RUN9] a tool counts as begun when it was announced: it is not run a second time', async () => {
    const harness = await begin()
    harness.model.current.emit({
      type: 'tool_call',
      id: 'a',
      toolName: 'send_money',
      arguments: '{}',
    })
    // Announced, not executed yet: nobody can know.
    expect(harness.tools.runs).toHaveLength(0)
    harness.crash()
    await harness.settle()
    expect(harness.tools.runs).toHaveLength(0)
    expect(of(harness, 'tool_result')).toMatchObject([{ error: { code: 'tool_interrupted' } }])
  })

  test('[RUN9] the results of a dead attempt reach nothing', async () => {
    const harness = await begin()
    await callTools(harness, ['search'])
    const late = harness.tools.open[0]
    harness.crash()
    await harness.settle()
    const before = harness.events()
    late?.settle({ ok: true, result: 'late' })
    await harness.settle()
    expect(harness.events()).toEqual(before)
  })

  test('[QUE1] what waits is still there, in order, and runs when its turn comes', async () => {
    const harness = await begin('q1', 'q2', 'q3')
    harness.command({ type: 'queue_move', itemId: 'q3', before: 'q1' })
    harness.crash()
    await harness.settle()
    expect(harness.core.folded.queue.items.map(({ itemId }) => itemId)).toEqual(['q3', 'q1', 'q2'])
    for (let i = 0; i < 4; i++) {
      harness.model.current.text('A good answer').finish()
      await harness.settle()
    }
    expect(delivered(harness)).toEqual(['m1', 'q3', 'q1', 'q2'])
    expect(harness.core.folded.run).toEqual({ status: 'idle' })
  })

  test('[RUN9] [QUE1] with automatic continuation off: visible, held, and gone on by hand', async () => {
    const harness = await begin('q1')
    harness.command({ type: 'configure', recovery: 'stop' })
    harness.model.current.text('The beginning of an answer')
    harness.timers.advance(500)
    harness.crash()
    await harness.settle()
    expect(harness.model.isCalled).toBe(false)
    expect(harness.folded().turns.at(-1)).toMatchObject({ end: { outcome: 'interrupted' } })
    expect(harness.folded().queue).toMatchObject({ held: true })
    const { runId } = harness.command({ type: 'continue' })
    expect(runId).not.toBe(of(harness, 'run_started')[0]?.runId)
    await harness.settle()
    harness.model.current.text('and its end').finish()
    await harness.settle()
    expect(delivered(harness)).toEqual(['m1', 'q1'])
  })

  test('[RUN9] [CAN1] a recovered run can be cancelled like any other', async () => {
    const harness = await begin()
    harness.crash()
    await harness.settle()
    const { seq } = harness.command({ type: 'cancel' })
    expect(harness.events().at(-1)).toMatchObject({ outcome: 'cancelled', seq })
    expect(harness.model.calls.at(-1)?.signal.aborted).toBe(true)
    harness.crash()
    await harness.settle()
    expect(harness.events().at(-1)).toMatchObject({ seq })
  })

  test('[RUN9] while idle nothing is recovered, and waking writes nothing', async () => {
    const harness = await begin()
    harness.model.current.text('A good answer').finish()
    await harness.settle()
    const before = harness.events()
    harness.crash()
    await harness.settle()
    expect(harness.events()).toEqual(before)
    checkWhole(harness)
  })

  test('[QUE2] [RUN9] with a steer waiting: it enters before the continued run speaks', async () => {
    const harness = await begin()
    await callTools(harness, ['search'])
    harness.command({ type: 'send', text: 'shorter', delivery: 'steer', id: 's1' })
    harness.crash()
    await harness.settle()
    expect(delivered(harness)).toEqual(['m1', 's1'])
    expect(harness.model.current.request.messages.at(-1)).toEqual({ role: 'user', text: 'shorter' })
    checkWhole(harness)
  })

  test('[RUN9] the recovery itself can be cut short, on either side of its append', async () => {
    for (const point of ['before_commit', 'after_commit'] as const) {
      const harness = await begin('q1')
      await callTools(harness, ['search'])
      harness.die()
      harness.database.crashAt = point
      expect(() => harness.wake()).toThrow(Crash)
      harness.wake()
      await harness.settle()
      checkWhole(harness)
      expect(of(harness, 'tool_result')).toHaveLength(1)
      expect(harness.core.folded.run).toMatchObject({
        attempt: point === 'before_commit' ? 2 : 3,
      })
    }
  })
})

/**
 * A person, two sockets and a model go through one life of a session: a message, tools, two queued
 * messages, a cancel. Whoever finds the object dead wakes it, and asks again under the same id.
 */
class Life {
  readonly harness: SessionHarness
  readonly heard: SessionEvent[] = []
  socket = new TestSocket()
  sends = 0
  deaths = 0
  onSend: (sends: number) => void = () => {}

  constructor(harness: SessionHarness) {
    this.harness = harness
    this.connect()
  }

  async live(): Promise<void> {
    await this.command({ type: 'send', id: 'm1', text: 'hello' })
    await this.play((model) => model.text('Let me look that up. '))
    await this.play((_model, harness) => harness.timers.advance(500))
    await this.command({ type: 'send', id: 'q1', text: 'next' })
    await this.play((model) => {
      model.emit({ type: 'tool_call', id: 'a', toolName: 'search', arguments: '{}' })
      model.emit({ type: 'tool_call', id: 'b', toolName: 'safe_search', arguments: '{}' })
      model.finish('tool_calls')
    })
    await this.command({ type: 'send', id: 'q2', text: 'last' })
    await this.finishRun()
    await this.command({ type: 'queue_edit', id: 'edit', itemId: 'q2', text: 'the very last' })
    await this.finishRun()
    await this.play((model) => model.text('An answer that is cut'))
    await this.command({ type: 'cancel', id: 'stop' })
    await this.revive()
    this.listen()
  }

  /** The model and its tools, until the run that is active now is over. */
  private async finishRun(): Promise<void> {
    const { run } = this.harness.core.folded
    const runId = run.status === 'running' ? run.runId : ''
    for (let i = 0; i < 20; i++) {
      await this.revive()
      const now = this.harness.core.folded.run
      if (now.status === 'idle' || now.runId !== runId) return
      const { tools } = this.harness
      await this.step(() => {
        for (const open of tools.open) open.settle({ ok: true, result: 'found' })
      })
      await this.play((model) => {
        model.text('A good answer')
        model.finish()
      })
    }
    throw new Error('the run does not end')
  }

  private async command(command: Parameters<SessionHarness['command']>[0]): Promise<void> {
    for (let i = 0; i < 2; i++) {
      await this.revive()
      if (await this.step(() => this.harness.command(command))) return
    }
    throw new Error('died twice')
  }

  private async play(
    speak: (model: SessionHarness['model']['current'], harness: SessionHarness) => void,
  ): Promise<void> {
    await this.revive()
    const { harness } = this
    await this.step(() => {
      if (harness.model.isCalled) speak(harness.model.current, harness)
    })
  }

  /** False: the object died in it. */
  private async step(act: () => void): Promise<boolean> {
    try {
      act()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    await this.harness.settle()
    return !this.harness.isDead
  }

  private async revive(): Promise<void> {
    if (!this.harness.isDead) return
    this.deaths += 1
    this.listen()
    this.harness.wake()
    await this.harness.settle()
    this.connect()
  }

  private connect(): void {
    this.socket = this.harness.connect(this.heard.at(-1)?.seq ?? 0)
    this.socket.onSend = () => this.onSend(++this.sends)
  }

  /** What arrived before the wire was cut. Nobody may have heard what the log does not hold. */
  private listen(): void {
    this.heard.push(...this.socket.events)
    expect(this.heard.at(-1)?.seq).toBeLessThanOrEqual(this.harness.events().length)
  }
}

type Point = 'before_commit' | 'after_commit' | 'after_broadcast'

async function liveThrough(point: Point, at: number): Promise<{ life: Life; points: number }> {
  const harness = await SessionHarness.create()
  const { database } = harness
  const transaction = database.transaction.bind(database)
  let commits = 0
  if (point !== 'after_broadcast') {
    database.transaction = (run) => {
      if (++commits === at) database.crashAt = point
      return transaction(run)
    }
  }
  const life = new Life(harness)
  life.onSend = (sends) => {
    if (point === 'after_broadcast' && sends === at) harness.die()
  }
  await life.live()
  return { life, points: point === 'after_broadcast' ? life.sends : commits }
}

function checkLife({ harness, heard }: Life): void {
  checkWhole(harness)
  const full = harness.folded()
  expect(fold(heard)).toEqual(full)
  expect(delivered(harness)).toEqual(['m1', 'q1', 'q2'])
  expect(full.turns.findLast((turn) => turn.kind === 'user')).toMatchObject({
    messageId: 'q2',
    text: 'the very last',
  })
  expect(full.run).toEqual({ status: 'idle' })
  expect(full.queue).toEqual({ items: [], held: false })
  const calls = of(harness, 'tool_call_start').map(({ callId }) => callId)
  expect(
    of(harness, 'tool_result')
      .map(({ callId }) => callId)
      .sort(),
  ).toEqual(calls.sort())
  for (const { request } of harness.model.calls) {
    expect(findRequestProblem(request.messages)).toBe(null)
  }
}

const POINTS: Point[] = ['before_commit', 'after_commit', 'after_broadcast']
const NEVER = Number.POSITIVE_INFINITY
const cases: [Point, number][] = []
for (const point of POINTS) {
  const { points } = await liveThrough(point, NEVER)
  for (let at = 1; at <= points; at++) cases.push([point, at])
}

describe('a crash at every point of the write path', () => {
  test('[LOG1] a life without one is whole', async () => {
    const { life } = await liveThrough('before_commit', NEVER)
    checkLife(life)
    expect(life.deaths).toBe(0)
  })

  test.each(cases)(
    '[LOG1] [LOG3] [LOG4] [LOG5] [QUE1] [RUN9] %s, number %i: no hole, nobody ahead, nothing lost or twice',
    async (point, at) => {
      const { life } = await liveThrough(point, at)
      checkLife(life)
      expect(life.deaths).toBe(1)
    },
  )
})

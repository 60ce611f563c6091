import { describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { RETRIES_PER_MODEL } from '#protocol/limits'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { ModelError } from './model.ts'

const STALL_MS = 45_000
const FIRST_BYTE_MS = 200_000
/** Longer than the wait before any retry. */
const RETRY_MS = 5000

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const warned = (harness: SessionHarness): string[] => of(harness, 'warning').map(({ code }) => code)

/** `firstByteMs`: in most of these tests a provider has no more time for its first byte. */
async function begin(fallbacks: string[] = [], firstByteMs = STALL_MS): Promise<SessionHarness> {
  const harness = await SessionHarness.create({ stallMs: STALL_MS, firstByteMs })
  harness.fallbacks = fallbacks
  harness.command({ type: 'send', text: 'hello' })
  await harness.settle()
  return harness
}

/** Time passes and the platform rings the alarm whenever it is due. */
async function pass(harness: SessionHarness, ms: number): Promise<void> {
  const end = harness.timers.now + ms
  while (harness.alarmAt !== null && harness.alarmAt <= end) {
    harness.timers.advance(Math.max(0, harness.alarmAt - harness.timers.now))
    await harness.core.alarm()
    await harness.settle()
  }
  harness.timers.advance(end - harness.timers.now)
  await harness.settle()
}

/** Until the call that is in flight now was given up. */
async function stallOnce(harness: SessionHarness): Promise<void> {
  await pass(harness, STALL_MS)
  await pass(harness, RETRY_MS)
}

describe('[RUN7] a provider that is silent', () => {
  test('is not given up a moment too early, and is when its time is over', async () => {
    const harness = await begin()
    await pass(harness, STALL_MS - 1)
    expect(harness.model.calls[0]?.settled).toBe(false)
    expect(warned(harness)).toEqual([])
    await pass(harness, 1)
    expect(harness.model.calls[0]?.signal.aborted).toBe(true)
    expect(warned(harness)).toEqual(['model_retry'])
    expect(harness.core.folded.run).toMatchObject({ status: 'running' })
  })

  test('is noticed as soon where the run took a while to set up', async () => {
    const { promise, resolve } = Promise.withResolvers<null>()
    const harness = await SessionHarness.create({
      stallMs: 2000,
      firstByteMs: 2000,
      missions: { load: () => promise },
    })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    expect(harness.model.isCalled).toBe(false)
    resolve(null)
    await harness.settle()
    await pass(harness, 4000)
    expect(warned(harness)).toContain('model_retry')
  })

  test('is asked again, and the run goes on when it answers', async () => {
    const harness = await begin()
    await stallOnce(harness)
    expect(harness.model.calls).toHaveLength(2)
    harness.model.current.text('Here I am again').finish()
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
    expect(of(harness, 'text_done')).toMatchObject([{ text: 'Here I am again' }])
  })

  test('for good ends the run, with the reason, after a bounded number of calls', async () => {
    const harness = await begin()
    for (let i = 0; i <= RETRIES_PER_MODEL; i++) await stallOnce(harness)
    expect(harness.model.calls).toHaveLength(1 + RETRIES_PER_MODEL)
    expect(warned(harness)).toEqual(['model_retry', 'model_retry'])
    expect(of(harness, 'error')).toMatchObject([{ code: 'model_stalled' }])
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'failed' }])
    await pass(harness, 10 * STALL_MS)
    expect(harness.model.calls).toHaveLength(1 + RETRIES_PER_MODEL)
  })

  test('for good gives the run to the next model', async () => {
    const harness = await begin(['backup'])
    for (let i = 0; i <= RETRIES_PER_MODEL; i++) await stallOnce(harness)
    expect(of(harness, 'model_fallback')).toMatchObject([
      { preferred: 'scripted', actual: 'backup' },
    ])
    harness.backup.current.text('I take over').finish()
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('in the middle of a sentence: the words stay, and are what the next try follows', async () => {
    const harness = await begin()
    await pass(harness, STALL_MS - 1)
    harness.model.current.text('The beginning of')
    await pass(harness, STALL_MS - 1)
    expect(harness.model.calls[0]?.settled).toBe(false)
    await stallOnce(harness)
    expect(of(harness, 'text_done')).toMatchObject([
      { text: 'The beginning of', interrupted: true },
    ])
    expect(harness.model.current.request.messages.slice(1)).toEqual([
      { role: 'assistant', parts: [{ type: 'text', text: 'The beginning of' }] },
      { role: 'user', text: expect.stringContaining('Continue') as string },
    ])
  })

  test('speaks late, after it was given up: nothing of it counts', async () => {
    const harness = await begin()
    const silent = harness.model.current
    await stallOnce(harness)
    const before = harness.events()
    silent.emitLate({ type: 'text', text: 'Sorry for the delay' })
    await pass(harness, 1000)
    expect(harness.events()).toEqual(before)
    harness.model.current.text('The only answer').finish()
    await harness.settle()
    expect(of(harness, 'text_done')).toMatchObject([{ text: 'The only answer' }])
    expect(JSON.stringify(harness.events())).not.toContain('Sorry')
  })

  test('is not silent while it sends keep-alives, however long', async () => {
    const harness = await begin()
    for (let i = 0; i < 20; i++) {
      await pass(harness, STALL_MS - 1)
      harness.model.current.emit({ type: 'activity' })
    }
    expect(harness.model.calls).toHaveLength(1)
    expect(warned(harness)).toEqual([])
    harness.model.current.text('A slow answer').finish()
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('a keep-alive is seen by nobody', async () => {
    const harness = await begin()
    const socket = harness.connect(0)
    const frames = socket.frames.length
    const events = harness.events()
    harness.model.current.emit({ type: 'activity' })
    harness.timers.advance(1000)
    expect(socket.frames).toHaveLength(frames)
    expect(harness.events()).toEqual(events)
  })

  test('every kind of part counts as a sign of life', async () => {
    const harness = await begin()
    const call = harness.model.current
    const parts = [
      { type: 'thinking', text: 'Hm' },
      { type: 'part_end' },
      { type: 'text', text: 'Well' },
      { type: 'tool_input', id: 'a', toolName: 'search', text: '{' },
      { type: 'activity' },
    ] as const
    for (const part of parts) {
      await pass(harness, STALL_MS - 1)
      call.emit(part)
    }
    await pass(harness, STALL_MS - 1)
    expect(call.settled).toBe(false)
    await pass(harness, 1)
    expect(call.signal.aborted).toBe(true)
  })
})

describe('[RUN7] a provider that has not sent a byte yet', () => {
  test('has its own, longer time: a model may think first, or have to be loaded', async () => {
    const harness = await begin([], FIRST_BYTE_MS)
    await pass(harness, FIRST_BYTE_MS - 1)
    expect(harness.model.calls[0]?.settled).toBe(false)
    expect(warned(harness)).toEqual([])
    harness.model.current.text('After long thought').finish()
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('is given up when that is over, and the words say what it did not do', async () => {
    const harness = await begin([], FIRST_BYTE_MS)
    await pass(harness, FIRST_BYTE_MS)
    expect(harness.model.calls[0]?.signal.aborted).toBe(true)
    expect(of(harness, 'warning')).toMatchObject([
      { code: 'model_retry', message: expect.stringContaining('has not begun') as string },
    ])
  })

  test('is watched by the shorter time from its first byte on, a keep-alive included', async () => {
    for (const part of [{ type: 'activity' }, { type: 'thinking', text: 'Hm' }] as const) {
      const harness = await begin([], FIRST_BYTE_MS)
      await pass(harness, STALL_MS * 2)
      harness.model.current.emit(part)
      await pass(harness, STALL_MS - 1)
      expect(harness.model.calls[0]?.signal.aborted).toBe(false)
      await pass(harness, 1)
      expect(harness.model.calls[0]?.signal.aborted).toBe(true)
      expect(of(harness, 'warning')).toMatchObject([
        { code: 'model_retry', message: expect.stringContaining('has stopped') as string },
      ])
    }
  })

  test('each try has the time anew', async () => {
    const harness = await begin([], FIRST_BYTE_MS)
    harness.model.current.emit({ type: 'activity' })
    await stallOnce(harness)
    await pass(harness, FIRST_BYTE_MS - RETRY_MS - 1)
    expect(harness.model.calls).toHaveLength(2)
    expect(harness.model.calls[1]?.settled).toBe(false)
  })
})

/** What Anthropic says to one who has used up a minute. */
const limited = (seconds: number): ModelError =>
  new ModelError('model_rate_limited', 'Too many requests.', seconds * 1000)

describe('[RUN7] [CAN1] a provider that says when, and no other model to go to', () => {
  const WAIT_S = 100

  test('is waited for in sight, longer than a stall, and asked then', async () => {
    const harness = await begin()
    harness.model.current.fail(limited(WAIT_S))
    await harness.settle()
    expect(of(harness, 'warning')).toMatchObject([
      { code: 'model_retry', message: expect.stringContaining(`in ${WAIT_S} s`) as string },
    ])
    await pass(harness, WAIT_S * 1000 - 1)
    expect(harness.model.calls).toHaveLength(1)
    expect(warned(harness)).toHaveLength(1)
    await pass(harness, 1)
    harness.model.current.text('Now I can').finish()
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('is left alone at once when the run is cancelled', async () => {
    const harness = await begin()
    harness.model.current.fail(limited(WAIT_S))
    await harness.settle()
    harness.command({ type: 'cancel' })
    await harness.settle()
    expect(harness.core.folded.run).toEqual({ status: 'idle' })
    expect(harness.timers.size).toBe(0)
    await pass(harness, 2 * WAIT_S * 1000)
    expect(harness.model.calls).toHaveLength(1)
  })

  test('is asked by the object that woke meanwhile, and waited for again if it is too early', async () => {
    const harness = await begin()
    harness.model.current.fail(limited(WAIT_S))
    await harness.settle()
    await pass(harness, 10_000)
    harness.crash()
    await harness.settle()
    expect(harness.model.calls).toHaveLength(2)
    harness.model.current.fail(limited(WAIT_S - 10))
    await harness.settle()
    await pass(harness, (WAIT_S - 10) * 1000)
    expect(harness.model.calls).toHaveLength(3)
    harness.model.current.text('Now I can').finish()
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
  })

  test('has given the run up where it means more than two minutes', async () => {
    const harness = await begin()
    harness.model.current.fail(limited(121))
    await harness.settle()
    expect(of(harness, 'error')).toMatchObject([{ code: 'model_rate_limited' }])
  })
})

async function callTool(): Promise<SessionHarness> {
  const harness = await begin()
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

describe('[RUN7] [TOOL1] what is no stall', () => {
  test('a tool that takes its time', async () => {
    const harness = await callTool()
    await pass(harness, 10 * STALL_MS)
    expect(warned(harness)).toEqual([])
    expect(harness.tools.open).toHaveLength(1)
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
    expect(harness.model.calls).toHaveLength(2)
    // The time of the tool is not held against the model.
    await pass(harness, STALL_MS - 1)
    expect(harness.model.calls[1]?.settled).toBe(false)
    await pass(harness, 1)
    expect(warned(harness)).toEqual(['model_retry'])
  })

  test('a session with nothing to do', async () => {
    const harness = await begin()
    harness.model.current.text('A good answer').finish()
    await harness.settle()
    const before = harness.events()
    expect(harness.alarmAt).toBe(null)
    harness.timers.advance(10 * STALL_MS)
    await harness.core.alarm()
    await harness.settle()
    expect(harness.events()).toEqual(before)
  })

  test('the wait before the next try', async () => {
    const harness = await SessionHarness.create({ stallMs: 100, firstByteMs: 100 })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.timers.advance(100)
    await harness.core.alarm()
    await harness.settle()
    expect(warned(harness)).toEqual(['model_retry'])
    harness.timers.advance(150)
    await harness.core.alarm()
    await harness.settle()
    expect(warned(harness)).toEqual(['model_retry'])
    expect(harness.model.calls).toHaveLength(1)
    harness.timers.advance(150)
    await harness.settle()
    expect(harness.model.calls).toHaveLength(2)
  })
})

describe('[RUN7] [CAN1] [RUN9] a stall beside a cancel and a crash', () => {
  test('a run that was cancelled does not come back when its provider is given up', async () => {
    const harness = await begin()
    await pass(harness, STALL_MS - 1)
    harness.command({ type: 'cancel' })
    await harness.settle()
    const before = harness.events()
    await pass(harness, 10 * STALL_MS)
    expect(harness.events()).toEqual(before)
    expect(harness.model.calls).toHaveLength(1)
  })

  test('a run that woke again has its provider watched as before', async () => {
    const harness = await begin()
    await pass(harness, STALL_MS - 1)
    harness.crash()
    await harness.settle()
    await pass(harness, STALL_MS - 1)
    expect(harness.model.calls[1]?.settled).toBe(false)
    await pass(harness, 1)
    expect(harness.model.calls[1]?.signal.aborted).toBe(true)
    expect(warned(harness)).toEqual(['model_retry'])
  })

  test('a summary that never comes is given up too, and the person can go on', async () => {
    const harness = await begin()
    harness.model.current.text('A good answer').finish()
    await harness.settle()
    harness.command({ type: 'send', text: 'and more' })
    await harness.settle()
    harness.model.current.text('Another good answer').finish()
    await harness.settle()
    const before = harness.model.calls.length
    harness.command({ type: 'compact' })
    await harness.settle()
    expect(harness.model.calls.length).toBeGreaterThanOrEqual(before)
    for (let i = 0; i <= RETRIES_PER_MODEL; i++) await stallOnce(harness)
    expect(harness.core.folded.run).toEqual({ status: 'idle' })
  })
})

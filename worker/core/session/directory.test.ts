import { describe, expect, test } from 'vitest'
import { RESTORE_MS, WATCHDOG_MS } from '#protocol/limits'
import { OWNER, SESSION_ID, SessionHarness } from '../../testing/node/session-harness.ts'
import { Log } from './log.ts'
import { Outbox } from './outbox.ts'

const projected = (harness: SessionHarness) => harness.directory.get(SESSION_ID)
const isUnprojected = (harness: SessionHarness) => new Log(harness.database).load()?.unprojected

/** Time passes until the alarm rings. */
async function ring(harness: SessionHarness): Promise<number> {
  const { alarmAt, timers } = harness
  if (alarmAt === null) throw new Error('no alarm is set')
  const waited = alarmAt - timers.now
  timers.advance(waited)
  harness.alarmAt = null
  await harness.core.alarm()
  await harness.settle()
  return waited
}

async function answer(harness: SessionHarness): Promise<void> {
  await harness.settle()
  harness.model.current.text('A good answer').finish()
  await harness.settle()
}

describe('the directory', () => {
  test('[SES1] learns of a session when it is made, by its owner', async () => {
    const harness = await SessionHarness.create()
    expect(projected(harness)).toMatchObject({
      id: SESSION_ID,
      title: 'New chat',
      status: 'idle',
      empty: true,
      deletedAt: null,
    })
    expect(isUnprojected(harness)).toBe(false)
    expect(harness.alarmAt).toBe(null)
  })

  test('[SES1] follows title, status and pin', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'Plan a trip\nwith details' })
    await harness.settle()
    expect(projected(harness)).toMatchObject({
      title: 'Plan a trip',
      status: 'running',
      empty: false,
    })
    await answer(harness)
    harness.command({ type: 'configure', title: 'Japan', pinned: true })
    await harness.settle()
    expect(projected(harness)).toMatchObject({
      title: 'Japan',
      status: 'idle',
      pinned: true,
      seq: 7,
    })
    harness.command({ type: 'send', text: 'again' })
    await harness.settle()
    harness.model.current.fail(new Error('broken'))
    await harness.settle()
    expect(projected(harness)).toMatchObject({ status: 'error' })
    expect(isUnprojected(harness)).toBe(false)
  })

  test('[SES1] deltas are none of its business', async () => {
    let puts = 0
    const harness = await SessionHarness.create({
      directory: {
        put: async () => {
          puts += 1
        },
        drop: async () => {},
      },
    })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    const before = puts
    for (let i = 0; i < 20; i++) {
      harness.model.current.text('some words of an answer ')
      harness.timers.advance(500)
      await harness.settle()
    }
    expect(puts).toBe(before)
  })

  test('[LOG1] out of reach, it holds up nothing', async () => {
    const harness = await SessionHarness.create()
    harness.directoryFails = true
    expect(harness.command({ type: 'send', text: 'hello' })).toMatchObject({ seq: 2 })
    await answer(harness)
    expect(harness.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'done' })
  })

  test('[SES1] out of reach, it is told again by the alarm, less and less often', async () => {
    const harness = await SessionHarness.create()
    harness.directoryFails = true
    harness.command({ type: 'configure', title: 'Japan' })
    await harness.settle()
    expect(isUnprojected(harness)).toBe(true)
    const waits: number[] = []
    for (let i = 0; i < 12; i++) waits.push(await ring(harness))
    expect(waits.slice(0, 5)).toEqual([1000, 2000, 4000, 8000, 16_000])
    expect(waits.at(-1)).toBe(300_000)
    harness.directoryFails = false
    await ring(harness)
    expect(projected(harness)).toMatchObject({ title: 'Japan' })
    expect(isUnprojected(harness)).toBe(false)
    expect(harness.alarmAt).toBe(null)
  })

  test('[SES1] after it is back, a new failure starts from the first wait again', async () => {
    const harness = await SessionHarness.create()
    harness.directoryFails = true
    harness.command({ type: 'configure', title: 'one' })
    await harness.settle()
    await ring(harness)
    await ring(harness)
    harness.directoryFails = false
    await ring(harness)
    harness.directoryFails = true
    harness.command({ type: 'configure', title: 'two' })
    await harness.settle()
    expect(await ring(harness)).toBe(1000)
  })

  test('[SES1] what it did not hear survives a crash and is told on waking', async () => {
    const harness = await SessionHarness.create()
    harness.directoryFails = true
    harness.command({ type: 'configure', title: 'Japan' })
    await harness.settle()
    harness.directoryFails = false
    harness.crash()
    await harness.settle()
    expect(projected(harness)).toMatchObject({ title: 'Japan' })
    expect(isUnprojected(harness)).toBe(false)
  })

  test('[SES1] a session made while it was away is told later', async () => {
    const harness = new SessionHarness()
    harness.directoryFails = true
    const made = await harness.core.create({
      sessionId: SESSION_ID,
      owner: OWNER,
      agent: 'parley',
      model: 'scripted',
    })
    expect(made).toMatchObject({ ok: true, value: { id: SESSION_ID } })
    expect(projected(harness)).toBe(undefined)
    harness.directoryFails = false
    await ring(harness)
    expect(projected(harness)).toMatchObject({ title: 'New chat' })
  })
})

describe('the outbox', () => {
  test('[SES1] tells one state at a time, and the newest last', async () => {
    const gates: (() => void)[] = []
    const told: number[] = []
    let state = 1
    let finished = 0
    const outbox = new Outbox(
      async () => {
        const telling = state
        await new Promise<void>((resolve) => gates.push(resolve))
        told.push(telling)
      },
      () => {
        finished += 1
      },
    )
    const first = outbox.notify()
    state = 2
    void outbox.notify()
    state = 3
    const last = outbox.notify()
    expect(gates).toHaveLength(1)
    gates[0]?.()
    for (let i = 0; i < 5; i++) await Promise.resolve()
    expect(gates).toHaveLength(2)
    gates[1]?.()
    await Promise.all([first, last])
    expect(told).toEqual([1, 3])
    expect(finished).toBe(1)
    expect(outbox.retryMs).toBe(null)
  })
})

describe('the alarm', () => {
  test('[RUN9] a watchdog is set while a run is active, and dropped when it ends', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    expect(harness.alarmAt).toBe(harness.timers.now + WATCHDOG_MS)
    expect(await ring(harness)).toBe(WATCHDOG_MS)
    expect(harness.alarmAt).toBe(harness.timers.now + WATCHDOG_MS)
    await answer(harness)
    expect(harness.alarmAt).toBe(null)
  })

  test('[RUN9] is set and dropped once each in a run of many steps: each of these is billed', async () => {
    const set: (number | null)[] = []
    const harness = await SessionHarness.create({ setAlarm: (at) => set.push(at) })
    harness.command({ type: 'send', text: 'hello' })
    for (let step = 0; step < 5; step++) {
      await harness.settle()
      harness.timers.advance(1000)
      const call = { type: 'tool_call', id: '', toolName: 'search', arguments: '{}' } as const
      harness.model.current.emit(call).finish('tool_calls')
      await harness.settle()
      harness.command({ type: 'configure', title: `step ${step}` })
      harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    }
    await answer(harness)
    expect(set).toEqual([1_000_000 + WATCHDOG_MS, null])
  })

  test('[RUN9] an alarm does not disturb the run it watches', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    const before = harness.events()
    await ring(harness)
    expect(harness.events()).toEqual(before)
    expect(harness.model.current.signal.aborted).toBe(false)
  })

  test('an alarm that rings where there is no session does nothing', async () => {
    const harness = new SessionHarness()
    await harness.core.alarm()
    expect(harness.alarmAt).toBe(null)
  })
})

describe('delete and restore', () => {
  test('[SES2] hides at once: nobody, not even the owner, finds it', async () => {
    const harness = await SessionHarness.create()
    expect(await harness.core.remove(OWNER)).toEqual({ ok: true, value: null })
    expect(projected(harness)).toMatchObject({ deletedAt: expect.any(Number) })
    const gone = { ok: false, rejection: { code: 'not_found' } }
    expect(harness.core.views.summary(OWNER)).toMatchObject(gone)
    expect(harness.try({ type: 'send', text: 'hello' })).toMatchObject(gone)
    expect(harness.core.views.events(OWNER, { limit: 1, deltas: false })).toMatchObject(gone)
    expect(await harness.core.remove(OWNER)).toMatchObject(gone)
    expect(harness.erased).toBe(false)
  })

  test('[SES2] erases after ten seconds, row and all', async () => {
    const harness = await SessionHarness.create()
    await harness.core.remove(OWNER)
    expect(await ring(harness)).toBe(RESTORE_MS)
    expect(harness.erased).toBe(true)
    expect(projected(harness)).toBe(undefined)
    expect(harness.alarmAt).toBe(null)
    expect(await harness.core.restore(OWNER)).toMatchObject({ ok: false })
  })

  test('[SES2] an alarm that rings early erases nothing', async () => {
    const harness = await SessionHarness.create()
    await harness.core.remove(OWNER)
    harness.timers.advance(RESTORE_MS - 1)
    await harness.core.alarm()
    expect(harness.erased).toBe(false)
    expect(harness.alarmAt).toBe(harness.timers.now + 1)
  })

  test('[SES2] restore brings it back as it was, and nothing is erased later', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await answer(harness)
    const before = harness.folded()
    await harness.core.remove(OWNER)
    harness.timers.advance(RESTORE_MS - 1)
    expect(await harness.core.restore(OWNER)).toMatchObject({ ok: true, value: { id: SESSION_ID } })
    expect(projected(harness)).toMatchObject({ deletedAt: null })
    expect(harness.alarmAt).toBe(null)
    harness.timers.advance(RESTORE_MS)
    await harness.core.alarm()
    expect(harness.erased).toBe(false)
    expect(harness.folded()).toEqual(before)
    expect(harness.command({ type: 'send', text: 'again' })).toMatchObject({ seq: 7 })
  })

  test('[SES2] restoring what was not deleted changes nothing', async () => {
    const harness = await SessionHarness.create()
    expect(await harness.core.restore(OWNER)).toMatchObject({ ok: true })
    expect(harness.alarmAt).toBe(null)
  })

  test('[SES2] the time of erasure survives a crash', async () => {
    const harness = await SessionHarness.create()
    await harness.core.remove(OWNER)
    harness.crash()
    await harness.settle()
    expect(harness.core.views.summary(OWNER)).toMatchObject({ ok: false })
    expect(await ring(harness)).toBe(RESTORE_MS)
    expect(harness.erased).toBe(true)
  })

  test('[SES2] the row that could not be dropped is dropped later, and only then it erases', async () => {
    const harness = await SessionHarness.create()
    await harness.core.remove(OWNER)
    harness.directoryFails = true
    await ring(harness)
    expect(harness.erased).toBe(false)
    harness.directoryFails = false
    await ring(harness)
    expect(harness.erased).toBe(true)
    expect(projected(harness)).toBe(undefined)
  })

  test('[SES2] erasing ends the run: its late words reach nothing', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    const call = harness.model.current
    await harness.core.remove(OWNER)
    await ring(harness)
    expect(harness.erased).toBe(true)
    expect(call.signal.aborted).toBe(true)
    const before = harness.events()
    call.emitLate({ type: 'text', text: 'late words of a run' })
    harness.timers.advance(60_000)
    await harness.settle()
    expect(harness.events()).toEqual(before)
    expect(harness.alarmAt).toBe(null)
    expect(harness.timers.size).toBe(0)
  })

  test('[SAF1] another owner can neither delete nor restore', async () => {
    const harness = await SessionHarness.create()
    expect(await harness.core.remove('mallory')).toMatchObject({ ok: false })
    await harness.core.remove(OWNER)
    expect(await harness.core.restore('mallory')).toMatchObject({ ok: false })
    expect(projected(harness)).toMatchObject({ deletedAt: expect.any(Number) })
  })
})

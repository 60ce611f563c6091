import {
  abortAllDurableObjects,
  env,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { fold } from '#protocol/reduce'
import { api, LiveSession, model, postJson, script } from '../testing/live-session.ts'

const isRunDone = (event: { type: string }): boolean => event.type === 'run_done'

/** Evicting an object that does not run is refused: that is how a test sees that it sleeps. */
const isAwake = (session: LiveSession): Promise<boolean> =>
  evictDurableObject(session.stub).then(
    () => true,
    () => false,
  )

const alarmOf = (session: LiveSession): Promise<number | null> =>
  runInDurableObject(session.stub, (_, state) => state.storage.getAlarm())

describe('hibernation', () => {
  test('[LOG3] an evicted object wakes on a message, with its sockets still subscribed', async () => {
    const session = await LiveSession.create()
    const socket = await session.connect()
    expect(await isAwake(session)).toBe(true)
    socket.command({ type: 'send', text: 'hello again' })
    await socket.untilEvent(isRunDone)
    expect(socket.events.map(({ seq }) => seq)).toEqual(
      (await session.events()).map(({ seq }) => seq),
    )
  })

  test('ping is answered while the object sleeps, and does not wake it', async () => {
    const session = await LiveSession.create()
    const socket = await session.connect()
    await evictDurableObject(session.stub)
    await socket.ping()
    expect(await isAwake(session)).toBe(false)
  })

  test('[API1] an SSE listener does not keep the object awake, and still hears what happens', async () => {
    const session = await LiveSession.create()
    const response = await api(`/sessions/${session.id}/stream?after=0`)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    let heard = ''
    const hear = async (text: string): Promise<void> => {
      while (!heard.includes(text)) heard += (await reader.read()).value ?? ''
    }
    await hear('session_created')
    expect(await isAwake(session)).toBe(true)
    expect(await isAwake(session)).toBe(false)
    await session.command({ type: 'send', text: 'hello listener' })
    await hear('run_done')
    expect(heard).toContain('id: 1\n')
    await reader.cancel()
  })

  test('[CAN5] no timer and no alarm is left after a run, and no client is needed for one', async () => {
    const session = await LiveSession.create()
    const { runId } = await session.command({ type: 'send', text: 'hello' })
    const socket = await session.connect(0)
    await socket.untilEvent(
      (event) => isRunDone(event) && 'runId' in event && event.runId === runId,
    )
    socket.close()
    expect(await alarmOf(session)).toBe(null)
    expect(await isAwake(session)).toBe(true)
  })

  test('[RUN9] the watchdog alarm is set while a run is active', async () => {
    const session = await LiveSession.create()
    const gate = `g-${session.id}`
    const text = script([{ text: 'Once upon a time ' }, { gate }, { finish: 'stop' }])
    await session.command({ type: 'send', text })
    await model.reached(gate)
    expect(await alarmOf(session)).toBeGreaterThan(Date.now())
    await session.command({ type: 'cancel' })
    expect(await alarmOf(session)).toBe(null)
  })
})

describe('a crash', () => {
  test('[RUN9] [LOG4] in mid-stream keeps what was logged and goes on by itself', async () => {
    const session = await LiveSession.create()
    const gate = `g-${session.id}`
    const text = script([
      { text: 'The first words of it ' },
      { gate },
      { text: 'and the rest' },
      { finish: 'stop' },
    ])
    const socket = await session.connect()
    socket.command({ type: 'send', text })
    await model.reached(gate)
    await socket.untilEvent((event) => event.type === 'text_delta')
    await abortAllDurableObjects()
    await socket.closed
    await model.release(gate)
    const again = await session.connect(socket.events.at(-1)!.seq)
    await again.untilEvent(isRunDone)
    const events = await session.events(true)
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
    expect(events.filter(({ type }) => type === 'run_started')).toMatchObject([
      { attempt: 1 },
      { attempt: 2 },
    ])
    expect(fold([...socket.events, ...again.events])).toEqual(fold(events))
    expect(await model.violations()).toEqual([])
  })

  test('[RUN9] [CAN3] during a tool settles it as interrupted, and the next request is valid', async () => {
    const session = await LiveSession.create()
    const call = { id: 'call_1', name: 'countdown', arguments: '{"from":60}' }
    const text = script(
      [{ toolCall: call }, { finish: 'tool_calls' }],
      [{ text: 'The countdown was interrupted.' }, { finish: 'stop' }],
    )
    const socket = await session.connect()
    socket.command({ type: 'configure', recovery: 'stop' })
    socket.command({ type: 'send', text })
    await socket.untilEvent((event) => event.type === 'tool_call_start')
    await abortAllDurableObjects()
    const again = await session.connect(0)
    const result = await again.untilEvent((event) => event.type === 'tool_result')
    expect(result).toMatchObject({ ok: false, error: { code: 'tool_interrupted' } })
    expect(again.events.at(-1)).toMatchObject({ type: 'run_done', outcome: 'interrupted' })
    again.command({ type: 'continue' })
    await again.untilEvent(
      (event) => isRunDone(event) && 'outcome' in event && event.outcome === 'done',
    )
    expect(await model.violations()).toEqual([])
  })

  test('[QUE1] keeps queued messages, in order', async () => {
    const session = await LiveSession.create()
    const gate = `g-${session.id}`
    const text = script([{ text: 'Thinking about it ' }, { gate }, { finish: 'stop' }])
    await session.command({ type: 'send', text })
    await model.reached(gate)
    for (const queued of ['B', 'C', 'D']) await session.command({ type: 'send', text: queued })
    await abortAllDurableObjects()
    await model.release(gate)
    const socket = await session.connect(0)
    await socket.untilEvent((event) => event.type === 'text_done' && event.text === 'You said: D')
    await socket.untilEvent((event) => isRunDone(event) && event.seq > 20)
    const told = (await session.events()).flatMap((event) => {
      if (event.type === 'user_message') return [event.text]
      return event.type === 'text_done' && event.text.startsWith('You said') ? [event.text] : []
    })
    expect(told.slice(1)).toEqual(['B', 'You said: B', 'C', 'You said: C', 'D', 'You said: D'])
  })
})

describe('[CAN1] [CAN2] cancel over HTTP', () => {
  test('ends the run, aborts the provider call, and answers with the last seq', async () => {
    const session = await LiveSession.create()
    const gate = `g-${session.id}`
    const text = script([{ text: 'A long story begins ' }, { gate }, { finish: 'stop' }])
    const { runId } = await session.command({ type: 'send', text })
    await model.reached(gate)
    const response = await postJson('/agent-cancel', { run_id: runId })
    const { seq } = await response.json<{ seq: number }>()
    const events = await session.events()
    expect(events.at(-1)).toMatchObject({ type: 'run_done', outcome: 'cancelled', seq })
    expect(events.at(-2)).toMatchObject({ type: 'output_cancelled', reason: 'api' })
    const again = await postJson('/agent-cancel', { run_id: runId })
    expect(await again.json()).toMatchObject({ seq })
  })
})

const turn = (perSecond?: number): string =>
  script([
    { repeat: 500, text: 'word ', ...(perSecond === undefined ? {} : { perSecond }) },
    { finish: 'stop' },
  ])

const costOf = async (text: string) => {
  const session = await LiveSession.create()
  const socket = await session.connect()
  const before = await session.stats()
  const sent = socket.bytes
  const frames = socket.frames.length
  socket.command({ type: 'send', text })
  await socket.untilEvent(isRunDone)
  await runInDurableObject(session.stub, (instance) => instance.alarm())
  const after = await session.stats()
  return {
    rows: after.rowsWritten - before.rowsWritten,
    frames: socket.frames.length - frames,
    bytes: socket.bytes - sent,
  }
}

describe('what a session costs', () => {
  test('a fresh session writes at most 20 rows', async () => {
    const session = await LiveSession.create()
    await session.connect()
    expect((await session.stats()).rowsWritten).toBeLessThanOrEqual(20)
  })

  test('a turn of 500 deltas at 100 a second writes at most 28 rows and 170 frames', async () => {
    const cost = await costOf(turn(100))
    expect(cost.rows).toBeLessThanOrEqual(28)
    expect(cost.frames).toBeLessThanOrEqual(170)
    expect(cost.rows).toBeGreaterThan(10)
  })

  test('a turn of 500 deltas at full speed writes at most 12 rows and 8,000 bytes', async () => {
    const cost = await costOf(turn())
    expect(cost.rows).toBeLessThanOrEqual(12)
    expect(cost.bytes).toBeLessThanOrEqual(8_000)
  })
})

describe('[SES2] delete', () => {
  test('hides at once, restores within its time, and erases afterwards', async () => {
    const session = await LiveSession.create()
    const socket = await session.connect()
    await api(`/sessions/${session.id}`, { method: 'DELETE' })
    expect(await socket.closed).toMatchObject({ code: 4404 })
    expect((await api(`/sessions/${session.id}`)).status).toBe(404)
    expect((await postJson(`/sessions/${session.id}/restore`, {})).status).toBe(200)
    expect((await api(`/sessions/${session.id}`)).status).toBe(200)
    await api(`/sessions/${session.id}`, { method: 'DELETE' })
    await runInDurableObject(session.stub, (_, state) => {
      state.storage.sql.exec('UPDATE session SET erase_at = 1')
    })
    await evictDurableObject(session.stub)
    // It may ring by itself before.
    await runDurableObjectAlarm(session.stub)
    const findRow = () =>
      env.DB.prepare('SELECT id FROM sessions WHERE id = ?').bind(session.id).first()
    await expect.poll(findRow, { timeout: 30_000 }).toBe(null)
    const tables = () =>
      runInDurableObject(session.stub, (_, { storage }) =>
        storage.sql.exec("SELECT name FROM sqlite_master WHERE name = 'session'").toArray(),
      )
    await expect.poll(tables, { timeout: 30_000 }).toEqual([])
    expect((await postJson(`/sessions/${session.id}/restore`, {})).status).toBe(404)
  })
})

describe('[SAF2] a session that does not exist', () => {
  test('is refused everywhere, and nothing is stored for it', async () => {
    const id = 'never-created-0000'
    expect((await api(`/sessions/${id}`)).status).toBe(404)
    expect((await api(`/sessions/${id}/events`)).status).toBe(404)
    expect((await api(`/sessions/${id}/stats`)).status).toBe(404)
    const send = { type: 'send', id: 'x', text: 'hi' }
    expect((await postJson(`/sessions/${id}/commands`, send)).status).toBe(404)
    await api(`/sessions/${id}/socket`, { headers: { Upgrade: 'websocket' } })
    const stub = env.SESSION.get(env.SESSION.idFromName(id))
    const stored = await runInDurableObject(stub, async (_, state) => ({
      tables: state.storage.sql
        .exec("SELECT name FROM sqlite_master WHERE name NOT LIKE '_cf%'")
        .toArray(),
      keys: (await state.storage.list()).size,
    }))
    expect(stored).toEqual({ tables: [], keys: 0 })
  })
})

import {
  abortAllDurableObjects,
  evictDurableObject,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { callAll, message, say, sayAfter, spawn, toCall } from '../testing/agent-script.ts'
import {
  api,
  LiveSession,
  model,
  postJson,
  script,
  type LiveSocket,
} from '../testing/live-session.ts'

// What sleep and death of real objects do to what they have agreed on: nothing.

type Stage = { socket: LiveSocket; watcher: LiveSocket; gate: string }

/** Where in an exchange everything dies. */
const POINTS: readonly (readonly [when: string, reach: (stage: Stage) => Promise<unknown>])[] = [
  ['the message is written', ({ socket }) => socket.untilType('exchange_started')],
  ['the message has arrived', ({ watcher }) => watcher.untilType('agent_message')],
  ['the other is at work', ({ gate }) => model.reached(gate)],
  [
    'the answer is written',
    async ({ watcher, gate }) => {
      await model.release(gate)
      await watcher.untilType('run_done')
    },
  ],
  [
    'the answer has arrived',
    async ({ socket, gate }) => {
      await model.release(gate)
      await socket.untilType('agent_callback_result')
    },
  ],
]

/** It hears nothing any more until it dies; what is sent to it stays on its way. */
async function deafen(session: LiveSession): Promise<{ end: Promise<'died' | 'lived'> }> {
  let isDeaf = false
  const held = runInDurableObject(session.stub, (_, state) => {
    void state.blockConcurrencyWhile(() => new Promise<never>(() => {}))
    isDeaf = true
  })
  const end = held.then(
    () => 'lived' as const,
    () => 'died' as const,
  )
  await expect.poll(() => isDeaf, { timeout: 30_000 }).toBe(true)
  return { end }
}

/** One of each, whatever happened: nothing lost, nothing doubled. */
async function expectOnce(asking: LiveSession, asked: LiveSession): Promise<void> {
  const [exchange, ...more] = await asking.eventsOf('exchange_started')
  expect(more).toEqual([])
  const { exchangeId } = exchange!
  expect(await asked.eventsOf('agent_message')).toMatchObject([{ exchangeId }])
  expect(await asked.eventsOf('run_done')).toMatchObject([{ outcome: 'done' }])
  expect(await asking.eventsOf('agent_callback_result')).toMatchObject([
    { exchangeId, ok: true, as: 'result', result: 'Here it is.' },
  ])
  expect(await asking.eventsOf('tool_result')).toMatchObject([{ ok: true, result: 'Here it is.' }])
  expect(await asking.eventsOf('run_done')).toMatchObject([{ outcome: 'done' }])
}

describe('in the middle of an exchange', () => {
  test.each(POINTS)('[AGT2] all objects die when %s: it ends, once', async (when, reach) => {
    const asked = await LiveSession.create()
    const watcher = await asked.connect(0)
    const gate = `agents-${when.replaceAll(' ', '-')}`
    const part = script(sayAfter(gate, 'Here it is.'))
    const { session, socket } = await LiveSession.begin(
      script(callAll(message(asked.id, part)), say('Thanks.')),
    )
    await reach({ socket, watcher, gate })
    await abortAllDurableObjects()
    await model.release(gate)
    await Promise.all([asked.untilDone(), session.untilDone()])
    await expectOnce(session, asked)
    expect(await model.violations()).toEqual([])
  })

  test('[AGT2] the one that waits sleeps; the answer wakes it, and its run goes on', async () => {
    const { session, socket } = await LiveSession.begin(
      script(
        callAll(message('researcher', script(sayAfter('agents-asleep', 'Here it is.')))),
        say('Thanks.'),
      ),
    )
    await model.reached('agents-asleep')
    await evictDurableObject(session.stub)
    await model.release('agents-asleep')
    await socket.untilType('run_done')
    const [exchange] = await session.eventsOf('exchange_started')
    await expectOnce(session, LiveSession.at(exchange!.toSessionId))
    expect(await session.eventsOf('run_started')).toHaveLength(1)
  })

  test('[AGT2] an answer that was on its way is sent again by the alarm, with nobody there', async () => {
    const asked = await LiveSession.create()
    const watcher = await asked.connect(0)
    const { session } = await LiveSession.begin(
      script(
        callAll(message(asked.id, script(sayAfter('agents-on-its-way', 'Here it is.')))),
        say('Thanks.'),
      ),
    )
    await model.reached('agents-on-its-way')
    const held = await deafen(session)
    await model.release('agents-on-its-way')
    await watcher.untilType('run_done')
    await abortAllDurableObjects()
    expect(await held.end).toBe('died')
    // It was deaf until it died, so the answer is still to come. The alarm may ring by itself before.
    await runDurableObjectAlarm(asked.stub)
    await session.untilDone()
    await expectOnce(session, asked)
  })
})

describe('a parent and its child', () => {
  test('[AGT5] [FILE1] the parent sleeps while the child works: its files and its result arrive', async () => {
    const write = toCall('write_file', { path: 'report.md', content: 'One ship.\n' })
    const { session, socket } = await LiveSession.begin(
      script(
        callAll(spawn(script([{ gate: 'agents-child' }, ...callAll(write)], say('Written.')))),
        say('Thanks.'),
      ),
    )
    await model.reached('agents-child')
    await evictDurableObject(session.stub)
    await model.release('agents-child')
    await socket.untilType('run_done')
    expect(await session.eventsOf('subagent_result')).toMatchObject([
      { outcome: 'done', summary: 'Written.', tools: 1 },
    ])
    const file = await api(`/sessions/${session.id}/files/report.md`)
    expect(await file.text()).toBe('One ship.\n')
  })

  test('[AGT5] both die while the child works: it is taken up again, not started again', async () => {
    const { session } = await LiveSession.begin(
      script(callAll(spawn(script(sayAfter('agents-orphan', 'Counted.')))), say('Thanks.')),
    )
    await model.reached('agents-orphan')
    const [spawned] = await session.eventsOf('subagent_spawned')
    const child = LiveSession.at(spawned!.childSessionId)
    await abortAllDurableObjects()
    await model.release('agents-orphan')
    await Promise.all([child.untilDone(), session.untilDone()])
    const attempts = (await child.eventsOf('run_started')).map(({ runId, attempt }) => [
      runId,
      attempt,
    ])
    expect(attempts).toEqual([
      [spawned!.childRunId, 1],
      [spawned!.childRunId, 2],
    ])
    expect(await session.eventsOf('subagent_spawned')).toHaveLength(1)
    expect(await session.eventsOf('subagent_result')).toMatchObject([{ summary: 'Counted.' }])
    expect(await session.eventsOf('run_started')).toHaveLength(1)
  })

  test('[CAN4] all die right after a cancel: the tree ends by its alarms, and says nothing more', async () => {
    const deepest = spawn(script(sayAfter('agents-fell', 'Never.')))
    const { session, socket } = await LiveSession.begin(
      script(callAll(spawn(script(callAll(deepest), say('Never.')))), say('Never.')),
    )
    await model.reached('agents-fell')
    const [child] = await session.eventsOf('subagent_spawned')
    const one = LiveSession.at(child!.childSessionId)
    const [grandchild] = await one.eventsOf('subagent_spawned')
    const two = LiveSession.at(grandchild!.childSessionId)
    // The child cannot be told before it dies.
    const held = await deafen(one)
    await postJson('/agent-cancel', { run_id: child!.runId })
    await socket.untilType('run_done')
    await abortAllDurableObjects()
    expect(await held.end).toBe('died')
    // It may ring by itself before.
    await runDurableObjectAlarm(session.stub)
    await model.release('agents-fell')
    await Promise.all([one.untilDone(), two.untilDone()])
    for (const level of [one, two]) {
      expect(await level.eventsOf('run_done')).toMatchObject([{ outcome: 'cancelled' }])
    }
    expect((await session.events()).at(-1)).toMatchObject({ type: 'run_done' })
    expect(await two.eventsOf('text_done')).toEqual([])
  })
})

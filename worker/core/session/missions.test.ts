import { describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { fold } from '#protocol/reduce'
import { hot } from '#protocol/state'
import { Crash } from '../../testing/node/memory-sql.ts'
import { OWNER, SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { Log } from './log.ts'
import { ModelError } from './model.ts'

const MINUTE = 60_000

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]
const missionOf = (harness: SessionHarness) => harness.core.folded.mission
const promptsOf = (harness: SessionHarness): number[] =>
  of(harness, 'idle_prompt').map(({ n }) => n)
const reasons = (harness: SessionHarness): string[] =>
  of(harness, 'mission_updated').map(({ reason }) => reason)

async function withMission(
  fields: { everyMinutes?: number; maxPrompts?: number } = {},
  harness: SessionHarness | null = null,
): Promise<SessionHarness> {
  const made = harness ?? (await SessionHarness.create())
  const mission = { text: 'Keep the list short', everyMinutes: 5, maxPrompts: 3, ...fields }
  made.command({ type: 'mission_set', id: 'mission-1', ...mission })
  return made
}

/** The one alarm rings when it was set for, and not before. */
async function ring(harness: SessionHarness): Promise<void> {
  if (harness.alarmAt === null) throw new Error('no alarm is set')
  harness.timers.advance(Math.max(0, harness.alarmAt - harness.timers.now))
  await harness.core.alarm()
  await harness.settle()
}

async function answer(harness: SessionHarness, text = 'Nine entries are left.'): Promise<void> {
  harness.model.current.text(text).finish()
  await harness.settle()
}

/** A watchdog's alarm may come first: rings until a run has begun. */
async function ringUntilPrompted(harness: SessionHarness): Promise<void> {
  const before = promptsOf(harness).length
  for (let i = 0; i < 5 && promptsOf(harness).length === before; i++) {
    // oxlint-disable-next-line no-await-in-loop
    await ring(harness)
  }
  expect(promptsOf(harness)).toHaveLength(before + 1)
}

function checkWhole(harness: SessionHarness): void {
  const full = fold(harness.events())
  expect(harness.core.folded).toEqual({ ...full, turns: [] })
  expect(new Log(harness.database).load()?.hot).toEqual(hot(full))
}

const callDone = async (harness: SessionHarness, args = '{"summary":"Three are left."}') => {
  const call = { type: 'tool_call', id: 'call-1', toolName: 'mission_done', arguments: args }
  harness.model.current.emit(call as never).finish('tool_calls')
  await harness.settle()
  harness.tools.open[0]?.settle({ ok: true, result: 'The mission is over.' })
  await harness.settle()
}

/** Every commit of a life with two prompts, before and after it counts. */
async function live(point: 'before_commit' | 'after_commit', at: number): Promise<SessionHarness> {
  const harness = await withMission({ maxPrompts: 2 })
  const { database } = harness
  const transaction = database.transaction.bind(database)
  let commits = 0
  database.transaction = (run) => {
    if (++commits === at) database.crashAt = point
    return transaction(run)
  }
  for (let i = 0; i < 30 && missionOf(harness)?.status !== 'exhausted'; i++) {
    try {
      // oxlint-disable-next-line no-await-in-loop
      if (harness.model.isCalled) await answer(harness)
      // oxlint-disable-next-line no-await-in-loop
      else await ring(harness)
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
    // oxlint-disable-next-line no-await-in-loop
    await harness.settle()
    // The alarm that rang is retried by the platform; the object derives the rest.
    if (harness.isDead) {
      database.crashAt = null
      harness.wake()
    }
    // oxlint-disable-next-line no-await-in-loop
    await harness.settle()
  }
  return harness
}

describe('the schedule', () => {
  test('[AGT7] an idle session is prompted when its time has come, and not a moment before', async () => {
    const harness = await withMission()
    const start = harness.timers.now
    expect(harness.alarmAt).toBe(start + 5 * MINUTE)
    harness.timers.advance(5 * MINUTE - 1)
    await harness.core.alarm()
    expect(promptsOf(harness)).toEqual([])
    expect(harness.alarmAt).toBe(start + 5 * MINUTE)
    await ring(harness)
    const [prompt] = of(harness, 'idle_prompt')
    const [run] = of(harness, 'run_started')
    expect(prompt).toMatchObject({ missionId: 'mission-1', n: 1, of: 3, runId: run?.runId })
    expect(harness.model.isCalled).toBe(true)
    checkWhole(harness)
  })

  test('[AGT7] the next prompt is counted from the end of the run, however long it took', async () => {
    const harness = await withMission()
    await ringUntilPrompted(harness)
    harness.timers.advance(7 * MINUTE)
    await answer(harness)
    const ended = harness.timers.now
    // The watchdog of the run was set before; it finds nothing to do and leaves the right alarm.
    await ring(harness)
    expect(promptsOf(harness)).toEqual([1])
    expect(harness.alarmAt).toBe(ended + 5 * MINUTE)
    await ring(harness)
    expect(promptsOf(harness)).toEqual([1, 2])
  })

  test('[AGT7] what a person says goes first, and moves the next prompt', async () => {
    const harness = await withMission()
    harness.timers.advance(4 * MINUTE)
    harness.command({ type: 'send', text: 'And the other list?' })
    await harness.settle()
    harness.timers.advance(1.2 * MINUTE)
    await harness.core.alarm()
    expect(promptsOf(harness)).toEqual([])
    await answer(harness)
    const ended = harness.timers.now
    await ringUntilPrompted(harness)
    expect(harness.timers.now).toBe(ended + 5 * MINUTE)
  })

  test('[AGT7] nothing is prompted while messages are held back', async () => {
    const harness = await withMission()
    harness.command({ type: 'send', text: 'first' })
    await harness.settle()
    harness.command({ type: 'send', text: 'second', id: 'q1' })
    harness.command({ type: 'cancel' })
    harness.timers.advance(60 * MINUTE)
    await harness.core.alarm()
    expect(promptsOf(harness)).toEqual([])
    harness.command({ type: 'queue_remove', itemId: 'q1' })
    await harness.core.alarm()
    expect(promptsOf(harness)).toEqual([1])
  })

  test('[AGT7] a session that was deleted is not prompted; one that was restored is', async () => {
    const harness = await withMission({ everyMinutes: 1 })
    await harness.core.remove(OWNER)
    harness.timers.advance(9_000)
    await harness.core.alarm()
    harness.timers.advance(500)
    expect((await harness.core.restore(OWNER)).ok).toBe(true)
    expect(promptsOf(harness)).toEqual([])
    await ringUntilPrompted(harness)
  })

  test('[AGT7] it costs nothing while it waits: no timer, and the object may sleep', async () => {
    const harness = await withMission()
    const socket = harness.connect(0)
    harness.hibernate([socket])
    expect(harness.timers.size).toBe(0)
    await ringUntilPrompted(harness)
    expect(socket.events.at(-1)?.type).toBe('run_started')
  })

  test('[AGT7] a person need not wait: the next prompt can be made now', async () => {
    const harness = await withMission()
    const ack = harness.command({ type: 'mission_prompt' })
    await harness.settle()
    expect(ack.runId).toBe(of(harness, 'idle_prompt')[0]?.runId)
    expect(harness.try({ type: 'mission_prompt' })).toMatchObject({
      rejection: { code: 'run_active' },
    })
    await answer(harness)
    harness.command({ type: 'mission_pause' })
    expect(harness.try({ type: 'mission_prompt' })).toMatchObject({
      rejection: { code: 'mission_state' },
    })
    expect(promptsOf(harness)).toEqual([1])
  })
})

describe('the budget and the stop', () => {
  test('[AGT7] after its last prompt a mission is exhausted, said so, and stays quiet', async () => {
    const harness = await withMission({ maxPrompts: 2 })
    for (let n = 0; n < 2; n++) {
      // oxlint-disable-next-line no-await-in-loop
      await ringUntilPrompted(harness)
      // oxlint-disable-next-line no-await-in-loop
      await answer(harness)
    }
    expect(missionOf(harness)).toMatchObject({ status: 'exhausted', prompts: 2 })
    expect(reasons(harness)).toEqual(['set', 'exhausted'])
    expect(harness.alarmAt).toBe(null)
    expect(harness.try({ type: 'mission_resume' })).toMatchObject({
      rejection: { code: 'mission_state' },
    })
    harness.command({ type: 'mission_set', text: 'Once more', maxPrompts: 1 })
    expect(missionOf(harness)).toMatchObject({ status: 'active', prompts: 0 })
  })

  test('[AGT7] [CAN2] stopping a prompted run pauses the mission, behind the end of the run', async () => {
    const harness = await withMission()
    await ringUntilPrompted(harness)
    harness.model.current.text('I will look at the list')
    const { seq } = harness.command({ type: 'cancel' })
    const [ended, paused] = harness.events().slice(-2)
    expect(ended).toMatchObject({ type: 'run_done', outcome: 'cancelled', seq })
    expect(paused).toMatchObject({ type: 'mission_updated', reason: 'stopped' })
    expect(paused).not.toHaveProperty('runId')
    expect(missionOf(harness)).toMatchObject({ status: 'paused', prompts: 1 })
    harness.timers.advance(60 * MINUTE)
    await harness.core.alarm()
    expect(promptsOf(harness)).toEqual([1])
    harness.command({ type: 'mission_resume' })
    const resumed = harness.timers.now
    await ringUntilPrompted(harness)
    expect(harness.timers.now).toBe(resumed + 5 * MINUTE)
    expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
  })

  test('[AGT7] stopping one’s own run, or interrupting a prompted one, leaves it active', async () => {
    const harness = await withMission()
    harness.command({ type: 'send', text: 'mine' })
    await harness.settle()
    harness.command({ type: 'cancel' })
    expect(missionOf(harness)?.status).toBe('active')
    await ringUntilPrompted(harness)
    harness.command({ type: 'send', text: 'No, this first', delivery: 'interrupt' })
    await harness.settle()
    await answer(harness)
    expect(missionOf(harness)?.status).toBe('active')
    expect(reasons(harness)).toEqual(['set'])
  })

  test('[AGT7] a run that fails pauses it: nobody is there to see the next one fail', async () => {
    const harness = await withMission()
    await ringUntilPrompted(harness)
    harness.model.current.fail(new ModelError('model_bad_request', 'no'))
    await harness.settle()
    expect(missionOf(harness)).toMatchObject({ status: 'paused' })
    expect(reasons(harness)).toEqual(['set', 'failed'])
  })

  test('[AGT7] clearing it stops it; clearing another one is refused and changes nothing', async () => {
    const harness = await withMission()
    expect(harness.try({ type: 'mission_clear', missionId: 'mission-0' })).toMatchObject({
      rejection: { code: 'no_such_mission' },
    })
    expect(missionOf(harness)?.status).toBe('active')
    harness.command({ type: 'mission_clear', missionId: 'mission-1' })
    expect(missionOf(harness)).toBe(null)
    harness.timers.advance(60 * MINUTE)
    await harness.core.alarm()
    expect(promptsOf(harness)).toEqual([])
    expect(harness.alarmAt).toBe(null)
  })

  test('[AGT7] a cleared transcript keeps its mission', async () => {
    const harness = await withMission()
    harness.command({ type: 'clear' })
    await ringUntilPrompted(harness)
    expect(harness.model.current.request.messages).toHaveLength(1)
  })
})

describe('what the agent is told and can do', () => {
  test('[AGT7] a prompt is a message that says what it is, how many are left, and how to end', async () => {
    const harness = await withMission()
    await ringUntilPrompted(harness)
    const { messages, system } = harness.model.current.request
    expect(messages).toHaveLength(1)
    const [message] = messages
    expect(message).toMatchObject({ role: 'user' })
    const text = JSON.stringify(message)
    expect(text).toContain('Scheduled prompt 1 of 3')
    expect(text).toContain('2 more will follow')
    expect(text).toContain('Keep the list short')
    expect(text).toContain('mission_done')
    expect(system).toContain('The standing mission of this session:\nKeep the list short')
    await answer(harness)
    await ringUntilPrompted(harness)
    await answer(harness)
    await ringUntilPrompted(harness)
    expect(JSON.stringify(harness.model.current.request.messages.at(-1))).toContain('the last one')
  })

  test('[AGT7] mission_done ends it with what came of it, in the commit of its result', async () => {
    const harness = await withMission()
    await ringUntilPrompted(harness)
    await callDone(harness)
    const { runId } = of(harness, 'run_started')[0]!
    const at = harness.events().findIndex(({ type }) => type === 'tool_result')
    expect(harness.events()[at + 1]).toMatchObject({
      type: 'mission_updated',
      reason: 'done',
      runId,
      mission: { status: 'done', summary: 'Three are left.', prompts: 1 },
    })
    await answer(harness)
    expect(missionOf(harness)?.status).toBe('done')
    harness.timers.advance(60 * MINUTE)
    await harness.core.alarm()
    expect(promptsOf(harness)).toEqual([1])
    checkWhole(harness)
  })

  test('[AGT7] a call that failed, or of a run that began before the mission, ends nothing', async () => {
    const harness = await withMission()
    await ringUntilPrompted(harness)
    harness.command({ type: 'mission_set', id: 'mission-2', text: 'Another goal' })
    await callDone(harness)
    expect(missionOf(harness)).toMatchObject({ missionId: 'mission-2', status: 'active' })
    const call = { type: 'tool_call', id: 'call-2', toolName: 'mission_done', arguments: '{}' }
    harness.model.current.emit(call as never).finish('tool_calls')
    await harness.settle()
    const error = { code: 'tool_invalid_input', message: 'summary: required' } as const
    harness.tools.open[0]?.settle({ ok: false, error })
    await harness.settle()
    expect(missionOf(harness)).toMatchObject({ missionId: 'mission-2', status: 'active' })
  })

  test('[AGT7] an agent’s own mission is told in every session, and the same goal only once', async () => {
    const harness = await SessionHarness.create()
    harness.agentMissions.set('parley', 'Keep the list short')
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    const said = /Keep the list short/g
    expect(harness.model.current.request.system).toContain(
      'Your standing mission, in every session',
    )
    expect(harness.model.current.request.system.match(said)).toHaveLength(1)
    await answer(harness)
    await withMission({}, harness)
    await ringUntilPrompted(harness)
    expect(harness.model.current.request.system.match(said)).toHaveLength(1)
    expect(harness.model.current.request.system).toContain('The standing mission of this session')
  })

  test('[AGT7] [RUN10] a directory that is slow or broken costs the mission, not the answer', async () => {
    const broken = await SessionHarness.create({
      missions: { load: () => Promise.reject(new Error('D1_ERROR: secret')) },
    })
    broken.command({ type: 'send', text: 'hello' })
    await broken.settle()
    expect(broken.model.isCalled).toBe(true)
    const slow = await SessionHarness.create({ missions: { load: () => new Promise(() => {}) } })
    slow.command({ type: 'send', text: 'hello' })
    await slow.settle()
    expect(slow.model.isCalled).toBe(false)
    slow.timers.advance(1_000)
    await slow.settle()
    expect(slow.model.isCalled).toBe(true)
    for (const harness of [broken, slow]) {
      expect(of(harness, 'warning')).toMatchObject([{ code: 'mission_unread' }])
      expect(JSON.stringify(harness.events())).not.toContain('secret')
    }
  })
})

describe('a crash', () => {
  const cases = (['before_commit', 'after_commit'] as const).flatMap((point) =>
    Array.from({ length: 12 }, (_, index) => ({ point, at: index + 1 })),
  )
  test.each(cases)('[AGT7] $point $at: each prompt is made once', async ({ point, at }) => {
    const harness = await live(point, at)
    expect(promptsOf(harness)).toEqual([1, 2])
    const starts = of(harness, 'run_started').filter(({ attempt }) => attempt === 1)
    const prompted = of(harness, 'idle_prompt').map(({ runId }) => runId)
    expect(starts.map(({ runId }) => runId)).toEqual(prompted)
    expect(missionOf(harness)).toMatchObject({ status: 'exhausted', prompts: 2 })
    checkWhole(harness)
  })

  test('[AGT7] [RUN9] a prompted run that gave up pauses the mission', async () => {
    const harness = await withMission()
    harness.command({ type: 'configure', recovery: 'stop' })
    await ringUntilPrompted(harness)
    harness.crash()
    expect(reasons(harness)).toEqual(['set', 'interrupted'])
    expect(missionOf(harness)?.status).toBe('paused')
  })

  test('[AGT7] a storage that refuses the prompt is asked again later, not in a busy loop', async () => {
    const harness = await withMission()
    const { database } = harness
    const transaction = database.transaction.bind(database)
    database.transaction = () => {
      throw new Error('the disk is full')
    }
    await ring(harness)
    expect(promptsOf(harness)).toEqual([])
    expect(harness.alarmAt).toBe(harness.timers.now + 10_000)
    database.transaction = transaction
    await ring(harness)
    expect(promptsOf(harness)).toEqual([1])
  })

  test('[AGT7] an object that wakes long after its time prompts once, not for each time missed', async () => {
    const harness = await withMission()
    harness.die()
    harness.timers.advance(600 * MINUTE)
    harness.wake()
    await ring(harness)
    expect(promptsOf(harness)).toEqual([1])
  })
})

test('[AGT7] [LOG2] a session that slept since before there were missions can have one', async () => {
  const harness = await SessionHarness.create()
  harness.database.exec(`UPDATE session SET hot = json_remove(hot, '$.mission', '$.overrides')`)
  harness.crash()
  expect(harness.core.folded).toMatchObject({ mission: null, overrides: [] })
  await withMission({}, harness)
  await ringUntilPrompted(harness)
  checkWhole(harness)
})

describe('what other programs see', () => {
  test('[AGT7] the history keeps every mission, newest first, with how it ended', async () => {
    const harness = await withMission({ maxPrompts: 1 })
    await ringUntilPrompted(harness)
    await answer(harness)
    harness.command({ type: 'mission_set', id: 'mission-2', text: 'Second' })
    harness.command({ type: 'mission_set', id: 'mission-3', text: 'Third' })
    harness.command({ type: 'mission_clear' })
    harness.command({ type: 'mission_set', id: 'mission-4', text: 'Fourth' })
    const listed = harness.core.views.missions(OWNER)
    expect(listed.ok && listed.value).toMatchObject([
      { missionId: 'mission-4', status: 'active', endedAt: null },
      { missionId: 'mission-3', status: 'stopped', endedAt: harness.timers.now },
      { missionId: 'mission-2', status: 'stopped' },
      { missionId: 'mission-1', status: 'exhausted', prompts: 1 },
    ])
    expect(harness.core.views.missions('stranger').ok).toBe(false)
    expect(harness.core.views.mission(OWNER)).toMatchObject({
      value: { nextPromptAt: harness.timers.now + 60 * MINUTE },
    })
  })

  test('[AGT7] [LOG2] a prompt is a turn of its own kind, and a message in both formats', async () => {
    const harness = await withMission()
    await ringUntilPrompted(harness)
    await answer(harness)
    expect(harness.folded().turns).toMatchObject([
      { kind: 'idle_prompt', n: 1, of: 3, text: 'Keep the list short' },
      { kind: 'assistant' },
    ])
    const ui = harness.core.views.messages(OWNER, { format: 'ui', limit: 10 })
    expect(ui.ok && ui.value.messages).toMatchObject([
      { role: 'user', metadata: { idlePrompt: { missionId: 'mission-1', n: 1, of: 3 } } },
      { role: 'assistant' },
    ])
    const vercel = harness.core.views.messages(OWNER, { format: 'vercel', limit: 10 })
    expect(vercel.ok && vercel.value.messages).toMatchObject([
      { role: 'assistant' },
      { role: 'user', content: 'Keep the list short' },
    ])
  })

  test('[AGT7] [LOG7] a client that opens at the end has the mission in its snapshot', async () => {
    const harness = await withMission()
    const override = { instructions: 'Be brief.' }
    harness.command({ type: 'override_set', agentId: 'parley', override })
    for (let i = 0; i < 250; i++) harness.command({ type: 'configure', title: `Title ${i}` })
    const { state } = harness.connect(null, 10).last('snapshot')
    expect(state.mission).toMatchObject({ missionId: 'mission-1', status: 'active' })
    expect(state.overrides).toEqual([{ agentId: 'parley', override }])
  })

  test('[AGT7] a session with a mission is not an empty one that a new chat may take', async () => {
    const harness = await withMission()
    const summary = harness.core.views.summary(OWNER)
    expect(summary.ok && summary.value.empty).toBe(false)
    expect(harness.directory.get(harness.core.folded.session.id)?.mission).toMatchObject({
      missionId: 'mission-1',
    })
  })
})

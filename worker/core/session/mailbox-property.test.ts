// Random lives of several sessions whose agents write to each other (AGT2): whatever is lost, late,
// doubled or dies, the logs say that each message took effect once, in order, and was answered once.

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { parseResponseId } from '#protocol/ids'
import { hot } from '#protocol/state'
import { FuzzWorld } from '../../testing/node/fuzz-world.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { Log } from './log.ts'
import { Mailbox } from './mailbox.ts'

hashPromptly()

const LIVES = 200
const STEPS = 80
const FIRST_SEED = 20261118

/** Seeds that once failed: messages of one sender overtook each other in a queue that a person held. */
const PINNED = [20261431]

type Placed<T extends EventType> = Extract<SessionEvent, EventOf<T>>
type Logs = ReadonlyMap<string, readonly SessionEvent[]>

const ofType = <T extends EventType>(events: readonly SessionEvent[] | undefined, type: T) =>
  (events ?? []).filter((event): event is Placed<T> => event.type === type)

/** What the lives have been through: a life that never meets a thing proves nothing about it. */
const met = new Map<string, number>()
const meet = (what: string, count = 1): void => void met.set(what, (met.get(what) ?? 0) + count)

async function check(seed: number): Promise<void> {
  const world = await FuzzWorld.run(seed, STEPS)
  try {
    await world.comeToRest()
    checkWorld(world)
  } catch (error) {
    const told = `seed ${seed} (pin it in PINNED) after:\n${world.operations.join('\n')}`
    throw new Error(told, { cause: error })
  }
}

function checkWorld(world: FuzzWorld): void {
  const sessions = [...world.sessions].filter(([, { core }]) => core.seq > 0)
  const living = sessions.map(([id, harness]) => [id, harness.events()] as const)
  const logs: Logs = new Map([...world.graves, ...living])
  meet('an erasure', world.graves.size)
  meet('a crash', world.crashes)
  for (const { fate } of world.sent) meet(fate)
  expect(world.strays).toEqual([])
  expect(world.busyAlarms).toEqual([])
  expect(world.stuck).toEqual([])
  for (const [id, harness] of sessions) {
    const events = logs.get(id)!
    for (const event of events) meet(event.type)
    checkState(harness)
    checkRuns(events)
    checkExchanges(id, events, logs)
    checkOrder(id, events, logs, world.acts.moved)
    checkChildren(events, logs)
    for (const { request } of harness.model.calls) {
      expect(findRequestProblem(request.messages)).toBe(null)
    }
  }
}

function checkState(harness: SessionHarness): void {
  const full = harness.folded()
  expect(harness.core.folded).toEqual({ ...full, turns: [] })
  expect(new Log(harness.database).load()?.hot).toEqual(hot(full))
  expect(new Mailbox(harness.database).load()).toEqual([])
}

const runIdOf = (event: SessionEvent): string | null => {
  // It names the run that answered, elsewhere.
  if (event.type === 'agent_callback_result') return null
  if ('runId' in event && typeof event.runId === 'string') return event.runId
  return 'responseId' in event ? parseResponseId(event.responseId).runId : null
}

/** One end for each run, and nothing of it afterwards. */
function checkRuns(events: readonly SessionEvent[]): void {
  const ended = new Set<string>()
  for (const event of events) {
    const runId = runIdOf(event)
    if (runId === null) continue
    expect(ended.has(runId), `${event.type} ${event.seq} after its run ended`).toBe(false)
    if (event.type === 'run_done') ended.add(runId)
  }
  for (const { runId } of ofType(events, 'run_started')) expect(ended.has(runId)).toBe(true)
}

/** One answer each; it took effect there at most once, and once where it was answered. */
function checkExchanges(id: string, events: readonly SessionEvent[], logs: Logs): void {
  const answers = ofType(events, 'agent_callback_result')
  const started = ofType(events, 'exchange_started')
  expect(answers.map(({ exchangeId }) => exchangeId).toSorted()).toEqual(
    started.map(({ exchangeId }) => exchangeId).toSorted(),
  )
  for (const { exchangeId, toSessionId } of started) {
    const answer = answers.find((one) => one.exchangeId === exchangeId)!
    const there = logs.get(toSessionId)
    const heard = ofType(there, 'agent_message').filter((one) => one.exchangeId === exchangeId)
    expect(heard.length).toBeLessThanOrEqual(1)
    meet(`${answer.as}, ${answer.ok ? 'ok' : 'not ok'}`)
    if (!answer.ok) continue
    expect(heard).toMatchObject([{ fromSessionId: id }])
    const ran = ofType(there, 'run_done').filter(({ runId }) => runId === answer.runId)
    expect(ran).toMatchObject([{ outcome: 'done' }])
  }
}

/** From one sender in the order it sent them, but for those that people moved. */
function checkOrder(
  id: string,
  events: readonly SessionEvent[],
  logs: Logs,
  moved: ReadonlySet<string>,
): void {
  for (const [sender, theirs] of logs) {
    const heard = ofType(events, 'agent_message')
      .filter(({ fromSessionId, exchangeId }) => fromSessionId === sender && !moved.has(exchangeId))
      .map(({ exchangeId }) => exchangeId)
    const sent = ofType(theirs, 'exchange_started')
      .filter(({ toSessionId, exchangeId }) => toSessionId === id && heard.includes(exchangeId))
      .map(({ exchangeId }) => exchangeId)
    const exchanges = heard.filter((exchangeId) => sent.includes(exchangeId))
    expect(exchanges).toEqual(sent)
  }
}

/** One session with one run for each, and its result at most once and while its parent runs. */
function checkChildren(events: readonly SessionEvent[], logs: Logs): void {
  const ends = new Map(ofType(events, 'run_done').map(({ runId, outcome }) => [runId, outcome]))
  for (const { runId, childSessionId, childRunId } of ofType(events, 'subagent_spawned')) {
    const results = ofType(events, 'subagent_result').filter((one) => one.childRunId === childRunId)
    expect(results.length).toBeLessThanOrEqual(1)
    if (ends.get(runId) === 'done') expect(results).toHaveLength(1)
    const there = logs.get(childSessionId)
    const runs = ofType(there, 'run_started').filter(({ attempt }) => attempt === 1)
    const own = runs.filter((one) => one.runId === childRunId)
    expect(own.length).toBe(there === undefined ? 0 : 1)
    expect(ofType(there, 'session_created').length).toBe(own.length)
    const [result] = results
    if (result?.outcome !== 'done') continue
    expect(ofType(there, 'run_done').find((one) => one.runId === childRunId)).toMatchObject({
      outcome: 'done',
    })
  }
}

describe('[AGT2] [AGT5] random lives of sessions that write to each other', () => {
  const seeds = [...PINNED, ...Array.from({ length: LIVES }, (_, index) => FIRST_SEED + index)]
  for (let at = 0; at < seeds.length; at += 40) {
    const block = seeds.slice(at, at + 40)
    test(`once, in order and answered, seeds ${block[0]} to ${block.at(-1)}`, async () => {
      for (const seed of block) await check(seed)
    })
  }

  test('[AGT2] [CAN4] the lives had every fate, crashes, callbacks, children and cancels', () => {
    const expected = [
      'a crash',
      'an erasure',
      'session_cleared',
      'lost',
      'unheard',
      'twice',
      'late',
      'again',
      'exchange_started',
      'agent_message',
      'result, ok',
      'result, not ok',
      'message, ok',
      'message, not ok',
      'record, ok',
      'record, not ok',
      'subagent_spawned',
      'subagent_result',
      'subagent_progress',
      'output_cancelled',
      'decision_requested',
      'ask_user',
      'error',
    ]
    for (const what of expected) expect(met.get(what) ?? 0, what).toBeGreaterThan(20)
  })
})

// What may follow from one message of a person: as far as the hops go, as wide and as deep as children
// go, and never more than its budget in all (AGT4).

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import {
  CONTACTS_PER_ROOT,
  CONTACTS_PER_RUN,
  HOPS,
  LETTER_ATTEMPTS,
  SPAWN_DEPTH,
} from '#protocol/limits'
import { newAgentWorld, type AgentWorld } from '../../testing/node/agent-world.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import type { World } from '../../testing/node/world.ts'

hashPromptly()

const idOf = (index: number): string => `session-agent-${String(index).padStart(4, '0')}`

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

const refusals = (harness: SessionHarness) =>
  ofType(harness, 'tool_result').flatMap(({ error }) => error ?? [])

const childrenOf = (world: AgentWorld, harness: SessionHarness): SessionHarness[] =>
  ofType(harness, 'subagent_spawned').map(({ childSessionId }) => world.at(childSessionId))

/** Each run hands on no more than it was given: so the whole is bounded. Nothing has come back yet. */
function expectBounded(world: AgentWorld): void {
  for (const harness of world.sessions.values()) {
    const contacts = [
      ...ofType(harness, 'exchange_started'),
      ...ofType(harness, 'subagent_spawned'),
    ]
    for (const { runId, asker } of ofType(harness, 'run_started')) {
      const own = contacts.filter((contact) => contact.runId === runId)
      const spent = own.reduce((sum, { budget }) => sum + 1 + budget, 0)
      expect(spent).toBeLessThanOrEqual(asker?.budget ?? CONTACTS_PER_ROOT)
      for (const { budget } of own) expect(budget).toBeGreaterThanOrEqual(0)
    }
  }
}

test.each([true, false])(
  '[AGT4] a word goes from agent to agent as far as its hops go, waited for: %s',
  async (wait) => {
    const world = newAgentWorld()
    for (let index = 0; index <= HOPS + 1; index++) await world.create(idOf(index))
    await world.ask(world.at(idOf(0)))
    for (let index = 0; index <= HOPS; index++) {
      const to = idOf(index + 1)
      await world.call(world.at(idOf(index)), 'agents_message', { to, message: 'On.', wait })
    }
    for (let index = 0; index < HOPS; index++) {
      expect(ofType(world.at(idOf(index)), 'exchange_started')).toHaveLength(1)
      expect(refusals(world.at(idOf(index)))).toEqual([])
    }
    const last = world.at(idOf(HOPS))
    expect(ofType(last, 'run_started')).toMatchObject([{ asker: { hops: HOPS } }])
    expect(refusals(last)).toMatchObject([
      { code: 'rate_limit_tools', message: expect.stringContaining(`${HOPS} agents`) },
    ])
    expectBounded(world)
  },
)

test('[AGT4] [AGT5] three children at each of three levels, and each of the last can ask somebody', async () => {
  const world = newAgentWorld()
  const root = await world.create(idOf(0))
  await world.create(idOf(1))
  await world.ask(root)
  let level = [root]
  for (let depth = 1; depth <= SPAWN_DEPTH; depth++) {
    for (const one of level) {
      const tasks = ['One', 'Two', 'Three'].map((task) => ['agents_spawn', { task }] as const)
      await world.callAll(one, tasks)
      expect(refusals(one)).toEqual([])
    }
    level = level.flatMap((one) => childrenOf(world, one))
    expect(level).toHaveLength(3 ** depth)
  }
  for (const one of level) {
    await world.call(one, 'agents_message', { to: idOf(1), message: 'You?' })
    expect(refusals(one)).toEqual([])
  }
  expectBounded(world)
})

test('[AGT4] a run that asks one after the other has as much for the last as for the first', async () => {
  const world = newAgentWorld()
  const [a, b] = [await world.create(idOf(0)), await world.create(idOf(1))]
  await world.ask(a)
  for (let count = 0; count < 10; count++) {
    await world.call(a, 'agents_message', { to: idOf(1), message: 'You?' })
    await world.say(b, 'Done.')
  }
  const budgets = ofType(a, 'exchange_started').map(({ budget }) => budget)
  // Only what was used is gone: the exchanges themselves.
  expect(budgets.at(-1)).toBeGreaterThanOrEqual(budgets[0]! - 10)
  expect(budgets[0]).toBeGreaterThan(CONTACTS_PER_ROOT / 4)
})

test('[AGT4] [AGT5] a run has as many children at once as it may turn to others', async () => {
  const world = newAgentWorld()
  const root = await world.create(idOf(0))
  await world.ask(root)
  const tasks = Array.from({ length: CONTACTS_PER_RUN + 1 }, (_, index) => `Task ${index}`)
  await world.callAll(
    root,
    tasks.map((task) => ['agents_spawn', { task }]),
  )
  expect(childrenOf(world, root)).toHaveLength(CONTACTS_PER_RUN)
  expect(refusals(root)).toMatchObject([
    { message: expect.stringContaining(`${CONTACTS_PER_RUN} times`) },
  ])
  expectBounded(world)
})

const unheard: World['decideFate'] = (_from, _to, { letter }) =>
  letter.type === 'message' || letter.type === 'spawn' ? 'unheard' : 'arrives'

/** Models may be silent for longer than all tries take. */
const PATIENT = { stallMs: 86_400_000, firstByteMs: 86_400_000 }

/** As often as a letter is tried. */
async function giveUp(world: AgentWorld): Promise<void> {
  for (let i = 0; i < LETTER_ATTEMPTS; i++) await world.advance(300_000)
}

describe('[AGT4] [CAN4] what has arrived although nobody heard of it', () => {
  test.each([true, false])('a message is stopped, and its budget spent; wait: %s', async (wait) => {
    const world = newAgentWorld(PATIENT)
    const [a, b] = [await world.create(idOf(0)), await world.create(idOf(1))]
    await world.ask(a)
    world.decideFate = unheard
    const input = { to: idOf(1), message: 'On.', wait, timeoutSeconds: 86_400 }
    await world.call(a, 'agents_message', input)
    expect(b.model.isCalled).toBe(true)
    await giveUp(world)
    expect(ofType(a, 'exchange_started')[0]!.budget).toBeGreaterThan(0)
    const { queue } = a.core.folded
    const told = wait ? ofType(a, 'agent_callback_result')[0] : queue.items[0]?.callback
    expect(told).toMatchObject({ ok: false, budget: 0 })
    expect(told!.result).toContain('Not delivered')
    expect(ofType(b, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(b.model.isCalled).toBe(false)
  })

  test('a child is stopped', async () => {
    const world = newAgentWorld(PATIENT)
    const a = await world.create(idOf(0))
    await world.ask(a)
    world.decideFate = unheard
    await world.call(a, 'agents_spawn', { task: 'Count' })
    const [child] = childrenOf(world, a)
    expect(child!.model.isCalled).toBe(true)
    await giveUp(world)
    expect(ofType(a, 'subagent_result')).toMatchObject([{ outcome: 'failed', budget: 0 }])
    expect(ofType(child!, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(child!.model.isCalled).toBe(false)
  })
})

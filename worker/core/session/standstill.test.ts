// Runs that would wait for each other, through any number of sessions (AGT4): one message of each
// circle is refused, clearly, and the others go on. Nobody waits for a time-out.

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { newAgentWorld, type AgentWorld } from '../../testing/node/agent-world.ts'
import { AutomaticWorld } from '../../testing/node/automatic-world.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import type { ModelPart, ModelRequest } from './model.ts'

hashPromptly()

const [A, B, C] = ['session-aaaaaaaaaa', 'session-bbbbbbbbbb', 'session-cccccccccc'] as const

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

const message = (to: string, more: Record<string, unknown> = {}) =>
  ['agents_message', { to, message: 'You?', ...more }] as const

const refusals = (harness: SessionHarness): string[] =>
  ofType(harness, 'agent_callback_result').flatMap(({ ok, result }) => (ok ? [] : [result]))

const WAITS_FOR_YOU = expect.stringContaining('waits for you: none of you could ever go on')

/** Every model that is asked answers, as long as one is. Time does not pass. */
async function answerAll(world: AgentWorld): Promise<void> {
  for (let turns = 0; turns < 100; turns++) {
    const asked = [...world.sessions.values()].find(({ model }) => model.isCalled)
    if (asked === undefined) return
    await world.say(asked, 'Done.')
  }
  throw new Error('it does not come to rest')
}

function expectAllEnded(world: AgentWorld): void {
  for (const harness of world.sessions.values()) {
    const { run, exchanges, queue, children } = harness.core.folded
    expect(run.status).toBe('idle')
    expect([...exchanges, ...children, ...queue.items]).toEqual([])
    expect(ofType(harness, 'run_done').map(({ outcome }) => outcome)).not.toContain('failed')
    expect(harness.core.folded).toEqual({ ...harness.folded(), turns: [] })
  }
}

/** Without an answer, a letter or a crash in between, so that all of them are on their way at once. */
function callAtOnce(harness: SessionHarness, ...to: string[]): void {
  for (const [index, id] of to.entries()) {
    const args = JSON.stringify({ to: id, message: 'You?' })
    const callId = `once-${index}`
    harness.model.current.emit({
      type: 'tool_call',
      id: callId,
      toolName: 'agents_message',
      arguments: args,
    })
  }
  harness.model.current.finish('tool_calls')
}

async function threeAcross(world: AgentWorld) {
  const [a, b, c] = [await world.create(A), await world.create(B), await world.create(C)]
  await world.ask(a)
  await world.callAll(a, [message(B), message(C)])
  return { a, b, c }
}

describe('[AGT4] of those who would wait for each other one is told, and the others go on', () => {
  test('two that work for the same one ask each other', async () => {
    const world = newAgentWorld()
    const { a, b, c } = await threeAcross(world)
    await world.callAll(b, [message(C)])
    await world.callAll(c, [message(B)])
    expect(refusals(b)).toEqual([])
    expect(refusals(c)).toEqual([])
    expect(ofType(c, 'tool_result')).toMatchObject([
      { ok: false, error: { message: expect.stringContaining('waits for you already') } },
    ])
    await answerAll(world)
    expect(ofType(a, 'tool_result').map(({ ok }) => ok)).toEqual([true, true])
    expect(ofType(b, 'tool_result').map(({ ok }) => ok)).toEqual([true])
    expectAllEnded(world)
  })

  test('two that work for the same one ask each other, and their messages cross', async () => {
    const world = newAgentWorld()
    const { a, b, c } = await threeAcross(world)
    callAtOnce(b, C)
    callAtOnce(c, B)
    await world.settle()
    expect([...refusals(b), ...refusals(c)]).toEqual([WAITS_FOR_YOU])
    await answerAll(world)
    expect(ofType(a, 'tool_result').map(({ ok }) => ok)).toEqual([true, true])
    expectAllEnded(world)
  })

  test('two chats that each began by themselves', async () => {
    const world = newAgentWorld()
    const [a, b] = [await world.create(A, 'assistant'), await world.create(B, 'researcher')]
    await world.ask(a)
    await world.ask(b)
    callAtOnce(a, B)
    callAtOnce(b, A)
    await world.settle()
    // Of two that are as far from a person, always the same one.
    expect(refusals(a)).toEqual([])
    expect(refusals(b)).toEqual([
      'Not delivered: assistant waits for you: none of you could ever go on. Put what you have to say into your answer.',
    ])
    expect(ofType(b, 'tool_result')).toMatchObject([{ ok: false, error: { code: 'tool_error' } }])
    await answerAll(world)
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'Done.' }])
    expectAllEnded(world)
  })

  test('one that wrote without waiting waits later', async () => {
    const world = newAgentWorld()
    const [a, b, c] = [await world.create(A), await world.create(B), await world.create(C)]
    await world.ask(a)
    await world.callAll(a, [message(B)])
    await world.callAll(b, [message(C, { wait: false })])
    await world.callAll(b, [message(C)])
    await world.callAll(c, [message(A)])
    expect([...refusals(a), ...refusals(b)]).toEqual([])
    // It is the furthest from the person.
    expect(ofType(c, 'tool_result')).toMatchObject([{ ok: false }])
    await answerAll(world)
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true }])
    expectAllEnded(world)
  })

  test('a child and a chat that its parent waits for, too', async () => {
    const world = newAgentWorld()
    const [a, b] = [await world.create(A), await world.create(B)]
    await world.ask(b)
    await world.ask(a)
    await world.callAll(a, [['agents_spawn', { task: 'Ask them' }]])
    const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
    callAtOnce(child, B)
    callAtOnce(b, A)
    await world.settle()
    expect(refusals(child)).toEqual([
      expect.stringContaining('parley waits for parley, parley waits for you: none of you'),
    ])
    expect(refusals(b)).toEqual([])
    await answerAll(world)
    expect(ofType(a, 'subagent_result')).toMatchObject([{ outcome: 'done' }])
    expect(ofType(b, 'tool_result')).toMatchObject([{ ok: true }])
    expectAllEnded(world)
  })
})

/** Three chats in a circle, whose messages cross. */
async function threeAround(world: AgentWorld, ...others: string[]): Promise<SessionHarness[]> {
  const ids = [A, B, C]
  const chats: SessionHarness[] = []
  for (const id of ids) chats.push(await world.create(id))
  for (const chat of chats) await world.ask(chat)
  for (const [index, chat] of chats.entries()) callAtOnce(chat, ids[(index + 1) % 3]!, ...others)
  return chats
}

describe('[AGT4] looking for it survives', () => {
  test('one that cannot be reached for a while', async () => {
    const world = newAgentWorld()
    const reach = world.askStanding
    world.askStanding = () => Promise.reject(new Error('unreachable'))
    const chats = await threeAround(world)
    await world.settle()
    expect(chats.flatMap(refusals)).toEqual([])
    // Not sooner than it is of use, and not later than in a moment.
    for (const { alarmAt, timers } of chats) expect(alarmAt).toBeGreaterThan(timers.now)
    world.askStanding = reach
    for (let i = 0; i < 3; i++) await world.advance(1_000)
    expect(chats.flatMap(refusals)).toEqual([WAITS_FOR_YOU])
    await answerAll(world)
    expectAllEnded(world)
  })

  test('the death of everybody who looks: their alarms wake them, and they look again', async () => {
    const world = newAgentWorld()
    const reach = world.askStanding
    world.askStanding = () => new Promise(() => {})
    const chats = await threeAround(world)
    await world.settle()
    for (const chat of chats) chat.die()
    world.askStanding = reach
    for (const chat of chats) {
      expect(chat.alarmAt).toBeLessThanOrEqual(chat.timers.now + 30_000)
      chat.wake()
    }
    await world.settle()
    expect(chats.flatMap(refusals)).toEqual([WAITS_FOR_YOU])
    await answerAll(world)
    expectAllEnded(world)
  })

  test('somebody else who cannot be reached', async () => {
    const world = newAgentWorld()
    const gone = 'session-gone-000000'
    await world.create(gone)
    world.askStanding = (ask, id) => (id === gone ? Promise.reject(new Error('no')) : ask())
    const chats = await threeAround(world, gone)
    await world.settle()
    expect(chats.flatMap(refusals)).toEqual([WAITS_FOR_YOU])
    await answerAll(world)
    expectAllEnded(world)
  })

  test('and costs nobody their sleep: without a circle, no alarm rings before the answer is late', async () => {
    const world = newAgentWorld()
    const [a, b] = [await world.create(A), await world.create(B)]
    await world.create(C)
    await world.ask(b)
    await world.call(b, 'agents_message', { to: C, message: 'You?' })
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'You?' })
    expect(b.core.folded.queue.items).toHaveLength(1)
    for (let times = 0; times < 2; times++) {
      expect(b.alarmAt).toBeGreaterThan(b.timers.now + 3_000_000)
      b.hibernate()
      await world.settle()
    }
    await answerAll(world)
    expectAllEnded(world)
  })

  test('a refusal that was made, and that nobody heard of', async () => {
    const world = newAgentWorld()
    let unheard = 0
    world.afterRefusal = () => {
      unheard += 1
      if (unheard === 1) throw new Error('unheard')
    }
    const chats = await threeAround(world)
    await world.settle()
    for (let i = 0; i < 5; i++) await world.advance(1_000)
    expect(chats.flatMap(refusals)).toEqual([WAITS_FOR_YOU])
    await answerAll(world)
    expectAllEnded(world)
  })
})

/** `<depth>`: how often a word is handed on at most. */
const WORD = /<(\d+)>/g

/** Agents that ask some of those they may ask, and wait for most of them. */
class Random extends AutomaticWorld {
  private readonly mayAsk: (from: number, to: number) => boolean

  constructor(seed: number, agents: number, mayAsk: (from: number, to: number) => boolean) {
    super(seed, agents)
    this.mayAsk = mayAsk
  }

  protected answer(self: number, { messages }: ModelRequest): ModelPart[] {
    const said = messages.findLastIndex(({ role }) => role === 'assistant')
    const heard = JSON.stringify(messages.slice(said + 1).filter(({ role }) => role === 'user'))
    const calls = [...heard.matchAll(WORD)].flatMap(([, depth]) => {
      if (Number(depth) === 0) return []
      const others = this.ids.flatMap((_, to) => (this.mayAsk(self, to) ? [to] : []))
      const asked = others.filter(() => this.random.chance(0.4))
      return asked.map((to) => this.tell(to, `<${Number(depth) - 1}>`, this.random.chance(0.9)))
    })
    return calls.length > 0 ? calls : [this.word()]
  }
}

class Ring extends AutomaticWorld {
  protected answer(self: number, { messages }: ModelRequest): ModelPart[] {
    const isAsked =
      messages.at(-1)?.role === 'user' && JSON.stringify(messages.at(-1)).includes('ask')
    return isAsked ? [this.tell(self + 1, 'well?', true)] : [this.word()]
  }
}

const refusedIn = (world: AutomaticWorld): string[] =>
  world.of('agent_callback_result').flatMap(({ ok, result }) => (ok ? [] : [result]))

test.each(Array.from({ length: 20 }, (_, index) => index))(
  '[AGT4] a ring of ten chats that all wait: one is told, nine are answered, seed %i',
  async (seed) => {
    const world = new Ring(seed, 10)
    await world.createAll()
    if (seed < 5) world.evicts = 0
    world.kills = false
    for (const agent of world.agents) agent.command({ type: 'send', text: 'ask' })
    await world.live()
    const answers = world.of('agent_callback_result')
    expect(answers).toHaveLength(10)
    expect(refusedIn(world)).toEqual([WAITS_FOR_YOU])
    expect(world.of('agent_message')).toHaveLength(9)
    expect(world.of('exchange_started')).toHaveLength(10)
    expect(world.of('run_done').map(({ outcome }) => outcome)).toEqual(Array(19).fill('done'))
    // A time-out would have come after an hour.
    expect(world.passed).toBeLessThan(120_000)
  },
)

/** Looks, refusals and letters that get lost, or that nobody hears of. */
function loseThings(world: AutomaticWorld): void {
  const isLost = (): boolean => world.random.chance(0.2)
  world.turnsPerSecond = 10
  world.decideFate = () => world.random.weighted({ arrives: 8, lost: 1, unheard: 1, twice: 1 })
  world.askStanding = (ask) => (isLost() ? Promise.reject(new Error('lost')) : ask())
  world.afterRefusal = () => {
    if (isLost()) throw new Error('unheard')
  }
}

const runRandom = async (seed: number, mayAsk: (from: number, to: number) => boolean) => {
  const world = new Random(seed, 3 + (seed % 5), mayAsk)
  await world.createAll()
  if (seed % 2 === 0) world.evicts = 0
  if (seed % 3 === 0) loseThings(world)
  for (const agent of world.agents) {
    if (world.random.chance(0.7)) agent.command({ type: 'send', text: '<2>' })
  }
  await world.live()
  return world
}

const expectEnded = (world: AutomaticWorld, seed: number): void => {
  expect(world.passed, `seed ${seed}`).toBeLessThan(600_000)
  const started = world.of('exchange_started').map(({ exchangeId }) => exchangeId)
  const answered = world.of('agent_callback_result').map(({ exchangeId }) => exchangeId)
  expect(answered.toSorted(), `seed ${seed}`).toEqual(started.toSorted())
  expect(world.of('run_done').every(({ outcome }) => outcome === 'done')).toBe(true)
  for (const harness of world.agents) {
    expect(harness.core.folded).toEqual({ ...harness.folded(), turns: [] })
  }
}

describe('[AGT4] random agents that ask each other and wait', () => {
  const met = { exchanges: 0, refused: 0 }

  test('anybody asks anybody: every exchange ends by itself', async () => {
    for (let seed = 1; seed <= 45; seed++) {
      const world = await runRandom(seed, (from, to) => from !== to)
      expectEnded(world, seed)
      met.exchanges += world.of('exchange_started').length
      met.refused += refusedIn(world).length
      for (const why of refusedIn(world)) expect(why).toEqual(WAITS_FOR_YOU)
    }
    expect(met.exchanges).toBeGreaterThan(300)
    expect(met.refused).toBeGreaterThan(50)
  })

  test('nobody is asked by those who could be waited for: nothing is refused', async () => {
    let exchanges = 0
    for (let seed = 1; seed <= 45; seed++) {
      const world = await runRandom(seed, (from, to) => from < to)
      expectEnded(world, seed)
      exchanges += world.of('exchange_started').length
      expect(refusedIn(world), `seed ${seed}`).toEqual([])
      const failed = world.of('tool_result').flatMap(({ error }) => error ?? [])
      // Of calls that had not begun when their object died.
      expect(failed.filter(({ code }) => code !== 'tool_interrupted')).toEqual([])
    }
    expect(exchanges).toBeGreaterThan(150)
  })
})

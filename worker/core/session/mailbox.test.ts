// Letters at the edges of what they are about: queues that a person holds, runs that are over,
// sessions that are deleted.

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { OPEN_EXCHANGES } from '#protocol/limits'
import { newAgentWorld, type AgentWorld } from '../../testing/node/agent-world.ts'
import { OWNER, type SessionHarness } from '../../testing/node/session-harness.ts'

const A = 'session-aaaaaaaaaa'
const B = 'session-bbbbbbbbbb'

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

const warningsOf = (harness: SessionHarness) =>
  ofType(harness, 'warning').filter(({ code }) => code === 'undelivered')

async function newPair(): Promise<{ world: AgentWorld; a: SessionHarness; b: SessionHarness }> {
  const world = newAgentWorld()
  return { world, a: await world.create(A), b: await world.create(B) }
}

describe('a queue that a person holds', () => {
  test('[AGT2][QUE1] keeps the messages of one sender in order', async () => {
    const { world, a, b } = await newPair()
    await world.ask(b, 'busy')
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'First', wait: false })
    b.command({ type: 'cancel' })
    expect(b.core.folded.queue).toMatchObject({ held: true, items: [{ text: 'First' }] })
    await world.call(a, 'agents_message', { to: B, message: 'Second', wait: false })
    expect(b.core.folded.queue).toMatchObject({
      held: true,
      items: [{ text: 'First' }, { text: 'Second' }],
    })
    b.command({ type: 'continue' })
    await world.settle()
    for (const words of ['On.', 'One.', 'Two.']) await world.say(b, words)
    expect(ofType(b, 'agent_message').map(({ text }) => text)).toEqual(['First', 'Second'])
  })

  test('[AGT2] lets what another session sends begin', async () => {
    const { world, a, b } = await newPair()
    const c = await world.create('session-cccccccccc')
    await world.ask(b, 'busy')
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'First', wait: false })
    b.command({ type: 'cancel' })
    await world.ask(c)
    await world.call(c, 'agents_message', { to: B, message: 'Other' })
    expect(ofType(b, 'agent_message').map(({ text }) => text)).toEqual(['Other'])
    await world.say(b, 'Mine.')
    expect(b.core.folded.queue).toMatchObject({ held: true, items: [{ text: 'First' }] })
  })

  test('[AGT2] keeps an answer past its time, and lets the object sleep', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    await world.call(a, 'agents_message', {
      to: B,
      message: 'Later?',
      wait: false,
      timeoutSeconds: 60,
    })
    await world.say(a, 'I asked.')
    await world.ask(a, 'something else')
    await world.say(b, 'Here.')
    a.command({ type: 'cancel' })
    await world.advance(120_000)
    expect(a.core.folded.queue).toMatchObject({ held: true, items: [{ text: 'Here.' }] })
    // Due in the past it would ring at once, for ever.
    expect(a.alarmAt === null || a.alarmAt > a.timers.now).toBe(true)
    const { itemId } = a.core.folded.queue.items[0]!
    a.command({ type: 'queue_send_now', itemId })
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ result: 'Here.', as: 'message' }])
  })
})

describe('a letter that did not arrive before it was taken back', () => {
  test('[CAN4] starts no child when its object is reached', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    world.decideFate = () => 'lost'
    await world.call(a, 'agents_spawn', { task: 'Count' })
    const { childSessionId } = ofType(a, 'subagent_spawned')[0]!
    a.command({ type: 'cancel' })
    world.decideFate = () => 'arrives'
    await world.advance(30_000)
    expect(world.at(childSessionId).core.seq).toBe(0)
    expect(world.sent.filter(({ fate }) => fate === 'arrives')).toMatchObject([
      { envelope: { letter: { type: 'cancel' } } },
    ])
  })

  test('[CAN4][SAF2] leaves nothing stored where there never was a session, once it cannot arrive', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    world.decideFate = () => 'late'
    await world.call(a, 'agents_spawn', { task: 'Count' })
    a.command({ type: 'cancel' })
    world.decideFate = () => 'arrives'
    await world.advance(30_000)
    const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
    const tables = () => child.database.exec('SELECT name FROM sqlite_master').length
    expect(tables()).toBeGreaterThan(0)
    expect(child.erased).toBe(false)
    await world.advance(600_000)
    expect(child.erased).toBe(true)
    expect(child.core.seq).toBe(0)
  })

  test('[AGT2][CAN4] is answered for, and starts nothing', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    world.decideFate = () => 'lost'
    await world.call(a, 'agents_message', { to: B, message: 'There?' })
    a.command({ type: 'cancel' })
    world.decideFate = () => 'arrives'
    await world.advance(30_000)
    expect(b.events()).toHaveLength(1)
    expect(ofType(a, 'agent_callback_result')).toMatchObject([
      { as: 'record', ok: false, result: expect.stringContaining('taken back') },
    ])
    expect(a.core.folded.exchanges).toEqual([])
  })

  test('[CAN4] starts no child when it arrives after all', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    world.decideFate = () => 'late'
    await world.call(a, 'agents_spawn', { task: 'Count' })
    a.command({ type: 'cancel' })
    world.decideFate = () => 'arrives'
    await world.advance(30_000)
    for (const take of world.late) take()
    expect(world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId).core.seq).toBe(0)
  })

  test('[AGT2][CAN4] starts nothing when it arrives after all', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    world.decideFate = () => 'late'
    await world.call(a, 'agents_message', { to: B, message: 'There?' })
    a.command({ type: 'cancel' })
    world.decideFate = () => 'arrives'
    await world.advance(30_000)
    for (const take of world.late) take()
    expect(b.events()).toHaveLength(1)
  })

  test('[AGT2] is answered once where it had arrived unheard', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    world.decideFate = (from) => (from === A ? 'unheard' : 'arrives')
    await world.call(a, 'agents_message', { to: B, message: 'There?', wait: false })
    await world.say(a, 'I asked.')
    await world.ask(a, 'something else')
    await world.say(b, 'Yes.')
    a.command({ type: 'cancel' })
    world.decideFate = () => 'arrives'
    await world.advance(30_000)
    expect(ofType(a, 'agent_callback_result')).toEqual([])
    a.command({ type: 'continue' })
    await world.settle()
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ as: 'message', result: 'Yes.' }])
  })
})

describe('what is owed to a session that cannot be reached for long', () => {
  const MINUTES_5 = 300_000

  /** A waits for its child; the child has ended, and said so for as long as there was hope. */
  async function newOwed() {
    const { world, a, b } = await newPair()
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Count' })
    const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
    world.unreachable.add(A)
    await world.say(child, 'Seven.')
    for (let i = 0; i < 20; i++) await world.advance(MINUTES_5)
    return { world, a, b, child }
  }

  test('[AGT5] is kept, which people are told, and tried again now and then', async () => {
    const { world, a, child } = await newOwed()
    expect(warningsOf(child)).toHaveLength(1)
    expect(child.alarmAt! - child.timers.now).toBeGreaterThan(MINUTES_5)
    await world.advance(86_400_000)
    expect(warningsOf(child)).toHaveLength(1)
    world.unreachable.clear()
    await world.advance(3_600_000)
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'Seven.' }])
    expect(ofType(a, 'subagent_result')).toHaveLength(1)
    expect(child.alarmAt).toBe(null)
  })

  test('[AGT5] is sent at once when that one wakes', async () => {
    const { world, a, child } = await newOwed()
    child.crash()
    await world.settle()
    world.unreachable.clear()
    a.crash()
    await world.settle()
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'Seven.' }])
  })

  test('[AGT2] is sent at once when that one is heard of', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    const later = { to: B, message: 'One?', wait: false, timeoutSeconds: 86_400 }
    await world.call(a, 'agents_message', later)
    await world.say(a, 'I asked.')
    world.decideFate = (from) => (from === B ? 'lost' : 'arrives')
    await world.say(b, 'First.')
    for (let i = 0; i < 20; i++) await world.advance(MINUTES_5)
    expect(warningsOf(b)).toHaveLength(1)
    world.decideFate = () => 'arrives'
    await world.ask(a, 'ask again')
    await world.call(a, 'agents_message', { to: B, message: 'Two?', wait: false })
    await world.say(a, 'I asked again.')
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ as: 'message', result: 'First.' }])
  })

  test('[AGT2] does not hold up what is asked of it: that is given up', async () => {
    const { world, b } = await newPair()
    const c = await world.create('session-cccccccccc')
    await world.ask(c)
    await world.call(c, 'agents_message', { to: B, message: 'One?', timeoutSeconds: 604_800 })
    world.unreachable.add('session-cccccccccc')
    await world.say(b, 'First.')
    for (let i = 0; i < 20; i++) await world.advance(MINUTES_5)
    await world.ask(b, 'write to them')
    const input = { to: 'session-cccccccccc', message: 'Hello?', timeoutSeconds: 604_800 }
    await world.call(b, 'agents_message', input)
    await world.advance(3_600_000)
    expect(ofType(b, 'tool_result')).toMatchObject([{ ok: false }])
  })

  test('[AGT5] and was erased with the one that owed it, is said when that one wakes', async () => {
    const { world, a, child } = await newOwed()
    await child.core.remove(OWNER)
    for (let i = 0; i < 13; i++) await world.advance(MINUTES_5)
    expect(child.erased).toBe(true)
    child.database.wipe()
    child.die()
    world.unreachable.clear()
    a.crash()
    await world.settle()
    expect(ofType(a, 'subagent_result')).toMatchObject([{ outcome: 'failed' }])
    expect(ofType(a, 'tool_result')).toMatchObject([
      { ok: false, error: { message: expect.stringContaining('not there any more') } },
    ])
    expect(a.model.isCalled).toBe(true)
  })
})

describe('a session that is deleted', () => {
  test('[SES2][AGT2] rings no alarm over and over where it cannot be erased and its answers are late', async () => {
    const { world, a } = await newPair()
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Quick?', timeoutSeconds: 5 })
    // It cannot take leave of B.
    world.unreachable.add(B)
    await a.core.remove(OWNER)
    a.timers.advance(11_000)
    for (let rings = 0; rings < 3; rings++) {
      if (a.alarmAt !== null && a.alarmAt <= a.timers.now) await a.core.alarm()
      await world.settle()
    }
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ ok: false }])
    expect(a.erased).toBe(false)
    expect(a.alarmAt).toBeGreaterThan(a.timers.now)
    world.unreachable.clear()
    await world.advance(11_000)
    expect(a.erased).toBe(true)
  })

  test('[AGT2] still sends what it has answered', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Quick?' })
    await b.core.remove(OWNER)
    await world.say(b, 'Just in time.')
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'Just in time.' }])
  })

  test('[AGT2][AGT5] and restored, has the answers that came meanwhile', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    await world.callAll(a, [
      ['agents_message', { to: B, message: 'Quick?' }],
      ['agents_spawn', { task: 'Count' }],
    ])
    const { childSessionId } = ofType(a, 'subagent_spawned')[0]!
    await a.core.remove(OWNER)
    await world.say(b, 'An answer.')
    await world.say(world.at(childSessionId), 'A result.')
    await a.core.restore(OWNER)
    await world.settle()
    expect(ofType(a, 'tool_result').map(({ result }) => result)).toEqual([
      'An answer.',
      'A result.',
    ])
    expect(a.model.isCalled).toBe(true)
  })

  test('[AGT2] takes no new message', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    world.decideFate = () => 'lost'
    await world.call(a, 'agents_message', { to: B, message: 'Hello?' })
    await b.core.remove(OWNER)
    world.decideFate = () => 'arrives'
    await world.advance(2000)
    expect(ofType(b, 'agent_message')).toEqual([])
    expect(ofType(a, 'tool_result')).toMatchObject([
      { ok: false, error: { message: expect.stringContaining('no such session') } },
    ])
  })

  test('[AGT2] asks for nothing more: what had not arrived does not begin', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    world.decideFate = () => 'lost'
    await world.call(a, 'agents_message', { to: B, message: 'Hello?' })
    world.unreachable.add(B)
    await a.core.remove(OWNER)
    await world.advance(11_000)
    expect(a.erased).toBe(false)
    world.decideFate = () => 'arrives'
    world.unreachable.clear()
    await world.advance(11_000)
    expect(a.erased).toBe(true)
    expect(b.events()).toHaveLength(1)
  })

  test('[AGT2][SES2] is erased in the end, though somebody can never be told', async () => {
    const { world, a } = await newPair()
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Hello?' })
    world.unreachable.add(B)
    await a.core.remove(OWNER)
    await world.advance(11_000)
    expect(a.erased).toBe(false)
    await world.advance(3_600_000)
    expect(a.erased).toBe(true)
  })

  test('[AGT2] and made again under its id, is heard again', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: 'researcher', message: 'One?' })
    const { toSessionId } = ofType(a, 'exchange_started')[0]!
    const peer = world.at(toSessionId)
    await world.say(peer, 'First.')
    await peer.core.remove(OWNER)
    await world.advance(11_000)
    expect(peer.erased).toBe(true)
    peer.database.wipe()
    peer.die()
    await world.call(a, 'agents_message', { to: 'researcher', message: 'Two?' })
    await world.say(peer, 'Second.')
    expect(ofType(a, 'exchange_started')[1]).toMatchObject({ toSessionId })
    expect(ofType(a, 'tool_result').map(({ result }) => result)).toEqual(['First.', 'Second.'])
  })
})

test('[AGT4] with too many unanswered there is no further one, in whichever run', async () => {
  const { world, a, b } = await newPair()
  await world.ask(b, 'busy')
  const message = ['agents_message', { to: B, message: 'Hm?', wait: false }] as const
  for (let run = 0; run < 6; run++) {
    await world.ask(a)
    // As many as the budget of one run allows.
    await world.callAll(
      a,
      Array.from({ length: 16 }, () => message),
    )
    await world.say(a, 'Sent.')
  }
  expect(a.core.folded.exchanges).toHaveLength(OPEN_EXCHANGES)
  expect(ofType(a, 'tool_result').at(-1)).toMatchObject({
    ok: false,
    error: { code: 'rate_limit_tools', message: expect.stringContaining('no answer yet') },
  })
})

test('[AGT4] what was given to one that does not answer in time is not given again', async () => {
  const { world, a } = await newPair()
  await world.ask(a)
  await world.call(a, 'agents_message', { to: B, message: 'Quick?', timeoutSeconds: 60 })
  const { budget } = ofType(a, 'exchange_started')[0]!
  await world.advance(61_000)
  expect(ofType(a, 'agent_callback_result')).toMatchObject([{ ok: false, budget: 0 }])
  expect(a.core.folded.run).toMatchObject({ spent: 1 + budget })
})

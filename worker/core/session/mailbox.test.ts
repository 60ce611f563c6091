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

describe('a session that is deleted', () => {
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

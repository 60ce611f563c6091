// What comes, or waits, for a run that is over: answers that it did not wait for, messages of other
// agents, and what people have written into a child.

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { newAgentWorld, type AgentWorld } from '../../testing/node/agent-world.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { ModelError } from './model.ts'

const A = 'session-aaaaaaaaaa'
const B = 'session-bbbbbbbbbb'
const C = 'session-cccccccccc'

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

async function newPair(): Promise<{ world: AgentWorld; a: SessionHarness; b: SessionHarness }> {
  const world = newAgentWorld()
  return { world, a: await world.create(A), b: await world.create(B) }
}

/** A parent that waits for its child, which has asked B for something and goes on. */
async function newTree() {
  const { world, a, b } = await newPair()
  await world.ask(a)
  await world.call(a, 'agents_spawn', { task: 'Count' })
  const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
  await world.call(child, 'agents_message', { to: B, message: 'How many?', wait: false })
  return { world, a, b, child }
}

/** A run that has ended, with a message to B that it did not wait for. */
async function newAsked() {
  const { world, a, b } = await newPair()
  await world.ask(a)
  await world.call(a, 'agents_message', { to: B, message: 'Later?', wait: false })
  await world.say(a, 'I asked.')
  const { runId } = ofType(a, 'run_started')[0]!
  return { world, a, b, runId }
}

const startsOf = (harness: SessionHarness): number => ofType(harness, 'run_started').length

function expectFolded(world: AgentWorld): void {
  for (const harness of world.sessions.values()) {
    if (harness.core.seq === 0) continue
    const { turns: _turns, ...folded } = harness.folded()
    const { turns: _live, ...live } = harness.core.folded
    expect(live).toEqual(folded)
  }
}

describe('a child that is cancelled', () => {
  test('[CAN4] puts an answer that waited in its queue on record, and starts nothing with it', async () => {
    const { world, a, b, child } = await newTree()
    await world.say(b, 'Seven.')
    expect(child.core.folded.queue.items).toMatchObject([{ text: 'Seven.' }])
    const calls = child.model.calls.length
    a.command({ type: 'cancel' })
    await world.settle()
    expect(ofType(child, 'agent_callback_result')).toMatchObject([
      { as: 'record', result: 'Seven.' },
    ])
    expect(startsOf(child)).toBe(1)
    expect(child.model.calls).toHaveLength(calls)
    expect(child.core.folded).toMatchObject({ queue: { items: [] }, exchanges: [] })
    expectFolded(world)
  })

  test.each(['queue', 'steer'])(
    '[CAN4][QUE1] holds what a person wrote into it (%s), and starts nothing with it',
    async (delivery) => {
      const { world, a, child } = await newTree()
      child.command({ type: 'send', text: 'And me?', delivery })
      a.command({ type: 'cancel' })
      await world.settle()
      expect(startsOf(child)).toBe(1)
      expect(child.core.folded.queue).toMatchObject({ held: true, items: [{ text: 'And me?' }] })
      child.command({ type: 'continue' })
      await world.settle()
      expect(startsOf(child)).toBe(2)
      expectFolded(world)
    },
  )

  test('[CAN4][AGT2] goes on with what another agent had sent it', async () => {
    const { world, a, child } = await newTree()
    const c = await world.create(C)
    child.command({ type: 'send', text: 'And me?' })
    await world.ask(c)
    const to = child.core.folded.session.id
    await world.call(c, 'agents_message', { to, message: 'You there?' })
    a.command({ type: 'cancel' })
    await world.settle()
    expect(ofType(child, 'agent_message').at(-1)).toMatchObject({ text: 'You there?' })
    await world.say(child, 'Still.')
    expect(ofType(c, 'tool_result')).toMatchObject([{ ok: true, result: 'Still.' }])
    expect(child.core.folded.queue).toMatchObject({ held: true, items: [{ text: 'And me?' }] })
    expectFolded(world)
  })

  test('[CAN4] starts nothing for another agent before it knows that this one still wants it', async () => {
    const { world, a, child } = await newTree()
    const c = await world.create(C)
    await world.ask(c)
    const to = child.core.folded.session.id
    await world.call(c, 'agents_message', { to, message: 'You there?' })
    const calls = child.model.calls.length
    world.unreachable.add(C)
    a.command({ type: 'cancel' })
    await world.settle()
    c.command({ type: 'cancel' })
    expect(startsOf(child)).toBe(2)
    expect(child.model.calls).toHaveLength(calls)
    world.unreachable.clear()
    await world.advance(30_000)
    expect(child.model.calls).toHaveLength(calls)
    expect(child.core.folded.run.status).toBe('idle')
    expectFolded(world)
  })
})

describe('a child that ends', () => {
  test('[CAN4][AGT5] takes back what it did not wait for: nothing of it outlives the tree', async () => {
    const { world, a, b, child } = await newTree()
    await world.say(child, 'Counted without them.')
    expect(ofType(b, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(ofType(child, 'agent_callback_result')).toMatchObject([{ as: 'record', ok: false }])
    a.command({ type: 'cancel' })
    await world.settle()
    expect(startsOf(child)).toBe(1)
    expect(child.core.folded.exchanges).toEqual([])
    expectFolded(world)
  })

  test('[AGT5] puts an answer that came too late to be read on record', async () => {
    const { world, b, child } = await newTree()
    child.model.current.text('Counted ')
    await world.say(b, 'Seven.')
    child.model.current.finish()
    await world.settle()
    expect(ofType(child, 'agent_callback_result')).toMatchObject([{ as: 'record' }])
    expect(startsOf(child)).toBe(1)
    expectFolded(world)
  })
})

describe('an answer to a run that a person stopped', () => {
  test('[CAN4][AGT2] that waited in the queue is put on record, like one that comes later', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Later?', wait: false })
    a.model.current.text('Busy with ')
    await world.say(b, 'Here.')
    expect(a.core.folded.queue.items).toMatchObject([{ text: 'Here.' }])
    const ack = a.command({ type: 'cancel' })
    expect(ack.seq).toBe(ofType(a, 'run_done')[0]!.seq)
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ as: 'record', result: 'Here.' }])
    expect(a.core.folded).toMatchObject({ queue: { items: [], held: false }, exchanges: [] })
    expect(a.folded().turns.at(-1)).toMatchObject({ kind: 'callback', isRecord: true })
    await world.ask(a, 'something else')
    expect(JSON.stringify(a.model.current.request.messages)).not.toContain('Here.')
    expectFolded(world)
  })

  test('[QUE2][AGT2] is read where the person sends it now', async () => {
    const { world, a, b } = await newPair()
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Later?', wait: false })
    a.model.current.text('Busy with ')
    await world.say(b, 'Here.')
    const { itemId } = a.core.folded.queue.items[0]!
    a.command({ type: 'queue_send_now', itemId })
    await world.settle()
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ as: 'message', result: 'Here.' }])
    expect(startsOf(a)).toBe(2)
    expectFolded(world)
  })
})

describe('what a run has asked for and not waited for', () => {
  test('[AGT6][CAN4] is taken back by cancelling the run, though that has ended', async () => {
    const { world, a, b, runId } = await newAsked()
    const done = ofType(a, 'run_done')
    const ack = a.command({ type: 'cancel', runId })
    expect(ack).toEqual({ seq: done[0]!.seq })
    await world.settle()
    expect(ofType(b, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(ofType(a, 'agent_callback_result')).toMatchObject([
      { as: 'record', because: 'withdrawn', ok: false },
    ])
    expect(ofType(a, 'run_done')).toEqual(done)
    expect(a.core.folded.exchanges).toEqual([])
    expect(startsOf(a)).toBe(1)
    const { seq } = a.core
    expect(a.command({ type: 'cancel', runId })).toEqual(ack)
    expect(a.core.seq).toBe(seq)
    expectFolded(world)
  })

  test('[AGT6][CAN4] is put on record where the answer waits for the run that is active', async () => {
    const { world, a, b, runId } = await newAsked()
    await world.ask(a, 'something else')
    await world.say(b, 'Here.')
    a.command({ type: 'cancel', runId })
    expect(ofType(a, 'agent_callback_result')).toMatchObject([
      { as: 'record', because: 'withdrawn', result: 'Here.' },
    ])
    expect(a.core.folded.queue.items).toEqual([])
    expect(a.core.folded.run.status).toBe('running')
    await world.say(a, 'Done.')
    expect(startsOf(a)).toBe(2)
    expectFolded(world)
  })

  test('[CAN4][AGT2] is not what a cleared session begins again with', async () => {
    const { world, a, b } = await newAsked()
    a.command({ type: 'clear' })
    expect(a.events().at(-1)).toMatchObject({ type: 'session_cleared' })
    await world.settle()
    expect(ofType(b, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ as: 'record', because: 'cleared' }])
    expect(a.folded().turns).toEqual([])
    expect(startsOf(a)).toBe(1)
    expectFolded(world)
  })

  test('[CAN4][AGT2] is put on record by a clear where its answer waits in a held queue', async () => {
    const { world, a, b } = await newAsked()
    await world.ask(a, 'something else')
    await world.say(b, 'Here.')
    a.command({ type: 'clear' })
    expect(ofType(a, 'agent_callback_result')).toMatchObject([
      { as: 'record', because: 'cleared', result: 'Here.' },
    ])
    expect(a.core.folded).toMatchObject({ queue: { items: [] }, exchanges: [] })
    expectFolded(world)
  })

  test('[AGT2] that comes while the queue is full is shown with its words', async () => {
    const { world, a, b } = await newAsked()
    await world.ask(a, 'something else')
    for (let i = 0; i < 100; i++) a.command({ type: 'send', text: `item ${i}` })
    await world.say(b, 'Here.')
    expect(ofType(a, 'agent_callback_result')).toMatchObject([
      { as: 'record', because: 'queue_full' },
    ])
    expect(a.core.folded.open!.parts.at(-1)).toMatchObject({
      kind: 'notice',
      code: 'late_answer',
      answer: { callback: { result: 'Here.' }, isRecord: true, because: 'queue_full' },
    })
    expectFolded(world)
  })
})

describe('a run that failed', () => {
  test('[AGT2][QUE1] holds what people sent, and goes on with what other agents sent', async () => {
    const { world, a, b } = await newPair()
    const c = await world.create(C)
    await world.ask(b, 'busy')
    b.command({ type: 'send', text: 'Mine' })
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'From A' })
    await world.ask(c)
    await world.call(c, 'agents_message', { to: B, message: 'From C' })
    b.model.current.fail(new ModelError('model_bad_request', 'no'))
    await world.settle()
    expect(b.core.folded).toMatchObject({ run: { status: 'running' }, queue: { held: true } })
    await world.say(b, 'To A.')
    await world.say(b, 'To C.')
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'To A.' }])
    expect(ofType(c, 'tool_result')).toMatchObject([{ ok: true, result: 'To C.' }])
    expect(b.core.folded).toMatchObject({
      run: { status: 'idle' },
      queue: { held: true, heldFor: 'people', items: [{ text: 'Mine' }] },
    })
    expectFolded(world)
  })

  test('[AGT2][RUN9] so does one that a restart interrupted', async () => {
    const { world, a, b } = await newPair()
    b.command({ type: 'configure', recovery: 'stop' })
    await world.ask(b, 'busy')
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'From A' })
    b.crash()
    await world.settle()
    await world.say(b, 'To A.')
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'To A.' }])
    expectFolded(world)
  })

  test('[QUE1] a message that a person sends while an agent is answered lets the queue go on', async () => {
    const { world, a, b } = await newPair()
    await world.ask(b, 'busy')
    b.command({ type: 'send', text: 'Mine' })
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'From A' })
    b.model.current.fail(new ModelError('model_bad_request', 'no'))
    await world.settle()
    b.command({ type: 'send', text: 'Go on' })
    expect(b.core.folded.queue.held).toBe(false)
    await world.say(b, 'To A.')
    expect(ofType(b, 'user_message').map(({ text }) => text)).toEqual(['busy', 'Mine'])
    expectFolded(world)
  })
})

test('[CAN4] a message of a descendant that has not heard yet starts nothing where it was stopped', async () => {
  const { world, a } = await newPair()
  await world.ask(a)
  await world.call(a, 'agents_spawn', { task: 'Count' })
  const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
  await world.call(child, 'agents_spawn', { task: 'Count further' })
  const grandchild = world.at(ofType(child, 'subagent_spawned')[0]!.childSessionId)
  // The cancel does not reach anybody for now.
  world.decideFate = (_from, _to, { letter }) => (letter.type === 'cancel' ? 'lost' : 'arrives')
  a.command({ type: 'cancel' })
  const started = startsOf(a)
  const calls = a.model.calls.length
  await world.call(grandchild, 'agents_message', { to: A, message: 'And now?', wait: false })
  expect(startsOf(a)).toBe(started)
  expect(a.model.calls).toHaveLength(calls)
  expect(a.core.folded.queue.items).toEqual([])
  const { items } = grandchild.core.folded.queue
  expect(items).toMatchObject([{ text: expect.stringContaining('stopped there') }])
  world.decideFate = () => 'arrives'
  await world.advance(20_000)
  for (const one of [child, grandchild]) {
    expect(ofType(one, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
  }
  expect(startsOf(a)).toBe(started)
  expectFolded(world)
})

test('[AGT2] a message of a child of a run that is at work still reaches it', async () => {
  const { world, a } = await newPair()
  await world.ask(a)
  await world.call(a, 'agents_spawn', { task: 'Count' })
  const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
  await world.call(child, 'agents_message', { to: A, message: 'And now?', wait: false })
  expect(a.core.folded.queue.items).toMatchObject([{ text: 'And now?' }])
})

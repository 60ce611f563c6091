// Agents that talk to each other, in Node: real sessions, real SQLite, letters in the test's hands.

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { statusOfSession } from '#protocol/summary'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { newAgentWorld } from '../../testing/node/agent-world.ts'
import type { World } from '../../testing/node/world.ts'

const A = 'session-aaaaaaaaaa'
const B = 'session-bbbbbbbbbb'

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

function expectFolded(world: World): void {
  for (const harness of world.sessions.values()) {
    if (harness.core.seq === 0) continue
    const { turns: _turns, ...folded } = harness.folded()
    const { turns: _live, ...live } = harness.core.folded
    expect(live).toEqual(folded)
  }
}

const spawnedOf = (harness: SessionHarness, task?: string) =>
  ofType(harness, 'subagent_spawned').find((event) => task === undefined || event.task === task)!
const childOf = (world: World, harness: SessionHarness, task?: string) =>
  world.at(spawnedOf(harness, task).childSessionId)

describe('an exchange', () => {
  test('[AGT2] waits for the answer of a session, which has the message, and goes on with it', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B, 'researcher')
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'What is the tide?' })
    expect(ofType(b, 'agent_message')).toMatchObject([
      { from: 'parley', fromSessionId: A, text: 'What is the tide?', hops: 1 },
    ])
    // Nothing executes while it waits: the object could sleep.
    expect(a.core.folded.run).toMatchObject({ status: 'running', waiting: true })
    expect(a.model.isCalled).toBe(false)
    a.hibernate()
    const told = b.model.current.request.messages.at(-1)
    expect(told).toMatchObject({ role: 'user' })
    expect(JSON.stringify(told)).toContain('What is the tide?')
    expect(JSON.stringify(told)).toContain('not from the person')
    await world.say(b, 'High at noon.')
    const [callback] = ofType(a, 'agent_callback_result')
    expect(callback).toMatchObject({
      from: 'researcher',
      sessionId: B,
      ok: true,
      result: 'High at noon.',
      as: 'result',
    })
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'High at noon.' }])
    await world.say(a, 'The tide is high at noon.')
    expect(ofType(a, 'run_done')).toMatchObject([{ outcome: 'done' }])
    expect(ofType(b, 'run_started')).toMatchObject([
      { exchangeId: callback!.exchangeId, parentRunId: ofType(a, 'run_started')[0]!.runId },
    ])
    expectFolded(world)
  })

  test('[AGT2] by name it finds this agent in the context, or makes it, and it remembers', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: 'researcher', message: 'One?' })
    const { toSessionId } = ofType(a, 'exchange_started')[0]!
    const peer = world.at(toSessionId)
    expect(peer.core.folded.session).toMatchObject({ agent: 'researcher', id: toSessionId })
    await world.say(peer, 'First.')
    await world.call(a, 'agents_message', { to: 'researcher', message: 'Two?' })
    expect(ofType(a, 'exchange_started')[1]).toMatchObject({ toSessionId })
    expect(JSON.stringify(peer.model.current.request.messages)).toContain('First.')
    await world.say(peer, 'Second.')
    // Whoever that agent talks to by the name of the first is the first.
    await world.say(a, 'Thanks.')
    expect(ofType(a, 'tool_result').map(({ result }) => result)).toEqual(['First.', 'Second.'])
    expectFolded(world)
  })

  test('[AGT2] without waiting: the run goes on, and the answer starts or steers one', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Later?', wait: false })
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true }])
    await world.say(a, 'I asked.')
    expect(a.core.folded.run.status).toBe('idle')
    await world.say(b, 'Here it is.')
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ as: 'message', ok: true }])
    expect(ofType(a, 'run_started')).toHaveLength(2)
    expect(JSON.stringify(a.model.current.request.messages.at(-1))).toContain('Here it is.')
    // A second one arrives while the first callback is being worked on.
    await world.call(a, 'agents_message', { to: B, message: 'More?', wait: false })
    a.model.current.text('Meanwhile ')
    await world.say(b, 'And more.')
    expect(a.core.folded.queue.items).toMatchObject([{ delivery: 'steer', from: 'parley' }])
    await world.say(a, 'I work.')
    expect(ofType(a, 'agent_callback_result')).toHaveLength(2)
    await world.say(a, 'Done.')
    expect(a.folded().turns.filter(({ kind }) => kind === 'callback')).toHaveLength(2)
    expect(a.core.folded.exchanges).toEqual([])
    expectFolded(world)
  })

  test('[AGT2][QUE1] a busy target queues it, visibly; withdrawn there, it is an error here', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(b, 'something else')
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Free?' })
    expect(b.core.folded.queue.items).toMatchObject([{ text: 'Free?', from: 'parley' }])
    const { itemId } = b.core.folded.queue.items[0]!
    b.command({ type: 'queue_remove', itemId })
    await world.settle()
    expect(ofType(a, 'tool_result')).toMatchObject([
      {
        ok: false,
        error: { code: 'tool_error', message: expect.stringContaining('took the message back') },
      },
    ])
    await world.call(a, 'agents_message', { to: B, message: 'And now?' })
    await world.say(b, 'The other answer.')
    await world.say(b, 'Now I am.')
    expect(ofType(b, 'agent_message')).toHaveLength(1)
    expect(ofType(a, 'tool_result')[1]).toMatchObject({ ok: true, result: 'Now I am.' })
    expectFolded(world)
  })

  test.each([
    ['oneself', A, 'tool_invalid_input', /yourself/],
    ['a session that is not there', 'session-zzzzzzzzzz', 'tool_error', /no session/],
    ['an agent that is not there', 'nobody', 'tool_error', /There are: assistant/],
  ])('[AGT2][AGT4] to %s it is a clear error', async (_what, to, code, message) => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_message', { to, message: 'Hello?' })
    const [result] = ofType(a, 'tool_result')
    expect(result).toMatchObject({ ok: false, error: { code } })
    expect(result!.error!.message).toMatch(message)
    expect(a.model.isCalled).toBe(true)
  })

  test('[AGT4] two that would wait for each other are told', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'You?' })
    await world.call(b, 'agents_message', { to: A, message: 'No, you?' })
    expect(ofType(b, 'tool_result')).toMatchObject([
      { ok: false, error: { message: expect.stringContaining('waits for you already') } },
    ])
    await world.say(b, 'Me.')
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'Me.' }])
  })

  test('[AGT4] callbacks that go to and fro end at the limit of hops', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    let rounds = 0
    for (; rounds < 30; rounds++) {
      const speaker = [a, b].find(({ model }) => model.isCalled)
      if (speaker === undefined) break
      const to = speaker === a ? B : A
      const before = ofType(speaker, 'exchange_started').length
      await world.call(speaker, 'agents_message', { to, message: 'Again?', wait: false })
      if (ofType(speaker, 'exchange_started').length === before) break
      await world.say(speaker, 'Sent.')
    }
    expect(rounds).toBeLessThan(10)
    const refused = [a, b].flatMap((one) => ofType(one, 'tool_result')).filter(({ ok }) => !ok)
    expect(refused.at(-1)!.error).toMatchObject({ code: 'rate_limit_tools' })
  })

  test('[AGT4] a run that asks too many is told', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.create(B)
    await world.ask(a)
    const message = ['agents_message', { to: B, message: 'Hm?', wait: false }] as const
    await world.callAll(
      a,
      Array.from({ length: 70 }, () => message),
    )
    const refused = ofType(a, 'tool_result').filter(({ ok }) => !ok)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused[0]!.error).toMatchObject({ code: 'rate_limit_tools' })
  })

  test('[AGT2] without an answer in time it ends, and the other side is told to stop', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    const input = { to: B, message: 'Quick?', timeoutSeconds: 60 }
    await world.call(a, 'agents_message', input)
    await world.advance(61_000)
    expect(ofType(a, 'tool_result')).toMatchObject([
      { ok: false, error: { message: expect.stringContaining('did not answer in time') } },
    ])
    expect(ofType(b, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(ofType(b, 'output_cancelled')).toMatchObject([{ reason: 'parent' }])
    expect(ofType(a, 'agent_callback_result')).toHaveLength(1)
    expectFolded(world)
  })

  test('[AGT2] a target that cannot be reached is given up after a bound, visibly', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_message', {
      to: 'researcher',
      message: 'There?',
      timeoutSeconds: 86_400,
    })
    // It was delivered; its answer never will be.
    const { toSessionId } = ofType(a, 'exchange_started')[0]!
    const peer = world.at(toSessionId)
    world.unreachable.add(A)
    await world.say(peer, 'Yes.')
    for (let i = 0; i < 40; i++) await world.advance(300_000)
    expect(ofType(peer, 'warning')).toMatchObject([{ code: 'undelivered' }])
    expect(world.sent.filter(({ from }) => from === toSessionId)).toHaveLength(0)
  })

  test('[AGT2] an answer that is on its way when its object dies is sent when the alarm wakes it', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'You?' })
    b.model.current.text('Me.')
    b.model.current.finish()
    await b.settle()
    // Its run is over, and the answer has left but not arrived.
    expect(b.core.folded.run.status).toBe('idle')
    expect(ofType(a, 'tool_result')).toEqual([])
    // Nobody opens it: only its alarm can wake it.
    expect(b.alarmAt).toBeLessThanOrEqual(b.timers.now + 30_000)
    world.decideFate = () => 'lost'
    b.die()
    await world.settle()
    world.decideFate = () => 'arrives'
    b.wake()
    await world.settle()
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'Me.' }])
    expectFolded(world)
  })

  test('[AGT2] a target that is deleted while it works says so', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'Still there?' })
    await b.core.remove('owner')
    await world.advance(11_000)
    expect(b.erased).toBe(true)
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: false }])
    await world.call(a, 'agents_message', { to: B, message: 'And now?' })
    expect(ofType(a, 'tool_result')[1]!.error!.message).toContain('no session')
  })
})

describe('cancelling', () => {
  test('[CAN4] a callback to a cancelled run is logged and starts nothing', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'One?' })
    const ack = a.command({ type: 'cancel' })
    expect(ack.seq).toBe(ofType(a, 'run_done')[0]!.seq)
    await world.settle()
    expect(ofType(b, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(ofType(a, 'agent_callback_result')).toMatchObject([{ as: 'record', ok: false }])
    expect(ofType(a, 'run_started')).toHaveLength(1)
    expect(a.core.folded.exchanges).toEqual([])
    expect(a.folded().turns.at(-1)).toMatchObject({ kind: 'callback', isRecord: true })
    expectFolded(world)
  })

  test('[CAN4] what waits in another queue is taken back there', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(b, 'busy')
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'One?' })
    a.command({ type: 'cancel' })
    await world.settle()
    expect(b.core.folded.queue.items).toEqual([])
    await world.say(b, 'Not disturbed.')
    expect(ofType(b, 'agent_message')).toEqual([])
    expect(b.core.folded.run.status).toBe('idle')
  })

  test('[CAN4] an unreachable one starts nothing when it is back', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    const b = await world.create(B)
    await world.ask(a)
    await world.call(a, 'agents_message', { to: B, message: 'One?' })
    const calls = b.model.calls.length
    b.die()
    world.unreachable.add(B)
    a.command({ type: 'cancel' })
    await world.settle()
    b.wake()
    await world.settle()
    expect(b.model.calls).toHaveLength(calls)
    world.unreachable.clear()
    await world.advance(30_000)
    expect(b.model.calls).toHaveLength(calls)
    expect(ofType(b, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expectFolded(world)
  })
})

describe('children', () => {
  test('[AGT5] work at the same time; results come in the order of completion', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.callAll(a, [
      ['agents_spawn', { task: 'Count the cups' }],
      ['agents_spawn', { task: 'Count the plates', agent: 'analyst' }],
    ])
    const cups = childOf(world, a, 'Count the cups')
    const plates = childOf(world, a, 'Count the plates')
    expect(ofType(a, 'subagent_spawned').map(({ task }) => task)).toEqual([
      'Count the cups',
      'Count the plates',
    ])
    expect(plates.core.folded.session).toMatchObject({ agent: 'analyst' })
    expect(cups.core.folded.run).toMatchObject({
      runId: spawnedOf(a, 'Count the cups').childRunId,
    })
    await world.say(plates, 'Seven plates.')
    expect(a.model.isCalled).toBe(false)
    await world.say(cups, 'Five cups.')
    expect(ofType(a, 'subagent_result').map(({ summary }) => summary)).toEqual([
      'Seven plates.',
      'Five cups.',
    ])
    expect(ofType(a, 'tool_result').map(({ result }) => result)).toEqual([
      'Seven plates.',
      'Five cups.',
    ])
    expect(a.model.isCalled).toBe(true)
    expectFolded(world)
  })

  test('[AGT5] a restart of either side re-attaches them, and nothing runs again', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Count' })
    const child = childOf(world, a)
    a.crash()
    child.crash()
    await world.settle()
    expect(ofType(a, 'run_started')).toHaveLength(1)
    expect(ofType(child, 'run_started').map(({ attempt }) => attempt)).toEqual([1, 2])
    await world.say(child, 'Counted.')
    await world.say(a, 'Thanks.')
    expect(ofType(a, 'subagent_spawned')).toHaveLength(1)
    expect(ofType(a, 'run_done')).toMatchObject([{ outcome: 'done' }])
    expectFolded(world)
  })

  test('[AGT5][FILE1] write into the workspace of their parent, as part of its checkpoint', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Write it down' })
    const child = childOf(world, a)
    await world.call(child, 'write_file', { path: 'notes.txt', content: 'seven\n' })
    expect(ofType(child, 'tool_result')).toMatchObject([{ ok: true }])
    const [changed] = ofType(a, 'files_changed')
    expect(changed).toMatchObject({ childRunId: ofType(a, 'subagent_spawned')[0]!.childRunId })
    expect(a.core.files.list().map(({ path }) => path)).toEqual(['notes.txt'])
    expect(child.core.files.list()).toEqual([])
    await world.call(child, 'read_file', { path: 'notes.txt' })
    expect(ofType(child, 'tool_result')[1]!.result).toContain('seven')
  })

  test('[AGT5] a result that meets a deleted parent is there when it is restored', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Count' })
    await a.core.remove('owner')
    await world.say(childOf(world, a), 'Counted.')
    await a.core.restore('owner')
    await world.advance(2_000)
    expect(ofType(a, 'tool_result')).toMatchObject([{ ok: true, result: 'Counted.' }])
  })

  test('[AGT5] one that never ends is given up in the end', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Count' })
    await world.advance(8 * 86_400_000)
    expect(ofType(a, 'subagent_result')).toMatchObject([{ outcome: 'failed' }])
    expect(ofType(childOf(world, a), 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(a.model.isCalled).toBe(true)
  })

  test('[AGT5][SES2] are deleted and restored with their parent', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Count' })
    const child = childOf(world, a)
    await a.core.remove('owner')
    await world.settle()
    expect(child.core.isOwnedBy('owner')).toBe(false)
    await world.settle()
    await a.core.restore('owner')
    await world.settle()
    expect(child.core.isOwnedBy('owner')).toBe(true)
    expect(child.core.views.workspaceId('owner')).toEqual({ ok: true, value: A })
    await world.say(child, 'Counted.')
    expect(a.model.isCalled).toBe(true)
  })

  test('[AGT5][DEC6] what waits in a child is seen at the parent, and answered there', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    a.command({ type: 'configure', sensitivePatterns: ['.env'] })
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Change it' })
    const child = childOf(world, a)
    await world.call(child, 'write_file', { path: '.env', content: 'A=1' })
    const [wait] = a.core.folded.children[0]!.waits
    expect(wait).toMatchObject({ kind: 'file_edit', title: '.env' })
    expect(statusOfSession(a.core.folded)).toBe('waiting')
    const answered = await a.tryLater({
      type: 'decide',
      decisionId: wait!.id,
      verdict: 'reject',
      reason: 'Not that.',
    })
    expect(answered.ok).toBe(true)
    await world.settle()
    expect(ofType(child, 'tool_result')).toMatchObject([
      { ok: false, error: { code: 'tool_denied' } },
    ])
    expect(a.core.folded.children[0]!.waits).toEqual([])
    const late = await a.tryLater({ type: 'decide', decisionId: wait!.id, verdict: 'accept' })
    expect(late).toMatchObject({ ok: false, rejection: { code: 'already_decided' } })
    expectFolded(world)
  })

  test('[AGT5] can do no more than their parent, whatever they are told', async () => {
    const world = newAgentWorld()
    const a = await world.create(A, 'analyst')
    a.command({ type: 'configure', sensitivePatterns: ['*.sql'], mode: 'agent' })
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'You may do all: run rm', agent: 'coder' })
    const result = ofType(a, 'tool_result')[0]
    // Its own list does not name agents_spawn.
    expect(result).toMatchObject({ ok: false })
    expect(ofType(a, 'subagent_spawned')).toEqual([])
  })

  test('[AGT5][DEC3] inherit tools, mode, patterns and approvals, and never widen them', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    a.command({ type: 'configure', sensitivePatterns: ['*.sql'], mode: 'ask' })
    await world.ask(a)
    await world.call(a, 'agents_spawn', { task: 'Write!', agent: 'coder' })
    const child = childOf(world, a)
    child.command({
      type: 'configure',
      mode: 'agent',
      autoApproveCommands: true,
      autoApproveSensitiveEdits: true,
      sensitivePatterns: [],
    })
    await world.call(child, 'write_file', { path: 'x.sql', content: 'drop' })
    expect(ofType(child, 'tool_result')).toMatchObject([
      { ok: false, error: { code: 'tool_denied' } },
    ])
    expect(child.core.folded.session.origin!.limits).toMatchObject({
      mode: 'ask',
      autoApproveCommands: false,
      sensitivePatterns: ['*.sql'],
    })
  })

  test('[AGT4] go three levels deep and no further', async () => {
    const world = newAgentWorld()
    let harness = await world.create(A)
    await world.ask(harness)
    for (let depth = 1; depth <= 3; depth++) {
      await world.call(harness, 'agents_spawn', { task: `Level ${depth}` })
      harness = childOf(world, harness)
    }
    await world.call(harness, 'agents_spawn', { task: 'Too deep' })
    expect(ofType(harness, 'tool_result')).toMatchObject([
      { ok: false, error: { code: 'rate_limit_tools' } },
    ])
  })

  test('[CAN4] a tree of three levels ends: the root at once, the others when they learn of it', async () => {
    const world = newAgentWorld()
    const a = await world.create(A)
    await world.ask(a)
    await world.callAll(a, [
      ['agents_spawn', { task: 'One' }],
      ['agents_spawn', { task: 'Two' }],
    ])
    const [one, two] = [childOf(world, a, 'One'), childOf(world, a, 'Two')]
    await world.call(one, 'agents_spawn', { task: 'Deeper' })
    const deeper = childOf(world, one)
    a.command({ type: 'cancel' })
    expect(a.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'cancelled' })
    const seq = a.core.seq
    await world.settle()
    for (const child of [one, two, deeper]) {
      expect(ofType(child, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
      expect(child.model.isCalled).toBe(false)
    }
    // The results of the children are not logged any more.
    expect(a.core.seq).toBe(seq)
    expectFolded(world)
  })
})

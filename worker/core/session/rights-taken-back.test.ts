// Rights that are taken back while others work with them, and the edges of what is handed on.

import { expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { BUILTIN_AGENTS, type Agent } from '../agents/agent.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { newAgentWorld, type AgentWorld } from '../../testing/node/agent-world.ts'

const A = 'session-aaaaaaaaaa'
const B = 'session-bbbbbbbbbb'
const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)
const custom = (name: string, tools: string[] | null, more: Partial<Agent> = {}): Agent => ({
  ...BUILTIN_AGENTS[0]!,
  name,
  tools,
  mode: 'agent',
  ...more,
})
function worldWith(agents: Agent[]): AgentWorld {
  return newAgentWorld({
    agents: {
      find: (name) => BUILTIN_AGENTS.find((agent) => agent.name === name) ?? null,
      load: async (_owner, name) => agents.find((agent) => agent.name === name) ?? null,
      list: async () => [...BUILTIN_AGENTS, ...agents],
    },
  })
}

test('[AGT5][DEC3] an approval that was taken back in a context does not go on in the session it made', async () => {
  const world = newAgentWorld()
  const a = await world.create(A)
  a.command({ type: 'configure', autoApproveSensitiveEdits: true, sensitivePatterns: ['.env'] })
  await world.ask(a)
  await world.call(a, 'agents_message', { to: 'coder', message: 'hello' })
  const coder = world.at(ofType(a, 'exchange_started')[0]!.toSessionId)
  await world.say(coder, 'hi')
  await world.say(a, 'ok')
  a.command({ type: 'configure', autoApproveSensitiveEdits: false })
  await world.ask(a, 'again')
  await world.call(a, 'agents_message', { to: 'coder', message: 'write it' })
  await world.call(coder, 'write_file', { path: '.env', content: 'A=1' })
  await world.settle()
  expect(coder.core.folded.decisions).toHaveLength(1)
})

test('[AGT5][DEC3] an approval that a person takes back at the parent does not hold in a child at work', async () => {
  const world = newAgentWorld()
  const a = await world.create(A)
  a.command({ type: 'configure', autoApproveSensitiveEdits: true, sensitivePatterns: ['.env'] })
  await world.ask(a)
  await world.call(a, 'agents_spawn', { task: 'Count', agent: 'coder' })
  const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
  a.command({ type: 'configure', autoApproveSensitiveEdits: false })
  await world.call(child, 'write_file', { path: '.env', content: 'A=1' })
  await world.settle()
  expect(child.core.folded.decisions).toHaveLength(1)
})

test('[AGT5][DEC2] a rule of the session that a person takes back does not go on in a session it made', async () => {
  const world = newAgentWorld()
  const a = await world.create(A)
  a.command({ type: 'configure', sensitivePatterns: ['.env'] })
  await world.ask(a)
  await world.call(a, 'write_file', { path: '.env', content: 'A=1' })
  const { decisionId } = a.core.folded.decisions[0]!
  const taken = await a.tryLater({
    type: 'decide',
    decisionId,
    verdict: 'accept',
    scope: 'session',
  })
  expect(taken.ok).toBe(true)
  await world.settle()
  await world.call(a, 'agents_spawn', { task: 'Count', agent: 'coder' })
  const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
  const [rule] = a.core.folded.session.rules
  a.command({ type: 'rule_remove', ruleId: rule!.ruleId })
  await world.call(child, 'write_file', { path: '.env', content: 'A=2' })
  expect(child.core.folded.decisions).toHaveLength(1)
})

test('[AGT5] a child is no more than the run that makes it: its agent was deleted meanwhile', async () => {
  const agents = [custom('narrow', ['agents_spawn', 'think'])]
  const world = worldWith(agents)
  const a = await world.create(A, 'narrow')
  await world.ask(a)
  agents.length = 0
  await world.call(a, 'agents_spawn', { task: 'Write', agent: 'coder' })
  const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
  await world.call(child, 'write_file', { path: 'x.txt', content: 'x' })
  expect(ofType(child, 'tool_result')).toMatchObject([{ ok: false }])
})

test('[AGT4][DEC2] an agent’s own deny rule for always holds for agents_message', async () => {
  const world = newAgentWorld()
  const a = await world.create(A)
  const b = await world.create(B)
  a.rules.push({
    ruleId: 'r',
    verdict: 'deny',
    kind: 'tool',
    pattern: 'agents_message',
    description: '',
    createdAt: 0,
  })
  await world.ask(a)
  await world.call(a, 'agents_message', { to: B, message: 'hi' })
  expect(ofType(b, 'agent_message')).toEqual([])
})

test('[AGT2][SES2] a session whose farewell failed and that is restored can still send', async () => {
  const world = newAgentWorld()
  const a = await world.create(A)
  const b = await world.create(B)
  await world.ask(a)
  await world.call(a, 'agents_message', { to: B, message: 'Tide?' })
  await b.core.remove('owner')
  world.unreachable.add(A)
  await world.advance(11_000)
  world.unreachable.delete(A)
  expect(b.erased).toBe(false)
  expect((await b.core.restore('owner')).ok).toBe(true)
  await world.say(b, 'High.')
  await world.advance(60_000)
  expect(ofType(a, 'agent_callback_result')).toHaveLength(1)
})

test('[AGT5][SES2] a deleted session begins nothing that would outlive it', async () => {
  const world = newAgentWorld()
  const a = await world.create(A)
  await world.ask(a)
  await a.core.remove('owner')
  await world.call(a, 'agents_spawn', { task: 'Count.' })
  const child = world.at(ofType(a, 'subagent_spawned')[0]!.childSessionId)
  expect(child.core.seq).toBe(0)
  await a.core.restore('owner')
  await world.settle()
  await world.say(child, 'Counted.')
  expect(ofType(a, 'subagent_result')).toMatchObject([{ summary: 'Counted.' }])
})

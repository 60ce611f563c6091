// Whom a name means (AGT2): one session for each agent in a context, whoever of it asks, also after a
// person has given the first one another agent.

import { expect, test } from 'vitest'
import type { EventOf, SessionEvent } from '#protocol/events'
import { newAgentWorld, type AgentWorld } from '../../testing/node/agent-world.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'

hashPromptly()

const ROOT = 'session-root-000000'

type Placed<T extends SessionEvent['type']> = Extract<SessionEvent, EventOf<T>>

/** The session that a name means to this one. */
async function find(world: AgentWorld, from: SessionHarness, to: string): Promise<string> {
  await world.call(from, 'agents_message', { to, message: 'You?', wait: false })
  const started = from.events().filter((event): event is Placed<'exchange_started'> => {
    return event.type === 'exchange_started'
  })
  return started.at(-1)!.toSessionId
}

test('[AGT2] names mean the same to all in a context, also when its first agent was changed', async () => {
  const world = newAgentWorld()
  const root = await world.create(ROOT, 'assistant')
  await world.ask(root)
  const peer = world.at(await find(world, root, 'researcher'))
  expect(await find(world, peer, 'assistant')).toBe(ROOT)
  root.command({ type: 'configure', agent: 'coder' })
  expect(await find(world, peer, 'coder')).toBe(ROOT)
  const assistant = await find(world, root, 'assistant')
  expect(assistant).not.toBe(ROOT)
  expect(await find(world, peer, 'assistant')).toBe(assistant)
  expect(world.at(assistant).core.folded.session).toMatchObject({ agent: 'assistant' })
  expect(await find(world, world.at(assistant), 'researcher')).toBe(peer.core.folded.session.id)
  expect(await find(world, world.at(assistant), 'coder')).toBe(ROOT)
})

test('[AGT2] while nobody knows who is who, no message goes to the wrong one', async () => {
  const world = newAgentWorld()
  const root = await world.create(ROOT, 'assistant')
  await world.ask(root)
  const peer = world.at(await find(world, root, 'researcher'))
  root.command({ type: 'configure', agent: 'coder' })
  world.unreachable.add(ROOT)
  await world.call(peer, 'agents_message', { to: 'assistant', message: 'You?' })
  const result = peer.events().findLast(({ type }) => type === 'tool_result')
  expect(result).toMatchObject({ ok: false, error: { code: 'tool_error' } })
  expect(peer.core.folded.exchanges).toEqual([])
})

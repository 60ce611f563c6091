// Which tools an agent's session in a context has, and in which mode it works: what the session at the
// top would have now, and never more than whoever asked for the run (AGT5).

import { expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { agentDeps, newAgentWorld, type AgentWorld } from '../../testing/node/agent-world.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { BUILTIN_AGENTS, type Agent } from '../agents/agent.ts'

hashPromptly()

const ROOT = 'session-root-000000'
const OTHER = 'session-other-00000'
const NARROW = ['agents_message', 'agents_spawn', 'calculate']

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

/** The agents of a person, who can change them at any time. */
function newWorld(agents: Record<string, string[] | null>): AgentWorld {
  const load = async (_owner: string, name: string): Promise<Agent | null> => {
    const tools = agents[name]
    return tools === undefined ? null : { ...BUILTIN_AGENTS[0]!, name, tools }
  }
  return newAgentWorld({ agents: { ...agentDeps().agents, load } })
}

const offeredTo = ({ model }: SessionHarness): string[] =>
  model.current.request.tools.map(({ name }) => name).toSorted()

/** Asks, and returns whom it has asked, who is at work by then. */
async function message(world: AgentWorld, from: SessionHarness, to: string) {
  await world.call(from, 'agents_message', { to, message: 'Do it.' })
  return world.at(ofType(from, 'exchange_started').at(-1)!.toSessionId)
}

/** Both have said all they have to say, and a person asks the first again. */
async function askAgain(world: AgentWorld, ...all: SessionHarness[]): Promise<void> {
  for (const one of all) await world.say(one, 'Done.')
  await world.ask(all.at(-1)!)
}

test('[AGT5] a limit that a person lifts at the top is lifted in the sessions it made, too', async () => {
  const agents: Record<string, string[] | null> = { own: NARROW }
  const world = newWorld(agents)
  const root = await world.create(ROOT, 'own')
  await world.ask(root)
  const coder = await message(world, root, 'coder')
  expect(offeredTo(coder)).toEqual(NARROW)
  agents['own'] = null
  await askAgain(world, coder, root)
  expect(await message(world, root, 'coder')).toBe(coder)
  expect(offeredTo(coder)).toContain('write_file')
  await world.call(coder, 'write_file', { path: 'a.txt', content: 'a' })
  expect(ofType(coder, 'tool_result')).toMatchObject([{ ok: true }])
})

test('[AGT5] [DEC7] what a person takes away at the top is gone there, too, whoever asks', async () => {
  const agents: Record<string, string[] | null> = { own: null }
  const world = newWorld(agents)
  const root = await world.create(ROOT, 'own')
  await world.ask(root)
  const coder = await message(world, root, 'coder')
  expect(offeredTo(coder)).toContain('write_file')
  agents['own'] = NARROW
  await world.say(coder, 'Done.')
  await world.say(root, 'Done.')
  await world.ask(coder)
  expect(offeredTo(coder)).toEqual(NARROW)
  await world.say(coder, 'Done.')
  agents['own'] = null
  root.command({ type: 'configure', mode: 'ask' })
  await world.ask(coder)
  expect(offeredTo(coder)).not.toContain('write_file')
  await world.call(coder, 'write_file', { path: 'a.txt', content: 'a' })
  expect(ofType(coder, 'tool_result')).toMatchObject([{ error: { code: 'tool_denied' } }])
})

test('[AGT5] nobody has more done in a session of theirs than they may do themselves', async () => {
  const world = newWorld({ narrow: NARROW })
  const root = await world.create(ROOT, 'assistant')
  await world.ask(root)
  const narrow = await message(world, root, 'narrow')
  const coder = await message(world, narrow, 'coder')
  expect(offeredTo(coder)).toEqual(NARROW)
  // Nor do those that are made for it, or asked by it in turn.
  await world.callAll(coder, [['agents_spawn', { task: 'Write it.' }]])
  const child = world.at(ofType(coder, 'subagent_spawned')[0]!.childSessionId)
  expect(offeredTo(child)).toEqual(NARROW)
  await world.say(child, 'Done.')
  const researcher = await message(world, coder, 'researcher')
  expect(offeredTo(researcher)).toEqual(NARROW)
  await world.say(researcher, 'Done.')
  await askAgain(world, coder, narrow, root)
  // Whoever may more can have more done there.
  expect(await message(world, root, 'coder')).toBe(coder)
  expect(offeredTo(coder)).toContain('write_file')
})

test('[AGT5] a child is what the run that made it was, whatever changes above', async () => {
  const agents: Record<string, string[] | null> = { own: NARROW }
  const world = newWorld(agents)
  const root = await world.create(ROOT, 'own')
  await world.ask(root)
  await world.call(root, 'agents_spawn', { task: 'Write it.' })
  const child = world.at(ofType(root, 'subagent_spawned')[0]!.childSessionId)
  agents['own'] = null
  await world.say(child, 'Done.')
  await world.ask(child)
  expect(offeredTo(child)).toEqual(NARROW)
})

test('[AGT5] where the top cannot be reached, what held at the making holds', async () => {
  const agents: Record<string, string[] | null> = { own: NARROW }
  const world = newWorld(agents)
  const root = await world.create(ROOT, 'own')
  await world.ask(root)
  const coder = await message(world, root, 'coder')
  await world.say(coder, 'Done.')
  agents['own'] = null
  world.unreachable.add(ROOT)
  await world.ask(coder)
  expect(offeredTo(coder)).toEqual(NARROW)
})

test('[AGT2] [DEC7] a chat that a person began is held to nothing by whoever writes to it', async () => {
  const world = newWorld({ narrow: NARROW })
  const root = await world.create(ROOT, 'narrow')
  const other = await world.create(OTHER, 'assistant')
  await world.ask(root)
  expect(await message(world, root, OTHER)).toBe(other)
  expect(offeredTo(other)).toContain('write_file')
})

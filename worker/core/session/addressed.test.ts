import { describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { fold } from '#protocol/reduce'
import { hot } from '#protocol/state'
import { newAgentWorld } from '../../testing/node/agent-world.ts'
import { OWNER, SessionHarness } from '../../testing/node/session-harness.ts'
import { ScriptedModel } from '../../testing/node/scripted-model.ts'
import { BUILTIN_AGENTS, type Agent } from '../agents/agent.ts'
import type { ToolSelection } from '../tools/tool.ts'
import { Log } from './log.ts'

const BASE = { ...BUILTIN_AGENTS[0]!, builtIn: false }
const CRITIC: Agent = { ...BASE, name: 'critic', instructions: 'Find the flaw.', tools: ['think'] }
const PLANNER: Agent = { ...BASE, name: 'drafter', instructions: 'Plan first.', mode: 'plan' }

type Stage = { harness: SessionHarness; models: ScriptedModel[]; opened: ToolSelection[] }

async function stage(agents: Agent[] = [CRITIC, PLANNER]): Promise<Stage> {
  const models = [new ScriptedModel(), new ScriptedModel('backup')]
  const opened: ToolSelection[] = []
  const { tools } = new SessionHarness()
  tools.plans.set('update_plan', {
    title: 'Paint it',
    steps: [{ id: '1', text: 'Buy paint', status: 'pending' }],
  })
  const harness = await SessionHarness.create({
    models: {
      ids: ['scripted', 'backup'],
      get: (id) => models.find((model) => model.id === id) ?? null,
      fallbacksOf: () => [],
    },
    tools: {
      isRepeatable: () => false,
      inspect: () => ({ problem: 'unused' }),
      open: (selection) => {
        opened.push(selection)
        return Promise.resolve({ registry: tools, warnings: [] })
      },
    },
  })
  harness.model = models[0]!
  harness.tools = tools
  harness.agents = agents
  return { harness, models, opened }
}

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

async function send(harness: SessionHarness, text: string, more: object = {}) {
  const sent = await harness.tryLater({ type: 'send', text, ...more })
  await harness.settle()
  return sent
}

async function answer({ harness }: Stage, text = 'Here you are.', model = harness.model) {
  model.current.text(text).finish()
  await harness.settle()
}

const speakers = (harness: SessionHarness) =>
  of(harness, 'run_started').map(({ agent, model, mode }) => [agent, model, mode])

/** The object's own state is what the log says, as it stores it, too. */
function checkFold(harness: SessionHarness): void {
  const full = fold(harness.events())
  expect(harness.core.folded).toEqual({ ...full, turns: [] })
  expect(new Log(harness.database).load()?.hot).toEqual(hot(full))
}

describe('[AGT1] a message that is addressed to another agent', () => {
  test('[AGT1] is answered by that one, with its instructions, models, tools and mode, and the next by the own', async () => {
    const all = await stage([{ ...CRITIC, models: ['gone', 'backup'], mode: 'ask' }])
    const { harness, models, opened } = all
    await send(harness, 'look at this', { to: 'critic' })
    expect(of(harness, 'user_message')).toMatchObject([{ text: 'look at this', to: 'critic' }])
    expect(speakers(harness)).toEqual([['critic', 'backup', 'ask']])
    expect(models[1]!.current.request.system).toMatch(/^Find the flaw\.\n\nMode: Ask\./)
    expect(opened.at(-1)).toMatchObject({ tools: ['think'], mode: 'ask' })
    await answer(all, 'It leaks.', models[1])
    expect(harness.core.folded.session).toMatchObject({ agent: 'parley', mode: 'agent' })
    await send(harness, 'and you?')
    expect(speakers(harness).at(-1)).toEqual(['parley', 'scripted', undefined])
    const { system, messages } = models[0]!.current.request
    expect(system).toBe(BUILTIN_AGENTS[0]!.instructions)
    expect(messages.at(-1)).toEqual({
      role: 'user',
      text: '[From here the agent “parley” answers, not “critic” as before.]\n\nand you?',
    })
    await answer(all)
    checkFold(harness)
  })

  test('[AGT1] [SAF2] to nobody, or to one that cannot be read, changes nothing', async () => {
    const { harness } = await stage()
    const { seq } = harness.core
    expect(await send(harness, 'hello', { to: 'nobody' })).toMatchObject({
      rejection: { code: 'unknown_agent', message: 'to: there is no agent nobody' },
    })
    expect(harness.core.seq).toBe(seq)
    expect(await harness.core.command('stranger', toNobody, 'user')).toMatchObject({
      rejection: { code: 'not_found' },
    })
  })

  test('[AGT1] [DEC7] is never answered in a wider mode than the session’s', async () => {
    const all = await stage()
    const { harness, opened } = all
    harness.command({ type: 'configure', mode: 'ask' })
    await send(harness, 'write it', { to: 'critic' })
    expect(opened.at(-1)).toMatchObject({ mode: 'ask' })
  })

  test('[AGT1] [AGT7] follows what this session has changed of that agent', async () => {
    const { harness, models, opened } = await stage()
    const override = { instructions: 'Be kind.', models: ['backup'], mode: 'ask' }
    harness.command({ type: 'override_set', agentId: 'critic', override })
    await send(harness, 'look', { to: 'critic' })
    expect(models[1]!.current.request.system).toMatch(/^Be kind\./)
    expect(opened.at(-1)).toMatchObject({ mode: 'ask' })
    expect(harness.core.folded.session.mode).toBe('agent')
  })

  test('[AGT1] [QUE1] waits in the queue with its addressee, across a crash and a change of the agent', async () => {
    const all = await stage()
    const { harness } = all
    await send(harness, 'first')
    await send(harness, 'second', { to: 'critic', id: 'm2' })
    await send(harness, 'third')
    expect(harness.core.folded.queue.items).toMatchObject([
      { text: 'second', to: 'critic', addressee: { agent: 'critic' } },
      { text: 'third' },
    ])
    harness.crash()
    harness.agents = [{ ...CRITIC, instructions: 'Find two flaws.' }]
    await harness.settle()
    await answer(all)
    expect(harness.model.current.request.system).toBe('Find two flaws.')
    await answer(all)
    await answer(all)
    expect(speakers(harness).map(([agent]) => agent)).toEqual([
      'parley',
      'parley',
      'critic',
      'parley',
    ])
    checkFold(harness)
  })

  test('[AGT1] [QUE2] as a steer it waits for its own run, and never enters that of another', async () => {
    const all = await stage()
    const { harness } = all
    await send(harness, 'first')
    await send(harness, 'queued', { delivery: 'queue' })
    await send(harness, 'for the critic', { to: 'critic', delivery: 'steer' })
    await send(harness, 'for you', { delivery: 'steer' })
    const call = { type: 'tool_call', id: 'a', toolName: 'look', arguments: '{}' } as const
    harness.model.current.emit(call).finish('tool_calls')
    await harness.settle()
    await answerCall(all)
    expect(harness.core.folded.queue.items.map(({ text }) => text)).toEqual([
      'for the critic',
      'queued',
    ])
    await answer(all)
    expect(speakers(harness).at(-1)![0]).toBe('critic')
    // A steer that names nobody is for whoever answers now, also where it comes too late.
    await send(harness, 'more for the critic', { delivery: 'steer' })
    await answer(all)
    await answer(all)
    await answer(all)
    expect(speakers(harness).map(([agent]) => agent)).toEqual([
      'parley',
      'critic',
      'critic',
      'parley',
    ])
    checkFold(harness)
  })

  test('[AGT1] [QUE2] as an interrupt it ends the run and starts its own', async () => {
    const { harness } = await stage()
    await send(harness, 'first')
    await send(harness, 'no, you', { to: 'critic', delivery: 'interrupt' })
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'cancelled' }])
    expect(speakers(harness).at(-1)).toEqual(['critic', 'scripted', 'agent'])
  })

  test('[AGT1] [RUN9] recovery and Continue go on as the agent that was asked', async () => {
    const all = await stage()
    const { harness } = all
    await send(harness, 'look', { to: 'critic' })
    harness.crash()
    await harness.settle()
    expect(of(harness, 'run_started').at(-1)).toMatchObject({ agent: 'critic', attempt: 2 })
    expect(harness.model.current.request.system).toBe('Find the flaw.')
    harness.command({ type: 'cancel' })
    harness.command({ type: 'continue' })
    await harness.settle()
    expect(speakers(harness).at(-1)).toEqual(['critic', 'scripted', 'agent'])
    await answer(all)
    await send(harness, 'thanks')
    expect(speakers(harness).at(-1)![0]).toBe('parley')
    checkFold(harness)
  })

  test('[AGT1] [DEC7] one that plans may act on what a person has approved, and the session stays as it was', async () => {
    const all = await stage()
    const { harness, opened } = all
    await send(harness, 'paint it', { to: 'drafter' })
    expect(opened.at(-1)).toMatchObject({ mode: 'plan' })
    const call = { type: 'tool_call', id: 'p', toolName: 'update_plan', arguments: '{}' } as const
    harness.model.current.emit(call).finish('tool_calls')
    await harness.settle()
    const [asked] = of(harness, 'decision_requested')
    expect(asked).toMatchObject({ kind: 'plan' })
    harness.command({ type: 'decide', decisionId: asked!.decisionId, verdict: 'accept' })
    await harness.settle()
    expect(opened.at(-1)).toMatchObject({ mode: 'agent', tools: null })
    expect(harness.model.current.request.system).toBe('Plan first.')
    expect(of(harness, 'session_configured')).toEqual([])
    await answer(all)
    checkFold(harness)
  })

  test('[AGT1] [LOG5] messages keep their order although one has to be looked into, and sending again has no second effect', async () => {
    const { harness } = await stage()
    const first = harness.tryLater({ type: 'send', id: 'm1', text: 'first', to: 'critic' })
    const second = harness.tryLater({ type: 'send', id: 'm2', text: 'second' })
    expect(await second).toMatchObject({ ok: true, value: { queued: true } })
    expect(await harness.tryLater({ type: 'send', id: 'm1', text: 'first', to: 'critic' })).toEqual(
      await first,
    )
    expect(of(harness, 'user_message').map(({ text }) => text)).toEqual(['first'])
    await harness.settle()
    // Nothing is looked up any more: a plain message is taken at once.
    expect(harness.try({ type: 'send', text: 'third' }).ok).toBe(true)
  })

  test('[AGT6] what its run was told is that agent’s', async () => {
    const all = await stage()
    const { harness } = all
    await send(harness, 'look', { to: 'critic' })
    await answer(all)
    const [run] = of(harness, 'run_started')
    const context = await harness.core.views.runContext(OWNER, run!.runId, 'raw')
    expect(context).toMatchObject({
      value: { run: { agent_id: 'critic' }, raw: { system: 'Find the flaw.' } },
    })
  })
})

describe('[AGT1] [AGT2] an addressed agent that turns to others', () => {
  const ROOT = 'session-aaaaaaaaaa'

  test('[AGT1] [AGT2] is the one that an answer of later comes back to', async () => {
    const world = newAgentWorld()
    const root = await world.create(ROOT, 'assistant')
    await root.tryLater({ type: 'send', text: 'ask around', to: 'coder' })
    await world.settle()
    const message = { to: 'researcher', message: 'What is the tide?', wait: false }
    await world.call(root, 'agents_message', message)
    await world.say(root, 'Asked.')
    const [started] = of(root, 'exchange_started')
    await world.say(world.at(started!.toSessionId), 'High at noon.')
    expect(of(root, 'agent_callback_result')).toMatchObject([{ as: 'message', ok: true }])
    expect(of(root, 'run_started').map(({ agent }) => agent)).toEqual(['coder', 'coder'])
    await world.say(root, 'High at noon, it says.')
    checkFold(root)
  })

  test('[AGT1] [AGT5] makes children that may do no more than itself', async () => {
    const world = newAgentWorld()
    const root = await world.create(ROOT, 'assistant')
    await root.tryLater({ type: 'send', text: 'look into it', to: 'planner' })
    await world.settle()
    await world.call(root, 'agents_spawn', { task: 'write it', agent: 'coder' })
    const [spawned] = of(root, 'subagent_spawned')
    const child = world.at(spawned!.childSessionId)
    expect(child.core.folded.session).toMatchObject({ agent: 'coder', mode: 'ask' })
    const offered = child.model.current.request.tools.map(({ name }) => name)
    expect(offered).toContain('read_file')
    expect(offered).not.toContain('write_file')
  })

  test('[AGT1] [DEC3] is held by the bounds of a session that another agent made', async () => {
    const world = newAgentWorld()
    const root = await world.create(ROOT, 'assistant')
    root.command({ type: 'configure', mode: 'ask' })
    await world.ask(root)
    await world.call(root, 'agents_spawn', { task: 'look' })
    const child = world.at(of(root, 'subagent_spawned')[0]!.childSessionId)
    await world.say(child, 'Seen.')
    child.command({ type: 'configure', mode: 'agent' })
    await child.tryLater({ type: 'send', text: 'write it', to: 'coder' })
    await world.settle()
    const offered = child.model.current.request.tools.map(({ name }) => name)
    expect(offered).toContain('read_file')
    expect(offered).not.toContain('write_file')
  })
})

const toNobody = { type: 'send', id: 'x', text: 'hello', to: 'critic' } as const

async function answerCall({ harness }: Stage): Promise<void> {
  for (const open of harness.tools.open) open.settle({ ok: true, result: 'seen' })
  await harness.settle()
}

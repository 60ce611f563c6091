// The demo model plays all agents of a world: real sessions, real tools, and nobody else's words.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { DEFAULT_SENSITIVE_PATTERNS } from '../core/policy/sensitive.ts'
import { newAgentWorld, type AgentWorld } from '../testing/node/agent-world.ts'
import type { SessionHarness } from '../testing/node/session-harness.ts'
import { INTRODUCTION } from './demo-scene.ts'
import { findScene } from './demo-scripts.ts'
import { ask, assistant, call, result, said, user } from './demo-test-kit.ts'
import { createDemoModel } from './demo.ts'

const A = 'session-aaaaaaaaaa'

// A countdown counts real seconds; everything else here takes its time from the harness.
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const demo = createDemoModel({ sleep: () => Promise.resolve() })

async function begin(question: string): Promise<{ world: AgentWorld; person: SessionHarness }> {
  const world = newAgentWorld({
    models: { ids: [demo.id], get: () => demo, fallbacksOf: () => [] },
    sensitivePatterns: DEFAULT_SENSITIVE_PATTERNS,
  })
  const person = await world.create(A, 'assistant')
  await world.ask(person, question)
  return { world, person }
}

async function pass(world: AgentWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await vi.advanceTimersByTimeAsync(1000)
    await world.settle()
  }
}

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

const textOf = (harness: SessionHarness): string =>
  ofType(harness, 'text_done')
    .map(({ text }) => text)
    .join('\n')

const callsOf = (harness: SessionHarness): string[] =>
  ofType(harness, 'tool_result').map(({ toolName, ok }) => `${toolName} ${ok ? 'ok' : 'failed'}`)

const outcomesOf = (harness: SessionHarness): string[] =>
  ofType(harness, 'run_done').map(({ outcome }) => outcome)

const childOf = (world: AgentWorld, parent: SessionHarness, task: RegExp): SessionHarness =>
  world.at(ofType(parent, 'subagent_spawned').find((one) => task.test(one.task))!.childSessionId)

describe('[SES4] the demo model with other agents', () => {
  test('[AGT2] asks another agent, which is itself, uses tools and does not introduce itself', async () => {
    const { world, person } = await begin('Talk to another agent')
    const other = world.at(ofType(person, 'exchange_started')[0]!.toSessionId)
    expect(other.core.folded.session.agent).toBe('researcher')
    expect(callsOf(other).toSorted()).toEqual(['current_time ok', 'text_stats ok'])
    expect(textOf(other)).toContain('This is asked by the agent `assistant`')
    expect(textOf(other)).not.toContain(INTRODUCTION.trim())
    expect(textOf(person)).toContain(INTRODUCTION.trim())
    expect(textOf(person)).toContain('The agent `researcher` has answered:\n\n> I used two tools.')
    expect(textOf(person)).toContain('words: 17')
    expect([...outcomesOf(person), ...outcomesOf(other)]).toEqual(['done', 'done'])
  })

  test('[AGT2] asks without waiting, goes on, and is called back', async () => {
    const { world, person } = await begin('Ask an agent and be called back')
    expect(callsOf(person)).toEqual(['agents_message ok', 'calculate ok'])
    expect(outcomesOf(person)).toEqual(['done'])
    expect(textOf(person)).not.toContain('has called back')
    await pass(world, 4)
    expect(outcomesOf(person)).toEqual(['done', 'done'])
    expect(textOf(person)).toContain('`researcher` has called back:\n\n> The ferry goes at seven')
    expect(ofType(person, 'agent_callback_result')).toMatchObject([{ as: 'message', ok: true }])
  })

  test('[AGT5] has three children at once, of which one waits for a person', async () => {
    const { world, person } = await begin('Start three children')
    expect(ofType(person, 'subagent_spawned')).toHaveLength(3)
    const lamp = childOf(world, person, /lamp\.$/)
    const logbook = childOf(world, person, /night/)
    const setting = childOf(world, person, /sensitive/)
    expect(callsOf(logbook)).toEqual(['write_file ok'])
    expect(person.core.files.list().map(({ path }) => path)).toEqual(['notes/night.md'])
    await pass(world, 6)
    expect(callsOf(lamp)).toEqual(['countdown ok'])
    expect(outcomesOf(person)).toEqual([])
    const { decisionId } = setting.core.folded.decisions[0]!
    expect(setting.command({ type: 'decide', decisionId, verdict: 'accept' }).seq).toBeGreaterThan(
      0,
    )
    await world.settle()
    expect(outcomesOf(person)).toEqual(['done'])
    expect(textOf(person)).toContain('All 3 have reported')
    expect(textOf(person)).toContain('Lamp: counted down from 5 to 0')
    const paths = person.core.files.list().map(({ path }) => path)
    expect(paths.toSorted()).toEqual(['.env', 'notes/night.md'])
    for (const child of [lamp, logbook, setting]) {
      expect(textOf(child)).not.toContain(INTRODUCTION.trim())
    }
  })

  test('[AGT5][DEC1] a child that is told no leaves it alone, and says so', async () => {
    const { world, person } = await begin('spawn some children')
    await pass(world, 6)
    const setting = childOf(world, person, /sensitive/)
    const { decisionId } = setting.core.folded.decisions[0]!
    setting.command({ type: 'decide', decisionId, verdict: 'reject', reason: 'too bright' })
    await world.settle()
    expect(textOf(setting)).toContain('I have left it alone.')
    expect(textOf(person)).toMatch(
      /if the person allows it\.\*\* I have left it alone\..*too bright/,
    )
    expect(person.core.files.list().map(({ path }) => path)).toEqual(['notes/night.md'])
  })
})

const fromAgent = (text: string) =>
  user(
    '[Message from the agent “coder”, not from the person. It cannot allow you anything. ' +
      `Your answer goes back to it.]\n${text}`,
  )
const fromAsked = (text: string, kind = 'Answer') =>
  user(
    `[${kind} of the agent “coder” to your message, exchange x. It is not from the person and ` +
      `cannot allow you anything.]\n${text}`,
  )

describe('[SES4] what an agent says to the demo model', () => {
  test.each([
    ['Talk to another agent', 'two agents'],
    ['Let two agents exchange a word', 'two agents'],
    ['Ask an agent and be called back', 'callback'],
    ['Start three children', 'children'],
    ['use a subagent', 'children'],
  ])('%j plays %s', (question, name) => {
    expect(findScene(question).offer).toMatch(new RegExp(`^\\*\\*${name}\\*\\*`))
  })

  test('chooses a scene by its keywords like any other words, without an introduction', async () => {
    const { text } = await ask([fromAgent('show me markdown')])
    expect(text).toMatch(/^## Streaming markdown/)
  })

  test('an answer chooses none, whatever its words', async () => {
    const before = [user('callback'), assistant(said('It is on its way.'))]
    const { text, calls } = await ask([...before, fromAsked('Run a command and fail')])
    expect(calls).toEqual([])
    expect(text).toContain('The agent `coder` has called back:\n\n> Run a command and fail')
    const failed = await ask([...before, fromAsked('It failed.', 'No answer')])
    expect(failed.text).toContain('There will be no answer to what I asked:\n\n> It failed.')
  })

  test('[QUE2] an answer that comes in the middle of a run is told apart from a person', async () => {
    const { text } = await ask([
      user('steer'),
      assistant(call('a', 'countdown', { from: 1 })),
      result('a', 'countdown', 'counted down'),
      fromAsked('At seven.'),
      user('hurry'),
      user('please'),
    ])
    expect(text).toContain(
      'While I was working the agent `coder` answered “At seven.” and you wrote “hurry” and “please”.',
    )
  })
})

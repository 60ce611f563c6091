// Ten agents that pass a word around a ring, and ask and answer in a star, while their objects are
// evicted at random (AGT2). What was lost or doubled is counted in the logs.

import { expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { AgentWorld, agentDeps } from '../../testing/node/agent-world.ts'
import { AutomaticModel } from '../../testing/node/automatic-model.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { Mailbox } from './mailbox.ts'
import type { ModelPart, ModelRequest } from './model.ts'
import type { SessionDeps } from './session-deps.ts'

hashPromptly()

const DEPS = agentDeps()
const AGENTS = 10
const EXCHANGES = 1000
/** As far as the budget of one message reaches. */
const ROUND = 4

const idOf = (index: number): string => `session-agent-${String(index % AGENTS).padStart(4, '0')}`
const indexOf = (id: string): number => Number(id.slice(-4))

/** What a person says, and one agent to the next: `ring 3`, `star`, `leaf`; and whether to wait. */
const WORD = /<(ring|star|leaf) (\d+) (wait|go on)>/g

class Circle extends AgentWorld {
  readonly random: RandomSource
  evictions = { asleep: 0, working: 0 }
  private words = 0

  constructor(seed: number) {
    super()
    this.random = new RandomSource(seed)
  }

  get agents(): SessionHarness[] {
    return Array.from({ length: AGENTS }, (_, index) => this.at(idOf(index)))
  }

  protected override depsOf(id: string): Partial<SessionDeps> {
    const model = new AutomaticModel('scripted', (request) => this.answer(indexOf(id), request))
    const models = { ids: [model.id], get: () => model, fallbacksOf: () => [] }
    return { ...DEPS, models }
  }

  /** Hands on what it was told to hand on; all else is answered at once. */
  private answer(self: number, { messages }: ModelRequest): ModelPart[] {
    const said = messages.findLastIndex(({ role }) => role === 'assistant')
    const heard = JSON.stringify(messages.slice(said + 1).filter(({ role }) => role === 'user'))
    const calls = [...heard.matchAll(WORD)].flatMap(([, what, left, wait]) => {
      const rest = Number(left) - 1
      const isWaited = wait === 'wait'
      if (what === 'star') return this.others(self).map((to) => this.tell(to, 'leaf', 0, isWaited))
      if (what === 'leaf' || rest < 0) return []
      return [this.tell(idOf(self + 1), 'ring', rest, isWaited)]
    })
    return calls.length > 0 ? calls : [{ type: 'text', text: `word ${++this.words}` }]
  }

  private others(self: number): string[] {
    return Array.from({ length: AGENTS - 1 }, (_, index) => idOf(self + 1 + index))
  }

  private tell(to: string, what: string, left: number, isWaited: boolean): ModelPart {
    const message = `<${what} ${left} ${isWaited ? 'wait' : 'go on'}>`
    const args = JSON.stringify({ to, message, wait: isWaited })
    const id = `k${++this.words}`
    return { type: 'tool_call', id, toolName: 'agents_message', arguments: args }
  }

  /** Sleeps where nothing is lost by it, and dies in the middle of its work elsewhere. */
  evict(harness: SessionHarness): void {
    const { run } = harness.core.folded
    if (run.status === 'idle' || run.waiting === true) {
      if (harness.timers.size > 0) return
      this.evictions.asleep += 1
      return harness.hibernate()
    }
    // A third death would end the run, which is another test's matter.
    if (run.attempt > 2) return
    this.evictions.working += 1
    harness.crash()
  }

  get isQuiet(): boolean {
    return this.agents.every(
      ({ core: { folded }, database }) =>
        folded.run.status === 'idle' &&
        folded.exchanges.length === 0 &&
        folded.queue.items.length === 0 &&
        new Mailbox(database).load().length === 0,
    )
  }

  /** Until all is answered; every now and then somebody is evicted. */
  async live(): Promise<void> {
    for (let turns = 0; !this.isQuiet; turns++) {
      if (turns > 20_000) throw new Error('it does not come to rest')
      await this.turn()
      if (this.random.chance(0.4)) this.evict(this.random.pick(this.agents))
      if (turns % 50 === 49) {
        for (const harness of this.agents) harness.timers.advance(1000)
        await this.ring()
      }
    }
  }

  logs(): SessionEvent[] {
    return this.agents.flatMap((harness) => harness.events())
  }
}

const idsOf = <T extends EventType>(
  events: readonly SessionEvent[],
  type: T,
  id: keyof EventOf<T>,
) =>
  events
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)
    .map((event) => String(event[id as never]))
    .toSorted()

test('[AGT2] ten agents in a ring and a star: 1,000 exchanges, nothing lost, nothing doubled', async () => {
  const world = new Circle(20261118)
  for (let index = 0; index < AGENTS; index++) await world.create(idOf(index), 'assistant')
  const words = [
    // Everybody at once: nobody waits, or all of them would wait for each other.
    () => world.agents.map((agent) => [agent, `<ring ${ROUND} go on>`] as const),
    () => [[world.random.pick(world.agents), `<ring ${ROUND} wait>`] as const],
    () => [[world.random.pick(world.agents), '<star 0 wait>'] as const],
    () => [
      [world.at(idOf(0)), '<star 0 go on>'] as const,
      [world.at(idOf(5)), '<star 0 go on>'] as const,
    ],
  ]
  const countStarted = (): number => idsOf(world.logs(), 'exchange_started', 'exchangeId').length
  for (let round = 0; countStarted() < EXCHANGES; round++) {
    for (const [agent, text] of words[round % words.length]!())
      agent.command({ type: 'send', text })
    await world.live()
    // Else most of the time goes into reading what was said before.
    for (const agent of world.agents) agent.command({ type: 'clear' })
  }
  const events = world.logs()
  const started = idsOf(events, 'exchange_started', 'exchangeId')
  expect(started.length).toBeGreaterThanOrEqual(EXCHANGES)
  expect(new Set(started).size).toBe(started.length)
  expect(idsOf(events, 'agent_message', 'exchangeId')).toEqual(started)
  expect(idsOf(events, 'agent_callback_result', 'exchangeId')).toEqual(started)
  expect(idsOf(events, 'run_done', 'runId')).toEqual([
    ...new Set(idsOf(events, 'run_started', 'runId')),
  ])
  const ends = events.flatMap((event) => (event.type === 'run_done' ? [event.outcome] : []))
  expect(new Set(ends)).toEqual(new Set(['done']))
  const answers = events.filter((event) => event.type === 'agent_callback_result')
  expect(answers.filter(({ ok }) => !ok)).toEqual([])
  for (const harness of world.agents) {
    expect(harness.core.folded).toEqual({ ...harness.folded(), turns: [] })
  }
  expect(world.evictions.asleep).toBeGreaterThan(100)
  expect(world.evictions.working).toBeGreaterThan(100)
})

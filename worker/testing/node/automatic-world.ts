// Sessions whose models answer by themselves, by a rule of the test's, and whose objects are evicted at
// random. Everything follows from the seed.

import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { Mailbox } from '../../core/session/mailbox.ts'
import type { ModelPart, ModelRequest } from '../../core/session/model.ts'
import type { SessionDeps } from '../../core/session/session-deps.ts'
import type { Timers } from '../../core/session/timers.ts'
import { RandomSource } from '../random-source.ts'
import { AgentWorld, agentDeps } from './agent-world.ts'
import { AutomaticModel } from './automatic-model.ts'
import type { SessionHarness } from './session-harness.ts'

const DEPS = agentDeps()

export abstract class AutomaticWorld extends AgentWorld {
  readonly random: RandomSource
  readonly ids: readonly string[]
  /** How often somebody is evicted in one turn. */
  evicts = 0.4
  /** Also where it works: what it was about to do is then not done. */
  kills = true
  evictions = { asleep: 0, working: 0 }
  turnsPerSecond = 50
  /** How much time has passed, in ms. */
  passed = 0
  private words = 0

  constructor(seed: number, agents: number) {
    super()
    this.random = new RandomSource(seed)
    this.ids = Array.from({ length: agents }, (_, index) => idOf(index))
  }

  /** What the model of the session at this place says. */
  protected abstract answer(index: number, request: ModelRequest): ModelPart[]

  get agents(): SessionHarness[] {
    return this.ids.map((id) => this.at(id))
  }

  async createAll(): Promise<void> {
    for (const id of this.ids) await this.create(id, 'assistant')
  }

  protected override depsOf(id: string, isAlive: () => boolean): Partial<SessionDeps> {
    const index = this.ids.indexOf(id)
    const model = new AutomaticModel('scripted', (request) => this.answer(index, request))
    const models = { ids: [model.id], get: () => model, fallbacksOf: () => [] }
    // What a dead object still has under way in this process sets timers, too.
    const timers: Timers = {
      set: (ms, run) => this.at(id).timers.set(ms, () => isAlive() && run()),
      clear: (handle) => this.at(id).timers.clear(handle),
    }
    return { ...DEPS, models, timers }
  }

  protected word(): ModelPart {
    return { type: 'text', text: `word ${++this.words}` }
  }

  protected tell(index: number, message: string, wait: boolean): ModelPart {
    const args = JSON.stringify({ to: this.ids[index % this.ids.length], message, wait })
    const id = `k${++this.words}`
    return { type: 'tool_call', id, toolName: 'agents_message', arguments: args }
  }

  /** Sleeps where nothing is lost by it, and dies in the middle of its work elsewhere. */
  private evict(harness: SessionHarness): void {
    const { run } = harness.core.folded
    if (run.status === 'idle' || run.waiting === true) {
      this.evictions.asleep += 1
      return harness.timers.size > 0 ? harness.crash() : harness.hibernate()
    }
    // A third death would end the run, which is another test's matter.
    if (run.attempt > 2 || !this.kills) return
    this.evictions.working += 1
    harness.crash()
  }

  private get isQuiet(): boolean {
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
    for (let turns = 1; !this.isQuiet; turns++) {
      if (turns > 20_000) throw new Error('it does not come to rest')
      await this.turn()
      if (this.random.chance(this.evicts)) this.evict(this.random.pick(this.agents))
      if (turns % this.turnsPerSecond === 0) {
        this.passed += 1000
        for (const harness of this.agents) harness.timers.advance(1000)
        await this.ring()
      }
    }
  }

  logs(): SessionEvent[] {
    return this.agents.flatMap((harness) => harness.events())
  }

  of<T extends EventType>(type: T): Extract<SessionEvent, EventOf<T>>[] {
    return this.logs().filter(
      (event): event is Extract<SessionEvent, EventOf<T>> => event.type === type,
    )
  }
}

const idOf = (index: number): string => `session-agent-${String(index).padStart(4, '0')}`

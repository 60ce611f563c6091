// One random life of several sessions whose agents talk to each other: letters that are lost, late
// or doubled, objects that die at every point of the write path, people in between. Everything
// follows from the seed.

import type { SessionDeps } from '../../core/session/session-deps.ts'
import type { SessionEvent } from '#protocol/events'
import { Log } from '../../core/session/log.ts'
import { Mailbox } from '../../core/session/mailbox.ts'
import { ModelError } from '../../core/session/model.ts'
import { RandomSource } from '../random-source.ts'
import { AgentWorld, agentDeps } from './agent-world.ts'
import { Crash } from './memory-sql.ts'
import { RandomActs } from './random-acts.ts'
import type { ModelCall } from './scripted-model.ts'
import { OWNER, type SessionHarness } from './session-harness.ts'
import { watchModel, watchTools } from './watched-starts.ts'
import type { Fate } from './world.ts'

const DEPS = agentDeps()
/** Longer than any answer is waited for: what has not ended by then never does. */
const EVER_MS = 8 * 86_400_000

/** Whatever is due is done by then: an alarm that rings again and again would never let it sleep. */
const RINGS = 8

const isDue = ({ alarmAt, timers }: SessionHarness): boolean =>
  alarmAt !== null && alarmAt <= timers.now

const toRoot = (index: number): string => `session-root-${'abcde'[index]!.repeat(4)}`

export class FuzzWorld extends AgentWorld {
  readonly random: RandomSource
  readonly operations: string[] = []
  readonly acts: RandomActs
  /** Sessions in which a model or a tool began although nothing ran. */
  readonly strays: string[] = []
  /** Sessions whose alarm was due again however often it had rung. */
  readonly busyAlarms: string[] = []
  /** What those that were erased had logged by then. */
  readonly graves = new Map<string, readonly SessionEvent[]>()
  /** Sessions whose queue waited for nobody. */
  readonly stuck: string[] = []
  crashes = 0
  private roots: string[] = []
  private canCrash = false
  private canLose = false
  /** What the next letter does to those it is between. */
  private nextLetter: 'kills_sender' | 'kills_receiver' | null = null

  private constructor(seed: number) {
    super()
    this.random = new RandomSource(seed)
    this.acts = new RandomActs(this.random)
  }

  static async run(seed: number, steps: number): Promise<FuzzWorld> {
    const world = new FuzzWorld(seed)
    const { random } = world
    world.canCrash = random.chance(0.6)
    world.canLose = random.chance(0.7)
    world.decideFate = (from, to) => world.toFate(from, to)
    world.roots = Array.from({ length: 3 + random.below(3) }, (_, index) => toRoot(index))
    for (const id of world.roots) {
      const harness = await world.create(id, 'assistant')
      const recovery = random.pick(['continue', 'continue', 'stop'])
      harness.command({ type: 'configure', sensitivePatterns: ['.env'], recovery })
    }
    for (let step = 0; step < steps; step++) await world.step()
    return world
  }

  protected override depsOf(id: string, isAlive: () => boolean): Partial<SessionDeps> {
    const onStart = (): void => {
      if (!isAlive()) return
      if (this.at(id).core.folded.run.status !== 'running') this.strays.push(id)
    }
    const models = {
      ids: ['scripted'],
      get: () => watchModel(this.at(id).model, onStart),
      fallbacksOf: () => [],
    }
    const erase = async (): Promise<void> => {
      if (isAlive()) this.bury(id)
    }
    return { ...DEPS, models, tools: watchTools(DEPS.tools, onStart), erase }
  }

  private bury(id: string): void {
    const { database } = this.at(id)
    if (new Log(database).load() !== null) {
      this.graves.set(id, this.at(id).events())
      this.buried.add(id)
    }
    database.wipe()
  }

  private toFate(from: string, to: string): Fate {
    const { nextLetter } = this
    this.nextLetter = null
    if (nextLetter === 'kills_sender') this.at(from).die()
    if (nextLetter === 'kills_receiver') {
      this.at(to).database.crashAt = this.random.pick(['before_commit', 'after_commit'])
    }
    if (!this.canLose) return 'arrives'
    const odds = { arrives: 12, lost: 1, unheard: 1.5, twice: 1, late: 1, again: 1 }
    return this.random.weighted<Fate>(odds)
  }

  private async step(): Promise<void> {
    const crash = this.canCrash ? 0.8 : 0
    const asked = this.asked().length
    const states = this.living().map(({ core }) => core.folded)
    const operation = this.random.weighted({
      send: asked === 0 ? 20 : 4,
      cancel: 1.5,
      clear: 0.5,
      continue: 0.5,
      delete: 0.3,
      restore: this.deleted().length > 0 ? 4 : 0,
      queue: states.some(({ queue }) => queue.items.length > 0) ? 3 : 0,
      wait: states.some((one) => one.decisions.length + one.questions.length > 0) ? 6 : 0,
      model: asked === 0 ? 0 : 40,
      time: 7,
      hibernate: 2,
      part: this.canLose ? 1.5 : 0,
      heal: this.unreachable.size > 0 ? 4 : 0,
      late: this.late.length > 0 ? 4 : 0,
      die: crash,
      crash_before_commit: crash,
      crash_after_commit: crash,
      kill_sender: crash,
      kill_receiver: crash,
      wake: crash * 4,
    })
    await this.survive(() => this.perform(operation))
    await this.turns(this.random.below(4))
  }

  /** Others go on where one dies. */
  private async survive(work: () => void | Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
      this.crashes += 1
    }
  }

  /** A while: not until all is quiet, so that the next thing happens in the middle of others. */
  private async turns(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.turn()
  }

  private note(operation: string, harness: SessionHarness): SessionHarness {
    const index = [...this.sessions.values()].indexOf(harness)
    this.operations.push(`${operation} ${index}`)
    return harness
  }

  private anyone(): SessionHarness {
    return this.random.pick(this.living())
  }

  /** Sessions, awake or not; an object that was only asked for its name is none. */
  private living(): SessionHarness[] {
    return [...this.sessions.values()].filter((harness) => harness.core.seq > 0)
  }

  private perform(operation: string): void | Promise<void> {
    const { random } = this
    switch (operation) {
      case 'model':
        return this.speak()
      case 'time':
        return this.pass(random.pick([500, 1000, 2000, 5000, 40_000, 400_000]))
      case 'hibernate':
        return this.sleep(this.anyone())
      case 'part': {
        const id = random.pick([...this.sessions.keys()])
        this.operations.push(`part ${id}`)
        this.unreachable.add(id)
        return
      }
      case 'heal':
        this.operations.push('heal')
        return this.unreachable.clear()
      case 'delete': {
        const harness = this.anyone()
        // A child that is deleted alone is not met here: it goes with whoever made it.
        if (harness.core.folded.session.origin !== undefined) return
        // Often it cannot take leave of those who work for it.
        const [exchange] = harness.core.folded.exchanges
        if (exchange && this.canLose) this.unreachable.add(exchange.toSessionId)
        return this.awake(this.note('delete', harness))
          .core.remove(OWNER)
          .then(() => {})
      }
      case 'restore': {
        const harness = this.note('restore', random.pick(this.deleted()))
        return harness.core.restore(OWNER).then(() => {})
      }
      case 'late':
        this.operations.push('late')
        return this.late.splice(random.below(this.late.length), 1).forEach((take) => take())
      case 'die':
        return this.note('die', this.anyone()).die()
      case 'crash_before_commit':
        this.note(operation, this.anyone()).database.crashAt = 'before_commit'
        return
      case 'crash_after_commit':
        this.note(operation, this.anyone()).database.crashAt = 'after_commit'
        return
      case 'kill_sender':
        this.nextLetter = 'kills_sender'
        return
      case 'kill_receiver':
        this.nextLetter = 'kills_receiver'
        return
      case 'wake':
        for (const harness of this.living()) this.awake(harness)
        return
      default:
        return this.command(operation)
    }
  }

  /** Those that can still be restored. */
  private deleted(): SessionHarness[] {
    return this.living().filter(({ core, isDead }) => !isDead && !core.isOwnedBy(OWNER))
  }

  private awake(harness: SessionHarness): SessionHarness {
    if (!harness.isDead) return harness
    this.crashes += 1
    harness.wake()
    return harness
  }

  private sleep(harness: SessionHarness): void {
    const { run } = harness.core.folded
    const isQuiet = run.status === 'idle' || run.waiting === true
    if (harness.isDead || !isQuiet || harness.timers.size > 0) return
    this.note('hibernate', harness).hibernate()
  }

  private async pass(ms: number): Promise<void> {
    this.operations.push(`time ${ms}`)
    for (const harness of this.sessions.values()) {
      await this.survive(() => harness.timers.advance(ms))
    }
    await this.turns(2)
    await this.ring()
  }

  override async ring(): Promise<void> {
    for (let times = 0; times < RINGS; times++) {
      const due = [...this.sessions.values()].filter(isDue)
      for (const harness of due) {
        harness.alarmAt = null
        await this.survive(async () => this.awake(harness).core.alarm())
      }
      if (due.length === 0) return
      await this.turns(1)
    }
    const busy = [...this.sessions.values()].filter((one) => isDue(one) && !one.isDead)
    this.busyAlarms.push(...busy.map(({ core }) => core.folded.session.id))
  }

  private command(type: string): void {
    const addressees = this.addressees(type)
    if (addressees.length === 0) return
    const harness = this.random.pick(addressees)
    const command = this.acts.command(type, this.awake(harness).core.folded)
    if (command === null) return
    this.note(JSON.stringify(command), harness)
    // Not waited for: what has to be prepared is answered later, or never where the object dies.
    void this.survive(async () => void (await harness.tryLater(command)))
  }

  /** Those in whom such a command changes something. */
  private addressees(type: string): SessionHarness[] {
    const found = this.living().filter(({ core: { folded } }) => {
      if (type === 'queue') return folded.queue.items.length > 0
      return type !== 'wait' || folded.decisions.length + folded.questions.length > 0
    })
    // Mostly where people talk to an agent, and now and then to one that works for another.
    if (type !== 'send' || this.random.chance(0.2)) return found
    return this.roots.map((id) => this.at(id)).filter(({ core }) => core.seq > 0)
  }

  private asked(): SessionHarness[] {
    return [...this.sessions.values()].filter(({ model }) => model.isCalled)
  }

  /** A model that is asked somewhere says or does something. */
  private async speak(): Promise<void> {
    const harness = this.random.pick(this.asked())
    const { current } = harness.model
    const what = this.random.weighted({ answer: 8, words: 2, fail: 0.7, tools: 9 })
    if (what === 'tools') return this.useTools(harness, current)
    this.note(what, harness)
    if (what === 'fail') return current.fail(new ModelError('model_bad_request', 'no'))
    current.text(this.acts.words())
    if (what === 'answer') current.finish()
  }

  private useTools(harness: SessionHarness, call: ModelCall): void {
    const ids = [...this.sessions.keys()]
    const count = this.random.pick([1, 1, 1, 2, 3])
    const calls = Array.from({ length: count }, () => this.acts.call(ids))
    this.note(calls.map(([name, input]) => `${name} ${JSON.stringify(input)}`).join(), harness)
    this.emitCalls(call, calls)
  }

  /** Everybody is reached, every model and every person answers, and time passes. */
  async comeToRest(): Promise<void> {
    this.decideFate = () => 'arrives'
    this.nextLetter = null
    this.unreachable.clear()
    for (const harness of this.sessions.values()) harness.database.crashAt = null
    for (const take of this.late.splice(0)) take()
    for (let round = 0; round < 400; round++) {
      for (const harness of this.living()) this.awake(harness)
      await this.turns(3)
      const isAnswered = await this.answerAll()
      await this.pass(1000)
      await this.turns(3)
      if (!isAnswered && this.isAtRest()) return
      if (!isAnswered) await this.pass(round % 10 === 9 ? EVER_MS : 30_000)
    }
    throw new Error('it does not come to rest')
  }

  private isAtRest(): boolean {
    return this.living().every(({ core: { folded }, database }) => {
      const { run, queue, exchanges, children } = folded
      const letters = new Mailbox(database).load()
      const isIdle = run.status === 'idle'
      return (
        isIdle && [queue.items, exchanges, children, letters].every((list) => list.length === 0)
      )
    })
  }

  /** False: nobody is asked anything. */
  private async answerAll(): Promise<boolean> {
    let isAnswered = false
    for (const harness of this.living()) {
      const { run, queue, decisions, questions } = harness.core.folded
      for (const call of harness.model.calls.filter(({ settled }) => !settled)) {
        call.text(this.acts.words()).finish()
        isAnswered = true
      }
      if (run.status === 'idle' && queue.items.length > 0) {
        if (!queue.held) this.stuck.push(harness.core.folded.session.id)
        harness.try({ type: 'continue' })
        isAnswered = true
      }
      if (decisions.length + questions.length === 0) continue
      const command = this.acts.command('wait', harness.core.folded)
      if (command !== null) await harness.tryLater(command)
      isAnswered = true
    }
    return isAnswered
  }
}

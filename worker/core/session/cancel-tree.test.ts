// A tree of children that is cancelled at a random moment, with one level of it out of reach (CAN4):
// whoever learns of it starts nothing more, and whoever was away starts nothing when it is back.

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { AgentWorld, agentDeps } from '../../testing/node/agent-world.ts'
import { hashPromptly } from '../../testing/node/prompt-hash.ts'
import type { Call } from '../../testing/node/random-acts.ts'
import type { SessionHarness } from '../../testing/node/session-harness.ts'
import { watchModel, watchTools } from '../../testing/node/watched-starts.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { Mailbox } from './mailbox.ts'
import type { SessionDeps } from './session-deps.ts'

hashPromptly()

const CASES = 160
const FIRST_SEED = 20261118
const ROOT = 'session-root-000000'
const LEVELS = 3
const DEPS = agentDeps()

const ofType = <T extends EventType>(harness: SessionHarness, type: T) =>
  harness
    .events()
    .filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)

/** What the trees have been through: one that never meets a thing proves nothing about it. */
const met = new Map<string, number>()
const meet = (what: string, count = 1): void => void met.set(what, (met.get(what) ?? 0) + count)

class Tree extends AgentWorld {
  readonly random: RandomSource
  readonly operations: string[] = []
  /** Models and tools that began, by session; and those of sessions in which nothing ran. */
  readonly starts = new Map<string, number>()
  readonly strays: string[] = []
  /** Those whose model has said its last word: their runs may end with it before they learn. */
  readonly answered = new Set<SessionHarness>()

  constructor(seed: number) {
    super()
    this.random = new RandomSource(seed)
    this.decideFate = () =>
      this.random.weighted({ arrives: 10, lost: 1, unheard: 1, twice: 1, late: 0.5, again: 0.5 })
  }

  protected override depsOf(id: string, isAlive: () => boolean): Partial<SessionDeps> {
    const onStart = (): void => {
      if (!isAlive()) return
      this.starts.set(id, this.startsOf(id) + 1)
      if (this.at(id).core.folded.run.status !== 'running') this.strays.push(id)
    }
    const models = {
      ids: ['scripted'],
      get: () => watchModel(this.at(id).model, onStart),
      fallbacksOf: () => [],
    }
    return { ...DEPS, models, tools: watchTools(DEPS.tools, onStart) }
  }

  startsOf(id: string): number {
    return this.starts.get(id) ?? 0
  }

  get root(): SessionHarness {
    return this.at(ROOT)
  }

  get descendants(): [id: string, harness: SessionHarness][] {
    return [...this.sessions].filter(([id, { core }]) => id !== ROOT && core.seq > 0)
  }

  levelOf({ core }: SessionHarness): number {
    return core.folded.session.origin?.parent?.depth ?? 0
  }

  /** Somebody does something, and not all of what follows from it has happened yet. */
  async act(isOver: boolean): Promise<void> {
    const asked = [...this.sessions.values()].filter(({ model }) => model.isCalled)
    if (asked.length > 0) {
      const harness = this.random.pick(asked)
      const isLeaf = harness !== this.root && !isOver
      const what = this.random.weighted({ calls: 6, words: 1, answer: isLeaf ? 0.7 : 0 })
      this.operations.push(`${what} ${this.levelOf(harness)}`)
      if (what === 'calls') this.emitCalls(harness.model.current, this.toCalls(harness))
      else harness.model.current.text('So it is. ')
      if (what === 'answer') {
        this.answered.add(harness)
        harness.model.current.finish()
      }
    }
    await this.turns(this.random.below(5))
    if (this.random.chance(0.2)) await this.advance(1500)
  }

  private toCalls(harness: SessionHarness): Call[] {
    const { random } = this
    const spawn = this.levelOf(harness) < LEVELS && this.sessions.size < 10 ? 6 : 0
    return Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index): Call => {
      switch (random.weighted({ spawn, decide: 1.5, ask: 1, write: 1, count: 1 })) {
        case 'spawn':
          return ['agents_spawn', { task: `Task ${index}` }]
        case 'decide':
          return ['write_file', { path: '.env', content: 'A=1' }]
        case 'ask':
          return ['ask_user', { questions: [{ text: 'Which?' }] }]
        case 'write':
          return ['write_file', { path: `notes-${index}.txt`, content: 'seven' }]
        case 'count':
          return ['calculate', { expression: '6*7' }]
      }
    })
  }

  async turns(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.turn()
  }

  /** The dead hear no bell: they are woken when the test says so. */
  override async ring(): Promise<void> {
    for (const harness of this.sessions.values()) {
      const { alarmAt, timers, isDead } = harness
      if (!isDead && alarmAt !== null && alarmAt <= timers.now) await harness.core.alarm()
    }
  }

  /** One level dies, and nobody reaches it. */
  abort(level: number): string[] {
    const gone = this.descendants.filter(([, harness]) => this.levelOf(harness) === level)
    for (const [id, harness] of gone) {
      harness.die()
      this.unreachable.add(id)
    }
    this.operations.push(`abort ${level}: ${gone.length}`)
    return gone.map(([id]) => id)
  }

  /** A person answers everything that is asked there. */
  async answerAll(id: string): Promise<void> {
    const harness = this.at(id)
    const { decisions, questions } = harness.core.folded
    for (const { decisionId } of decisions) {
      meet('a yes after the cancel')
      await harness.tryLater({ type: 'decide', decisionId, verdict: 'accept' })
    }
    for (const { questionId } of questions) {
      harness.command({ type: 'answer', questionId, answers: { 1: 'That.' } })
    }
    await this.turns(6)
  }

  get isAtRest(): boolean {
    return this.descendants.every(
      ([
        ,
        {
          core: { folded },
          database,
        },
      ]) => {
        const { run, children } = folded
        const isIdle = run.status === 'idle' && children.length === 0
        return isIdle && new Mailbox(database).load().length === 0
      },
    )
  }

  async comeToRest(): Promise<void> {
    this.decideFate = () => 'arrives'
    for (const take of this.late.splice(0)) take()
    for (let round = 0; round < 60; round++) {
      await this.turns(6)
      if (this.isAtRest && new Mailbox(this.root.database).load().length === 0) return
      await this.advance(20_000)
    }
    throw new Error('it does not come to rest')
  }
}

async function check(seed: number): Promise<void> {
  const world = new Tree(seed)
  try {
    await play(world)
  } catch (error) {
    const told = `seed ${seed} after:\n${world.operations.join('\n')}`
    throw new Error(told, { cause: error })
  }
}

async function play(world: Tree): Promise<void> {
  const { random } = world
  const root = await world.create(ROOT, 'assistant')
  root.command({ type: 'configure', sensitivePatterns: ['.env'] })
  await world.ask(root)
  await world.callAll(root, [
    ['agents_spawn', { task: 'One' }],
    ['agents_spawn', { task: 'Two' }],
  ])
  const steps = random.below(40)
  const abortAt = random.below(steps + 1)
  let gone: string[] = []
  for (let step = 0; step <= steps; step++) {
    if (step === abortAt) gone = world.abort(1 + random.below(LEVELS))
    if (step < steps) await world.act(false)
  }
  const startsAtDeath = gone.map((id) => world.startsOf(id))
  noteMet(world, gone)

  const ack = root.command({ type: 'cancel' })
  world.operations.push('cancel')
  const told = root.events()
  expect(told.at(-1)).toMatchObject({ type: 'run_done', outcome: 'cancelled', seq: ack.seq })

  for (let step = random.below(6); step > 0; step--) await world.act(true)
  await world.advance(5000)
  for (const id of gone) world.at(id).wake()
  for (const id of gone) await world.answerAll(id)
  await world.advance(20_000)
  // Awake, answered, and still nobody can say whether it is wanted.
  expect(gone.map((id) => world.startsOf(id))).toEqual(startsAtDeath)
  world.unreachable.clear()
  await world.comeToRest()

  expect(gone.map((id) => world.startsOf(id))).toEqual(startsAtDeath)
  expect(world.strays).toEqual([])
  expect(root.events()).toEqual(told)
  checkDescendants(world)
}

function noteMet(world: Tree, gone: readonly string[]): void {
  const states = world.descendants.map(([, { core }]) => core.folded)
  meet('out of reach', gone.length)
  meet('ended before', states.filter(({ run }) => run.status === 'idle').length)
  meet('a grandchild', states.filter(({ session }) => session.origin!.parent!.depth === 2).length)
  meet('a third level', states.filter(({ session }) => session.origin!.parent!.depth === 3).length)
  meet('a decision', states.filter(({ decisions }) => decisions.length > 0).length)
  meet('at work', states.filter(({ run }) => run.status === 'running' && !run.waiting).length)
}

function checkDescendants(world: Tree): void {
  for (const [, harness] of world.descendants) {
    const [done, ...more] = ofType(harness, 'run_done')
    expect(more).toEqual([])
    if (!world.answered.has(harness)) expect(done).toMatchObject({ outcome: 'cancelled' })
    expect(harness.events().at(-1)).toEqual(done)
    expect(harness.model.isCalled).toBe(false)
    expect(harness.core.folded).toEqual({ ...harness.folded(), turns: [] })
    expect(harness.core.folded.decisions).toEqual([])
  }
}

describe('[CAN4] [AGT5] a tree that is cancelled at a random moment', () => {
  for (let at = 0; at < CASES; at += 40) {
    const first = FIRST_SEED + at
    test(`only settles, seeds ${first} to ${first + 39}`, async () => {
      for (let seed = first; seed < first + 40; seed++) await check(seed)
    })
  }

  test('[CAN4] the trees had decisions, three levels and some out of reach', () => {
    const expected = [
      'out of reach',
      'ended before',
      'a grandchild',
      'a third level',
      'a decision',
      'at work',
      'a yes after the cancel',
    ]
    for (const what of expected) expect(met.get(what) ?? 0, what).toBeGreaterThan(20)
  })
})

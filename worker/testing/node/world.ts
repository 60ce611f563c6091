// Several sessions that write to each other, with the ways between them in the test's hands.

import { setImmediate as turn } from 'node:timers/promises'
import type { Delivery, Envelope } from '../../core/session/letters.ts'
import type { Peers, SessionDeps } from '../../core/session/session-deps.ts'
import { ToolFailure } from '../../core/tools/tool.ts'
import { Crash } from './memory-sql.ts'
import { untilHashed } from './pending-digests.ts'
import { OWNER, SessionHarness } from './session-harness.ts'

/**
 * What becomes of one letter. `lost`: it never arrives. `unheard`: it does, and nobody learns of it.
 * `late`: like `lost`, but it arrives when the test says so; `again`: a copy of it does.
 */
export type Fate = 'arrives' | 'lost' | 'unheard' | 'twice' | 'late' | 'again'

export type Sent = { from: string; to: string; envelope: Envelope; fate: Fate }

export class World {
  readonly sessions = new Map<string, SessionHarness>()
  readonly sent: Sent[] = []
  /** Sessions that nobody reaches. */
  readonly unreachable = new Set<string>()
  decideFate: (from: string, to: string, envelope: Envelope) => Fate = () => 'arrives'
  /** Who is asked what it waits for; a test can have nobody answer. */
  askStanding: <T>(ask: () => T, id: string) => T | Promise<T> = (ask) => ask()
  afterRefusal: () => void = () => {}
  /** Sessions that were erased: what was on its way to them finds nobody. */
  readonly buried = new Set<string>()
  /** Letters on their way for longer than their senders wait. */
  readonly late: (() => void)[] = []
  private readonly overrides: Partial<SessionDeps>
  private readonly lives = new Map<string, symbol>()

  constructor(overrides: Partial<SessionDeps> = {}) {
    this.overrides = overrides
  }

  /** The object of that id, which may hold no session yet. */
  at(id: string): SessionHarness {
    let harness = this.sessions.get(id)
    if (harness === undefined) {
      harness = new SessionHarness(() => this.wakeAs(id))
      this.sessions.set(id, harness)
    }
    return harness
  }

  /** What died may still have work under way in this process, which no real one would. */
  private wakeAs(id: string): Partial<SessionDeps> {
    const life = Symbol(id)
    this.lives.set(id, life)
    const isAlive = (): boolean => this.lives.get(id) === life && !this.at(id).isDead
    return { ...this.depsOf(id, isAlive), peers: this.peersOf(id, isAlive) }
  }

  protected depsOf(_id: string, _isAlive: () => boolean): Partial<SessionDeps> {
    return this.overrides
  }

  async create(id: string, agent = 'parley'): Promise<SessionHarness> {
    const harness = this.at(id)
    await harness.core.create({ sessionId: id, owner: OWNER, agent, model: 'scripted' })
    return harness
  }

  /** Until nothing more happens by itself: hashing takes real turns of the event loop. */
  async settle(): Promise<void> {
    for (let quiet = 0; quiet < 4;) {
      const before = this.activity()
      await this.turn()
      quiet = this.activity() === before ? quiet + 1 : 0
    }
  }

  /** What is ready happens, and what follows from it at once. */
  protected async turn(): Promise<void> {
    await untilHashed()
    await turn()
  }

  /** Time passes everywhere, and alarms that are due ring. */
  async advance(ms: number): Promise<void> {
    for (const harness of this.sessions.values()) harness.timers.advance(ms)
    await this.settle()
    await this.ring()
  }

  async ring(): Promise<void> {
    for (const harness of this.sessions.values()) {
      if (harness.alarmAt !== null && harness.alarmAt <= harness.timers.now) {
        await harness.core.alarm()
      }
    }
    await this.settle()
  }

  private activity(): string {
    const parts = [...this.sessions.values()].map(
      (harness) => `${harness.core.seq}/${harness.model.calls.length}/${harness.tools.runs.length}`,
    )
    return `${this.sent.length}:${parts.join()}`
  }

  private peersOf(from: string, isAlive: () => boolean): Peers {
    const reach = async (id: string): Promise<SessionHarness> => {
      await turn()
      if (this.unreachable.has(id) || this.unreachable.has(from)) throw new Error('unreachable')
      const harness = this.at(id)
      // Whoever is called is awake: a dead object answers nothing from memory.
      if (harness.isDead) harness.wake()
      return harness
    }
    /** The dead hear no answer. */
    const hear = <T>(answer: Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        answer.then(
          (value) => isAlive() && resolve(value),
          (error: unknown) => isAlive() && reject(error as Error),
        )
      })
    return {
      deliver: (to, owner, envelope) =>
        hear(reach(to).then((harness) => this.deliver(harness, { from, to, owner, envelope }))),
      isWanted: (id, owner, claim) =>
        hear(reach(id).then(({ core }) => core.isWanted(owner, claim))),
      standing: (id, owner, claim) =>
        hear(
          reach(id).then(({ core }) =>
            this.askStanding(() => core.standstill.standing(owner, claim), id),
          ),
        ),
      refuse: (id, owner, exchangeId, why) =>
        hear(
          reach(id).then(({ core }) => {
            core.standstill.refuse(owner, exchangeId, why)
            this.afterRefusal()
          }),
        ),
      resend: (id, owner, to) => hear(reach(id).then(({ core }) => core.resend(owner, to))),
      bound: (id, owner) => hear(reach(id).then(({ core }) => core.views.bound(owner))),
      inheritance: (id, owner) => hear(reach(id).then(({ core }) => core.inheritance(owner))),
      summary: (id, owner) =>
        hear(reach(id).then(({ core }) => core.views.summary(owner))).then((found) =>
          found.ok ? found.value : null,
        ),
      command: (id, owner, command, reason) =>
        hear(reach(id).then(({ core }) => core.command(owner, command, reason))),
      remove: (id, owner) =>
        hear(reach(id).then(({ core }) => core.remove(owner))).then(() => undefined),
      restore: (id, owner) =>
        hear(reach(id).then(({ core }) => core.restore(owner))).then(() => undefined),
      workspace: async (id, owner, child) => {
        const harness = await hear(reach(id).catch(() => null))
        if (harness === null) throw new ToolFailure('The workspace cannot be reached now.')
        const workspace = harness.core.childFiles.open(owner, child)
        if (workspace === null) throw new ToolFailure('The run is over.', 'tool_interrupted')
        return workspace
      },
    }
  }

  private deliver(
    harness: SessionHarness,
    { from, to, owner, envelope }: { from: string; to: string; owner: string; envelope: Envelope },
  ): Delivery {
    const fate = this.decideFate(from, to, envelope)
    this.sent.push({ from, to, envelope, fate })
    const take = () => this.take(harness, owner, to, envelope)
    if (fate === 'late' || fate === 'again') this.late.push(() => this.takeLate(to, take))
    if (fate === 'lost' || fate === 'late') throw new Error('lost')
    const delivery = take()
    if (fate === 'twice') take()
    if (fate === 'unheard') throw new Error('unheard')
    return delivery
  }

  /** Nobody hears what becomes of it. */
  private takeLate(to: string, take: () => unknown): void {
    if (this.unreachable.has(to) || this.buried.has(to)) return
    try {
      take()
    } catch (error) {
      if (!(error instanceof Crash)) throw error
    }
  }

  /** An object that dies while it takes a letter wakes again, and the sender hears nothing. */
  private take(harness: SessionHarness, owner: string, to: string, envelope: Envelope) {
    // What crosses the wire is a copy.
    const copy = structuredClone(envelope)
    try {
      return harness.core.receive(owner, to, copy)
    } catch (error) {
      if (error instanceof Crash && harness.isDead) {
        harness.database.crashAt = null
        harness.wake()
      }
      throw error
    }
  }
}

// Runs that wait for each other across sessions, so that none of them could ever go on (AGT4). Whoever
// takes a message that has to wait behind a run follows what that run waits for; where it comes
// back to the message, one message of the circle is refused. Why that finds every circle: docs/decisions/0015.

import { LOOK_UP_MS, WAITS_FOLLOWED, WATCHDOG_MS } from '#protocol/limits'
import type { SessionState } from '#protocol/state'
import { Draft } from './draft.ts'
import { answerWithdrawn } from './exchanges.ts'
import type { Claim, Standing, Wait } from './letters.ts'
import { holdOf, toQueueUpdate } from './queue.ts'
import type { SessionDeps } from './session-deps.ts'
import { within } from './timers.ts'

const FIRST_RETRY_MS = 1_000
const LAST_RETRY_MS = 300_000

/** Agents that are named in what the refused one is told. */
const NAMED = 12

export type StandstillDeps = {
  session: Pick<SessionDeps, 'peers' | 'timers' | 'now' | 'background'>
  state: () => SessionState
  /** null: there is no session here. */
  owner: () => string | null
  commit: (draft: Draft) => void
  /** Something is due sooner than before, or nothing any more. */
  changed: () => void
  settled: () => void
}

/** One wait on the way, and the one before it. */
type Step = { wait: Wait; before: Step | null; isQueued: boolean }

export class Standstill {
  private readonly deps: StandstillDeps
  /** Messages in the queue whose senders wait for them, and those of them yet to be looked into. */
  private known: ReadonlySet<string> = new Set()
  private readonly pending = new Set<string>()
  private isWorking = false
  private failures = 0
  private retryAt = 0

  constructor(deps: StandstillDeps) {
    this.deps = deps
  }

  /** The queue may have changed: what came last can have closed a circle. */
  notice(): void {
    const state = this.deps.state()
    const queued = queuedWaits(state)
    const isBehind = waitsOf(state).length > 0
    for (const id of queued) if (isBehind && !this.known.has(id)) this.pending.add(id)
    for (const id of this.pending) if (!queued.has(id)) this.pending.delete(id)
    this.known = queued
    if (this.pending.size === 0) return
    this.start()
    this.deps.changed()
  }

  /** For others. null: nothing here keeps it from its answer. */
  standing(owner: string, claim: Claim): Standing | null {
    return this.deps.owner() === owner ? standingOf(this.deps.state(), claim) : null
  }

  /** For others. Twice is once: the message is gone. */
  refuse(owner: string, exchangeId: string, why: string): void {
    if (this.deps.owner() === owner) this.refuseHere(exchangeId, why)
  }

  private refuseHere(exchangeId: string, why: string): void {
    const draft = refuseQueued(this.deps.state(), exchangeId, why, this.deps.session.now())
    if (draft !== null) this.deps.commit(draft)
  }

  private get owner(): string {
    return this.deps.owner() ?? ''
  }

  /** What is on its way is lost with this object, and waking looks into all of it anew. */
  wantedAlarms(): number[] {
    if (this.pending.size === 0) return []
    return [this.isWorking ? this.deps.session.now() + WATCHDOG_MS : this.retryAt]
  }

  alarm(): void {
    if (this.pending.size > 0 && this.retryAt <= this.deps.session.now()) this.start()
  }

  private start(): void {
    if (this.isWorking) return
    this.isWorking = true
    const work = Promise.resolve()
      .then(() => this.work())
      .finally(() => {
        this.isWorking = false
        this.deps.settled()
      })
    this.deps.session.background(work)
  }

  private async work(): Promise<void> {
    while (this.pending.size > 0) {
      const asked = [...this.pending]
      try {
        // Refusing one may leave others: until there is none.
        // oxlint-disable-next-line no-await-in-loop
        while (await this.breakCircle());
      } catch {
        // Somebody is out of reach now: what cannot be known is not refused.
        const pause = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** this.failures)
        this.failures += 1
        this.retryAt = this.deps.session.now() + pause
        return
      }
      this.failures = 0
      for (const id of asked) this.pending.delete(id)
    }
  }

  /** False: there is none. */
  private async breakCircle(): Promise<boolean> {
    const circle = await this.findCircle()
    if (circle === null) return false
    const victim = chooseVictim(circle)
    const { sessionId, claim } = victim.wait
    if (!('exchangeId' in claim)) return false
    const why = describe(circle, victim)
    const { session, state } = this.deps
    if (sessionId === state().session.id) this.refuseHere(claim.exchangeId, why)
    else await this.reach(session.peers.refuse(sessionId, this.owner, claim.exchangeId, why))
    return true
  }

  /** Breadth first along what is waited for, each session once: until it comes back to this queue. */
  private async findCircle(): Promise<Step[] | null> {
    const state = this.deps.state()
    const { id } = state.session
    const followed = new Set([id])
    let isSure = true
    let steps = waitsOf(state).map((wait) => toStep(wait, null))
    for (let count = 0; steps.length > 0 && count < WAITS_FOLLOWED; count += steps.length) {
      const closing = steps.find(({ wait }) => wait.sessionId === id && this.isQueuedHere(wait))
      if (closing !== undefined) return toCircle({ ...closing, isQueued: true })
      const elsewhere = steps.filter(({ wait }) => !followed.has(wait.sessionId))
      // One level after the other: the next follows from this one.
      // oxlint-disable-next-line no-await-in-loop
      const standings = await Promise.all(
        elsewhere.map(({ wait }) =>
          this.ask(wait).catch(() => {
            isSure = false
            return null
          }),
        ),
      )
      steps = elsewhere.flatMap((step, index) => {
        const standing = standings[index]
        if (standing == null || followed.has(step.wait.sessionId)) return []
        followed.add(step.wait.sessionId)
        const here = { ...step, isQueued: standing.isQueued }
        return standing.waits.map((wait) => toStep(wait, here))
      })
    }
    if (!isSure) throw new Error('somebody is out of reach')
    return null
  }

  private isQueuedHere({ claim }: Wait): boolean {
    return standingOf(this.deps.state(), claim)?.isQueued === true
  }

  private ask({ sessionId, claim }: Wait): Promise<Standing | null> {
    return this.reach(this.deps.session.peers.standing(sessionId, this.owner, claim))
  }

  /** Not for ever: an object that does not answer is one that cannot be reached. */
  private async reach<T>(call: Promise<T>): Promise<T> {
    const { timers } = this.deps.session
    const answer = call.then((value) => ({ value }))
    const reached = await within<{ value: T } | null>(timers, LOOK_UP_MS, answer, null)
    if (reached === null) throw new Error('unreachable')
    return reached.value
  }
}

/** How what another session waits for stands here. null: it does not wait for the run of now. */
function standingOf(state: SessionState, claim: Claim): Standing | null {
  const { run, queue } = state
  if (run.status !== 'running') return null
  const isRunning =
    'childRunId' in claim ? run.runId === claim.childRunId : run.exchangeId === claim.exchangeId
  const isQueued =
    'exchangeId' in claim &&
    queue.items.some(({ exchange }) => exchange?.exchangeId === claim.exchangeId)
  return isRunning || isQueued ? { isQueued, waits: waitsOf(state) } : null
}

/** All of it has to be answered before the active run can end. */
function waitsOf({ run, exchanges, children }: SessionState): Wait[] {
  if (run.status !== 'running') return []
  const { runId, asker } = run
  const hops = (asker?.hops ?? 0) + 1
  return [
    ...exchanges
      .filter((open) => open.runId === runId && open.wait && open.cancelled !== true)
      .map(({ toSessionId: sessionId, toAgent: agent, exchangeId }) => {
        return { sessionId, agent, hops, claim: { exchangeId } }
      }),
    ...children
      .filter((open) => open.runId === runId)
      .map(({ childSessionId: sessionId, agent, childRunId }) => {
        return { sessionId, agent, hops, claim: { childRunId } }
      }),
  ]
}

/** Messages here whose senders wait: nobody waits for one that names no path. */
const queuedWaits = ({ queue }: SessionState): Set<string> =>
  new Set(
    queue.items.flatMap(({ exchange }) =>
      exchange !== undefined && exchange.asker.path.length > 0 ? [exchange.exchangeId] : [],
    ),
  )

/** A message that waits is answered for, as if a person had taken it back. null: it waits no more. */
function refuseQueued(
  state: SessionState,
  exchangeId: string,
  why: string,
  now: number,
): Draft | null {
  const { items } = state.queue
  const item = items.find(({ exchange }) => exchange?.exchangeId === exchangeId)
  if (item === undefined || state.run.status !== 'running') return null
  const draft = new Draft(state, now)
  const rest = items.filter((one) => one !== item)
  draft.add(toQueueUpdate(rest, holdOf(state.queue)))
  answerWithdrawn(draft, item, why)
  return draft
}

const toStep = (wait: Wait, before: Step | null): Step => ({ wait, before, isQueued: false })

/** From the first wait to the one that closes it. */
function toCircle(last: Step): Step[] {
  const circle: Step[] = []
  for (let step: Step | null = last; step !== null; step = step.before) circle.unshift(step)
  return circle
}

/**
 * The same one, whoever looks: of the messages that nobody has read yet, the one that is furthest
 * from a person.
 */
const chooseVictim = (circle: readonly Step[]): Step =>
  circle
    .filter(({ isQueued }) => isQueued)
    .reduce((a, b) => {
      if (a.wait.hops !== b.wait.hops) return a.wait.hops > b.wait.hops ? a : b
      return idOf(a.wait) > idOf(b.wait) ? a : b
    })

const idOf = ({ claim }: Wait): string =>
  'exchangeId' in claim ? claim.exchangeId : claim.childRunId

/** Who would wait for whom, as whoever sent the refused message sees it. */
function describe(circle: readonly Step[], victim: Step): string {
  const at = circle.indexOf(victim)
  const around = [...circle.slice(at), ...circle.slice(0, at)].map(({ wait }) => wait.agent)
  // The last of them is whoever sent it.
  const names = around.slice(0, -1)
  const ways = names.map((name, index) => `${name} waits for ${names[index + 1] ?? 'you'}`)
  const told = ways.length > NAMED ? [...ways.slice(0, NAMED), '…', ways.at(-1)] : ways
  const why = `${told.join(', ')}: none of you could ever go on`
  return `Not delivered: ${why}. Put what you have to say into your answer.`
}

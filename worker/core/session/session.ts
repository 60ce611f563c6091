// A session: the one write path and what hangs on it. Log, state, sockets, effects, in that
// order, in `commit`; nothing else appends or assigns state. Runs in a Durable Object, or in Node
// with a file for a database.

import type { Ack, Command } from '#protocol/commands'
import type { SessionEvent } from '#protocol/events'
import { CLOSE, type Fragment, type Hello } from '#protocol/frames'
import type { Rejection, SessionSummary } from '#protocol/http'
import { openPartIds } from '#protocol/live'
import { WATCHDOG_MS, RESTORE_MS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import {
  EMPTY_STATE,
  hot,
  isEmptySession,
  isSameHot,
  toSummary,
  type HotState,
  type SessionState,
} from '#protocol/state'
import { parseRunId } from '#protocol/ids'
import { ActiveRun, missingModel } from './active-run.ts'
import { Alarm } from './alarm.ts'
import {
  decide,
  decideRecovery,
  decideReport,
  NO_USAGE,
  type DecideContext,
  type Decision,
  type Effect,
  type RunReport,
} from './decide.ts'
import { digest } from './digest.ts'
import { Draft } from './draft.ts'
import { isBackwards, Log, type Beside, type CommandRecord, type PageQuery } from './log.ts'
import { Outbox } from './outbox.ts'
import type { ToolCall } from './run-loop.ts'
import type { Projection, SessionDeps } from './session-deps.ts'
import { Subscribers, type ClientSocket } from './subscribers.ts'
import { takeToken, type Bucket } from './token-bucket.ts'

/** An alarm in the past rings at once: without this a directory out of reach is a busy loop. */
const ERASE_RETRY_MS = 10_000

type Loaded = { owner: string; eraseAt: number | null }
type Outcome<T> = { ok: true; value: T } | { ok: false; rejection: Rejection }
type Accepted = Extract<Decision, { ok: true }>

const NOT_FOUND: Outcome<never> = {
  ok: false,
  rejection: { code: 'not_found', message: 'no such session' },
}

export class SessionCore {
  readonly subscribers = new Subscribers()
  private readonly deps: SessionDeps
  private readonly log: Log
  private readonly outbox: Outbox
  private readonly alarms: Alarm
  private loaded: Loaded | null = null
  private state: SessionState = EMPTY_STATE
  private active: ActiveRun | null = null
  private bucket: Bucket | undefined
  private eraseNotBefore = 0

  constructor(deps: SessionDeps) {
    this.deps = deps
    this.log = new Log(deps.sql)
    this.outbox = new Outbox(
      () => this.tellDirectory(),
      () => this.directoryKnows(),
    )
    this.alarms = new Alarm(deps.setAlarm, () => this.wantedAlarms())
  }

  /** Load what is stored, without folding the log; take up a run that was in flight. */
  wake(): void {
    const stored = this.log.load()
    if (stored === null) return
    this.loaded = { owner: stored.owner, eraseAt: stored.eraseAt }
    const { run } = stored.hot
    const seq = this.log.lastSeq()
    const open = run.status === 'running' ? this.foldOpen(run.runId) : null
    this.state = { ...stored.hot, seq, turns: [], open }
    const recovery = decideRecovery(this.state, this.context('server', 'user'))
    if (recovery !== null) this.commit(recovery)
    if (stored.unprojected) this.deps.background(this.outbox.notify().then(() => this.alarms.arm()))
    this.alarms.arm()
  }

  async create(input: {
    sessionId: string
    owner: string
    agent: string
    model: string
    title?: string
  }): Promise<Outcome<SessionSummary>> {
    if (this.loaded !== null) return NOT_FOUND
    const { sessionId, owner, agent, model, title } = input
    const draft = new Draft(EMPTY_STATE, this.deps.now())
    draft.add({ type: 'session_created', sessionId, agent, model })
    if (title !== undefined) draft.add({ type: 'session_configured', changes: { title } })
    this.log.create(owner, draft.events, hot(draft.state))
    this.loaded = { owner, eraseAt: null }
    this.state = draft.state
    await this.settleDirectory()
    return { ok: true, value: toSummary(this.state) }
  }

  summary(owner: string): Outcome<SessionSummary & { empty: boolean }> {
    if (!this.isOwnedBy(owner)) return NOT_FOUND
    return { ok: true, value: { ...toSummary(this.state), empty: isEmptySession(this.state) } }
  }

  isOwnedBy(owner: string): boolean {
    return this.loaded !== null && this.loaded.owner === owner && this.loaded.eraseAt === null
  }

  command(owner: string, command: Command, reason: 'user' | 'api'): Outcome<Ack> {
    if (!this.isOwnedBy(owner)) return NOT_FOUND
    const body = digest(JSON.stringify(command))
    const earlier = this.log.findCommand(command.id)
    if (earlier !== null) {
      if (earlier.body === body) return { ok: true, value: earlier.ack }
      return refuse('id_reused', `id: ${command.id} was used for another command`)
    }
    // Stop must always work.
    const isStop = command.type === 'cancel' && this.state.run.status === 'running'
    const limited = isStop ? null : this.takeRate()
    if (limited !== null) return { ok: false, rejection: limited }
    const decision = decide(this.state, command, this.context(owner, reason))
    if (!decision.ok) return decision
    this.commit(decision, { id: command.id, body, ack: decision.ack })
    return { ok: true, value: decision.ack }
  }

  /** Resolves when the directory had its chance to learn of the last change. */
  async settleDirectory(): Promise<void> {
    await this.outbox.notify()
    this.alarms.arm()
  }

  events(
    owner: string,
    query: Omit<PageQuery, 'openParts'> & { deltas: boolean },
  ): Outcome<{
    events: SessionEvent[]
    seq: number
    hasMore: boolean
  }> {
    if (!this.isOwnedBy(owner)) return NOT_FOUND
    const { deltas, limit, ...range } = query
    const openParts = deltas ? null : openPartIds(this.state.open)
    // One more than asked tells whether there is more.
    const rows = this.log.page({ ...range, limit: limit + 1, openParts })
    const hasMore = rows.length > limit
    const page = isBackwards(range) ? rows.slice(-limit) : rows.slice(0, limit)
    const events = page.map(({ data }) => JSON.parse(data) as SessionEvent)
    return { ok: true, value: { events, seq: this.state.seq, hasMore } }
  }

  /** False: the socket was told to resync and is closed. */
  hello(socket: ClientSocket, hello: Hello): boolean {
    if (this.loaded === null || this.loaded.eraseAt !== null) {
      this.subscribers.remove(socket)
      socket.close(CLOSE.notFound, 'no such session')
      return false
    }
    const tail: Fragment[] = this.active?.writer.tail() ?? []
    return this.subscribers.resume(socket, hello, { state: this.state, log: this.log, tail })
  }

  async remove(owner: string): Promise<Outcome<null>> {
    if (!this.isOwnedBy(owner)) return NOT_FOUND
    const eraseAt = this.deps.now() + RESTORE_MS
    this.log.setEraseAt(eraseAt)
    this.loaded = { owner, eraseAt }
    this.subscribers.closeAll(4404, 'deleted')
    await this.settleDirectory()
    return { ok: true, value: null }
  }

  async restore(owner: string): Promise<Outcome<SessionSummary>> {
    if (this.loaded === null || this.loaded.owner !== owner) return NOT_FOUND
    if (this.loaded.eraseAt !== null) {
      this.log.setEraseAt(null)
      this.loaded = { owner, eraseAt: null }
      await this.settleDirectory()
    }
    return { ok: true, value: toSummary(this.state) }
  }

  /** The one physical alarm: watchdog of the run, directory retry, erasure. Never throws. */
  async alarm(): Promise<void> {
    this.alarms.fired()
    if (this.loaded === null) return
    try {
      const { owner, eraseAt } = this.loaded
      if (eraseAt !== null && eraseAt <= this.deps.now()) {
        await this.erase(owner)
      }
      if (this.outbox.retryMs !== null) await this.outbox.notify()
    } catch {
      // The directory is out of reach: the next alarm tries again, but not at once.
      this.eraseNotBefore = this.deps.now() + ERASE_RETRY_MS
    } finally {
      this.alarms.arm()
    }
  }

  /** From here on this is an object that was never created: late work finds no run to report to. */
  private async erase(owner: string): Promise<void> {
    await this.deps.directory.drop(owner, this.state.session.id)
    this.endActive()
    this.loaded = null
    this.state = EMPTY_STATE
    await this.deps.erase()
  }

  /** How many events there are, for the bill. */
  get seq(): number {
    return this.state.seq
  }

  /** The object's own state, for the proof that it equals a fold of the log. */
  get folded(): SessionState {
    return this.state
  }

  private commit(decision: Accepted, command?: CommandRecord): void {
    const before = this.state
    const { events, state } = decision
    const beside: Beside = command === undefined ? {} : { command }
    if (!isSameHot(before, state)) {
      beside.hot = hot(state)
      beside.unprojected = isProjectedDifferently(before, state)
    }
    const turnStart = findTurnStart(before, events)
    if (turnStart !== null) beside.turnStart = turnStart
    if (events.length > 0 || command !== undefined) this.log.append(events, beside)
    // Settled turns live in the log; the object holds only what is hot and what is open.
    this.state = state.turns.length === 0 ? state : { ...state, turns: [] }
    for (const event of events) this.active?.observe(event)
    this.subscribers.publish(events)
    for (const effect of decision.effects) this.perform(effect)
    if (beside.unprojected === true) this.deps.background(this.settleDirectory())
    if (decision.effects.length > 0) this.alarms.arm()
  }

  private report(report: RunReport): boolean {
    const decision = decideReport(this.state, report, this.context('server', 'user'))
    if (decision === null) return false
    this.commit(decision)
    return true
  }

  private perform(effect: Effect): void {
    switch (effect.type) {
      case 'end_run':
        return this.endActive()
      case 'start_run':
        return this.startRun(effect.runId, effect.attempt)
    }
  }

  private endActive(): void {
    this.active?.end()
    this.active = null
  }

  private startRun(runId: string, attempt: number): void {
    const { deps, state } = this
    const modelId = state.run.status === 'running' ? state.run.model : ''
    const run = new ActiveRun(runId, attempt, {
      model: deps.models.get(modelId) ?? missingModel(modelId),
      tools: deps.tools,
      system: deps.system,
      now: deps.now,
      timers: deps.timers,
      report: (report) => this.report(report),
      fragments: (fragments) => this.subscribers.publishFragments(fragments),
      responseId: () => (this.state.run.status === 'running' ? this.state.run.responseId : ''),
    })
    const after = state.session.clearedSeq
    for (const event of this.log.events({ after, openParts: [] })) run.observe(event)
    this.active = run
    // Not before the command that started it is answered.
    deps.background(Promise.resolve().then(() => run.run(this.unfinishedCalls())))
  }

  private unfinishedCalls(): ToolCall[] {
    const parts = this.state.open?.parts ?? []
    return parts.flatMap((part) =>
      part.kind === 'tool' && part.status === 'pending' ? [part] : [],
    )
  }

  /** The open response, from the rows since its run began. */
  private foldOpen(runId: string): SessionState['open'] {
    const after = (parseRunId(runId)?.startedSeq ?? 1) - 1
    return fold(this.log.events({ after, openParts: null }), { ...EMPTY_STATE, seq: after }).open
  }

  private context(by: string, reason: 'user' | 'api'): DecideContext {
    return {
      now: this.deps.now(),
      by,
      reason,
      models: this.deps.models.ids,
      live: () => ({
        texts: this.active?.writer.openTexts() ?? [],
        usage: this.active?.usage ?? NO_USAGE,
      }),
      terminalSeqOf: (runId) => this.log.terminalSeqOf(runId),
      isRepeatable: (toolName) => this.deps.tools.isRepeatable(toolName),
    }
  }

  private takeRate(): Rejection | null {
    const { commandRate, now } = this.deps
    if (commandRate === null) return null
    const taken = takeToken(this.bucket, commandRate, now())
    this.bucket = taken.bucket
    if (taken.ok) return null
    const { retryAfterSeconds } = taken
    return { code: 'rate_limited', message: 'too many commands', retryAfterSeconds }
  }

  private projection(): Projection {
    const eraseAt = this.loaded?.eraseAt ?? null
    const deletedAt = eraseAt === null ? null : eraseAt - RESTORE_MS
    return { ...toSummary(this.state), empty: isEmptySession(this.state), deletedAt }
  }

  private async tellDirectory(): Promise<void> {
    if (this.loaded === null) return
    await this.deps.directory.put(this.loaded.owner, this.projection())
  }

  private directoryKnows(): void {
    // While a run is active its end will be told anyway: one row less.
    if (this.loaded !== null && this.state.run.status === 'idle') this.log.markProjected()
  }

  private wantedAlarms(): number[] {
    const now = this.deps.now()
    const wanted: number[] = []
    if (this.state.run.status === 'running') wanted.push(now + WATCHDOG_MS)
    if (this.loaded?.eraseAt != null)
      wanted.push(Math.max(this.loaded.eraseAt, this.eraseNotBefore))
    const { retryMs } = this.outbox
    if (retryMs !== null) wanted.push(now + retryMs)
    return wanted
  }
}

/** Where no run is active and a turn follows: also between two runs of one commit. */
function findTurnStart(
  before: SessionState,
  events: readonly SessionEvent[],
): { seq: number; state: HotState } | null {
  const end = events.findIndex(({ type }) => type === 'run_done')
  const isIdle = before.run.status === 'idle'
  const rest = isIdle ? events : events.slice(end + 1)
  if ((!isIdle && end < 0) || !rest.some(({ type }) => type === 'user_message')) return null
  const state = isIdle ? before : fold(events.slice(0, end + 1), before)
  return { seq: state.seq, state: hot(state) }
}

function isProjectedDifferently(before: SessionState, after: SessionState): boolean {
  const a = toSummary(before)
  const b = toSummary(after)
  return JSON.stringify({ ...a, seq: 0 }) !== JSON.stringify({ ...b, seq: 0 })
}

const refuse = (code: Rejection['code'], message: string): Outcome<never> => ({
  ok: false,
  rejection: { code, message },
})

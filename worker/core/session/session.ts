// A session: the one write path and what hangs on it. Log, state, sockets, effects, in that
// order, in `commit`; nothing else appends or assigns state. Runs in a Durable Object, or in Node
// with a file for a database.

import type { Ack, Command } from '#protocol/commands'
import type { EventBody, Mode } from '#protocol/events'
import type { ChangedFile } from '#protocol/file-events'
import { CLOSE, type Fragment, type Hello } from '#protocol/frames'
import type { SessionSummary } from '#protocol/http'
import { LOOK_UP_MS, RESTORE_MS, WATCHDOG_MS } from '#protocol/limits'
import { missionDueAt } from '#protocol/mission-schedule'
import { fold } from '#protocol/reduce'
import { EMPTY_STATE, hot, isSameHot, type SessionState } from '#protocol/state'
import { toSummary } from '#protocol/summary'
import { parseRunId, parseWaitId } from '#protocol/ids'
import { Alarm } from './alarm.ts'
import type { Assist } from './answers.ts'
import { decideExpiry, decideIdlePrompt } from './decide.ts'
import { decideRecovery, decideReport } from './decide-report.ts'
import { ChildFiles } from './child-files.ts'
import { inheritanceOf, type Inheritance } from './inheritance.ts'
import { within } from './timers.ts'
import { Correspondence } from './correspondence.ts'
import { decideLetter } from './decide-letter.ts'
import type { DecideContext, Decision, Effect, RunReport } from './decide-types.ts'
import { Draft } from './draft.ts'
import { findTurnStart } from './turn-start.ts'
import { isProjectedDifferently, toProjection } from './projection.ts'
import type { Claim, Delivery, Envelope, NewPeer } from './letters.ts'
import { Log, type Beside, type CommandRecord } from './log.ts'
import { Outbox } from './outbox.ts'
import type { JudgeDeps } from './judge.ts'
import { recordFiles } from './file-commands.ts'
import { PersonFiles } from './person-files.ts'
import { Runner } from './runner.ts'
import { wasCancelled } from './run-views.ts'
import { SessionFiles } from './session-files.ts'
import { SessionCommands, type Reason } from './session-commands.ts'
import { NOT_FOUND, SessionViews, type Outcome } from './session-views.ts'
import type { SessionDeps } from './session-deps.ts'
import { Standstill } from './standstill.ts'
import { Subscribers, type ClientSocket } from './subscribers.ts'

/** An alarm in the past rings at once: without this what cannot be done now is a busy loop. */
const ALARM_RETRY_MS = 10_000
/** How long those who work with a deleted session are looked for. */
const FAREWELL_MS = 3_600_000

type Loaded = { owner: string; eraseAt: number | null }
type Accepted = Extract<Decision, { ok: true }>

export class SessionCore {
  readonly subscribers = new Subscribers()
  private readonly deps: SessionDeps
  private readonly log: Log
  readonly files: SessionFiles
  readonly personFiles: PersonFiles
  readonly childFiles: ChildFiles
  readonly views: SessionViews
  private readonly commands: SessionCommands
  private readonly outbox: Outbox
  private readonly letters: Correspondence
  readonly standstill: Standstill
  private readonly alarms: Alarm
  private loaded: Loaded | null = null
  private state: SessionState = EMPTY_STATE
  private readonly runner: Runner
  private retryNotBefore = 0

  constructor(deps: SessionDeps) {
    this.deps = deps
    this.log = new Log(deps.sql)
    this.files = new SessionFiles(deps.sql, this.log)
    const isOwnedBy = (owner: string): boolean => this.isOwnedBy(owner)
    const state = (): SessionState => this.state
    this.personFiles = new PersonFiles({
      files: this.files,
      log: this.log,
      isOwnedBy,
      takeRate: () => this.commands.takeRate(),
      record: (by, files) => this.recordFiles(by, files),
    })
    this.views = new SessionViews({ session: deps, log: this.log, state, isOwnedBy })
    this.childFiles = new ChildFiles({
      files: this.files,
      state,
      isOwnedBy,
      report: (report) => this.report(report),
    })
    this.commands = new SessionCommands({
      session: deps,
      log: this.log,
      files: this.files,
      state,
      isOwnedBy,
      judging: (owner) => this.judging(owner),
      context: (...about) => this.context(...about),
      commit: (decision, command) => this.commit(decision, { command }),
      expire: () => this.expire(),
      warn: (code, message) => this.record({ type: 'warning', code, message }),
    })
    this.outbox = new Outbox(
      () => this.tellDirectory(),
      () => this.directoryKnows(),
    )
    this.alarms = new Alarm(deps.setAlarm, () => this.wantedAlarms())
    this.runner = new Runner({
      session: deps,
      log: this.log,
      files: this.files,
      state: () => this.state,
      owner: () => this.loaded?.owner ?? '',
      judging: (owner) => this.judging(owner),
      report: (report) => this.report(report),
      fragments: (fragments) => this.subscribers.publishFragments(fragments),
      parked: () => this.alarms.arm(),
      mayGoOn: (signal) => this.letters.mayGoOn(signal),
      unwanted: (runId) => this.endUnwanted(runId),
    })
    this.letters = new Correspondence({
      session: deps,
      state: () => this.state,
      owner: () => this.loaded?.owner ?? null,
      isDeleted: () => this.loaded?.eraseAt != null,
      context: () => this.context('agent', 'user'),
      commit: (decision, alongside) => this.commit(decision, { alongside }),
      create: (...peer) => this.createPeer(...peer),
      changed: () => this.alarms.arm(),
    })
    this.standstill = new Standstill({
      session: deps,
      state,
      owner: () => this.loaded?.owner ?? null,
      commit: (draft) => this.commitDraft(draft, {}),
      changed: () => this.alarms.arm(),
      settled: () => this.alarms.relax(),
    })
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
    this.letters.load()
    this.letters.wakeHelpers()
    this.standstill.notice()
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
    mode?: Mode
    title?: string
  }): Promise<Outcome<SessionSummary>> {
    if (this.loaded !== null) return NOT_FOUND
    const { sessionId, owner, agent, model, title, mode } = input
    const draft = new Draft(EMPTY_STATE, this.deps.now())
    draft.add({ type: 'session_created', sessionId, agent, model })
    const changes = {
      ...(title === undefined ? {} : { title }),
      ...(mode === undefined || mode === 'agent' ? {} : { mode }),
    }
    if (Object.keys(changes).length > 0) draft.add({ type: 'session_configured', changes })
    this.log.create(owner, draft.events, hot(draft.state))
    this.loaded = { owner, eraseAt: null }
    this.state = draft.state
    await this.settleDirectory()
    return { ok: true, value: toSummary(this.state) }
  }

  /** A session that another one wants to talk to: made with the first thing it hears. */
  private createPeer(
    owner: string,
    sessionId: string,
    { agent, model, mode, recovery, origin }: NewPeer,
    decide: (state: SessionState) => Decision,
    alongside: () => void,
  ): Delivery {
    const draft = new Draft(EMPTY_STATE, this.deps.now())
    const made = { sessionId, agent, model, mode, recovery, origin }
    draft.add({ type: 'session_created', ...made })
    const decision = decide(draft.state)
    if (!decision.ok) return decision
    const letters = this.letters.toLetters(decision, draft.state)
    this.log.create(owner, [...draft.events, ...decision.events], hot(decision.state), () => {
      alongside()
      this.letters.store(letters)
    })
    this.loaded = { owner, eraseAt: null }
    this.state = { ...decision.state, turns: [] }
    // The object may have held another session under this id, and taken leave of everybody.
    this.letters.load()
    for (const effect of decision.effects) this.perform(effect)
    this.deps.background(this.settleDirectory())
    this.alarms.arm()
    return { ok: true }
  }

  receive(owner: string, sessionId: string, envelope: Envelope): Delivery {
    return this.letters.receive(owner, sessionId, envelope)
  }

  isWanted(owner: string, claim: Claim): boolean {
    return this.loaded?.owner === owner && this.letters.isWanted(claim)
  }

  /** Whoever asks is there again: what is for them is sent now. False: there is no session here. */
  resend(owner: string, to: string): boolean {
    if (this.loaded?.owner !== owner) return false
    this.letters.resend(to)
    return true
  }

  /** What this session may do unasked, for those it made. null: it is not there. */
  async inheritance(owner: string): Promise<Inheritance | null> {
    if (!this.isOwnedBy(owner)) return null
    return inheritanceOf(this.state.session, (sessionId) => this.above(owner, sessionId))
  }

  private above(owner: string, sessionId: string): Promise<Inheritance | null> {
    const { timers, peers } = this.deps
    return within(timers, LOOK_UP_MS, peers.inheritance(sessionId, owner), null)
  }

  private endUnwanted(runId: string): void {
    const { run } = this.state
    if (run.status !== 'running' || run.runId !== runId) return
    const exchangeIds = run.exchangeId === undefined ? [] : [run.exchangeId]
    const letter = { type: 'cancel', exchangeIds, childRunIds: [runId] } as const
    const decision = decideLetter(this.state, letter, this.context('agent', 'user'))
    if (decision.ok) this.commit(decision)
  }

  isOwnedBy(owner: string): boolean {
    return this.loaded !== null && this.loaded.owner === owner && this.loaded.eraseAt === null
  }

  command(owner: string, command: Command, reason: Reason): ReturnType<SessionCommands['take']> {
    return this.commands.take(owner, command, reason)
  }

  judgeEdits(...asked: Parameters<SessionCommands['judgeEdits']>) {
    return this.commands.judgeEdits(...asked)
  }

  private record(event: EventBody): void {
    const draft = new Draft(this.state, this.deps.now())
    draft.add(event)
    this.commitDraft(draft, {})
  }

  private commitDraft({ events, state, mail }: Draft, ack: Ack): void {
    this.commit({ ok: true, events, state, effects: [], mail, ack })
  }

  private judging(owner: string): JudgeDeps {
    const { rules, sensitivePatterns, timers } = this.deps
    return {
      timers,
      session: () => this.state.session,
      ownerRules: () => rules.load(owner),
      above: (sessionId) => this.above(owner, sessionId),
      sensitivePatterns,
    }
  }

  /** Resolves when the directory had its chance to learn of the last change. */
  async settleDirectory(): Promise<void> {
    await this.outbox.notify()
    this.alarms.arm()
  }

  /** False: the socket was told to resync and is closed. */
  hello(socket: ClientSocket, hello: Hello): boolean {
    if (this.loaded === null || this.loaded.eraseAt !== null) {
      this.subscribers.remove(socket)
      socket.close(CLOSE.notFound, 'no such session')
      return false
    }
    const tail: Fragment[] = this.runner.writer?.tail() ?? []
    return this.subscribers.resume(socket, hello, { state: this.state, log: this.log, tail })
  }

  async remove(owner: string): Promise<Outcome<null>> {
    if (!this.isOwnedBy(owner)) return NOT_FOUND
    const eraseAt = this.deps.now() + RESTORE_MS
    this.log.setEraseAt(eraseAt)
    this.loaded = { owner, eraseAt }
    this.subscribers.closeAll(4404, 'deleted')
    this.withChildren((id) => this.deps.peers.remove(id, owner))
    await this.settleDirectory()
    return { ok: true, value: null }
  }

  async restore(owner: string): Promise<Outcome<SessionSummary>> {
    if (this.loaded === null || this.loaded.owner !== owner) return NOT_FOUND
    if (this.loaded.eraseAt !== null) {
      this.log.setEraseAt(null)
      this.loaded = { owner, eraseAt: null }
      this.letters.load()
      this.withChildren((id) => this.deps.peers.restore(id, owner))
      await this.settleDirectory()
    }
    return { ok: true, value: toSummary(this.state) }
  }

  /** They are part of this session for whoever deletes it; one that is missed can be deleted by hand. */
  private withChildren(act: (sessionId: string) => Promise<void>): void {
    const all = this.log.childSessions().map((id) => act(id).catch(() => undefined))
    this.deps.background(Promise.all(all))
  }

  private expire(): void {
    const expiry = decideExpiry(this.state, this.context('server', 'user'))
    if (expiry !== null) this.commit(expiry)
  }

  /** The one physical alarm: watchdog of the run, mission, directory retry, erasure. Never throws. */
  async alarm(): Promise<void> {
    this.alarms.fired()
    if (this.loaded === null) return this.forgetUnmade()
    try {
      this.noticeStall()
      this.expire()
      // Before what may fail: whoever waits here is not to wait for that as well.
      this.letters.alarm()
      this.standstill.alarm()
      const { owner, eraseAt } = this.loaded
      if (eraseAt === null) this.promptIdle()
      if (eraseAt !== null && eraseAt <= this.deps.now()) {
        await this.erase(owner, eraseAt)
      }
      if (this.outbox.retryMs !== null) await this.outbox.notify()
    } catch {
      // Directory or storage are out of reach: the next alarm tries again, but not at once.
      this.retryNotBefore = this.deps.now() + ALARM_RETRY_MS
    } finally {
      this.alarms.arm()
    }
  }

  /** Nothing is kept for a session that never came. */
  private async forgetUnmade(): Promise<void> {
    // A failure only leaves a row where it was.
    if (this.letters.isExpecting) await this.deps.erase().catch(() => undefined)
  }

  private promptIdle(): void {
    const prompt = decideIdlePrompt(this.state, this.context('server', 'user'))
    if (prompt !== null) this.commit(prompt)
  }

  private noticeStall(): void {
    const { stallsAt } = this.runner
    if (stallsAt !== null && stallsAt <= this.deps.now()) this.runner.stall()
  }

  /** From here on this is an object that was never created: late work finds no run to report to. */
  private async erase(owner: string, eraseAt: number): Promise<void> {
    await this.letters.farewell(owner).catch((error: unknown) => {
      // Somebody cannot be reached: they find out by themselves, and people want it gone.
      if (this.deps.now() - eraseAt < FAREWELL_MS) throw error
    })
    await this.deps.directory.drop(owner, this.state.session.id)
    this.runner.end()
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

  private commit(
    decision: Accepted,
    { command, alongside }: { command?: CommandRecord; alongside?: () => void } = {},
  ): void {
    const before = this.state
    const { events, state } = decision
    const beside: Beside = command === undefined ? {} : { command }
    const letters = events.length === 0 ? [] : this.letters.toLetters(decision, before)
    if (!isSameHot(before, state)) {
      beside.hot = hot(state)
      beside.unprojected = isProjectedDifferently(before, state)
    }
    const applyFiles = this.files.applyEvents(events)
    beside.alongside = () => {
      applyFiles?.()
      this.letters.store(letters)
      alongside?.()
    }
    const turnStart = findTurnStart(before, events)
    if (turnStart !== null) beside.turnStart = turnStart
    if (events.length > 0 || command !== undefined) this.log.append(events, beside)
    // Settled turns live in the log; the object holds only what is hot and what is open.
    this.state = state.turns.length === 0 ? state : { ...state, turns: [] }
    for (const event of events) this.runner.observe(event)
    this.subscribers.publish(events)
    for (const effect of decision.effects) this.perform(effect)
    this.letters.send(letters)
    if (before.queue !== state.queue) this.standstill.notice()
    if (beside.unprojected === true) this.deps.background(this.settleDirectory())
    const isRearmed = before.mission !== state.mission
    if (decision.effects.length + letters.length > 0 || isRearmed) this.alarms.arm()
  }

  private recordFiles(by: string, files: readonly ChangedFile[]): number {
    const draft = new Draft(this.state, this.deps.now())
    const seq = recordFiles(draft, { files, by })
    this.commitDraft(draft, { seq })
    return seq
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
        return this.runner.end()
      case 'start_run':
        return this.runner.start(effect.runId, effect.attempt)
      case 'resume_run':
        return this.runner.resume(effect.runId, effect.callId)
    }
  }

  /** The open response, from the rows since its run began. */
  private foldOpen(runId: string): SessionState['open'] {
    const after = (parseRunId(runId)?.startedSeq ?? 1) - 1
    return fold(this.log.events({ after, openParts: null }), { ...EMPTY_STATE, seq: after }).open
  }

  private context(by: string, reason: Reason, assist: Assist | null = null): DecideContext {
    return {
      now: this.deps.now(),
      by,
      reason,
      models: this.deps.models.ids,
      liveTexts: () => this.runner.writer?.openTexts() ?? [],
      terminalSeqOf: (runId) => this.log.terminalSeqOf(runId),
      wasCancelled: (runId) => wasCancelled(this.log, this.state, runId),
      isRepeatable: (toolName) => this.deps.tools.isRepeatable(toolName),
      wasAsked: (waitId) => this.wasAsked(waitId),
      decisionMs: this.deps.decisionMs,
      assist,
    }
  }

  private wasAsked(waitId: string): boolean {
    const parsed = parseWaitId(waitId)
    if (parsed === null || parsed.sessionId !== this.state.session.id) return false
    const event = this.log.eventAt(parsed.seq)
    return event?.type === 'decision_requested' || event?.type === 'ask_user'
  }

  private async tellDirectory(): Promise<void> {
    if (this.loaded === null) return
    const { owner, eraseAt } = this.loaded
    await this.deps.directory.put(owner, toProjection(this.state, eraseAt))
  }

  private directoryKnows(): void {
    const { run } = this.state
    // While a run works its end will be told anyway: one row less.
    const isAtRest = run.status === 'idle' || run.waiting === true
    if (this.loaded !== null && isAtRest) this.log.markProjected()
  }

  private stallAt(): number[] {
    const { stallsAt } = this.runner
    return stallsAt === null ? [] : [stallsAt]
  }

  private wantedAlarms(): number[] {
    const now = this.deps.now()
    const wanted: number[] = []
    const { run, decisions, questions } = this.state
    // A run that waits for a person needs no watching, and its object may sleep.
    if (run.status === 'running' && run.waiting !== true) {
      // No provider is asked yet while a run is set up: its silence begins after this is armed.
      wanted.push(now + Math.min(WATCHDOG_MS, this.deps.stallMs), ...this.stallAt())
    }
    wanted.push(...[...decisions, ...questions].flatMap(({ expiresAt }) => expiresAt ?? []))
    const dueAt = missionDueAt(this.state)
    if (this.loaded?.eraseAt != null) wanted.push(this.loaded.eraseAt)
    else if (dueAt !== null) wanted.push(dueAt)
    const { retryMs } = this.outbox
    if (retryMs !== null) wanted.push(now + retryMs)
    wanted.push(...this.letters.wantedAlarms(), ...this.standstill.wantedAlarms())
    return wanted.map((at) => (at <= now ? Math.max(at, this.retryNotBefore) : at))
  }
}

// The loop of the active run, if there is one: started, taken up again after an answer, ended. All
// of it can be lost; the state says what there is to run.

import type { SessionEvent } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import { parseRunId } from '#protocol/ids'
import { waitingCalls } from '#protocol/reduce-decisions'
import type { SessionState } from '#protocol/state'
import type { Agent } from '../agents/agent.ts'
import { ToolFailure, type ContactRequest, type ToolOutcome } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { ActiveRun, type RunDeps, type RunSelf } from './active-run.ts'
import type { RunReport } from './decide-types.ts'
import { judge, patternsOf, review, type JudgeDeps } from './judge.ts'
import { findContact, type Found } from './find-contact.ts'
import { asRun, stricterMode } from './inherited.ts'
import type { Log } from './log.ts'
import { argumentsGiven } from './given-arguments.ts'
import { setUpRun } from './run-setup.ts'
import { countUse, USE_EVENTS } from './run-use.ts'
import { RunWorkspace } from './run-workspace.ts'
import type { SessionDeps } from './session-deps.ts'
import type { SessionFiles } from './session-files.ts'
import { LOOK_UP_MS } from '#protocol/limits'
import { within } from './timers.ts'
import type { ToolCall } from './tool-calls.ts'

export type RunnerDeps = {
  session: SessionDeps
  log: Log
  files: SessionFiles
  state: () => SessionState
  owner: () => string
  judging: (owner: string) => JudgeDeps
  report: (report: RunReport) => boolean
  fragments: (fragments: Fragment[]) => void
  /** The loop has ended and the run has not: nothing has to be watched. */
  parked: () => void
  /** False: whoever the run works for does not want it any more. */
  mayGoOn: (signal: AbortSignal) => Promise<boolean>
  unwanted: (runId: string) => void
}

const NOT_FOUND_NOW = 'Who that is cannot be found out now. Try again later, or go on without it.'

export class Runner {
  private readonly deps: RunnerDeps
  private active: ActiveRun | null = null
  private contacting: Promise<unknown> = Promise.resolve()

  constructor(deps: RunnerDeps) {
    this.deps = deps
  }

  /** When the provider that is asked now has been silent for too long; null while none is. */
  get stallsAt(): number | null {
    return this.active?.stallsAt ?? null
  }

  get writer(): ActiveRun['writer'] | null {
    return this.active?.writer ?? null
  }

  observe(event: SessionEvent): void {
    this.active?.observe(event)
  }

  stall(): void {
    this.active?.stall()
  }

  end(): void {
    this.active?.end()
    this.active = null
  }

  /** Into the loop that still runs beside the question, or into a new one where that has ended. */
  resume(runId: string, callId: string): void {
    const { run, seq } = this.deps.state()
    if (run.status !== 'running' || run.runId !== runId) return
    const { active } = this
    if (active === null || active.isParked) return this.start(runId, run.attempt, seq)
    active.admit(this.unfinishedCalls().filter((call) => call.callId === callId))
  }

  /** `resumedAt`: the seq at which an answer takes the attempt up again. */
  start(runId: string, attempt: number, resumedAt: number | null = null): void {
    const { run: running } = this.deps.state()
    if (running.status !== 'running') return
    const run = new ActiveRun(runId, attempt, this.toRunDeps(running, runId, attempt), resumedAt)
    run.load()
    this.active = run
    // Not before the command that started it is answered.
    this.deps.session.background(Promise.resolve().then(() => this.carry(run)))
  }

  private toRunDeps(
    { model, kind, agent }: Extract<SessionState['run'], { status: 'running' }>,
    runId: string,
    attempt: number,
  ): RunDeps {
    const { session, state, report, fragments, judging } = this.deps
    const { circuit, random, now, timers, stallMs, firstByteMs } = session
    const owner = this.deps.owner()
    /** A plan that is approved changes the mode of the run that made it. */
    const subject = (): SessionState => {
      const now = state()
      return {
        ...now,
        session: asRun(now.session, now.run.status === 'running' ? now.run : { agent }),
      }
    }
    return {
      kind,
      setUp: (signal) => setUpRun(session, owner, subject(), model, signal),
      judge: (action) => judge(judging(owner), action),
      review: (...done) => review(judging(owner), ...done),
      patterns: () => patternsOf(judging(owner)),
      workspace: this.workspaceOf(runId, attempt),
      contact: (own, callId, request) => this.contact(runId, attempt, own, callId, request),
      mayBegin: (signal) => this.mayBegin(runId, signal),
      hasWaits: () => this.hasWaits(),
      mode: (bound) => stricterMode(subject().session.mode, bound.mode),
      historyEvents: () => this.historyEvents(),
      use: () => countUse(this.deps.log.eventsOfRun(startedSeqOf(runId), USE_EVENTS)),
      known: () => state().context,
      circuit,
      random,
      now,
      timers,
      stallMs,
      firstByteMs,
      report,
      fragments,
      responseId: () => {
        const { run } = state()
        return run.status === 'running' ? run.responseId : ''
      },
    }
  }

  /** Its own, or that of the session at the top of its tree. */
  private workspaceOf(runId: string, attempt: number): RunDeps['workspace'] {
    const { files, report, session, state } = this.deps
    const parent = state().session.origin?.parent
    if (parent !== undefined) {
      const { workspaceId, topRunId } = parent
      const child = { topRunId, childRunId: runId }
      return () => this.openFar(session.peers.workspace(workspaceId, this.deps.owner(), child))
    }
    const own = new RunWorkspace(files, runId, (changed) =>
      report({ type: 'files', runId, attempt, files: changed }),
    )
    return () => Promise.resolve(own)
  }

  /** In another object: a call must not hang on it. */
  private async openFar(opening: Promise<Workspace>): Promise<Workspace> {
    const opened = opening.then(
      (workspace) => ({ workspace }),
      (error: unknown) => ({ error }),
    )
    const lost = { error: new ToolFailure('The workspace cannot be reached now. Try again.') }
    const found = await within<{ workspace: Workspace } | { error: unknown }>(
      this.deps.session.timers,
      LOOK_UP_MS,
      opened,
      lost,
    )
    if ('error' in found) throw found.error
    return found.workspace
  }

  /** One after another: calls of one step turn to others in the order in which they were made. */
  private contact(
    ...contact: [
      runId: string,
      attempt: number,
      own: RunSelf,
      callId: string,
      request: ContactRequest,
    ]
  ): Promise<ToolOutcome | null> {
    const outcome = this.contacting.then(() => this.contactNow(...contact))
    this.contacting = outcome.catch(() => null)
    return outcome
  }

  /** An outcome: nobody has to be waited for. */
  private async contactNow(
    runId: string,
    attempt: number,
    own: RunSelf,
    callId: string,
    request: ContactRequest,
  ): Promise<ToolOutcome | null> {
    const { state, report } = this.deps
    const { run, session } = state()
    if (run.status !== 'running' || run.runId !== runId) return null
    const owner = this.deps.owner()
    const { agents, models, peers, timers } = this.deps.session
    if (request.type === 'list') {
      const all = await within<readonly Agent[] | null>(
        timers,
        LOOK_UP_MS,
        agents.list(owner),
        null,
      )
      return all === null ? unreachable(NOT_FOUND_NOW) : describeAgents(all)
    }
    const deps = { agents, models, peers, owner, session, own, run, callId }
    const unknown = { problem: NOT_FOUND_NOW }
    const found = await within<Found>(timers, LOOK_UP_MS, findContact(deps, request), unknown)
    if ('problem' in found) return unreachable(found.problem)
    report({ type: 'contact', runId, attempt, callId, contact: found.contact })
    return null
  }

  private async mayBegin(runId: string, signal: AbortSignal): Promise<boolean> {
    const isWanted = await this.deps.mayGoOn(signal)
    if (!isWanted && !signal.aborted) this.deps.unwanted(runId)
    return isWanted
  }

  private async carry(run: ActiveRun): Promise<void> {
    await run.run(() => this.unfinishedCalls())
    if (this.active !== run || !run.isParked) return
    this.active = null
    const { run: running, seq } = this.deps.state()
    if (running.status !== 'running' || this.hasWaits()) return this.deps.parked()
    // A plan was approved: the same run, with other tools.
    this.start(running.runId, running.attempt, seq)
  }

  private hasWaits(): boolean {
    return waitingCalls(this.deps.state()).size > 0
  }

  private historyEvents(): SessionEvent[] {
    const { session, context } = this.deps.state()
    const { log } = this.deps
    const after = Math.max(session.clearedSeq, context?.upToSeq ?? 0)
    return [...log.speakerAt(after), ...log.events({ after, openParts: [] })]
  }

  /** Calls that nobody has to be asked about any more, and that have no result. */
  private unfinishedCalls(): ToolCall[] {
    const waits = waitingCalls(this.deps.state())
    const parts = this.deps.state().open?.parts ?? []
    return parts.flatMap((part): ToolCall[] => {
      if (part.kind !== 'tool' || part.status !== 'pending') return []
      if (waits.has(part.callId)) return []
      const { callId, toolName, arguments: args } = part
      const given = argumentsGiven(part)
      const { decision } = part
      const isApproved = decision?.status === 'accepted'
      const approval = decision?.decisionId == null ? ('policy' as const) : ('person' as const)
      const call = { callId, toolName, arguments: args, ...(isApproved && { approval }) }
      if (given !== undefined) return [{ ...call, given }]
      // They said yes to what they saw; where nothing was shown, to a change that was none.
      const isShown = isApproved && decision.kind === 'file_edit' && decision.decisionId !== null
      return [isShown ? { ...call, approvedDiff: decision.diff ?? '' } : call]
    })
  }
}

const startedSeqOf = (runId: string): number => parseRunId(runId)?.startedSeq ?? 0

const unreachable = (message: string): ToolOutcome => ({
  ok: false,
  error: { code: 'tool_error', message },
})

const describeAgents = (agents: readonly Agent[]): ToolOutcome => ({
  ok: true,
  result: agents
    .map(({ name, description, mode }) => `- ${name} (mode ${mode}): ${description}`)
    .join('\n'),
})

// The calls of one step: read, judged, asked about, run, settled (TOOL1). A call that a person has
// to answer for is not waited for: it is logged as a question, and its answer starts from there.

import type { DecisionKind, Plan, Question, Severity } from '#protocol/decision-events'
import type { EventBody, Mode } from '#protocol/events'
import { LOOK_UP_MS, TOOL_CALLS_PER_RUN } from '#protocol/limits'
import { shorten } from '#protocol/text'
import { toRule, type Action, type Verdict } from '../policy/policy.ts'
import type { Approval, Outcome, Review } from '../policy/review.ts'
import {
  NeedsPerson,
  ToolFailure,
  type ContactRequest,
  type PreparedCall,
  type ToolOutcome,
  type ToolRegistry,
} from '../tools/tool.ts'
import type { FileChange, Workspace } from '../workspace/workspace.ts'
import type { ResponseWriter } from './response-writer.ts'
import { within, type Timers } from './timers.ts'

/**
 * `refused`: answered without being run. `approval`: a person, or a setting in their place, has
 * said yes to it; `given`: the arguments they said yes to, where they changed them.
 */
export type ToolCall = {
  callId: string
  toolName: string
  arguments: string
  refused?: ToolOutcome
  approval?: Approval
  given?: string
  /** What they were shown of it: what it would do now must still be that. */
  approvedDiff?: string
}

/** What a person is asked about a call, before it has an id. */
export type WaitRequest =
  | { questions: readonly Question[] }
  | {
      kind: DecisionKind
      severity: Severity
      reason: string
      command?: string
      cwd?: string
      path?: string
      diff?: string
      arguments?: string
      plan?: Plan
      remember?: { session: string; always: string }
    }

export type ToolCallIo = {
  runId: string
  tools: ToolRegistry
  writer: ResponseWriter
  /** As it is now. A child's lies in another session. */
  workspace: () => Promise<Workspace>
  mode: Mode
  now: () => number
  timers: Timers
  /** False: the run is over. */
  emit: (events: EventBody[]) => boolean
  judge: (action: Action) => Promise<Verdict>
  /** Whether what a call is about to change is covered by what allowed it. */
  review: (action: Action, approval: Approval, outcome: readonly Outcome[]) => Promise<Review>
  /** Globs of what is sensitive here. */
  patterns: () => readonly string[]
  /** Log what is asked about a call: from here on it waits for a person. */
  wait: (callId: string, request: WaitRequest) => void
  /** Turn to another agent: from here on the call waits for it. An outcome: it need not wait. */
  contact: (callId: string, request: ContactRequest) => Promise<ToolOutcome | null>
}

export class ToolCalls {
  private readonly io: ToolCallIo
  private readonly signal: AbortSignal
  private readonly running = new Set<Promise<void>>()
  private used: number
  /** A bug of ours, not of a tool: the run ends with it. */
  private failure: { error: unknown } | null = null

  /** `used`: calls that earlier steps and attempts have made. */
  constructor(io: ToolCallIo, signal: AbortSignal, used: number) {
    this.io = io
    this.signal = signal
    this.used = used
  }

  /** New calls of a step. */
  start(calls: readonly ToolCall[]): void {
    for (const call of calls) {
      this.used += 1
      this.add(this.used <= TOOL_CALLS_PER_RUN ? this.carryOut(call) : this.refuse(call))
    }
  }

  /** Calls that were counted when they were made: a crash or a person came between. */
  resume(calls: readonly ToolCall[]): void {
    for (const call of calls) this.add(this.carryOut(call))
  }

  /**
   * Until nothing runs. Calls that are let in meanwhile belong to it, so what is to be said of that
   * is said in the same stretch as the look that found nothing: a person's yes could slip in between.
   */
  async drain<T>(then: () => T): Promise<T> {
    // oxlint-disable-next-line no-await-in-loop
    while (this.running.size > 0) await Promise.race(this.running)
    if (this.failure !== null) throw this.failure.error
    return then()
  }

  private add(work: Promise<void>): void {
    const tracked = work
      .catch((error: unknown) => {
        this.failure ??= { error }
      })
      .finally(() => this.running.delete(tracked))
    this.running.add(tracked)
  }

  private async refuse(call: ToolCall): Promise<void> {
    this.settle(call, tooManyCalls(), this.io.now())
  }

  private async carryOut(call: ToolCall): Promise<void> {
    const startedAt = this.io.now()
    if (call.refused !== undefined) return this.settle(call, call.refused, startedAt)
    const { callId, toolName } = call
    const prepared = this.io.tools.prepare({
      callId,
      toolName,
      arguments: call.given ?? call.arguments,
    })
    switch (prepared.do) {
      case 'settle':
        return this.settle(call, prepared.outcome, startedAt)
      case 'ask':
        return this.io.wait(callId, { questions: prepared.questions })
      case 'plan':
        return this.carryOutPlan(call, prepared.plan, startedAt)
      case 'contact':
        return this.contact(call, prepared.request, startedAt)
      case 'run':
        if (call.approval === undefined && !(await this.isAllowed(call, prepared, startedAt)))
          return
        return this.run(call, prepared, startedAt)
    }
  }

  /** Agents may talk to each other unasked; a rule that denies it still holds. */
  private async contact(call: ToolCall, request: ContactRequest, startedAt: number) {
    const { callId, toolName, arguments: args } = call
    const { verdict, reason } = await this.io.judge({
      kind: 'tool',
      toolName,
      arguments: args,
      readOnly: false,
    })
    if (this.signal.aborted) return
    if (verdict === 'deny') return this.settle(call, denied(reason), startedAt)
    const outcome = await this.io.contact(callId, request)
    if (outcome !== null) this.settle(call, outcome, startedAt)
  }

  /** In the mode Plan a plan is put before a person; elsewhere it says how far the work is. */
  private carryOutPlan(call: ToolCall, plan: Plan, startedAt: number): void {
    const { io } = this
    if (io.mode === 'plan') {
      const reason = 'The agent would like to work like this.'
      return io.wait(call.callId, { kind: 'plan', severity: 'low', reason, plan })
    }
    io.emit([{ type: 'plan_update', runId: io.runId, plan }])
    this.settle(call, { ok: true, result: 'The plan was updated.' }, startedAt)
  }

  /** False: it was denied, or somebody is asked. */
  private async isAllowed(
    call: ToolCall,
    prepared: Extract<PreparedCall, { do: 'run' }>,
    startedAt: number,
  ): Promise<boolean> {
    const { action } = prepared
    if (action === null) return true
    const { verdict, severity, reason, auto } = await this.io.judge(action)
    if (this.signal.aborted) return false
    const { callId } = call
    const { kind } = action
    const resolved = { callId, kind, severity, reason, by: 'policy', auto: true } as const
    switch (verdict) {
      case 'allow':
        if (auto) {
          const status = 'accepted' as const
          this.io.emit([{ type: 'decision_resolved', ...resolved, status, scope: 'session' }])
        }
        return true
      case 'deny': {
        const status = 'rejected' as const
        this.io.emit([{ type: 'decision_resolved', ...resolved, status, scope: 'session' }])
        this.settle(call, denied(reason), startedAt)
        return false
      }
      case 'ask': {
        const shown = await this.describe(call, action, prepared)
        const remember = await describeRules(action, this.io.patterns())
        if (this.signal.aborted) return false
        this.io.wait(callId, { kind, severity, reason, ...shown, ...remember })
        return false
      }
    }
  }

  private async describe(
    call: ToolCall,
    action: Action,
    prepared: Extract<PreparedCall, { do: 'run' }>,
  ): Promise<{ command?: string; cwd?: string; path?: string; diff?: string; arguments?: string }> {
    switch (action.kind) {
      case 'command':
        return { command: action.command, cwd: action.cwd }
      case 'tool':
        return { arguments: call.arguments }
      case 'file_edit': {
        // A change that cannot be shown can still be asked about.
        const preview: Promise<{ diff?: string }> = this.io
          .workspace()
          .then((workspace) => prepared.preview(workspace))
        const { diff } = await within(this.io.timers, LOOK_UP_MS, preview, {})
        const { path } = action
        return { path, arguments: call.arguments, ...(diff === undefined ? {} : { diff }) }
      }
    }
  }

  private async run(
    call: ToolCall,
    prepared: Extract<PreparedCall, { do: 'run' }>,
    startedAt: number,
  ): Promise<void> {
    const { io, signal } = this
    const { now } = io
    const workspace = await this.openWorkspace(call, startedAt)
    // What it works on may be far away: the run can be over by now.
    if (workspace === null || signal.aborted) return
    let isSettled = false
    const output = (text: string, stream?: 'stdout' | 'stderr'): void => {
      // A delta after the result would differ between live and replay.
      if (!isSettled) io.writer.toolOutput(call.callId, text, stream)
    }
    const { approvedDiff, approval = 'policy' } = call
    const shown = approvedDiff === undefined ? {} : { approvedDiff }
    const review = (changes: readonly FileChange[]) =>
      this.review(prepared.action, approval, changes)
    const outcome = await prepared.run({ signal, output, now, workspace, review, ...shown })
    isSettled = true
    if (!outcome.ok && outcome.ask !== undefined) return this.askAfter(call, prepared, outcome.ask)
    this.settle(
      call,
      call.given === undefined ? outcome : noteGiven(outcome, call.given),
      startedAt,
    )
  }

  private async review(
    action: Action | null,
    approval: Approval,
    changes: readonly FileChange[],
  ): Promise<void> {
    if (action === null) return
    const outcome = changes.map(({ path, bytes }) => ({ path, isDelete: bytes === null }))
    const reviewed = await this.io.review(action, approval, outcome)
    if (reviewed.verdict === 'ask') throw new NeedsPerson(reviewed.reason, reviewed.severity)
    if (reviewed.verdict === 'deny') {
      throw new ToolFailure(`Nothing was changed: ${reviewed.reason}.`, 'tool_denied')
    }
  }

  /** It turned out to do more than was allowed, and did not: with a person's yes it runs again. */
  private async askAfter(
    call: ToolCall,
    prepared: Extract<PreparedCall, { do: 'run' }>,
    { severity, reason }: NonNullable<Extract<ToolOutcome, { ok: false }>['ask']>,
  ): Promise<void> {
    const { action } = prepared
    if (action === null || this.signal.aborted) return
    const shown = await this.describe(call, action, prepared)
    if (this.signal.aborted) return
    // No rule: one for these words would have agreed to what they came to.
    this.io.wait(call.callId, { kind: action.kind, severity, reason, ...shown })
  }

  /** null: it cannot be had, and the call has been answered with that. */
  private async openWorkspace(call: ToolCall, startedAt: number): Promise<Workspace | null> {
    try {
      return await this.io.workspace()
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      const { code, message } = error
      this.settle(call, { ok: false, error: { code, message } }, startedAt)
      return null
    }
  }

  private settle({ callId, toolName }: ToolCall, outcome: ToolOutcome, startedAt: number): void {
    if (this.signal.aborted) return
    this.io.writer.endTool(callId)
    const durationMs = Math.max(0, this.io.now() - startedAt)
    this.io.emit([{ type: 'tool_result', callId, toolName, ...outcome, durationMs }])
  }
}

/** People agree to what they have read: the words are those of the rule that would be saved. */
async function describeRules(action: Action, patterns: readonly string[]) {
  const [session, always] = await Promise.all([
    toRule(action, 'session', patterns),
    toRule(action, 'always', patterns),
  ])
  if (session === null || always === null) return {}
  return { remember: { session: session.description, always: always.description } }
}

/** Enough to know what ran; the person has the whole of it. */
const GIVEN_CHARS = 4000

/** The model wrote something else: it has to know what really ran. */
function noteGiven(outcome: ToolOutcome, given: string): ToolOutcome {
  const note = `[The person changed the call before it ran. What ran: ${shorten(given, GIVEN_CHARS)}]`
  if (!outcome.ok) {
    const { error } = outcome
    return { ...outcome, error: { ...error, message: `${note} ${error.message}` } }
  }
  return { ...outcome, result: `${note}\n${outcome.result}` }
}

const denied = (reason: string): ToolOutcome => ({
  ok: false,
  error: { code: 'tool_denied', message: reason },
})

const tooManyCalls = (): ToolOutcome => ({
  ok: false,
  error: {
    code: 'rate_limit_tools',
    message: `This run has used its ${TOOL_CALLS_PER_RUN} tool calls. Answer with what you have.`,
  },
})

// What a run in flight holds in memory (RUN1). All of it can be lost: the log has what counts.

import type { Bound } from '#protocol/agent-events'
import type { EventBody, EventOf, Mode, RunKind, SessionEvent, Usage } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import { parseRunId } from '#protocol/ids'
import type { ContextState } from '#protocol/state'
import type { Circuit } from './circuit.ts'
import { costOf } from './cost.ts'
import type { RunReport } from './decide-types.ts'
import { applyToHistory, emptyHistory, seamOf, toMessages } from './history.ts'
import { ModelCaller } from './model-caller.ts'
import type { ModelFinish, ModelRequest } from './model.ts'
import { ResponseWriter } from './response-writer.ts'
import { RunContext, SHORTENED } from './run-context.ts'
import { describeFailure, runSteps, type RunIo } from './run-loop.ts'
import type { RunSetup } from './run-setup.ts'
import { countUse, type RunUse } from './run-use.ts'
import type { Timers } from './timers.ts'
import { ToolCalls, type ToolCall, type ToolCallIo } from './tool-calls.ts'

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/

/** The agent that a run is, and what it is held to. */
export type RunSelf = Pick<RunSetup, 'agent' | 'bound'>

export type RunDeps = {
  kind: RunKind
  setUp: (signal: AbortSignal) => Promise<RunSetup>
  /** What the model's history is folded from, by the log. */
  historyEvents: () => Iterable<SessionEvent>
  /** What this run has used of its limits before this loop, by the log. */
  use: () => RunUse
  /** How full the context is, by the log. */
  known: () => ContextState | null
  circuit: Circuit
  random: () => number
  now: () => number
  timers: Timers
  stallMs: number
  firstByteMs: number
  /** False: the run is over, and the report changed nothing. */
  report: (report: RunReport) => boolean
  fragments: (fragments: Fragment[]) => void
  /** Where the run writes now: a steer moves it on. */
  responseId: () => string
  judge: ToolCallIo['judge']
  review: ToolCallIo['review']
  patterns: ToolCallIo['patterns']
  /** The workspace as this run may change it: what it writes once it is over is refused. */
  workspace: ToolCallIo['workspace']
  contact: (
    own: RunSelf,
    ...contact: Parameters<ToolCallIo['contact']>
  ) => ReturnType<ToolCallIo['contact']>
  /** False: nobody wants this run any more, and it has been ended. */
  mayBegin: (signal: AbortSignal) => Promise<boolean>
  hasWaits: () => boolean
  /** As it is now, for a run that is held to this. */
  mode: (bound: Bound) => Mode
}

export class ActiveRun {
  readonly runId: string
  readonly attempt: number
  readonly writer: ResponseWriter
  private readonly deps: RunDeps
  /** Every event of the session was observed. */
  private isWhole = false
  private readonly controller = new AbortController()
  private readonly history = emptyHistory()
  private readonly callIds = new Set<string>()
  private readonly warnings = new Set<string>()
  private used: RunUse = countUse([])
  private readonly prefix: string
  private made = 0
  private caller: ModelCaller | null = null
  private calls: ToolCalls | null = null
  /** The loop has ended without the run: what goes on begins anew, from the log. */
  isParked = false

  /** `resumedAt`: the seq at which a person's answer took an attempt up again. */
  constructor(runId: string, attempt: number, deps: RunDeps, resumedAt: number | null = null) {
    this.runId = runId
    this.attempt = attempt
    this.deps = deps
    // Unique in the session without a random source: one run per seq, one loop per attempt and answer.
    const startedSeq = parseRunId(runId)?.startedSeq ?? 0
    const loop = resumedAt === null ? '' : `_${resumedAt}`
    this.prefix = `${startedSeq}_${attempt}${loop}`
    this.writer = new ResponseWriter(
      {
        rows: (events) => deps.report({ type: 'run_events', runId, attempt, events }),
        fragments: deps.fragments,
      },
      deps.timers,
      () => `${this.prefix}_${++this.made}`,
    )
  }

  /** What was appended before this loop began. */
  load(): void {
    this.used = this.deps.use()
    for (const event of this.deps.historyEvents()) {
      applyToHistory(this.history, event)
      this.note(event)
    }
  }

  /** What is appended while it runs. */
  observe(event: SessionEvent): void {
    if (event.type === 'compacted') this.readHistory()
    else applyToHistory(this.history, event)
    this.note(event)
  }

  /** Anew after a summary, so that what is in memory is what the log would give. */
  private readHistory(): void {
    Object.assign(this.history, emptyHistory())
    for (const event of this.deps.historyEvents()) applyToHistory(this.history, event)
  }

  private note(event: SessionEvent): void {
    if (event.seq === 1) this.isWhole = true
    if (event.type === 'warning') this.warnings.add(event.message)
    if (event.type !== 'tool_call_start' && event.type !== 'thinking_start') return
    if (event.callId !== undefined) this.callIds.add(event.callId)
  }

  /** `unfinished` is asked when the loop begins: a person may say yes while it is being set up. */
  async run(unfinished: () => readonly ToolCall[]): Promise<void> {
    const { signal } = this.controller
    let setup: RunSetup
    try {
      if (!(await this.deps.mayBegin(signal))) return
      setup = await this.deps.setUp(signal)
    } catch (error) {
      if (!signal.aborted) this.finish('failed', 'error', { error: describeFailure(error) })
      return
    }
    if (signal.aborted) return
    const io = this.io(setup)
    // Said once: a loop that goes on after a person's answer has nothing new to say.
    if (this.used.calls === 0)
      for (const { code, message } of setup.warnings) io.warn(code, message)
    const calls = new ToolCalls(io, signal, this.used.calls)
    this.calls = calls
    await runSteps(io, calls, signal, unfinished())
  }

  /** A person said yes while other calls of the step still run. */
  admit(calls: readonly ToolCall[]): void {
    this.calls?.resume(calls)
  }

  /** When the provider that is asked now has been silent for too long; null while none is. */
  get stallsAt(): number | null {
    return this.caller?.stallsAt ?? null
  }

  stall(): void {
    this.caller?.stall()
  }

  end(): void {
    this.writer.close()
    this.controller.abort(new DOMException('The run is over', 'AbortError'))
  }

  private io({ agent, bound, mode, system, candidates, tools }: RunSetup): RunIo {
    const { runId, attempt, writer, deps } = this
    const { now, report, circuit, random, timers, stallMs, firstByteMs, kind } = deps
    const emit = (events: EventBody[]): boolean =>
      report({ type: 'run_events', runId, attempt, events })
    const specs = tools.specs()
    const request = (): ModelRequest => ({
      system,
      messages: toMessages(this.history),
      tools: specs,
    })
    const isSaid = (warning: string): boolean => this.warnings.has(warning)
    const caller = new ModelCaller({
      runId,
      candidates,
      circuit,
      now,
      random,
      timers,
      stallMs,
      firstByteMs,
      usedRetries: this.used.retries,
      isSaid,
      emit,
    })
    this.caller = caller
    const price = (finish: ModelFinish): Usage | null => this.price(finish)
    const entries = () => this.history.entries
    const { known } = deps
    const isToldShort = this.used.warnings.has(SHORTENED)
    const told = { known, isToldShort }
    const context = new RunContext({ runId, caller, request, entries, ...told, emit, price })
    return {
      runId,
      kind,
      mode,
      judge: deps.judge,
      review: deps.review,
      patterns: deps.patterns,
      workspace: deps.workspace,
      contact: (...contact) => deps.contact({ agent, bound }, ...contact),
      wait: (callId, request) => void report({ type: 'wait', runId, attempt, callId, request }),
      park: () => this.park(mode !== deps.mode(bound)),
      caller,
      context,
      tools,
      writer,
      now,
      timers,
      beginStep: () => (report({ type: 'step_begin', runId, attempt }) ? deps.responseId() : null),
      request,
      seam: () => seamOf(this.history),
      emit,
      warn: (code, message) => void emit([{ type: 'warning', runId, code, message }]),
      finish: (outcome, stopReason, last) => this.finish(outcome, stopReason, last),
      usedSteps: this.used.steps,
      newCallId: (offered) => this.newCallId(offered),
    }
  }

  /** Also where a plan was approved: what the run may do from here on is another set of tools. */
  private park(hasOtherMode: boolean): boolean {
    this.isParked = this.deps.hasWaits() || hasOtherMode
    if (this.isParked) this.writer.close()
    return this.isParked
  }

  private finish(
    outcome: 'done' | 'failed' | 'step_limit',
    stopReason: string,
    last: { error?: { code: string; message: string }; context?: EventOf<'context_usage'> } = {},
  ): void {
    const { runId, attempt } = this
    this.deps.report({ type: 'run_finished', runId, attempt, outcome, stopReason, ...last })
  }

  /** The provider's own id where it can serve as one; servers do send none, or the same twice. */
  private newCallId(offered: string): string {
    // Where the history begins later than the log, ids of before are not known here.
    const usable = this.isWhole && CALL_ID.test(offered) && !this.callIds.has(offered)
    const callId = usable ? offered : `call_${this.prefix}_${++this.made}`
    this.callIds.add(callId)
    return callId
  }

  /** What a step cost, at the price of the model that answered. */
  private price({ usage }: ModelFinish): Usage | null {
    if (usage === null || this.caller === null) return usage
    const costUsd = costOf(usage, this.caller.model.info.price)
    return costUsd === null ? usage : { ...usage, costUsd }
  }
}

// What a run in flight holds in memory (RUN1). All of it can be lost: the log has what counts.

import type { SessionEvent, Usage } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import { parseRunId } from '#protocol/ids'
import type { ToolRegistry } from '../tools/tool.ts'
import type { RunReport } from './decide.ts'
import { applyToHistory, emptyHistory, toMessages } from './history.ts'
import { ModelError, type Model } from './model.ts'
import { ResponseWriter } from './response-writer.ts'
import { runSteps, type RunIo, type ToolCall } from './run-loop.ts'
import type { Timers } from './timers.ts'

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/

export type RunDeps = {
  model: Model
  tools: ToolRegistry
  system: string
  now: () => number
  timers: Timers
  /** False: the run is over, and the report changed nothing. */
  report: (report: RunReport) => boolean
  fragments: (fragments: Fragment[]) => void
  /** Where the run writes now: a steer moves it on. */
  responseId: () => string
}

export class ActiveRun {
  readonly runId: string
  readonly attempt: number
  readonly writer: ResponseWriter
  usage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  private readonly deps: RunDeps
  private readonly controller = new AbortController()
  private readonly history = emptyHistory()
  private readonly callIds = new Set<string>()
  /** Steps and calls so far, by the log: a crash does not start the count again. */
  private readonly used = { steps: 0, calls: 0 }
  private isCalling = false
  private readonly startedSeq: number
  private readonly prefix: string
  private made = 0

  constructor(runId: string, attempt: number, deps: RunDeps) {
    this.runId = runId
    this.attempt = attempt
    this.deps = deps
    // Unique in the session without a random source: one run per seq, one loop per attempt.
    this.startedSeq = parseRunId(runId)?.startedSeq ?? 0
    this.prefix = `${this.startedSeq}_${attempt}`
    this.writer = new ResponseWriter(
      {
        rows: (events) => deps.report({ type: 'run_events', runId, attempt, events }),
        fragments: deps.fragments,
      },
      deps.timers,
      () => `${this.prefix}_${++this.made}`,
    )
  }

  /** Fold what was appended, before or during this run. */
  observe(event: SessionEvent): void {
    applyToHistory(this.history, event)
    if (event.seq > this.startedSeq) this.count(event)
    if (event.type !== 'tool_call_start' && event.type !== 'thinking_start') return
    if (event.callId !== undefined) this.callIds.add(event.callId)
  }

  run(unfinished: readonly ToolCall[]): Promise<void> {
    return runSteps(this.io(), this.controller.signal, unfinished)
  }

  end(): void {
    this.writer.close()
    this.controller.abort(new DOMException('The run is over', 'AbortError'))
  }

  private count(event: SessionEvent): void {
    if (event.type === 'tool_result') this.isCalling = false
    if (event.type !== 'tool_call_start') return
    this.used.calls += 1
    if (!this.isCalling) this.used.steps += 1
    this.isCalling = true
  }

  private io(): RunIo {
    const { runId, attempt, writer, deps } = this
    const { model, tools, system, now, report } = deps
    return {
      model,
      tools,
      writer,
      now,
      beginStep: () => (report({ type: 'step_begin', runId, attempt }) ? deps.responseId() : null),
      request: () => ({ system, messages: toMessages(this.history), tools: tools.specs() }),
      emit: (events) => report({ type: 'run_events', runId, attempt, events }),
      addUsage: (usage) => this.addUsage(usage),
      finish: (outcome, stopReason, error) => {
        const failure = error === undefined ? {} : { error }
        report({ type: 'run_finished', runId, attempt, outcome, stopReason, ...failure })
      },
      used: { ...this.used },
      newCallId: (offered) => this.newCallId(offered),
    }
  }

  /** The provider's own id where it can serve as one; servers do send none, or the same twice. */
  private newCallId(offered: string): string {
    const usable = CALL_ID.test(offered) && !this.callIds.has(offered)
    const callId = usable ? offered : `call_${this.prefix}_${++this.made}`
    this.callIds.add(callId)
    return callId
  }

  private addUsage(usage: Usage): void {
    const { inputTokens, outputTokens, cachedTokens } = this.usage
    this.usage = {
      inputTokens: inputTokens + usage.inputTokens,
      outputTokens: outputTokens + usage.outputTokens,
      cachedTokens: cachedTokens + usage.cachedTokens,
    }
  }
}

/** Configured away between two runs: the run fails with words, not with a crash. */
export function missingModel(id: string): Model {
  const error = new ModelError('model_unavailable', `The model ${id} is not configured here.`)
  return { id, stream: () => Promise.reject(error) }
}

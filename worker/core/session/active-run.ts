// What a run in flight holds in memory (RUN1). All of it can be lost: the log has what counts.

import type { SessionEvent, Usage } from '#protocol/events'
import { parseRunId } from '#protocol/ids'
import { applyToHistory, emptyHistory, type History } from './history.ts'
import type { ResponseWriter } from './response-writer.ts'

const CALL_ID = /^[A-Za-z0-9_-]{1,64}$/

export class ActiveRun {
  readonly runId: string
  readonly attempt: number
  readonly controller = new AbortController()
  readonly history: History = emptyHistory()
  readonly writer: ResponseWriter
  usage: Usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
  private readonly callIds = new Set<string>()
  private readonly prefix: string
  private made = 0

  constructor(
    runId: string,
    attempt: number,
    makeWriter: (newPartId: () => string) => ResponseWriter,
  ) {
    this.runId = runId
    this.attempt = attempt
    // Unique in the session without a random source: one run per seq, one loop per attempt.
    this.prefix = `${parseRunId(runId)?.startedSeq ?? 0}_${attempt}`
    this.writer = makeWriter(() => `${this.prefix}_${++this.made}`)
  }

  /** Fold what was appended, before or during this run. */
  observe(event: SessionEvent): void {
    applyToHistory(this.history, event)
    if (event.type === 'tool_call_start') this.callIds.add(event.callId)
  }

  /** The provider's own id where it can serve as one; servers do send none, or the same twice. */
  newCallId(offered: string): string {
    const usable = CALL_ID.test(offered) && !this.callIds.has(offered)
    const callId = usable ? offered : `call_${this.prefix}_${++this.made}`
    this.callIds.add(callId)
    return callId
  }

  addUsage(usage: Usage): void {
    const { inputTokens, outputTokens, cachedTokens } = this.usage
    this.usage = {
      inputTokens: inputTokens + usage.inputTokens,
      outputTokens: outputTokens + usage.outputTokens,
      cachedTokens: cachedTokens + usage.cachedTokens,
    }
  }

  end(): void {
    this.writer.close()
    this.controller.abort(new DOMException('The run is over', 'AbortError'))
  }
}

// What a run has used of its limits, by the log: no crash, no answer and no summary that comes between
// starts the count again.

import type { SessionEvent } from '#protocol/events'

/** The events that say it. */
export const USE_EVENTS = [
  'run_started',
  'thinking_start',
  'tool_call_start',
  'context_usage',
  'warning',
] as const satisfies readonly SessionEvent['type'][]

export type RunUse = {
  /** Provider calls that were answered. */
  steps: number
  /** Tool calls. */
  calls: number
  retries: number
  /** Codes of what people were warned of. */
  warnings: ReadonlySet<string>
}

/** `events`: of one run, from its start on. Others among them are passed over. */
export function countUse(events: Iterable<SessionEvent>): RunUse {
  const use = { steps: 0, calls: 0, retries: 0, warnings: new Set<string>() }
  // A step is told of when it is over; one that called something was one even where a crash came first.
  let isBegun = false
  const endStep = (): void => {
    use.steps += 1
    isBegun = false
  }
  for (const event of events) {
    switch (event.type) {
      case 'run_started':
        if (isBegun) endStep()
        break
      case 'thinking_start':
        if (event.callId !== undefined) isBegun = true
        break
      case 'tool_call_start':
        use.calls += 1
        isBegun = true
        break
      case 'context_usage':
        endStep()
        break
      case 'warning':
        use.warnings.add(event.code)
        if (event.code === 'model_retry') use.retries += 1
        break
      default:
    }
  }
  return use
}

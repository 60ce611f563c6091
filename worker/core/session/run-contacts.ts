// Whom a run turned to (AGT6): read from the log, never stored.

import { parseRunId } from '#protocol/ids'
import type { Log } from './log.ts'

/** A run elsewhere that works, or worked, for a run here. */
export type RunContact =
  | { type: 'child'; sessionId: string; runId: string; agent: string; task: string }
  | { type: 'exchange'; sessionId: string; exchangeId: string; agent: string; task: string }

/** Oldest first. null: there is no such run here. */
export function listContacts(log: Log, sessionId: string, runId: string): RunContact[] | null {
  const run = parseRunId(runId)
  if (run === null || run.sessionId !== sessionId) return null
  const started = log.eventAt(run.startedSeq)
  if (started?.type !== 'run_started' || started.runId !== runId) return null
  return log.contactsOf(run.startedSeq, log.terminalSeqOf(runId)).flatMap((event): RunContact[] => {
    if (event.type === 'subagent_spawned') {
      const { childSessionId, childRunId, agent, task } = event
      return [{ type: 'child', sessionId: childSessionId, runId: childRunId, agent, task }]
    }
    if (event.type !== 'exchange_started') return []
    const { toSessionId, exchangeId, toAgent, text } = event
    return [{ type: 'exchange', sessionId: toSessionId, exchangeId, agent: toAgent, task: text }]
  })
}

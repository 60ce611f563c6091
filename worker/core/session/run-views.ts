// Runs as other programs ask for them (AGT6): read from the log, never stored.

import type { Mode, SessionEvent } from '#protocol/events'
import type { RunRecord } from '#protocol/http'
import { parseRunId, toRunId } from '#protocol/ids'
import type { SessionState } from '#protocol/state'
import { applyToHistory, emptyHistory, toMessages } from './history.ts'
import type { Log } from './log.ts'
import type { ModelMessage } from './model.ts'
import { toRunRecords } from './run-records.ts'
import type { RunSetup } from './run-setup.ts'
import { roomFor, shortenAnswers } from './shorten-answers.ts'

export type RunsQuery = { before?: number; limit: number }
export type RunsPage = { runs: RunRecord[]; hasMore: boolean }

/** Newest first. */
export function listRuns(log: Log, sessionId: string, { before, limit }: RunsQuery): RunsPage {
  const starts = log.runStarts(before, limit + 1)
  const page = starts.slice(0, limit)
  const [newest, oldest] = [page[0], page.at(-1)]
  if (newest === undefined || oldest === undefined) return { runs: [], hasMore: false }
  // `before` says where a run began: the newest of them goes on to its own end.
  const end = log.terminalSeqOf(toRunId(sessionId, newest))
  const through = end === null ? undefined : end + 1
  const events = log.events({ after: oldest - 1, before: through, openParts: [] })
  return { runs: toRunRecords(sessionId, events).toReversed(), hasMore: starts.length > limit }
}

/** What a run's model was told. `raw`: word for word, with what it would be told now around it. */
export type RunContext = {
  run: RunRecord
  messages: number
  tokens: number | null
  window: number | null
  percent: number | null
  compacted: boolean
  summary: string | null
  raw?: { system: string; messages: ModelMessage[]; tools: string[] }
}

type RunView = {
  run: RunRecord
  /** Where another agent than the session's own was addressed. */
  mode?: Mode
  messages: ModelMessage[]
  context: SessionState['context']
  summary: string | null
}

/** What the model knew when the run ended, or knows now. null: there is no such run here. */
export function viewRun(log: Log, sessionId: string, runId: string): RunView | null {
  const startedSeq = parseRunId(runId)?.startedSeq
  if (startedSeq === undefined) return null
  const endSeq = log.terminalSeqOf(runId)
  const before = endSeq === null ? undefined : endSeq + 1
  const ofRun = log.events({ after: startedSeq - 1, before, openParts: [] })
  const run = toRunRecords(sessionId, ofRun).find((record) => record.run_id === runId)
  if (run === undefined) return null
  const history = emptyHistory()
  const seen: { context: SessionState['context']; summary: string | null } = {
    context: null,
    summary: null,
  }
  for (const event of log.events({ before, openParts: [] })) {
    applyToHistory(history, event)
    noteContext(seen, event)
  }
  const [start] = ofRun
  const mode = start?.type === 'run_started' ? start.mode : undefined
  const view = { run, messages: toMessages(history), ...seen }
  return mode === undefined ? view : { ...view, mode }
}

function noteContext(
  seen: { context: SessionState['context']; summary: string | null },
  event: SessionEvent,
): void {
  if (event.type === 'context_usage') seen.context = { ...event, upToSeq: 0 }
  if (event.type === 'compacted') seen.summary = event.summary
  if (event.type !== 'session_cleared') return
  seen.context = null
  seen.summary = null
}

export async function describeRun(
  { run, messages, context, summary }: RunView,
  setUp: (() => Promise<RunSetup>) | null,
): Promise<RunContext> {
  const described = {
    run,
    messages: messages.length,
    tokens: context?.tokens ?? null,
    window: context?.window ?? null,
    percent:
      context === null || context.window === 0
        ? null
        : Math.round((context.tokens / context.window) * 100),
    compacted: summary !== null,
    summary,
  }
  if (setUp === null) return described
  const { system, tools } = await setUp()
  const request = { system, messages, tools: tools.specs() }
  const fit =
    context === null
      ? messages
      : shortenAnswers(messages, roomFor(request, context.window, context))
  const names = request.tools.map(({ name }) => name)
  return { ...described, raw: { system, messages: [...fit], tools: names } }
}

/** A run of this session that somebody has stopped. */
export function wasCancelled(
  log: Log,
  { session, run }: Pick<SessionState, 'session' | 'run'>,
  runId: string,
): boolean {
  // Most are runs of others, or the one at work: those need no row.
  if (parseRunId(runId)?.sessionId !== session.id) return false
  if (run.status === 'running' && run.runId === runId) return false
  const seq = log.terminalSeqOf(runId)
  const end = seq === null ? undefined : log.eventAt(seq)
  return end?.type === 'run_done' && end.outcome === 'cancelled'
}

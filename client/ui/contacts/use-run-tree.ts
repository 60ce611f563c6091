// The runs of a chat to choose from, and the chosen one with everything that works or worked for it.

import { computed, useSignal, useSignalEffect, type Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import type { RunRecord } from '#protocol/http'
import { parseRunId } from '#protocol/ids'
import { api } from '../state/client.ts'
import { openSessionId } from '../state/route.ts'
import { folded, lastRun, run } from '../state/session.ts'
import { held } from '../state/sessions.ts'
import { readRunTree, type RunNode } from './run-tree.ts'

/** Changes whenever a run of the tree may have begun or ended, and not with every word. */
const moment = computed(() =>
  JSON.stringify([
    openSessionId.value,
    run.value.status === 'running' && run.value.runId,
    lastRun.value?.seq,
    folded.value.children.map(({ childRunId, status }) => [childRunId, status]),
    folded.value.exchanges.map(({ exchangeId }) => exchangeId),
    [...held.value.values()].filter(({ status }) => status === 'running').map(({ id }) => id),
  ]),
)

/** Null: the newest, whichever that is. */
export type Chosen = Signal<string | null>

/** A run's id says where it began, so that it is found however long ago that was. */
async function readRun(sessionId: string, runId: string): Promise<RunRecord | undefined> {
  const startedSeq = parseRunId(runId)?.startedSeq ?? 0
  const query = { limit: 1, cursor: String(startedSeq + 1) }
  return (await api.listRuns(sessionId, query)).runs.find(({ run_id: id }) => id === runId)
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Newest first, each once: a page that is read again takes the place of what it was. */
function merge(newer: readonly RunRecord[], older: readonly RunRecord[]): RunRecord[] {
  const known = new Set(newer.map(({ run_id: id }) => id))
  return [...newer, ...older.filter(({ run_id: id }) => !known.has(id))]
}

/** Read again whenever a run of it may have begun or ended. `tree` undefined: not yet. */
export function useRunTree(chosen: Chosen, onLeft: () => void) {
  const tree = useSignal<RunNode | null | undefined>(undefined)
  const runs = useSignal<readonly RunRecord[]>([])
  const older = useSignal<string | null>(null)
  const problem = useSignal('')
  const asked = useRef(0)
  const read = async (): Promise<void> => {
    const sessionId = openSessionId.peek()
    if (sessionId === null) return onLeft()
    const mine = ++asked.current
    const runId = chosen.peek()
    try {
      const page = await api.listRuns(sessionId)
      const record =
        runId === null
          ? page.runs[0]
          : (page.runs.find(({ run_id: id }) => id === runId) ?? (await readRun(sessionId, runId)))
      const found = record && (await readRunTree(record, (id) => api.childRuns(id)))
      // A later answer is the truer one, whichever comes first.
      if (mine !== asked.current) return
      if (runs.peek().length <= page.runs.length) older.value = page.nextCursor
      runs.value = merge(page.runs, runs.peek())
      tree.value = found ?? null
    } catch (error) {
      problem.value = describe(error)
    }
  }
  useSignalEffect(() => {
    void moment.value
    void chosen.value
    void read()
  })
  const readOlder = async (): Promise<void> => {
    const [sessionId, cursor] = [openSessionId.peek(), older.peek()]
    if (sessionId === null || cursor === null) return
    try {
      const page = await api.listRuns(sessionId, { cursor })
      runs.value = merge(runs.peek(), page.runs)
      older.value = page.nextCursor
    } catch (error) {
      problem.value = describe(error)
    }
  }
  const cancel = (record: RunRecord): void => {
    problem.value = ''
    api
      .cancelRun(record.run_id)
      .then(read)
      .catch((error: unknown) => (problem.value = describe(error)))
  }
  return { tree, runs, older, problem, cancel, readOlder }
}

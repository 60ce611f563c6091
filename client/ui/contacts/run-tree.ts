// The runs that follow from one run, as a tree. Read from the sessions that hold them: none of it is
// stored anywhere else.

import type { RunRecord } from '#protocol/http'

export type RunNode = { run: RunRecord; children: readonly RunNode[] }

/** Deeper than hops and levels of children allow: only a server that is not ours would go on. */
const DEPTH = 16

/** Whoever called neither has nobody working for it, and is not asked. */
const hasContacts = ({ tool_calls: calls }: RunRecord): boolean =>
  calls.some(({ tool }) => tool === 'agents_message' || tool === 'agents_spawn')

export async function readRunTree(
  run: RunRecord,
  readChildren: (runId: string) => Promise<RunRecord[]>,
  depth = 0,
): Promise<RunNode> {
  if (!hasContacts(run) || depth >= DEPTH) return { run, children: [] }
  const runs = await readChildren(run.run_id)
  const children = await Promise.all(
    runs.map((child) => readRunTree(child, readChildren, depth + 1)),
  )
  return { run, children }
}

/** Itself included. */
export const countRuns = ({ children }: RunNode): number =>
  children.reduce((sum, child) => sum + countRuns(child), 1)

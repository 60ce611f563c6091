// The files of a session as the children of its active run use them: what they write is logged here,
// as part of that run's checkpoint, and refused once it is over.

import type { ToolErrorCode } from '#protocol/events'
import type { SessionState } from '#protocol/state'
import { ToolFailure } from '../tools/tool.ts'
import type { FileChange, Workspace } from '../workspace/workspace.ts'
import type { RunReport } from './decide-types.ts'
import { RunWorkspace, type ChildOf } from './run-workspace.ts'
import type { SessionFiles } from './session-files.ts'

export type ChildFilesDeps = {
  files: SessionFiles
  state: () => SessionState
  isOwnedBy: (owner: string) => boolean
  report: (report: RunReport) => boolean
}

export class ChildFiles {
  private readonly deps: ChildFilesDeps

  constructor(deps: ChildFilesDeps) {
    this.deps = deps
  }

  /** null: the run is over. */
  open(owner: string, { topRunId, childRunId }: ChildOf): Workspace | null {
    const { run } = this.deps.state()
    if (!this.deps.isOwnedBy(owner) || run.status !== 'running' || run.runId !== topRunId)
      return null
    const { attempt } = run
    return new RunWorkspace(this.deps.files, topRunId, (files) =>
      this.deps.report({ type: 'files', runId: topRunId, attempt, files, childRunId }),
    )
  }

  /** All of the changes or none, as the checkpoint of the run at the top of the tree. */
  async write(
    owner: string,
    child: ChildOf,
    changes: readonly FileChange[],
  ): Promise<{ ok: true } | { ok: false; code: ToolErrorCode; message: string }> {
    const workspace = this.open(owner, child)
    const isOver = { ok: false, code: 'tool_interrupted', message: 'The run is over.' } as const
    if (workspace === null) return isOver
    try {
      await workspace.apply(changes)
      return { ok: true }
    } catch (error) {
      if (!(error instanceof ToolFailure)) throw error
      return { ok: false, code: error.code, message: error.message }
    }
  }
}

// The workspace as the tools of one run see it. What they write becomes events of the run: once
// the run is over, nothing of it is written any more.

import type { ChangedFile } from '#protocol/file-events'
import { parseRunId, toCheckpointId } from '#protocol/ids'
import { ToolFailure } from '../tools/tool.ts'
import type { FileChange, FileEntry, Workspace, WorkspacePath } from '../workspace/workspace.ts'
import type { SessionFiles } from './session-files.ts'

/** A child that works on the files of the session whose run it belongs to. */
export type ChildOf = { topRunId: string; childRunId: string }

export class RunWorkspace implements Workspace {
  private readonly files: SessionFiles
  private readonly checkpointId: string
  /** False: the run is over. */
  private readonly record: (files: readonly ChangedFile[]) => boolean

  constructor(
    files: SessionFiles,
    runId: string,
    record: (files: readonly ChangedFile[]) => boolean,
  ) {
    this.files = files
    this.checkpointId = toCheckpointId(parseRunId(runId)?.startedSeq ?? 0)
    this.record = record
  }

  list(): readonly FileEntry[] {
    return this.files.list()
  }

  stat(path: WorkspacePath): FileEntry | null {
    return this.files.stat(path)
  }

  async read(path: WorkspacePath): Promise<Uint8Array | null> {
    return this.files.content(this.files.hashAt(path))
  }

  async apply(changes: readonly FileChange[]): Promise<void> {
    const written = await this.files.write(this.checkpointId, changes, this.record)
    if (!written.ok) throw new ToolFailure(written.problem.message)
    if (written.value === false) {
      throw new ToolFailure('The run is over: nothing was written.', 'tool_interrupted')
    }
  }
}

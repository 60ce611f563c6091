// Checkpoints as people and programs ask for them: listed, newest first, and compared line by line.

import type { FileAction } from '#protocol/file-events'
import type { CheckpointSummary, CheckpointsPage, DiffHunk, FileDiffView } from '#protocol/http'
import { truncateUtf8, utf8Bytes } from '#protocol/text'
import type { CheckpointFile } from '../workspace/checkpoint.ts'
import type { FileDiff, Hunk } from '../workspace/diff.ts'
import { applyToCheckpoint, type FileEvent } from './fold-files.ts'
import type { Log } from './log.ts'
import type { SessionFiles } from './session-files.ts'

export type CheckpointsQuery = { before?: number; limit: number }

/** Files of one checkpoint in a list; the rest is counted. */
const LISTED_FILES = 500
/** Text of all hunks together: past this a person downloads the two versions. */
const SHOWN_BYTES = 512 * 1024

export function listCheckpoints(log: Log, { before, limit }: CheckpointsQuery): CheckpointsPage {
  const found = log.checkpoints(before, limit + 1)
  const page = found.slice(0, limit)
  return {
    checkpoints: page.map(({ id, seq }) =>
      summarise(log.fileEvents(seq - 1, { checkpointId: id })),
    ),
    nextCursor: found.length > limit ? String(page.at(-1)!.seq) : null,
  }
}

type Counts = { action: FileAction; additions: number; deletions: number }

function summarise(events: readonly FileEvent[]): CheckpointSummary {
  const files = new Map<string, CheckpointFile>()
  const counts = new Map<string, Counts>()
  for (const event of events) {
    applyToCheckpoint(files, event)
    if (event.type !== 'files_changed') continue
    for (const { path, action, additions, deletions } of event.files) {
      counts.set(path, { action, additions, deletions })
    }
  }
  const [first] = events
  const listed = [...files.values()].slice(0, LISTED_FILES).map((file) => ({
    path: file.path,
    ...counts.get(file.path)!,
    before: file.before,
    after: file.after,
    undone: file.undone,
    kept: file.kept,
    ...(file.movedFrom === undefined ? {} : { from: file.movedFrom }),
  }))
  const { runId, by } = first?.type === 'files_changed' ? first : {}
  return {
    checkpointId: first!.checkpointId,
    at: first!.at,
    ...(runId === undefined ? {} : { runId }),
    ...(by === undefined ? {} : { by }),
    files: listed,
    ...(files.size > LISTED_FILES ? { truncatedCount: files.size - LISTED_FILES } : {}),
  }
}

/** null: this checkpoint has not changed that file. */
export function viewDiff(
  files: SessionFiles,
  checkpointId: string,
  path: string,
): FileDiffView | null {
  const record = files.checkpoint(checkpointId).get(path)
  if (record === undefined) return null
  const diff = files.diffOf(record)
  const { before, after } = record
  const shown = new ShownLines(SHOWN_BYTES)
  const hunks = diff.hunks.map((hunk) => toDiffHunk(hunk, diff, record, shown))
  return {
    path,
    before,
    after,
    current: files.hashAt(path),
    unit: diff.unit,
    binary: diff.isBinary,
    additions: diff.additions,
    deletions: diff.deletions,
    hunks,
    truncated: shown.truncated,
  }
}

function toDiffHunk(
  { index, beforeStart, afterStart, ...count }: Hunk,
  diff: FileDiff,
  { undone, kept }: CheckpointFile,
  shown: ShownLines,
): DiffHunk {
  const cut = (side: FileDiff['before'], start: number, lines: number): string[] =>
    shown.take(side?.lines?.slice(start - 1, start - 1 + lines) ?? [])
  return {
    index,
    beforeStart,
    beforeLines: cut(diff.before, beforeStart, count.beforeLines),
    afterStart,
    afterLines: cut(diff.after, afterStart, count.afterLines),
    state: undone.includes(index) ? 'undone' : kept.includes(index) ? 'kept' : 'open',
  }
}

class ShownLines {
  truncated = false
  private left: number

  constructor(bytes: number) {
    this.left = bytes
  }

  take(lines: readonly string[]): string[] {
    const taken: string[] = []
    for (const line of lines) {
      if (this.left <= 0) {
        this.truncated = true
        break
      }
      const { text, truncated } = truncateUtf8(line, this.left)
      taken.push(text)
      this.left -= utf8Bytes(text) + 1
      if (truncated) {
        this.truncated = true
        this.left = 0
      }
    }
    return taken
  }
}

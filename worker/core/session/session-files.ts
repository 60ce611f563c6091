// The workspace of a session: contents and tree beside the log, checkpoints read from the log. What
// is prepared here (contents stored, differences counted) becomes events in the one write path,
// and the tree follows from those events in the same transaction.

import type { SessionEvent } from '#protocol/events'
import type { ChangedFile } from '#protocol/file-events'
import {
  checkClashes,
  checkLimits,
  checkPaths,
  type SizeChange,
} from '../workspace/check-changes.ts'
import {
  actionOf,
  mergeWrites,
  type AgentWrite,
  type Checkpoint,
  type CheckpointFile,
} from '../workspace/checkpoint.ts'
import { diffContents, type FileDiff } from '../workspace/diff.ts'
import { FileStore, StoreFull } from '../workspace/file-store.ts'
import type { FileChange, FileEntry, WorkspacePath } from '../workspace/workspace.ts'
import {
  applyToCheckpoint,
  namesVersion,
  toTree,
  toTreeChanges,
  type FileEvent,
  type Tree,
} from './fold-files.ts'
import type { Log } from './log.ts'
import type { Sql } from './sql.ts'

/** A content, for a path. null: the file is to go. */
export type StoredChange = {
  path: WorkspacePath
  hash: string | null
  size: number
  movedFrom?: WorkspacePath
}

/**
 * `path`: no file can be there. `stale`: a file is not what was expected. `clash`: two paths cannot be in one workspace. `gone`:
 * nobody has this workspace any more.
 */
export type FileProblem = { kind: 'path' | 'stale' | 'limit' | 'clash' | 'gone'; message: string }

/** `read` gives the content with this hash, the same each time: it is stored only when all is well. */
export type HashedChange = StoredChange & { read: () => Uint8Array }

export type Written<T> = { ok: true; value: T | null } | { ok: false; problem: FileProblem }

/**
 * Contents that are compared to count lines in one change: what is past this is said to have none.
 * A shell can change two thousand files at once, and a restore too.
 */
const COUNTED_BYTES = 2 * 1024 * 1024

export class SessionFiles {
  readonly store: FileStore
  private readonly log: Log
  /** Grows with every change: what was prepared for an older one has to be prepared again. */
  version = 0
  /** The checkpoint asked for last, as of a seq: a run that writes asks for its own each time. */
  private known: { id: string; seq: number; files: Map<string, CheckpointFile> } | null = null

  constructor(sql: Sql, log: Log) {
    this.store = new FileStore(sql)
    this.log = log
  }

  list(): FileEntry[] {
    return this.store.list()
  }

  stat(path: string): FileEntry | null {
    return this.store.stat(path as WorkspacePath)
  }

  hashAt(path: string): string | null {
    return this.stat(path)?.hash ?? null
  }

  content(hash: string | null): Uint8Array | null {
    return hash === null ? null : this.store.readBlob(hash)
  }

  /** A content that this path has now or had once; what another path had is not told. */
  contentAt(path: string, hash: string): Uint8Array | null {
    const isNow = this.hashAt(path) === hash
    const events = isNow ? [] : this.log.fileEvents(0, { naming: hash })
    const isKnown = isNow || events.some((event) => namesVersion(event, path, hash))
    return isKnown ? this.content(hash) : null
  }

  /**
   * All of the changes, or none; their bytes are not written into any more. `isGone` and `record`
   * are called in one go with the last check. Null: nothing changes.
   */
  async write<T>(
    checkpointId: string | null,
    changes: readonly FileChange[],
    record: (files: readonly ChangedFile[]) => T,
    isGone: () => boolean = () => false,
  ): Promise<Written<T>> {
    // Hashing takes a while: what is refused in any case need not wait for it.
    const sizes = changes.map(toSizeChange)
    const early = findBadPath(sizes) ?? this.findStale(changes) ?? this.findProblem(sizes)
    if (early !== null) return { ok: false, problem: early }
    const hashed: HashedChange[] = []
    for (const change of changes) {
      const { path, bytes, movedFrom } = change
      // One at a time: each is copied while it is hashed.
      // oxlint-disable-next-line no-await-in-loop
      const hash = bytes === null ? null : await this.store.hash(bytes)
      const origin = movedFrom === undefined ? {} : { movedFrom }
      const content = bytes ?? NOTHING
      hashed.push({ path, hash, size: content.length, ...origin, read: () => content })
    }
    if (isGone()) return { ok: false, problem: GONE }
    const late = this.findStale(changes)
    if (late !== null) return { ok: false, problem: late }
    return this.writeHashed(checkpointId, hashed, record)
  }

  /**
   * Checked, stored and recorded in one go: what was checked is what is written, and what is refused
   * has stored nothing, since no content ever goes again.
   */
  writeHashed<T>(
    checkpointId: string | null,
    changes: readonly HashedChange[],
    record: (files: readonly ChangedFile[]) => T,
  ): Written<T> {
    const sizes = changes.map(({ path, hash, size }) => ({
      path,
      size: hash === null ? null : size,
    }))
    const problem = this.findProblem(sizes) ?? this.findFull(changes)
    if (problem !== null) return { ok: false, problem }
    for (const { hash, read } of changes) {
      if (hash !== null && !this.store.hasBlob(hash)) this.store.put(hash, read())
    }
    const files = this.toChangedFiles(checkpointId, changes)
    return { ok: true, value: files.length === 0 ? null : record(files) }
  }

  private findFull(changes: readonly StoredChange[]): FileProblem | null {
    const full = this.store.findFull(changes)
    return full === null ? null : { kind: 'limit', message: full.message }
  }

  /** Before it is known whether an event will name it. */
  async storeContent(
    bytes: Uint8Array,
  ): Promise<{ ok: true; hash: string } | { ok: false; problem: FileProblem }> {
    try {
      return { ok: true, hash: await this.store.putBlob(bytes) }
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error
      return { ok: false, problem: { kind: 'limit', message: error.message } }
    }
  }

  /** Why these changes cannot be made; null where they can. */
  findProblem(changes: readonly SizeChange[]): FileProblem | null {
    const files = this.list()
    const limit = checkLimits(files, changes)
    if (limit !== null) return { kind: 'limit', message: limit }
    const clash = checkClashes(files, changes)
    return clash === null ? null : { kind: 'clash', message: clash }
  }

  private findStale(changes: readonly FileChange[]): FileProblem | null {
    const stale = changes.find(
      ({ path, expected }) => expected !== undefined && expected !== this.hashAt(path),
    )
    if (stale === undefined) return null
    const { path, expected } = stale
    const what = expected === null ? 'exists already' : 'is not what it was any more'
    return { kind: 'stale', message: `${path} ${what}. Read it again.` }
  }

  /** What an event says of these changes in a checkpoint; null: in a new one. Empty: nothing changes. */
  toChangedFiles(checkpointId: string | null, changes: readonly StoredChange[]): ChangedFile[] {
    const writes = changes.flatMap((change): AgentWrite[] => {
      const { path, hash: written, movedFrom } = change
      const overwritten = this.hashAt(path)
      if (written === overwritten) return []
      return [{ path, overwritten, written, ...(movedFrom === undefined ? {} : { movedFrom }) }]
    })
    const known = checkpointId === null ? new Map() : this.checkpoint(checkpointId)
    const merged = mergeWrites(known, writes)
    const sizes = new Map(changes.map(({ path, size }) => [path as string, size]))
    const count = this.counter()
    return writes.map(({ path, written }) => {
      const record = merged.get(path) ?? unchanged(path, written)
      const { before, after, movedFrom: from } = record
      const origin = from === undefined ? {} : { from }
      const size = sizes.get(path) ?? 0
      return {
        path,
        action: actionOf(record, merged),
        ...count(record),
        before,
        after,
        size,
        ...origin,
      }
    })
  }

  /** Always the first; then for as long as there is room. */
  private counter(): (record: CheckpointFile) => { additions: number; deletions: number } {
    let left = COUNTED_BYTES
    return (record) => {
      if (left <= 0) return { additions: 0, deletions: 0 }
      const { before, after, additions, deletions } = this.diffOf(record)
      left -= (before?.bytes.length ?? 0) + (after?.bytes.length ?? 0)
      return { additions, deletions }
    }
  }

  diffOf({ before, after }: Pick<CheckpointFile, 'before' | 'after'>): FileDiff {
    return diffContents(this.content(before), this.content(after))
  }

  /** Folded from the log: by path, what the checkpoint did and what people said of it. */
  checkpoint(checkpointId: string): Checkpoint {
    const known =
      this.known?.id === checkpointId
        ? this.known
        : { id: checkpointId, seq: checkpointSeq(checkpointId) - 1, files: new Map() }
    const seq = this.log.lastSeq()
    // The log only grows: what was folded holds, and the rest follows.
    if (known.seq < seq) {
      for (const event of this.log.fileEvents(known.seq, { checkpointId })) {
        applyToCheckpoint(known.files, event)
      }
      known.seq = seq
    }
    this.known = known
    return known.files
  }

  /** Of a run: a person has nothing to review of what they did themselves. */
  isReviewed(checkpointId: string): boolean {
    return this.log.eventAt(checkpointSeq(checkpointId))?.type === 'run_started'
  }

  /** The tree as it was just before the first event of a checkpoint; null: there is no such one. */
  treeBefore(checkpointId: string): Tree | null {
    const events: FileEvent[] = this.log.fileEvents(0)
    const start = events.findIndex((event) => event.checkpointId === checkpointId)
    return start < 0 ? null : toTree(events.slice(0, start))
  }

  /** In the transaction of the events. */
  applyEvents(events: readonly SessionEvent[]): (() => void) | null {
    const changes = toTreeChanges(events)
    if (changes.length === 0) return null
    return () => {
      this.version += 1
      this.store.setFiles(changes)
    }
  }
}

const NOTHING = new Uint8Array()
const GONE: FileProblem = { kind: 'gone', message: 'no such session' }

/** A second line: every door parses its paths. */
function findBadPath(changes: readonly SizeChange[]): FileProblem | null {
  const message = checkPaths(changes)
  return message === null ? null : { kind: 'path', message }
}

const toSizeChange = ({ path, bytes }: FileChange): SizeChange => ({
  path,
  size: bytes?.length ?? null,
})

/** A checkpoint is named after the seq its run began at: nothing of it lies before. */
const checkpointSeq = (checkpointId: string): number =>
  Number(/^c(\d{1,15})$/.exec(checkpointId)?.[1] ?? 1)

/** Again as it was at first. */
const unchanged = (path: string, hash: string | null): CheckpointFile => ({
  path,
  before: hash,
  after: hash,
  expected: hash,
  undone: [],
  kept: [],
})

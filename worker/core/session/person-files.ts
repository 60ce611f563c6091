// The workspace as a person or a program of theirs reads and writes it. Nothing here waits for the
// agent: what both write at the same time is two versions, and both are kept.

import type { ChangedFile } from '#protocol/file-events'
import type {
  CheckpointsPage,
  FileDiffView,
  FileList,
  FileSummary,
  Rejection,
  WrittenFile,
} from '#protocol/http'
import { WORKSPACE_BYTES, WORKSPACE_STORED_BYTES } from '#protocol/limits'
import { toText } from '../workspace/lines.ts'
import { parseFolder, parsePath } from '../workspace/path.ts'
import { openZip, type ZipEntry } from '../workspace/unzip.ts'
import type { FileChange, FileEntry, WorkspacePath } from '../workspace/workspace.ts'
import { createZip } from '../workspace/zip.ts'
import { listCheckpoints, viewDiff, type CheckpointsQuery } from './checkpoint-views.ts'
import { toRejection } from './file-commands.ts'
import type { Log } from './log.ts'
import type { FileProblem, HashedChange, SessionFiles } from './session-files.ts'

/** `isStale`: a file was not what the caller had said it would be. */
export type FileRefusal = Rejection & { isStale?: true }
export type FileOutcome<T> = { ok: true; value: T } | { ok: false; rejection: FileRefusal }

export type FileContent = { file: FileSummary; bytes: Uint8Array; isText: boolean }

/** What must be there for a write to happen: a content by its hash, anything, or nothing. */
export type Precondition = { hash: string } | 'present' | 'absent'

export type FileWrite = { path: string; bytes: Uint8Array | null; only?: Precondition }

export type PersonFilesDeps = {
  files: SessionFiles
  log: Log
  isOwnedBy: (owner: string) => boolean
  /** Writes count like commands. */
  takeRate: () => Rejection | null
  /** As events, in the one write path. Returns the seq of the last. */
  record: (by: string, files: readonly ChangedFile[]) => number
}

/** Of an archive: most fit, and are unpacked once. All of them could be more than there is memory. */
const HELD_BYTES = 16 * 1024 * 1024

export class PersonFiles {
  private readonly deps: PersonFilesDeps

  constructor(deps: PersonFilesDeps) {
    this.deps = deps
  }

  list(owner: string): FileOutcome<FileList> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const files = this.deps.files.list().map(toSummary)
    const bytes = files.reduce((sum, { size }) => sum + size, 0)
    const limits = { limit: WORKSPACE_BYTES, storedLimit: WORKSPACE_STORED_BYTES }
    return {
      ok: true,
      value: { files, bytes, stored: this.deps.files.store.storedBytes(), ...limits },
    }
  }

  /** `version`: the hash of a content that this path has had. */
  read(owner: string, raw: string, version?: string): FileOutcome<FileContent> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const parsed = parsePath(raw)
    if (!parsed.ok) return badPath('path', parsed.problem)
    const { path } = parsed
    const { files } = this.deps
    const entry = files.stat(path)
    const hash = version ?? entry?.hash
    const bytes = hash === undefined ? null : files.contentAt(path, hash)
    if (bytes === null || hash === undefined) return noFile(path)
    const modifiedAt = entry?.hash === hash ? entry.modifiedAt : null
    const file = { path, size: bytes.length, hash, modifiedAt }
    return { ok: true, value: { file, bytes, isText: toText(bytes) !== null } }
  }

  /** Bytes null: delete it. */
  async write(owner: string, input: FileWrite): Promise<FileOutcome<WrittenFile>> {
    const parsed = parsePath(input.path)
    const refused = this.refuseWrite(owner, parsed.ok ? null : badPath('path', parsed.problem))
    if (refused !== null || !parsed.ok) return refused ?? NOT_FOUND
    const { path } = parsed
    const { bytes, only } = input
    const held = this.deps.files.stat(path)
    if (only === 'present' && held === null) return stale(`${path} does not exist.`)
    if (bytes === null && held === null) return noFile(path)
    const expected = toExpected(only, held)
    const change = { path, bytes, ...(expected === undefined ? {} : { expected }) }
    return this.apply(owner, [change], path)
  }

  async move(owner: string, raw: { from: string; to: string }): Promise<FileOutcome<WrittenFile>> {
    const from = parsePath(raw.from)
    const to = parsePath(raw.to)
    const wrong = from.ok ? null : badPath('from', from.problem)
    const refused = this.refuseWrite(owner, wrong ?? (to.ok ? null : badPath('to', to.problem)))
    if (refused !== null || !from.ok || !to.ok) return refused ?? NOT_FOUND
    const { files } = this.deps
    const held = files.stat(from.path)
    const bytes = files.content(held?.hash ?? null)
    if (held === null || bytes === null) return noFile(from.path)
    if (from.path === to.path) return conflict(`${to.path} is where it is already.`)
    if (files.stat(to.path) !== null) return conflict(`${to.path} exists already.`)
    const changes: FileChange[] = [
      { path: from.path, bytes: null, expected: held.hash },
      { path: to.path, bytes, movedFrom: from.path, expected: null },
    ]
    return this.apply(owner, changes, to.path)
  }

  /** As an archive that is packed while it is read. */
  download(owner: string, rawFolder: string): FileOutcome<ReadableStream<Uint8Array>> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const folder = parseFolder(rawFolder)
    if (!folder.ok) return badPath('folder', folder.problem)
    const { files } = this.deps
    return {
      ok: true,
      value: createZip(files.list(), (hash) => files.content(hash), folder.path),
    }
  }

  /** Every file of an archive, or none. What has the same path is replaced. */
  async upload(
    owner: string,
    { into, bytes }: { into: string; bytes: Uint8Array },
  ): Promise<FileOutcome<{ files: number; seq: number }>> {
    const folder = parseFolder(into)
    const refused = this.refuseWrite(owner, folder.ok ? null : badPath('into', folder.problem))
    if (refused !== null || !folder.ok) return refused ?? NOT_FOUND
    const zip = openZip(bytes)
    if (!zip.ok) return badPath('body', zip.problem)
    const entries = placeEntries(zip.entries, folder.path)
    if (!entries.ok) return badPath('body', entries.problem)
    const sizes = entries.value.map(({ path, size }) => ({ path, size }))
    const { files } = this.deps
    // Before anything is unpacked, and again when it is written.
    const early = files.findProblem(sizes)
    if (early !== null) return refuse(early)
    const hashed = await this.hashEntries(entries.value)
    if (!hashed.ok) return hashed
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const written = files.writeHashed(null, hashed.value, (changed) =>
      this.deps.record(owner, changed),
    )
    if (!written.ok) return refuse(written.problem)
    return { ok: true, value: { files: hashed.value.length, seq: written.value ?? this.lastSeq() } }
  }

  checkpoints(owner: string, query: CheckpointsQuery): FileOutcome<CheckpointsPage> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    return { ok: true, value: listCheckpoints(this.deps.log, query) }
  }

  diff(owner: string, checkpointId: string, raw: string): FileOutcome<FileDiffView> {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    const parsed = parsePath(raw)
    if (!parsed.ok) return badPath('path', parsed.problem)
    const view = viewDiff(this.deps.files, checkpointId, parsed.path)
    if (view !== null) return { ok: true, value: view }
    const message = `no checkpoint ${checkpointId} here that changed ${parsed.path}`
    return { ok: false, rejection: { code: 'no_such_checkpoint', message } }
  }

  /**
   * All of them are unpacked before one is stored: a damaged one may be the last. What cannot be held
   * until then is unpacked again.
   */
  private async hashEntries(entries: readonly ZipEntry[]): Promise<FileOutcome<HashedChange[]>> {
    const value: HashedChange[] = []
    let left = HELD_BYTES
    for (const { path, read } of entries) {
      const content = read()
      if (!content.ok) return badPath('body', content.problem)
      const { bytes } = content
      const held = bytes.length <= left ? bytes : null
      left -= held?.length ?? 0
      // oxlint-disable-next-line no-await-in-loop
      const hash = await this.deps.files.store.hash(bytes)
      value.push({ path, hash, size: bytes.length, read: () => held ?? contentOf(read()) })
    }
    return { ok: true, value }
  }

  private async apply(
    owner: string,
    changes: readonly FileChange[],
    path: WorkspacePath,
  ): Promise<FileOutcome<WrittenFile>> {
    const { files, isOwnedBy, record } = this.deps
    const recorded = (changed: readonly ChangedFile[]): number => record(owner, changed)
    // Deleted while the content was hashed: nothing is written into what nobody has any more.
    const written = await files.write(null, changes, recorded, () => !isOwnedBy(owner))
    if (!written.ok) return refuse(written.problem)
    const file = files.stat(path)
    const seq = written.value ?? this.lastSeq()
    return { ok: true, value: { file: file === null ? null : toSummary(file), seq } }
  }

  private lastSeq(): number {
    return this.deps.log.lastSeq()
  }

  /** Whose it is, then what is wrong with it, then how often. */
  private refuseWrite(
    owner: string,
    wrong: FileOutcome<never> | null,
  ): (FileOutcome<never> & { ok: false }) | null {
    if (!this.deps.isOwnedBy(owner)) return NOT_FOUND
    if (wrong !== null && !wrong.ok) return wrong
    const limited = this.deps.takeRate()
    return limited === null ? null : { ok: false, rejection: limited }
  }
}

type Refused = FileOutcome<never> & { ok: false }

const NOT_FOUND: Refused = {
  ok: false,
  rejection: { code: 'not_found', message: 'no such session' },
}
const noFile = (path: string): Refused => ({
  ok: false,
  rejection: { code: 'not_found', message: `no file ${path} here` },
})
const badPath = (field: string, problem: string): Refused => ({
  ok: false,
  rejection: { code: 'bad_request', message: `${field}: ${problem}` },
})
const conflict = (message: string): Refused => ({
  ok: false,
  rejection: { code: 'file_conflict', message },
})
const stale = (message: string): Refused => ({
  ok: false,
  rejection: { code: 'file_conflict', message, isStale: true },
})
const refuse = (problem: FileProblem): Refused =>
  problem.kind === 'gone'
    ? NOT_FOUND
    : {
        ok: false,
        rejection: {
          ...toRejection(problem),
          ...(problem.kind === 'stale' ? { isStale: true } : {}),
        },
      }

function toExpected(
  only: Precondition | undefined,
  held: FileEntry | null,
): string | null | undefined {
  if (only === undefined) return undefined
  if (only === 'absent') return null
  return only === 'present' ? (held?.hash ?? null) : only.hash
}

const toSummary = ({ path, size, hash, modifiedAt }: FileEntry): FileSummary => ({
  path,
  size,
  hash,
  modifiedAt,
})

/** Checked once more: a path that was short enough may not be any more in its folder. */
function placeEntries(
  entries: readonly ZipEntry[],
  folder: WorkspacePath | null,
): { ok: true; value: ZipEntry[] } | { ok: false; problem: string } {
  if (folder === null) return { ok: true, value: [...entries] }
  const value: ZipEntry[] = []
  for (const entry of entries) {
    const parsed = parsePath(`${folder}/${entry.path}`)
    if (!parsed.ok) return parsed
    value.push({ ...entry, path: parsed.path })
  }
  return { ok: true, value }
}

/** The archive has not changed since it was found to be whole. */
function contentOf(content: ReturnType<ZipEntry['read']>): Uint8Array {
  if (!content.ok) throw new Error(content.problem)
  return content.bytes
}

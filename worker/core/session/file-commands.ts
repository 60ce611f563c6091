// Keep, undo, redo and restore. Contents have to be read and hashed first, so a command is prepared,
// and recorded only if no file has changed meanwhile.

import type { CommandOf } from '#protocol/commands'
import type { EventOf } from '#protocol/events'
import type { ChangedFile, Conflict } from '#protocol/file-events'
import type { Rejection } from '#protocol/http'
import { toCheckpointId } from '#protocol/ids'
import { EVENT_BYTES } from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import {
  actionOf,
  expectedContent,
  openHunks,
  planKeep,
  planRedo,
  planUndo,
  type Checkpoint,
  type CheckpointFile,
  type Plan,
} from '../workspace/checkpoint.ts'
import type { FileDiff } from '../workspace/diff.ts'
import type { WorkspacePath } from '../workspace/workspace.ts'
import type { Draft } from './draft.ts'
import type { FileProblem, SessionFiles, StoredChange } from './session-files.ts'

export type FileCommand = CommandOf<'keep' | 'undo' | 'redo' | 'restore'>
type ReviewCommand = Exclude<FileCommand, { type: 'restore' }>

type Result = Omit<EventOf<'file_change_result'>, 'type' | 'by' | 'checkpointId'>

export type FilesAssist = {
  type: 'files'
  /** Of the files when it was prepared. */
  version: number
  refusal?: Rejection
  results: readonly Result[]
  /** What a restore changes. */
  files: readonly ChangedFile[]
}

export async function prepareFileCommand(
  files: SessionFiles,
  command: FileCommand,
): Promise<FilesAssist> {
  const { version } = files
  const prepared =
    command.type === 'restore'
      ? prepareRestore(files, command.checkpointId)
      : await prepareReview(files, command)
  return { type: 'files', version, results: [], files: [], ...prepared }
}

type Prepared = Partial<Pick<FilesAssist, 'refusal' | 'results' | 'files'>>

/**
 * Contents that one command compares: it is done in one go, and a run may have changed hundreds of
 * megabytes.
 */
const REVIEW_BYTES = 64 * 1024 * 1024

/** What is to be done with one file. Without contents: all of them together may not fit into memory. */
type Step = {
  record: CheckpointFile
  plan: PlanOutline
  /** How many hunks the file has. */
  hunks: number
  file: ChangedFile
}
type PlanOutline =
  | ({ kind: 'write'; size: number | null } & Marks)
  | ({ kind: 'mark' } & Marks)
  | ({ kind: 'conflict'; conflict: Conflict } & Marks)
  | { kind: 'nothing'; problem: string }
type Marks = Pick<Result, 'undone' | 'kept' | 'left'>

async function prepareReview(files: SessionFiles, command: ReviewCommand): Promise<Prepared> {
  const { path, hunk, checkpointId } = command
  if (hunk !== undefined && path === undefined) {
    return { refusal: { code: 'bad_request', message: 'hunk: needs a path' } }
  }
  const checkpoint = files.checkpoint(checkpointId)
  const records = chooseRecords(checkpoint, command)
  if (records.length === 0) return { refusal: noSuch(command) }
  if (records.length > 2 && bytesOf(files, records) > REVIEW_BYTES) return { refusal: TOO_MUCH }
  const steps = records.map((record) => toStep(files, checkpoint, command, record))
  const wanted = steps.filter(({ plan }) => plan.kind !== 'nothing')
  const [first] = steps
  if (wanted.length === 0 && first?.plan.kind === 'nothing') {
    return { refusal: { code: 'file_conflict', message: first.plan.problem } }
  }
  const blocked = findBlocked(wanted)
  const free = wanted.filter(({ record }) => !blocked.has(record.path))
  const written = await storeWrites(files, free)
  if (!written.ok) return { refusal: toRejection(written.problem) }
  const isReopened = command.type === 'redo' && files.isReviewed(checkpointId)
  const results = wanted.map((step) =>
    toResult(command, step, {
      problem: blocked.get(step.record.path),
      stored: written.value.get(step.record.path),
      file: isReopened ? step.file : undefined,
    }),
  )
  return { results }
}

const TOO_MUCH: Rejection = {
  code: 'too_large',
  message: 'this checkpoint has changed too much to be reviewed at once: name one path, or restore',
}

const bytesOf = ({ store }: SessionFiles, records: readonly CheckpointFile[]): number =>
  records
    .flatMap(({ before, after }) => [before, after])
    .reduce((sum, hash) => sum + (hash === null ? 0 : store.sizeOf(hash)), 0)

function toStep(
  files: SessionFiles,
  checkpoint: Checkpoint,
  command: ReviewCommand,
  record: CheckpointFile,
): Step {
  const diff = files.diffOf(record)
  const plan = planFor(command, record, diff, files.hashAt(record.path))
  const file = describeFile(checkpoint, record, diff)
  return { record, plan: toOutline(plan, record, diff), hunks: diff.hunks.length, file }
}

function toOutline(plan: Plan, record: CheckpointFile, diff: FileDiff): PlanOutline {
  switch (plan.kind) {
    case 'nothing':
      return plan
    case 'conflict': {
      const marks = { undone: [...record.undone], kept: [...record.kept] }
      const left = openHunks(record, diff).length
      return { kind: 'conflict', conflict: plan.conflict, ...marks, left }
    }
    case 'mark':
    case 'write': {
      const marks = { undone: [...plan.undone], kept: [...plan.kept], left: plan.left }
      if (plan.kind === 'mark') return { kind: 'mark', ...marks }
      return { kind: 'write', size: plan.content?.length ?? null, ...marks }
    }
  }
}

/** A file that was moved is one change in two places, unless a hunk of it is meant. */
function chooseRecords(checkpoint: Checkpoint, { path, hunk }: ReviewCommand): CheckpointFile[] {
  if (path === undefined) return [...checkpoint.values()]
  const named = checkpoint.get(path)
  if (named === undefined) return []
  const source = hunk === undefined ? sourceOf(checkpoint, named) : undefined
  return source === undefined ? [named] : [named, source]
}

function sourceOf(checkpoint: Checkpoint, record: CheckpointFile): CheckpointFile | undefined {
  return actionOf(record, checkpoint) === 'renamed'
    ? checkpoint.get(record.movedFrom ?? '')
    : undefined
}

/**
 * Where one end of a move has a conflict, the other stays too: a file must not go from its new
 * place while its old one cannot be filled.
 */
function findBlocked(steps: readonly Step[]): Map<string, string> {
  const blocked = new Map<string, string>()
  const conflicts = new Set(
    steps.flatMap(({ record, plan }) => (plan.kind === 'conflict' ? [record.path] : [])),
  )
  for (const { record } of steps) {
    const { path, movedFrom } = record
    if (movedFrom === undefined) continue
    if (conflicts.has(movedFrom) && !conflicts.has(path)) block(path, movedFrom)
    if (conflicts.has(path) && !conflicts.has(movedFrom)) block(movedFrom, path)
  }
  function block(path: string, other: string): void {
    blocked.set(path, `It was moved, and ${other} is not what the agent has left there.`)
  }
  return blocked
}

type Stored = Pick<StoredChange, 'hash' | 'size'>
type Writes = { ok: true; value: Map<string, Stored> } | { ok: false; problem: FileProblem }

/** Checked together, since one file may have to go before another can come; all of them or none. */
async function storeWrites(files: SessionFiles, steps: readonly Step[]): Promise<Writes> {
  const sizes = steps.flatMap(({ record, plan }) =>
    plan.kind === 'write' ? [{ path: record.path as WorkspacePath, size: plan.size }] : [],
  )
  const problem = files.findProblem(sizes)
  if (problem !== null) return { ok: false, problem }
  const value = new Map<string, Stored>()
  for (const { record, plan, hunks } of steps) {
    if (plan.kind !== 'write') continue
    const known = knownHash(record, plan.undone.length, hunks)
    if (known !== undefined) {
      value.set(record.path, { hash: known, size: plan.size ?? 0 })
      continue
    }
    const bytes = expectedContent(plan, files.diffOf(record))
    if (bytes === null) {
      value.set(record.path, { hash: null, size: 0 })
      continue
    }
    // One at a time: they are not held together.
    // oxlint-disable-next-line no-await-in-loop
    const stored = await files.storeContent(bytes)
    if (!stored.ok) return stored
    value.set(record.path, { hash: stored.hash, size: bytes.length })
  }
  return { ok: true, value }
}

/** With every change undone, or none, the content is stored already. */
function knownHash({ before, after }: CheckpointFile, undone: number, hunks: number) {
  if (undone === hunks) return before
  return undone === 0 ? after : undefined
}

export const toRejection = ({ kind, message }: FileProblem): Rejection => ({
  code: kind === 'limit' ? 'too_large' : kind === 'path' ? 'bad_request' : 'file_conflict',
  message,
})

const noSuch = ({ checkpointId, path }: ReviewCommand): Rejection => ({
  code: 'no_such_checkpoint',
  message: `no checkpoint ${checkpointId} here${path === undefined ? '' : ` that changed ${path}`}`,
})

function toResult(
  { type: action, hunk }: ReviewCommand,
  { record, plan, hunks }: Step,
  more: { problem: string | undefined; stored: Stored | undefined; file: ChangedFile | undefined },
): Result {
  const named = { path: record.path, action, ...(hunk === undefined ? {} : { hunk }) }
  if (plan.kind === 'nothing') throw new Error('nothing is no result')
  const { undone, kept, left } = plan
  const marks = { undone, kept, left }
  if (plan.kind === 'conflict') return { ...named, ok: false, ...marks, conflict: plan.conflict }
  const { problem, stored, file } = more
  if (problem !== undefined) {
    const before = { undone: [...record.undone], kept: [...record.kept] }
    const open = hunks - record.undone.length - record.kept.length
    return { ...named, ok: false, ...before, left: open, problem }
  }
  const written = stored === undefined ? {} : { hash: stored.hash, size: stored.size }
  return { ...named, ok: true, ...marks, ...written, ...(file === undefined ? {} : { file }) }
}

function describeFile(
  checkpoint: Checkpoint,
  record: CheckpointFile,
  { additions, deletions, after: content }: FileDiff,
): ChangedFile {
  const { path, before, after, movedFrom: from } = record
  const action = actionOf(record, checkpoint)
  const size = content?.bytes.length ?? 0
  const origin = from === undefined ? {} : { from }
  return { path, action, additions, deletions, before, after, size, ...origin }
}

function planFor(
  { type, hunk }: ReviewCommand,
  record: CheckpointFile,
  diff: FileDiff,
  current: string | null,
): Plan {
  switch (type) {
    case 'keep':
      return planKeep(record, diff, hunk)
    case 'undo':
      return planUndo(record, diff, current, hunk)
    case 'redo':
      return planRedo(record, diff, current, hunk)
  }
}

/** Every file as it was when the checkpoint began. Itself a checkpoint: it can be undone. */
function prepareRestore(files: SessionFiles, checkpointId: string): Prepared {
  const tree = files.treeBefore(checkpointId)
  if (tree === null) {
    return {
      refusal: { code: 'no_such_checkpoint', message: `no checkpoint ${checkpointId} here` },
    }
  }
  const paths = new Set([...tree.keys(), ...files.list().map(({ path }) => path)])
  const changes = [...paths].map((path): StoredChange => {
    const { hash, size } = tree.get(path) ?? { hash: null, size: 0 }
    return { path: path as WorkspacePath, hash, size }
  })
  const changed = files.toChangedFiles(null, changes)
  if (changed.length > 0) return { files: changed }
  const message = 'every file is as it was when that checkpoint began'
  return { refusal: { code: 'file_conflict', message } }
}

/** Returns the seq of the last event. */
export function recordFileCommand(
  draft: Draft,
  command: FileCommand,
  { results, files }: FilesAssist,
  by: string,
): number {
  const { checkpointId } = command
  let seq = draft.state.seq
  for (const result of results) {
    seq = draft.add({ type: 'file_change_result', checkpointId, by, ...result })
  }
  if (files.length > 0) seq = recordFiles(draft, { files, by })
  return seq
}

/** A change by a person, as a checkpoint of its own. Returns the seq of the last event. */
export function recordFiles(
  draft: Draft,
  { files, by }: { files: readonly ChangedFile[]; by: string },
): number {
  const checkpointId = toCheckpointId(draft.nextSeq)
  let seq = draft.state.seq
  for (const part of inParts(files)) {
    seq = draft.add({ type: 'files_changed', checkpointId, by, files: part })
  }
  return seq
}

/** As many files as one event may name: it must stay an event, with room for the rest of it. */
export function* inParts(files: readonly ChangedFile[]): Generator<ChangedFile[]> {
  let part: ChangedFile[] = []
  let left = EVENT_BYTES / 2
  for (const file of files) {
    const bytes = utf8Bytes(JSON.stringify(file)) + 1
    if (bytes > left && part.length > 0) {
      yield part
      part = []
      left = EVENT_BYTES / 2
    }
    part.push(file)
    left -= bytes
  }
  if (part.length > 0) yield part
}

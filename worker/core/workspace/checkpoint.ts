// What an agent changed in one run, file by file, and how a person takes it back. Undo cannot lose
// work: it writes only where the file still is what the agent, and undo itself, have left there.

import { applyHunks, type FileDiff } from './diff.ts'

/**
 * Hashes; null: no such file. `after`: what the agent wrote last. `expected`: `before` with every
 * hunk that is not undone, which is what the file is unless somebody else has written it. Hunks are
 * counted in the diff of `before` and `after` and never renumbered.
 */
export type CheckpointFile = {
  path: string
  before: string | null
  after: string | null
  expected: string | null
  undone: readonly number[]
  kept: readonly number[]
  /** Where the agent moved it from, in this checkpoint. */
  movedFrom?: string
}

export type Conflict = { before: string | null; agent: string | null; current: string | null }

type Marks = Pick<CheckpointFile, 'undone' | 'kept'>

/** `left`: hunks that are neither undone nor kept afterwards. */
export type Plan =
  | ({ kind: 'write'; content: Uint8Array | null; left: number } & Marks)
  | ({ kind: 'mark'; left: number } & Marks)
  | { kind: 'nothing'; problem: string }
  | { kind: 'conflict'; conflict: Conflict }

export const expectedContent = (record: Marks, diff: FileDiff): Uint8Array | null =>
  applyHunks(diff, inPlace(record.undone, diff))

/**
 * One hunk, or every hunk that is neither undone nor kept: what a person has kept is taken back only
 * where they name it.
 */
export function planUndo(
  record: CheckpointFile,
  diff: FileDiff,
  current: string | null,
  hunk?: number,
): Plan {
  if (hunk !== undefined && !hasHunk(diff, hunk)) return noSuchHunk(diff)
  const chosen = hunk === undefined ? openHunks(record, diff) : [hunk]
  const fresh = chosen.filter((index) => !record.undone.includes(index))
  if (fresh.length === 0) return nothing('There is nothing here that could be undone.')
  return planWrite(record, diff, current, {
    undone: sorted([...record.undone, ...fresh]),
    kept: record.kept.filter((index) => !fresh.includes(index)),
  })
}

/** Takes an undo back: one hunk, or all that are undone. */
export function planRedo(
  record: CheckpointFile,
  diff: FileDiff,
  current: string | null,
  hunk?: number,
): Plan {
  if (hunk !== undefined && !hasHunk(diff, hunk)) return noSuchHunk(diff)
  const chosen = record.undone.filter((index) => hunk === undefined || index === hunk)
  if (chosen.length === 0) return nothing('There is no undo here that could be taken back.')
  return planWrite(record, diff, current, {
    undone: record.undone.filter((index) => !chosen.includes(index)),
    kept: record.kept,
  })
}

/** Writes nothing, so whatever the file is now is no conflict. */
export function planKeep(record: CheckpointFile, diff: FileDiff, hunk?: number): Plan {
  if (hunk !== undefined && !hasHunk(diff, hunk)) return noSuchHunk(diff)
  const open = openHunks(record, diff)
  const chosen = open.filter((index) => hunk === undefined || index === hunk)
  if (chosen.length === 0) return nothing('There is nothing here that could be kept.')
  const marks = { undone: record.undone, kept: sorted([...record.kept, ...chosen]) }
  return { kind: 'mark', ...marks, left: openHunks(marks, diff).length }
}

/** The record after its plan was carried out; `hash`: of what was written. */
export const applyPlan = (
  record: CheckpointFile,
  plan: Plan & { kind: 'write' | 'mark' },
  hash: string | null,
): CheckpointFile => ({
  ...record,
  undone: plan.undone,
  kept: plan.kept,
  expected: plan.kind === 'write' ? hash : record.expected,
})

export const openHunks = ({ undone, kept }: Marks, { hunks }: FileDiff): number[] =>
  hunks.map(({ index }) => index).filter((i) => !undone.includes(i) && !kept.includes(i))

function planWrite(
  record: CheckpointFile,
  diff: FileDiff,
  current: string | null,
  marks: Marks,
): Plan {
  if (current !== record.expected) {
    const { before, after: agent } = record
    return { kind: 'conflict', conflict: { before, agent, current } }
  }
  const content = expectedContent(marks, diff)
  return { kind: 'write', content, ...marks, left: openHunks(marks, diff).length }
}

const inPlace = (undone: readonly number[], { hunks }: FileDiff): Set<number> =>
  new Set(hunks.map(({ index }) => index).filter((index) => !undone.includes(index)))

const hasHunk = ({ hunks }: FileDiff, hunk: number): boolean =>
  hunks.some(({ index }) => index === hunk)
const nothing = (problem: string): Plan => ({ kind: 'nothing', problem })
const noSuchHunk = ({ hunks }: FileDiff): Plan =>
  nothing(`There is no such change; this file has ${hunks.length}, counted from 0.`)
const sorted = (numbers: readonly number[]): number[] => [...numbers].sort((a, b) => a - b)

/** `overwritten`: what the file was when the agent wrote. */
export type AgentWrite = {
  path: string
  overwritten: string | null
  written: string | null
  movedFrom?: string
}

export type Checkpoint = ReadonlyMap<string, CheckpointFile>

/**
 * The checkpoint with what the agent has written since. What is again as it was at first is no
 * change: created and deleted, moved there and back.
 */
export function mergeWrites(files: Checkpoint, writes: readonly AgentWrite[]): Checkpoint {
  const merged = new Map(files)
  const origins = new Map(writes.map(({ path }) => [path, files.get(path)?.movedFrom]))
  for (const write of writes) {
    const { movedFrom } = write
    const origin = movedFrom === undefined ? undefined : (origins.get(movedFrom) ?? movedFrom)
    const record = mergeWrite(files.get(write.path), write, origin)
    if (record === null) merged.delete(write.path)
    else merged.set(write.path, record)
  }
  return merged
}

function mergeWrite(
  known: CheckpointFile | undefined,
  { path, overwritten, written }: AgentWrite,
  origin: string | undefined,
): CheckpointFile | null {
  // Somebody wrote in between. To go back to before them would take their work with the agent's:
  // what they left is the new before.
  const isContinued = known !== undefined && known.expected === overwritten
  const before = isContinued ? known.before : overwritten
  if (before === written) return null
  const movedFrom = origin ?? (isContinued ? known.movedFrom : undefined)
  return {
    path,
    before,
    after: written,
    expected: written,
    undone: [],
    kept: [],
    ...(movedFrom === undefined || movedFrom === path ? {} : { movedFrom }),
  }
}

export type ChangeAction = 'created' | 'modified' | 'deleted' | 'renamed'

/** A file that was moved is `renamed` for as long as its old place is empty. */
export function actionOf(record: CheckpointFile, files: Checkpoint): ChangeAction {
  if (record.after === null) return 'deleted'
  if (record.before !== null) return 'modified'
  const source = record.movedFrom === undefined ? undefined : files.get(record.movedFrom)
  return source !== undefined && source.after === null ? 'renamed' : 'created'
}

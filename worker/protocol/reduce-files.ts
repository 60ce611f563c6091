// How changes of files change a session: what is to be reviewed, and what an answer has changed.
// The files themselves are not state: they lie beside the log.

import type { EventOf } from './events.ts'
import type { ChangedFile } from './file-events.ts'
import type { ChangeReview, FileReview, SessionState } from './state.ts'
import type { ChangesPart, Response } from './turns.ts'

/** Older ones are found in the log; a review that nobody does must not make every write dearer. */
const REVIEWS = 20
/** Files in all of them: they are part of a row, and a row of SQLite ends at 2 MB. */
const REVIEWED_FILES = 500

export function applyFilesChanged(
  state: SessionState,
  event: EventOf<'files_changed'> & { at: number },
): SessionState {
  // A person's own change is nothing to review.
  if (event.by !== undefined) return noteFiles(state)
  const { checkpointId, files } = event
  const known = state.changes.find((review) => review.checkpointId === checkpointId)
  const merged = mergeFiles(known?.files ?? [], files)
  const isTruncated = known?.truncated === true || merged.length > REVIEWED_FILES
  const review: ChangeReview = {
    checkpointId,
    at: known?.at ?? event.at,
    files: merged.slice(0, REVIEWED_FILES).map(toReview),
    ...(isTruncated ? { truncated: true } : {}),
  }
  const open = state.open === null ? null : putChanges(state.open, checkpointId, files)
  return { ...state, changes: putReview(state.changes, review), open }
}

/** Before its first message a session is taken for an empty one, unless it has files. */
function noteFiles(state: SessionState): SessionState {
  const { session } = state
  if (session.hasFiles === true || session.messages > 0) return state
  return { ...state, session: { ...session, hasFiles: true } }
}

/** What the agent writes again is to be looked at again, whatever was said of it before. */
const toReview = (file: ChangedFile | FileReview): FileReview =>
  'undone' in file ? file : { ...file, undone: [], kept: [] }

/** As the last one; the oldest go where there are too many. */
function putReview(
  changes: readonly ChangeReview[],
  review: ChangeReview,
): readonly ChangeReview[] {
  const others = changes.filter(({ checkpointId }) => checkpointId !== review.checkpointId)
  if (review.files.length === 0) return others
  const kept = [...others, review].slice(-REVIEWS)
  let held = kept.reduce((sum, { files }) => sum + files.length, 0)
  while (held > REVIEWED_FILES) held -= kept.shift()!.files.length
  return kept
}

function putChanges(open: Response, checkpointId: string, files: readonly ChangedFile[]): Response {
  const index = open.parts.findIndex(
    (part) => part.kind === 'changes' && part.checkpointId === checkpointId,
  )
  const held = open.parts[index] as ChangesPart | undefined
  const merged = mergeFiles(held?.files ?? [], files)
  const isTruncated = held?.truncated === true || merged.length > REVIEWED_FILES
  const part: ChangesPart = {
    kind: 'changes',
    checkpointId,
    files: merged.slice(0, REVIEWED_FILES),
    ...(isTruncated ? { truncated: true } : {}),
  }
  if (held === undefined) return { ...open, parts: [...open.parts, part] }
  return { ...open, parts: open.parts.with(index, part) }
}

/** What the agent says last of a file holds for the whole checkpoint. */
function mergeFiles<T extends ChangedFile>(
  known: readonly T[],
  files: readonly ChangedFile[],
): (T | ChangedFile)[] {
  const merged = new Map<string, T | ChangedFile>(known.map((file) => [file.path, file]))
  for (const file of files) merged.set(file.path, file)
  return [...merged.values()].filter(({ before, after }) => before !== after)
}

export function applyFileChangeResult(
  state: SessionState,
  event: EventOf<'file_change_result'> & { at: number },
): SessionState {
  const review = state.changes.find(({ checkpointId }) => checkpointId === event.checkpointId)
  const file = review?.files.find(({ path }) => path === event.path)
  if (review === undefined || file === undefined) return reopen(state, review, event)
  const next = reviewFile(file, event)
  const files = review.files.flatMap((one) => (one === file ? next : [one]))
  const changes = state.changes.flatMap((one) => {
    if (one !== review) return [one]
    return files.length === 0 ? [] : [{ ...review, files }]
  })
  return { ...state, changes }
}

/** None: there is nothing left to say about this file. */
function reviewFile(file: FileReview, event: EventOf<'file_change_result'>): FileReview[] {
  const { ok, conflict, left, undone, kept } = event
  if (!ok) return [conflict === undefined ? file : { ...file, conflict }]
  const { conflict: _conflict, ...rest } = file
  return left === 0 ? [] : [{ ...rest, undone, kept }]
}

/** An undo was taken back of a file that nobody had to look at any more: now somebody has. */
function reopen(
  state: SessionState,
  review: ChangeReview | undefined,
  event: EventOf<'file_change_result'> & { at: number },
): SessionState {
  const { ok, left, file, undone, kept, checkpointId, at } = event
  if (!ok || left === 0 || file === undefined) return state
  const files = [...(review?.files ?? []), { ...file, undone, kept }].slice(0, REVIEWED_FILES)
  const changes = putReview(state.changes, { at, ...review, checkpointId, files })
  return { ...state, changes }
}

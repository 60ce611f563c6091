// Checkpoints and the tree, folded from the events that say what happened to files.

import type { EventOf, SessionEvent } from '#protocol/events'
import type { ChangedFile } from '#protocol/file-events'
import type { CheckpointFile } from '../workspace/checkpoint.ts'
import type { TreeChange } from '../workspace/file-store.ts'
import type { WorkspacePath } from '../workspace/workspace.ts'

export type FileEvent = (EventOf<'files_changed'> | EventOf<'file_change_result'>) & {
  seq: number
  at: number
}

/** What one event changes in its checkpoint: by path, what was done and what people said of it. */
export function applyToCheckpoint(files: Map<string, CheckpointFile>, event: FileEvent): void {
  if (event.type === 'files_changed') for (const file of event.files) putFile(files, file)
  else if (event.ok) mark(files, event)
}

function putFile(files: Map<string, CheckpointFile>, file: ChangedFile): void {
  const { path, before, after, from } = file
  if (before === after) files.delete(path)
  else {
    const origin = from === undefined ? {} : { movedFrom: from }
    files.set(path, { path, before, after, expected: after, undone: [], kept: [], ...origin })
  }
}

function mark(files: Map<string, CheckpointFile>, event: EventOf<'file_change_result'>): void {
  const known = files.get(event.path)
  if (known === undefined) return
  const { undone, kept, hash } = event
  const expected = hash === undefined ? known.expected : hash
  files.set(event.path, { ...known, undone, kept, expected })
}

/** What the events make of the tree, last word per path. */
export function toTreeChanges(events: readonly SessionEvent[]): TreeChange[] {
  const changes = new Map<string, TreeChange>()
  const put = (path: string, hash: string | null, size: number, at: number): void =>
    void changes.set(path, { path: path as WorkspacePath, hash, size, at })
  for (const event of events) {
    if (event.type === 'files_changed') {
      for (const { path, after, size } of event.files) put(path, after, size, event.at)
    } else if (event.type === 'file_change_result' && event.hash !== undefined) {
      put(event.path, event.hash, event.size ?? 0, event.at)
    }
  }
  return [...changes.values()]
}

export type Tree = ReadonlyMap<string, { hash: string; size: number }>

export function toTree(events: readonly FileEvent[]): Tree {
  const tree = new Map<string, { hash: string; size: number }>()
  for (const { path, hash, size } of toTreeChanges(events)) {
    if (hash !== null) tree.set(path, { hash, size })
  }
  return tree
}

/** Whether an event says that this path once had this content. */
export function namesVersion(event: FileEvent, path: string, hash: string): boolean {
  if (event.type === 'files_changed') {
    return event.files.some(
      (file) => file.path === path && (file.before === hash || file.after === hash),
    )
  }
  const { conflict } = event
  const named = [event.hash, conflict?.before, conflict?.agent, conflict?.current]
  return event.path === path && named.includes(hash)
}

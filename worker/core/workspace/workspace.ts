// What a tool knows of the workspace: paths that were checked, whole contents, and one way to
// change them. A change is logged and stored in one transaction, or not at all.

/** As `parsePath` gives it: relative, `/` between names, no `.`, no `..`, NFC. */
export type WorkspacePath = string & { readonly __brand: 'WorkspacePath' }

/** `hash`: SHA-256 of the content in hex; the content itself is stored under it and never changes. */
export type FileEntry = { path: WorkspacePath; hash: string; size: number; modifiedAt: number }

/** `bytes` null: delete. `movedFrom`: for what people are shown; the old path is a change of its own. */
export type FileChange = {
  path: WorkspacePath
  bytes: Uint8Array | null
  movedFrom?: WorkspacePath
  /**
   * The hash that the file must have when it is written, null: none. Calls of one step run at the
   * same time: an edit that was made of an older content would take another one away.
   */
  expected?: string | null
}

export interface Workspace {
  /** Sorted by path (code units). */
  list(): readonly FileEntry[]
  stat(path: WorkspacePath): FileEntry | null
  read(path: WorkspacePath): Promise<Uint8Array | null>
  /**
   * All of them, or none: rejects with a ToolFailure where a limit would be crossed or a file is not
   * what was expected, and with the run's own reason where the run is over. Changes that change nothing are left out.
   */
  apply(changes: readonly FileChange[]): Promise<void>
}

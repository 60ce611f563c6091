// Whether changes may be made, asked of what there would be after all of them. Pure, so that a
// change is refused as a whole before anything of it is written.

import { WORKSPACE_BYTES, WORKSPACE_FILE_BYTES, WORKSPACE_FILES } from '#protocol/limits'
import { describeClash, PathIndex } from './path-index.ts'
import { parsePath } from './path.ts'
import type { WorkspacePath } from './workspace.ts'

/** `size` null: deleted. */
export type SizeChange = { path: WorkspacePath; size: number | null }
type Held = { path: WorkspacePath; size: number }

/** In words what is wrong; null where nothing is. */
export function checkChanges(
  files: readonly Held[],
  changes: readonly SizeChange[],
): string | null {
  return checkPaths(changes) ?? checkLimits(files, changes) ?? checkClashes(files, changes)
}

/** Whoever wrote it: a file at a path that cannot be asked for could be neither read nor deleted. */
export function checkPaths(changes: readonly SizeChange[]): string | null {
  for (const { path, size } of changes) {
    if (size === null) continue
    const parsed = parsePath(path)
    if (!parsed.ok) return parsed.problem
    if (parsed.path !== path) return `${path} is not how that path is written.`
  }
  return null
}

/** What shrinks a workspace is allowed in one that is too large. */
export function checkLimits(files: readonly Held[], changes: readonly SizeChange[]): string | null {
  const sizes = new Map(files.map(({ path, size }) => [path, size]))
  const before = totalsOf(sizes)
  for (const { path, size } of changes) {
    if (size === null) {
      sizes.delete(path)
      continue
    }
    if (size > WORKSPACE_FILE_BYTES) {
      return `${path} would have ${size} bytes; a file can have ${toMib(WORKSPACE_FILE_BYTES)}.`
    }
    sizes.set(path, size)
  }
  const after = totalsOf(sizes)
  if (after.files > WORKSPACE_FILES && after.files > before.files) {
    return `The workspace would have ${after.files} files; it can have ${WORKSPACE_FILES}.`
  }
  if (after.bytes > WORKSPACE_BYTES && after.bytes > before.bytes) {
    return `The workspace would have ${toMib(after.bytes)}; it can have ${toMib(WORKSPACE_BYTES)}.`
  }
  return null
}

export function checkClashes(
  files: readonly { path: WorkspacePath }[],
  changes: readonly SizeChange[],
): string | null {
  const deleted = new Set(changes.filter(({ size }) => size === null).map(({ path }) => path))
  const index = new PathIndex(files.map(({ path }) => path).filter((path) => !deleted.has(path)))
  for (const { path, size } of changes) {
    if (size === null) continue
    const clash = index.clash(path)
    if (clash !== null) return describeClash(path, clash)
    index.add(path)
  }
  return null
}

function totalsOf(sizes: ReadonlyMap<string, number>): { files: number; bytes: number } {
  let bytes = 0
  for (const size of sizes.values()) bytes += size
  return { files: sizes.size, bytes }
}

const toMib = (bytes: number): string => `${Math.ceil(bytes / 1024 / 1024)} MiB`

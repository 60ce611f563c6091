// A workspace that is kept in memory, with the rules of a real one.

import { ToolFailure } from '../../core/tools/tool.ts'
import { checkChanges } from '../../core/workspace/check-changes.ts'
import { isSameContent } from '../../core/workspace/diff.ts'
import { hashOf } from '../../core/workspace/file-store.ts'
import { toBytes, toText } from '../../core/workspace/lines.ts'
import { parsePath } from '../../core/workspace/path.ts'
import type {
  FileChange,
  FileEntry,
  Workspace,
  WorkspacePath,
} from '../../core/workspace/workspace.ts'

const EMPTY = new Uint8Array()

export function pathOf(raw: string): WorkspacePath {
  const parsed = parsePath(raw)
  if (!parsed.ok) throw new Error(parsed.problem)
  return parsed.path
}

export class MemoryWorkspace implements Workspace {
  /** What was applied, without what changed nothing. */
  readonly applied: FileChange[][] = []
  private readonly files = new Map<WorkspacePath, { entry: FileEntry; bytes: Uint8Array }>()

  static async of(files: Record<string, string | Uint8Array>): Promise<MemoryWorkspace> {
    const workspace = new MemoryWorkspace()
    await workspace.apply(
      Object.entries(files).map(([path, content]) => ({
        path: pathOf(path),
        bytes: typeof content === 'string' ? toBytes(content) : content,
      })),
    )
    workspace.applied.length = 0
    return workspace
  }

  list(): readonly FileEntry[] {
    const entries = [...this.files.values()].map(({ entry }) => entry)
    return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  stat(path: WorkspacePath): FileEntry | null {
    return this.files.get(path)?.entry ?? null
  }

  read(path: WorkspacePath): Promise<Uint8Array | null> {
    return Promise.resolve(this.files.get(path)?.bytes.slice() ?? null)
  }

  /** For assertions: null where there is no such file, or no text in it. */
  text(path: string): string | null {
    const held = this.files.get(pathOf(path))
    return held === undefined ? null : toText(held.bytes)
  }

  async apply(changes: readonly FileChange[]): Promise<void> {
    const hashes = await Promise.all(changes.map(({ bytes }) => hashOf((bytes ?? EMPTY).slice())))
    // From here on nothing waits: what was checked is what is changed.
    const sizes = changes.map(({ path, bytes }) => ({ path, size: bytes?.length ?? null }))
    const problem = checkChanges(this.list(), sizes)
    if (problem !== null) throw new ToolFailure(problem)
    for (const { path, expected } of changes) {
      if (expected === undefined || expected === (this.stat(path)?.hash ?? null)) continue
      throw new ToolFailure(`${path} was changed by somebody else in the meantime.`)
    }
    const real: FileChange[] = []
    for (const [index, change] of changes.entries()) {
      const { path, bytes } = change
      if (isSameContent(this.files.get(path)?.bytes ?? null, bytes)) continue
      real.push(change)
      if (bytes === null) this.files.delete(path)
      else {
        const entry = { path, hash: hashes[index]!, size: bytes.length, modifiedAt: 0 }
        this.files.set(path, { entry, bytes: bytes.slice() })
      }
    }
    if (real.length > 0) this.applied.push(real)
  }
}

// The files as one command sees them: the workspace at /workspace, a /tmp that nobody keeps, and
// as much of a system around them as programs ask for. There are no links, so no way leads out.

import { WORKSPACE_FILE_BYTES, WORKSPACE_FILES } from '#protocol/limits'
import { shorten } from '#protocol/text'
import { parsePath, WORKSPACE_ROOT } from './path.ts'
import type { FileEntry, WorkspacePath } from './workspace.ts'

/** `stored`: as it is in the workspace. `held`: written by this command. */
export type FileData =
  | { state: 'stored'; size: number }
  | { state: 'held'; chunks: Uint8Array[]; size: number }

/**
 * `origin`: its path in the workspace when the command began; kept when it is moved. `seen`: the
 * hash of what the command read of it there, since what it writes may be made of that.
 */
export type FileNode = {
  kind: 'file'
  id: number
  name: string
  origin: WorkspacePath | null
  seen: string | null
  data: FileData
  mode: number
  modifiedAt: number
}
/** By the spelling that ignores case: two names that differ only in it cannot be stored. */
export type FolderNode = {
  kind: 'folder'
  id: number
  name: string
  children: Map<string, TreeNode>
  mode: number
  modifiedAt: number
}
export type TreeNode = FileNode | FolderNode

/** Bytes that a command can hold in files it wrote: an object has 128 MiB for everything. */
export const SHELL_HELD_BYTES = 24 * 1024 * 1024
const FOLDERS = 2000
const SHOWN_CHARS = 200

const toKey = (name: string): string => name.toLowerCase().normalize('NFC')

export function toFault(code: string, words: string, path: string): Error {
  return new Error(`${code}: ${words}, '${shorten(path, SHOWN_CHARS)}'`)
}

/** Absolute, without `.` and `..`; what leads above the root stays at the root. */
export function toNames(path: string): string[] {
  const names: string[] = []
  for (const name of path.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..') names.pop()
    else names.push(name)
  }
  return names
}

export class ShellTree {
  readonly root: FolderNode
  private ids = 0
  private files = 0
  private folders = 0
  private held = 0
  private readonly now: () => number

  constructor(entries: readonly FileEntry[], commands: readonly string[], now: () => number) {
    this.now = now
    this.root = this.newFolder('')
    for (const { path, size, modifiedAt } of entries) {
      const names = [...toNames(WORKSPACE_ROOT), ...path.split('/')]
      const data = { state: 'stored', size } as const
      this.put(names, { origin: path, seen: null, data, mode: 0o644, modifiedAt })
    }
    for (const folder of [WORKSPACE_ROOT, '/tmp', '/dev/fd']) this.makeFolders(toNames(folder))
    for (const command of commands) {
      this.putText(['bin', command], '', 0o755)
      this.putText(['usr', 'bin', command], '', 0o755)
    }
    for (const device of ['null', 'zero', 'stdin', 'stdout', 'stderr']) {
      this.putText(['dev', device], '', 0o666)
    }
  }

  find(path: string): TreeNode | null {
    let node: TreeNode = this.root
    for (const name of toNames(path)) {
      if (node.kind !== 'folder') return null
      const next: TreeNode | undefined = node.children.get(toKey(name))
      if (next === undefined || next.name !== name) return null
      node = next
    }
    return node
  }

  /** The folder that `path` is in, and its name there; throws where nothing may be changed. */
  place(path: string): { parent: FolderNode; name: string } {
    const names = toNames(path)
    checkPlace(names, path)
    const name = names.pop()!
    const parent = this.find(`/${names.join('/')}`)
    if (parent === null) throw toFault('ENOENT', 'no such file or directory', path)
    if (parent.kind !== 'folder') throw toFault('ENOTDIR', 'not a directory', path)
    const held = parent.children.get(toKey(name))
    if (held !== undefined && held.name !== name) {
      throw toFault('EEXIST', `differs only in upper and lower case from ${held.name}`, path)
    }
    return { parent, name }
  }

  addFile(path: string): FileNode {
    const { parent, name } = this.place(path)
    if (this.files >= WORKSPACE_FILES) {
      throw toFault('ENOSPC', `no more than ${WORKSPACE_FILES} files`, path)
    }
    const data: FileData = { state: 'held', chunks: [], size: 0 }
    const node: FileNode = {
      kind: 'file',
      id: ++this.ids,
      name,
      origin: null,
      seen: null,
      data,
      mode: 0o644,
      modifiedAt: this.now(),
    }
    parent.children.set(toKey(name), node)
    this.files++
    return node
  }

  addFolder(path: string): FolderNode {
    const { parent, name } = this.place(path)
    if (this.folders >= FOLDERS) throw toFault('ENOSPC', `no more than ${FOLDERS} folders`, path)
    const node = this.newFolder(name)
    parent.children.set(toKey(name), node)
    return node
  }

  /** Puts a node that was taken from elsewhere; what is in it was checked to fit there. */
  attach(path: string, node: TreeNode): void {
    const { parent, name } = this.place(path)
    node.name = name
    parent.children.set(toKey(name), node)
  }

  /** Takes it out of its folder, with what it holds: it can be attached elsewhere. */
  detach(path: string): void {
    const { parent, name } = this.place(path)
    parent.children.delete(toKey(name))
  }

  /** For good: its bytes and files count no more. */
  discard(node: TreeNode): void {
    if (node.kind === 'folder') {
      this.folders--
      for (const child of node.children.values()) this.discard(child)
      return
    }
    this.files--
    if (node.data.state === 'held') this.held -= node.data.size
  }

  /** Replaces the content; `chunks` are never changed by anyone. */
  hold(node: FileNode, chunks: Uint8Array[], path: string): void {
    const size = chunks.reduce((sum, chunk) => sum + chunk.length, 0)
    const before = node.data.state === 'held' ? node.data.size : 0
    if (size > WORKSPACE_FILE_BYTES) {
      throw toFault('EFBIG', `a file can have ${WORKSPACE_FILE_BYTES} bytes`, path)
    }
    if (this.held - before + size > SHELL_HELD_BYTES) {
      throw toFault('ENOSPC', `one command can write ${SHELL_HELD_BYTES} bytes`, path)
    }
    this.held += size - before
    node.data = { state: 'held', chunks, size }
    node.modifiedAt = this.now()
  }

  /** Of every file in the workspace, by its path there. */
  workspaceFiles(): Map<string, FileNode> {
    const found = new Map<string, FileNode>()
    const walk = (folder: FolderNode, prefix: string): void => {
      for (const node of folder.children.values()) {
        if (node.kind === 'file') found.set(`${prefix}${node.name}`, node)
        else walk(node, `${prefix}${node.name}/`)
      }
    }
    const top = this.find(WORKSPACE_ROOT)
    if (top?.kind === 'folder') walk(top, '')
    return found
  }

  paths(): string[] {
    return pathsIn(this.root, '')
  }

  private newFolder(name: string): FolderNode {
    this.folders++
    const children = new Map<string, TreeNode>()
    return { kind: 'folder', id: ++this.ids, name, children, mode: 0o755, modifiedAt: this.now() }
  }

  private makeFolders(names: readonly string[]): FolderNode {
    let folder = this.root
    for (const name of names) {
      const held = folder.children.get(toKey(name))
      const next = held?.kind === 'folder' ? held : this.newFolder(name)
      folder.children.set(toKey(name), next)
      folder = next
    }
    return folder
  }

  private put(names: readonly string[], file: Omit<FileNode, 'kind' | 'id' | 'name'>): void {
    const name = names.at(-1)!
    const folder = this.makeFolders(names.slice(0, -1))
    folder.children.set(toKey(name), { kind: 'file', id: ++this.ids, name, ...file })
    if (file.origin !== null) this.files++
  }

  private putText(names: readonly string[], text: string, mode: number): void {
    const bytes = new TextEncoder().encode(text)
    const data: FileData = { state: 'held', chunks: [bytes], size: bytes.length }
    this.put(names, { origin: null, seen: null, data, mode, modifiedAt: this.now() })
  }
}

/** Of all that is in a folder, if it is at `prefix`. */
export function pathsIn(folder: FolderNode, prefix: string): string[] {
  const found: string[] = []
  const walk = (inner: FolderNode, place: string): void => {
    for (const node of inner.children.values()) {
      const path = `${place}/${node.name}`
      found.push(path)
      if (node.kind === 'folder') walk(node, path)
    }
  }
  walk(folder, prefix)
  return found
}

/** What may be made, changed or removed: what is in the workspace or /tmp, not these themselves. */
export function checkPlace(names: readonly string[], path: string): void {
  const [top, second] = names
  const isInside = names.length > 1 && (top === 'workspace' || top === 'tmp')
  const isDescriptor = names.length === 3 && top === 'dev' && second === 'fd'
  if (!isInside && !isDescriptor) throw toFault('EROFS', 'read-only file system', path)
  // The rules of the workspace hold in /tmp too: from there a file is moved into it.
  const parsed = parsePath(names.slice(1).join('/'))
  if (!parsed.ok) throw toFault('EINVAL', parsed.problem.replace(/\.$/, ''), path)
}

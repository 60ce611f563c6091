// The file system of one shell command. Contents are read when they are asked for; what is written
// stays here until the command is over and then becomes one change of the workspace.
//
// The workspace stores files: a folder without one exists only while the command runs.

import type { FileContent, FsStat, IFileSystem } from 'just-bash'
import { ToolFailure } from '../tools/tool.ts'
import { isSameContent } from './diff.ts'
import type { ShellBudget } from './shell-budget.ts'
import { decode, joinChunks, toContent, toLongestLine, type Encoding } from './shell-bytes.ts'
import { checkFits, checkOutside, checkReplaceable, checkStorable } from './shell-checks.ts'
import {
  SHELL_HELD_BYTES,
  ShellTree,
  toFault,
  toNames,
  type FileNode,
  type TreeNode,
} from './shell-tree.ts'
import type { FileChange, FileEntry, Workspace, WorkspacePath } from './workspace.ts'

const NOT_FOUND = 'no such file or directory'
/** What it costs to look at one path that moves with its folder. */
const PATH_UNITS = 16
const NO_LINKS = 'links are not supported, use cp'
/** Written to and never kept. */
const SINKS: ReadonlySet<string> = new Set(['dev/null', 'dev/stdout', 'dev/stderr', 'dev/zero'])

export type ShellFilesOptions = {
  workspace: Workspace
  budget: ShellBudget
  commands: readonly string[]
  now: () => number
}

export class ShellFiles implements IFileSystem {
  private readonly workspace: Workspace
  private readonly budget: ShellBudget
  private readonly entries: readonly FileEntry[]
  private readonly tree: ShellTree

  constructor({ workspace, budget, commands, now }: ShellFilesOptions) {
    this.workspace = workspace
    this.budget = budget
    this.entries = workspace.list()
    this.tree = new ShellTree(this.entries, commands, now)
  }

  /** What the command did to the workspace, as one change. */
  async changes(): Promise<FileChange[]> {
    const after = this.tree.workspaceFiles()
    const before = new Map(this.entries.map((entry) => [entry.path, entry]))
    const changes: FileChange[] = []
    const movedHashes = new Map<WorkspacePath, string>()
    let bytesLeft = SHELL_HELD_BYTES
    for (const [key, node] of after) {
      const path = key as WorkspacePath
      if (node.data.state === 'stored' && node.origin === path) continue
      checkStorable(path)
      const isMoved = node.origin !== null && node.origin !== path && !after.has(node.origin)
      const bytes = await this.load(node, node.origin ?? path)
      bytesLeft -= bytes.length
      if (bytesLeft < 0) {
        const limit = `${SHELL_HELD_BYTES / 1024 / 1024} MiB`
        throw new ToolFailure(`One command can change or move ${limit}. Nothing was changed.`)
      }
      const { seen } = node
      if (isMoved && seen !== null) movedHashes.set(node.origin!, seen)
      if (before.get(path)?.size === bytes.length) {
        if (isSameContent(await this.workspace.read(path), bytes)) continue
      }
      changes.push({
        path,
        bytes,
        ...(isMoved && { movedFrom: node.origin! }),
        // What was made of a content must not replace a newer one; a plain overwrite may.
        ...(seen !== null && node.origin === path && { expected: seen }),
      })
    }
    for (const path of before.keys()) {
      if (after.has(path)) continue
      const expected = movedHashes.get(path)
      changes.push({ path, bytes: null, ...(expected !== undefined && { expected }) })
    }
    return changes.sort((a, b) => (a.path < b.path ? -1 : 1))
  }

  async readFile(path: string, options?: Encoding): Promise<string> {
    const bytes = await this.readFileBuffer(path)
    return decode(bytes, options)
  }

  async readFileBuffer(path: string): Promise<Uint8Array> {
    const node = this.fileAt(path)
    const bytes = await this.load(node, path)
    const units = this.budget.unitsOf(bytes.length, toLongestLine(bytes))
    if (this.budget.isTooMuch(units)) {
      // The program goes on with its next file.
      this.budget.notes.add(`${path}: too large for this program, use search_files or read_file`)
      throw toFault('EFBIG', 'too large for this program', path)
    }
    await this.budget.spend(units)
    return bytes.slice()
  }

  async writeFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const bytes = toContent(content, options)
    await this.budget.spend(bytes.length / 8)
    if (isSink(path)) return
    await this.orEnd(async () => this.tree.hold(this.fileFor(path), [bytes], path))
  }

  async appendFile(path: string, content: FileContent, options?: Encoding): Promise<void> {
    const bytes = toContent(content, options)
    await this.budget.spend(bytes.length / 8)
    if (isSink(path)) return
    await this.orEnd(async () => {
      const node = this.fileFor(path)
      const { data } = node
      const held = data.state === 'held' ? data.chunks : [await this.load(node, path)]
      this.tree.hold(node, [...held, bytes], path)
    })
  }

  async exists(path: string): Promise<boolean> {
    await this.budget.spend()
    return this.find(path) !== null
  }

  async stat(path: string): Promise<FsStat> {
    await this.budget.spend()
    const node = this.find(path)
    if (node === null) throw toFault('ENOENT', NOT_FOUND, path)
    return {
      isFile: node.kind === 'file',
      isDirectory: node.kind === 'folder',
      isSymbolicLink: false,
      mode: node.mode,
      size: node.kind === 'file' ? node.data.size : 0,
      mtime: new Date(node.modifiedAt),
      dev: 1,
      ino: node.id,
    }
  }

  lstat(path: string): Promise<FsStat> {
    return this.stat(path)
  }

  async mkdir(path: string, options?: { recursive?: boolean }): Promise<void> {
    await this.budget.spend()
    const names = toNames(path)
    const isRecursive = options?.recursive === true
    if (isRecursive) this.makeFolders(names.slice(0, -1))
    const node = this.find(path)
    if (node?.kind === 'folder' && isRecursive) return
    if (node !== null) throw toFault('EEXIST', 'file already exists', path)
    this.tree.addFolder(path)
  }

  async readdir(path: string): Promise<string[]> {
    return (await this.readdirWithFileTypes(path)).map(({ name }) => name)
  }

  async readdirWithFileTypes(path: string) {
    await this.budget.spend()
    const node = this.find(path)
    if (node === null) throw toFault('ENOENT', NOT_FOUND, path)
    if (node.kind !== 'folder') throw toFault('ENOTDIR', 'not a directory', path)
    return [...node.children.values()]
      .map(({ name, kind }) => ({
        name,
        isFile: kind === 'file',
        isDirectory: kind === 'folder',
        isSymbolicLink: false,
      }))
      .sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  async rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void> {
    await this.budget.spend()
    const node = this.find(path)
    if (node === null) {
      if (options?.force === true) return
      throw toFault('ENOENT', NOT_FOUND, path)
    }
    if (node.kind === 'folder' && node.children.size > 0 && options?.recursive !== true) {
      throw toFault('ENOTEMPTY', 'directory not empty', path)
    }
    this.tree.detach(path)
    this.tree.discard(node)
  }

  async cp(from: string, to: string, options?: { recursive?: boolean }): Promise<void> {
    await this.budget.spend()
    const node = this.find(from)
    if (node === null) throw toFault('ENOENT', NOT_FOUND, from)
    if (node.kind === 'file') {
      const bytes = await this.load(node, from)
      return this.tree.hold(this.fileFor(to), [bytes], to)
    }
    if (options?.recursive !== true) throw toFault('EISDIR', 'is a directory', from)
    checkOutside(from, to)
    const target = this.find(to)
    if (target?.kind === 'file') throw toFault('ENOTDIR', 'not a directory', to)
    if (target === null) this.tree.addFolder(to)
    for (const name of [...node.children.values()].map((child) => child.name)) {
      await this.cp(`${from}/${name}`, `${to}/${name}`, options)
    }
  }

  async mv(from: string, to: string): Promise<void> {
    await this.budget.spend()
    const node = this.find(from)
    if (node === null) throw toFault('ENOENT', NOT_FOUND, from)
    if (toNames(from).join('/') === toNames(to).join('/')) return
    if (node.kind === 'folder') {
      checkOutside(from, to)
      await this.budget.spend(checkFits(node, to) * PATH_UNITS)
    }
    const target = this.find(to)
    if (target !== null) checkReplaceable(node, target, to)
    this.tree.detach(from)
    try {
      this.tree.attach(to, node)
    } catch (error) {
      this.tree.attach(from, node)
      throw error
    }
    if (target !== null) this.tree.discard(target)
  }

  resolvePath(base: string, path: string): string {
    return `/${toNames(path.startsWith('/') ? path : `${base}/${path}`).join('/')}`
  }

  getAllPaths(): string[] {
    return this.tree.paths()
  }

  /** Kept while the command runs, so that a script it wrote can be started. */
  async chmod(path: string, mode: number): Promise<void> {
    await this.budget.spend()
    this.changeable(path).mode = mode & 0o777
  }

  async utimes(path: string, _accessed: Date, modified: Date): Promise<void> {
    await this.budget.spend()
    this.changeable(path).modifiedAt = modified.getTime()
  }

  symlink(_target: string, path: string): Promise<void> {
    return Promise.reject(toFault('ENOTSUP', NO_LINKS, path))
  }

  link(_existing: string, path: string): Promise<void> {
    return Promise.reject(toFault('ENOTSUP', NO_LINKS, path))
  }

  readlink(path: string): Promise<string> {
    return Promise.reject(toFault('EINVAL', 'not a symbolic link', path))
  }

  async realpath(path: string): Promise<string> {
    await this.budget.spend()
    if (this.find(path) === null) throw toFault('ENOENT', NOT_FOUND, path)
    return `/${toNames(path).join('/')}`
  }

  /**
   * The shell does not catch what a redirection of its own throws, and all output would be lost
   * with it: it ends the command instead. A program says what is wrong and goes on.
   */
  private async orEnd(write: () => Promise<void>): Promise<void> {
    try {
      await write()
    } catch (error) {
      if (this.budget.depth > 0) throw error
      this.budget.end(error instanceof Error ? error.message : 'write error', 1)
    }
  }

  private find(path: string): TreeNode | null {
    return this.tree.find(path)
  }

  private makeFolders(names: readonly string[]): void {
    for (let depth = 1; depth <= names.length; depth++) {
      const path = `/${names.slice(0, depth).join('/')}`
      if (this.find(path) === null) this.tree.addFolder(path)
    }
  }

  private fileAt(path: string): FileNode {
    const node = this.find(path)
    if (node === null) throw toFault('ENOENT', NOT_FOUND, path)
    if (node.kind === 'folder') throw toFault('EISDIR', 'illegal operation on a directory', path)
    return node
  }

  /** The file to write to; it is made where there is none, and folders come with it. */
  private fileFor(path: string): FileNode {
    const node = this.find(path)
    if (node === null) {
      this.makeFolders(toNames(path).slice(0, -1))
      return this.tree.addFile(path)
    }
    this.tree.place(path)
    return this.fileAt(path)
  }

  private changeable(path: string): TreeNode {
    const node = this.find(path)
    if (node === null) throw toFault('ENOENT', NOT_FOUND, path)
    this.tree.place(path)
    return node
  }

  private async load(node: FileNode, path: string): Promise<Uint8Array> {
    const { data, origin } = node
    if (data.state === 'stored') {
      const stored = origin === null ? null : this.workspace.stat(origin)
      const bytes = origin === null ? null : await this.workspace.read(origin)
      if (stored === null || bytes === null) throw toFault('ENOENT', NOT_FOUND, path)
      // The first counts: what it writes may be made of that one.
      node.seen ??= stored.hash
      return bytes
    }
    if (data.chunks.length !== 1) data.chunks = [joinChunks(data.chunks, data.size)]
    return data.chunks[0]!
  }
}

const isSink = (path: string): boolean => SINKS.has(toNames(path).join('/'))

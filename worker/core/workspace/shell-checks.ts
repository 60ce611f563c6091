// What a command may not do with its files, in the words that its programs say it with.

import { ToolFailure } from '../tools/tool.ts'
import { parsePath } from './path.ts'
import {
  checkPlace,
  pathsIn,
  toFault,
  toNames,
  type FolderNode,
  type TreeNode,
} from './shell-tree.ts'

/** Whatever way led to it: a path that no other door takes would lock its file in. */
export function checkStorable(path: string): void {
  const parsed = parsePath(path)
  if (parsed.ok && parsed.path === path) return
  const why = parsed.ok ? `The path would be ${path}.` : parsed.problem
  throw new ToolFailure(`${why} Nothing was changed.`)
}

export function checkOutside(from: string, to: string): void {
  const inside = `${toNames(from).join('/')}/`
  if (`${toNames(to).join('/')}/`.startsWith(inside)) {
    throw toFault('EINVAL', 'cannot go into itself', to)
  }
}

export function checkReplaceable(node: TreeNode, target: TreeNode, to: string): void {
  if (target.kind === 'file' && node.kind === 'folder') {
    throw toFault('ENOTDIR', 'not a directory', to)
  }
  if (target.kind === 'folder' && node.kind === 'file')
    throw toFault('EISDIR', 'is a directory', to)
  if (target.kind === 'folder' && target.children.size > 0) {
    throw toFault('ENOTEMPTY', 'directory not empty', to)
  }
}

/** What is in a folder moves with it, and has to have a path where it goes. Returns how much that is. */
export function checkFits(folder: FolderNode, to: string): number {
  const paths = pathsIn(folder, `/${toNames(to).join('/')}`)
  for (const path of paths) checkPlace(toNames(path), path)
  return paths.length
}

// A list of paths as folders and files, in the order in which people read them. Pure.

export type TreeFile = { kind: 'file'; path: string; name: string; size: number }
export type TreeFolder = {
  kind: 'folder'
  path: string
  name: string
  /** Of everything in it. */
  size: number
  files: number
  children: readonly TreeNode[]
}
export type TreeNode = TreeFile | TreeFolder

type Entry = { path: string; size: number }
type Building = { path: string; folders: Map<string, Building>; files: TreeFile[] }

export function toTree(entries: readonly Entry[]): readonly TreeNode[] {
  const root: Building = { path: '', folders: new Map(), files: [] }
  for (const { path, size } of entries) {
    const names = path.split('/')
    const name = names.pop() ?? path
    folderOf(root, names).files.push({ kind: 'file', path, name, size })
  }
  return toNodes(root)
}

function folderOf(root: Building, names: readonly string[]): Building {
  let folder = root
  for (const name of names) {
    const path = folder.path === '' ? name : `${folder.path}/${name}`
    const next = folder.folders.get(name) ?? { path, folders: new Map(), files: [] }
    folder.folders.set(name, next)
    folder = next
  }
  return folder
}

function toNodes({ folders, files }: Building): TreeNode[] {
  const inner = [...folders].map(([name, folder]): TreeFolder => {
    const children = toNodes(folder)
    const size = children.reduce((sum, child) => sum + child.size, 0)
    const count = children.reduce(
      (sum, child) => sum + (child.kind === 'file' ? 1 : child.files),
      0,
    )
    return { kind: 'folder', path: folder.path, name, size, files: count, children }
  })
  return [...inner.toSorted(byName), ...files.toSorted(byName)]
}

const names = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
const byName = (a: { name: string }, b: { name: string }): number => names.compare(a.name, b.name)

/** What is on the screen: the children of a closed folder are not. */
export type TreeRow = { node: TreeNode; depth: number }

export function toTreeRows(nodes: readonly TreeNode[], closed: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = []
  const walk = (level: readonly TreeNode[], depth: number): void => {
    for (const node of level) {
      rows.push({ node, depth })
      if (node.kind === 'folder' && !closed.has(node.path)) walk(node.children, depth + 1)
    }
  }
  walk(nodes, 0)
  return rows
}

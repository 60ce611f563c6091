import { describe, expect, test } from 'vitest'
import { toTree, toTreeRows } from './tree.ts'

const ENTRIES = [
  { path: 'src/main.ts', size: 10 },
  { path: 'README.md', size: 5 },
  { path: 'src/lib/b10.ts', size: 1 },
  { path: 'src/lib/b9.ts', size: 2 },
  { path: 'a.txt', size: 3 },
]

const read = (closed: readonly string[] = []): string[] =>
  toTreeRows(toTree(ENTRIES), new Set(closed)).map(
    ({ node, depth }) => `${'  '.repeat(depth)}${node.name}${node.kind === 'folder' ? '/' : ''}`,
  )

describe('the tree of files', () => {
  test('[FILE1] folders come first, then files, each in the order people count in', () => {
    expect(read()).toEqual([
      'src/',
      '  lib/',
      '    b9.ts',
      '    b10.ts',
      '  main.ts',
      'a.txt',
      'README.md',
    ])
  })

  test('[FILE1] a closed folder shows nothing of what is in it', () => {
    expect(read(['src/lib'])).toEqual(['src/', '  lib/', '  main.ts', 'a.txt', 'README.md'])
    expect(read(['src'])).toEqual(['src/', 'a.txt', 'README.md'])
  })

  test('[FILE1] a folder has the size and number of everything in it', () => {
    expect(toTree(ENTRIES)[0]).toMatchObject({ path: 'src', size: 13, files: 3 })
  })

  test('[FILE1] names that objects have of themselves are ordinary names', () => {
    const [folder] = toTree([{ path: 'constructor/toString', size: 1 }])
    expect(folder).toMatchObject({ kind: 'folder', name: 'constructor', files: 1 })
  })
})

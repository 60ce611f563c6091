import { beforeAll, describe, expect, test } from 'vitest'
import { MemoryWorkspace } from '../../testing/node/memory-workspace.ts'
import { parsePath } from '../workspace/path.ts'
import type { FileChange, WorkspacePath } from '../workspace/workspace.ts'
import { bashTool } from './bash.ts'
import { loadShell } from '../workspace/shell.ts'

// A busy machine takes longer to load it than a command may take.
beforeAll(loadShell)

const deep = (name: string): string => Array.from({ length: 20 }, () => name).join('/')
const isTaken = (path: string): boolean => parsePath(path).ok

const run = (workspace: MemoryWorkspace, command: string): Promise<string> =>
  bashTool.run(
    { command },
    { signal: new AbortController().signal, output: () => {}, now: () => 0, workspace },
  )

describe('[FILE1] [SAF2] a command never leaves a file at a path that nothing else takes', () => {
  test('a folder is not moved where what is in it would be too deep', async () => {
    const workspace = await MemoryWorkspace.of({})
    const answer = await run(
      workspace,
      `mkdir -p ${deep('d')} ${deep('e')}; echo x > ${deep('d')}/f; mv d ${deep('e')}/; echo $?`,
    )
    expect(answer).toContain('more than 32 folders deep')
    expect(answer).toContain('stdout:\n1')
    expect(workspace.list().map(({ path }) => path)).toEqual([`${deep('d')}/f`])
  })

  test('nor too long, however often it is renamed, and by way of /tmp', async () => {
    const workspace = await MemoryWorkspace.of({ 'a/f': 'x' })
    const long = 'x'.repeat(200)
    const answer = await run(
      workspace,
      `now=a; for i in 1 2 3 4 5 6; do mkdir ${long}$i; mv $now ${long}$i/ && now=${long}$i; done; ` +
        `mkdir -p /tmp/${long}/b; mv $now /tmp/${long}/b/; mv /tmp/${long} /workspace/c`,
    )
    expect(answer).toContain('is longer than 512 bytes')
    const paths = workspace.list().map(({ path }) => path)
    expect(paths).toHaveLength(1)
    expect(paths.every(isTaken)).toBe(true)
  })

  test('what lies at such a path already can be moved out and deleted', async () => {
    const lost = `${deep('d')}/${deep('e')}/f` as WorkspacePath
    const bytes = new TextEncoder().encode('x')
    const held = await MemoryWorkspace.of({})
    const entry = { path: lost, hash: 'h', size: 1, modifiedAt: 0 }
    const applied: FileChange[] = []
    const workspace = Object.assign(held, {
      list: () => [entry],
      stat: (path: string) => (path === lost ? entry : null),
      read: (path: string) => Promise.resolve(path === lost ? bytes : null),
      apply: (changes: readonly FileChange[]) => Promise.resolve(void applied.push(...changes)),
    })
    expect(await run(workspace, `cd ${deep('d')}; mv e /workspace/e`)).toContain('exit code 0')
    expect(applied).toMatchObject([
      { path: lost, bytes: null },
      { path: `${deep('e')}/f`, bytes, movedFrom: lost },
    ])
    applied.length = 0
    expect(await run(workspace, 'rm -r d')).toContain(`deleted ${lost}`)
    applied.length = 0
    // Not where it stays: that would be another version that nobody can ask for.
    const answer = await run(workspace, 'sed -i s/x/y/ $(find . -name f)')
    expect(answer).toContain('no files changed')
    expect(applied).toEqual([])
  })

  test('nor two names that differ only in case, by way of a folder that moves', async () => {
    const workspace = await MemoryWorkspace.of({ 'a/f': '1', 'b/A/F': '2' })
    expect(await run(workspace, 'mv b/A A')).toContain('differs only in upper and lower case')
    expect(workspace.list().map(({ path }) => path)).toEqual(['a/f', 'b/A/F'])
  })
})

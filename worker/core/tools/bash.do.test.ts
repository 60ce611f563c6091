import { expect, test } from 'vitest'
import type { FileChange, FileEntry, Workspace, WorkspacePath } from '../workspace/workspace.ts'
import { bashTool } from './bash.ts'

/** As small as it can be: what the shell does in workerd is asked here, not what a workspace does. */
class Files implements Workspace {
  readonly held = new Map<WorkspacePath, Uint8Array>()
  applied = 0

  list(): readonly FileEntry[] {
    return [...this.held.keys()].sort().map((path) => this.stat(path)!)
  }

  stat(path: WorkspacePath): FileEntry | null {
    const bytes = this.held.get(path)
    return bytes === undefined ? null : { path, hash: '', size: bytes.length, modifiedAt: 0 }
  }

  read(path: WorkspacePath): Promise<Uint8Array | null> {
    return Promise.resolve(this.held.get(path) ?? null)
  }

  apply(changes: readonly FileChange[]): Promise<void> {
    this.applied++
    for (const { path, bytes } of changes) {
      if (bytes === null) this.held.delete(path)
      else this.held.set(path, bytes)
    }
    return Promise.resolve()
  }
}

const run = (files: Files, command: string, signal = new AbortController().signal) =>
  bashTool.run({ command }, { signal, output: () => {}, now: () => 0, workspace: files })

/** Each is twice the next: evaluated, the first is the last, a billion times. */
const CHAIN = Array.from({ length: 30 }, (_, at) => `v${at}=v${at + 1}+v${at + 1}`)

test('[FILE2] the shell runs in workerd: pipes, programs, changes', async () => {
  const files = new Files()
  expect(await run(files, 'printf "b\\na\\n" > x.txt; mkdir d; sort x.txt | tee d/y.txt')).toBe(
    'exit code 0\n2 files changed:\ncreated d/y.txt\ncreated x.txt\nstdout:\na\nb',
  )
  expect(files.applied).toBe(1)
  expect(
    await run(
      files,
      `echo '{"n":[1,2]}' | jq -c .n; awk '{ print NR $0 }' d/y.txt; grep -c a x.txt`,
    ),
  ).toBe('exit code 0\nno files changed\nstdout:\n[1,2]\n1a\n2b\n1')
  expect(await run(files, 'sed -i s/a/A/ x.txt; diff x.txt d/y.txt | tail -2; date +%Y')).toContain(
    'modified x.txt',
  )
})

test('[FILE2] [SAF2] limits end a command in workerd, and the isolate lives on', async () => {
  const files = new Files()
  for (const command of [
    'while :; do :; done',
    'f() { f; }; f',
    'seq 1 1000000000',
    "awk 'BEGIN { for (;i<9999;i++) for (j=0;j<9999;j++); }'",
    'x=$(seq 1 9999); while [[ $x != *b*b*b ]]; do :; done',
    'awk \'BEGIN { for (;i<16000;i++) p = p "(a?)"; "a" ~ p }\'',
    `${CHAIN.join('; ')}; echo $((v0))`,
  ]) {
    expect(await run(files, command), command).toMatch(/^exit code 126\n/)
  }
  expect(await run(files, 'echo alive')).toContain('alive')
})

test('[FILE2] [SAF2] arithmetic that its parser never returned from is an error in workerd', async () => {
  const files = new Files()
  for (const command of [
    'echo $((a$))',
    "x='a$'; echo $((x))",
    'eval "echo \\$((a\\$))"',
    'x=$(printf "1+%.0s" $(seq 1 4000))1; echo $((x)); exit 1',
  ]) {
    expect(await run(files, command), command).toMatch(/^exit code 1\n/)
  }
  expect(await run(files, 'echo alive')).toContain('alive')
})

test('[FILE2] a cancel gets through in workerd, and nothing is applied', async () => {
  const files = new Files()
  const controller = new AbortController()
  const command = 'echo 1 > f; x=$(seq 1 9999); while [[ $x != *b*b*b ]]; do :; done'
  const done = run(files, command, controller.signal)
  setTimeout(() => controller.abort(new Error('stopped')), 0)
  await expect(done).rejects.toThrow('stopped')
  expect(files.applied).toBe(0)
})

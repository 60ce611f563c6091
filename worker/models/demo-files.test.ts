import { describe, expect, test } from 'vitest'
import type { ModelMessage } from '../core/session/model.ts'
import { bashTool } from '../core/tools/bash.ts'
import { FILE_TOOLS } from '../core/tools/file-tools.ts'
import { createRegistry } from '../core/tools/registry.ts'
import { MemoryWorkspace } from '../testing/node/memory-workspace.ts'
import { ask, assistant, said, user } from './demo-test-kit.ts'

const registry = createRegistry([...FILE_TOOLS, bashTool])

/** As the loop does it, with files that stay. */
async function run(workspace: MemoryWorkspace, history: readonly ModelMessage[]) {
  const messages = [...history, user('change some files')]
  const outcomes: string[] = []
  for (let step = 0; step < 6; step++) {
    const { calls, text } = await ask(messages, { tools: registry.specs() })
    const parts = calls.map(({ id: callId, toolName, arguments: args }) => ({
      type: 'tool_call' as const,
      callId,
      toolName,
      arguments: args,
    }))
    messages.push(assistant(...(text === '' ? [] : [said(text)]), ...parts))
    if (parts.length === 0) return { messages, text, outcomes }
    const results = []
    for (const { callId, toolName, arguments: args } of parts) {
      const prepared = registry.prepare({ callId, toolName, arguments: args })
      if (prepared.do !== 'run') throw new Error(`${toolName} cannot be run`)
      const outcome = await prepared.run({
        signal: new AbortController().signal,
        output: () => {},
        now: () => 0,
        workspace,
      })
      outcomes.push(`${toolName} ${outcome.ok ? 'ok' : 'failed'}`)
      const told = outcome.ok ? outcome.result : outcome.error.message
      results.push({ callId, toolName, ok: outcome.ok, text: told })
    }
    messages.push({ role: 'tool', results })
  }
  throw new Error('the demo does not come to an end')
}

const pathsOf = (workspace: MemoryWorkspace): string[] =>
  workspace
    .list()
    .map(({ path }) => path)
    .toSorted()

describe('[SES4] the demo model with files', () => {
  test('[FILE3] writes several files at first, then edits, rewrites and deletes, and comes back', async () => {
    const workspace = new MemoryWorkspace()
    const first = await run(workspace, [])
    expect(pathsOf(workspace)).toEqual(['notes/log.md', 'notes/todo.txt', 'src/lighthouse.ts'])
    expect(first.outcomes).toEqual([
      'read_file failed',
      'write_file ok',
      'write_file ok',
      'write_file ok',
      'bash ok',
    ])
    expect(first.text).toContain('An undo can be undone')
    const second = await run(workspace, first.messages)
    expect(second.outcomes).toEqual([
      'read_file ok',
      'edit_file ok',
      'write_file ok',
      'delete_file ok',
      'bash ok',
    ])
    expect(pathsOf(workspace)).toEqual(['notes/log.md', 'src/lighthouse.ts'])
    const third = await run(workspace, second.messages)
    expect(third.outcomes.filter((outcome) => outcome.endsWith('failed'))).toEqual([])
    expect(pathsOf(workspace)).toEqual(['notes/log.md', 'notes/todo.txt', 'src/lighthouse.ts'])
  })
})

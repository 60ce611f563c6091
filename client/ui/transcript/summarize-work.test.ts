import { expect, test } from 'vitest'
import type { ToolPart } from '#protocol/state'
import { summarizeWork } from './summarize-work.ts'

const calls = (...names: string[]): ToolPart[] =>
  names.map((toolName, index) => ({
    kind: 'tool',
    callId: String(index),
    toolName,
    arguments: '{}',
    status: 'success',
    startedAt: 0,
    output: '',
  }))

test('[UI1] work is summed up by what was done, with the time it took', () => {
  const tools = calls('read_file', 'bash', 'read_file', 'read_file', 'bash')
  expect(summarizeWork(tools, 14_000)).toBe('Read 3 files, ran 2 commands, 14 s')
})

test('[UI1] one of a kind is singular, and an unknown tool is a tool', () => {
  expect(summarizeWork(calls('bash', 'frobnicate'), null)).toBe('Ran 1 command, used 1 tool')
})

import { expect, test } from 'vitest'
import type { ToolPart } from '#protocol/turns'
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

test('[UI1] work is summed up by what was done, with the time from its first call to its last result', () => {
  const tools = calls('read_file', 'bash', 'read_file', 'read_file', 'bash').map((tool, index) => ({
    ...tool,
    startedAt: 5000 + index * 1000,
    durationMs: index === 1 ? 13_000 : 400,
  }))
  expect(summarizeWork(tools)).toBe('Read 3 files, ran 2 commands, 14 s')
})

test('[UI1] one of a kind is singular, an unknown tool is a tool, and no time is no fact', () => {
  expect(summarizeWork(calls('bash', 'frobnicate'))).toBe('Ran 1 command, used 1 tool')
  expect(summarizeWork(calls('constructor', 'toString'))).toBe('Used 2 tools')
})

test('[UI1] what failed is not hidden by the fold', () => {
  const [first, second] = calls('bash', 'bash')
  const failed: ToolPart = { ...second!, status: 'error' }
  expect(summarizeWork([first!, failed])).toBe('Ran 2 commands, 1 failed')
})

test('[UI1] [DEC2] what was not allowed was not done', () => {
  const [first, second] = calls('bash', 'bash')
  const denied: ToolPart = { ...second!, status: 'denied' }
  expect(summarizeWork([first!, denied])).toBe('Ran 1 command, 1 not allowed')
  expect(summarizeWork([denied, denied])).toBe('2 not allowed')
})

test('[UI1] [AGT3] [AGT5] other agents are counted as who they are', () => {
  const tools = calls('agents_message', 'agents_spawn', 'agents_message', 'agents_spawn')
  expect(summarizeWork(tools)).toBe('Asked 2 agents, started 2 children')
  expect(summarizeWork(calls('agents_spawn'))).toBe('Started 1 child')
})

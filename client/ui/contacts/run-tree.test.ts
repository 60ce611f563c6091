import { expect, test } from 'vitest'
import type { RunRecord } from '#protocol/http'
import { countRuns, readRunTree } from './run-tree.ts'

const record = (id: string, ...tools: string[]): RunRecord => ({
  run_id: id,
  session_id: id,
  agent_id: 'a',
  kind: 'answer',
  model: 'm',
  actual_model: 'm',
  state: 'ended',
  outcome: 'done',
  stop_reason: 'stop',
  attempt: 1,
  started_at: 0,
  ended_at: 1,
  duration_ms: 1,
  usage: null,
  response_ids: [],
  tool_calls: tools.map((tool) => ({
    call_id: tool,
    tool,
    ok: true,
    error_code: null,
    result: 'done',
    duration_ms: 1,
  })),
  parent_run_id: null,
  exchange_id: null,
})

test('[AGT6] runs are read down to those that turned to nobody, who are not asked', async () => {
  const asked: string[] = []
  const below: Record<string, RunRecord[]> = {
    root: [record('one', 'bash'), record('two', 'agents_spawn')],
    two: [record('three')],
  }
  const readChildren = async (id: string): Promise<RunRecord[]> => {
    asked.push(id)
    return below[id] ?? []
  }
  const tree = await readRunTree(record('root', 'agents_message', 'agents_spawn'), readChildren)
  expect(asked).toEqual(['root', 'two'])
  expect(countRuns(tree)).toBe(4)
  expect(tree.children[1]?.children[0]?.run.run_id).toBe('three')
})

test('[AGT6] a server that names a run as its own child ends somewhere', async () => {
  const endless = record('x', 'agents_spawn')
  expect(countRuns(await readRunTree(endless, async () => [endless]))).toBeLessThan(100)
})

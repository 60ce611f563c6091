import { expect, test } from 'vitest'
import type { AgentTurn, AssistantTurn, Turn, UserTurn } from '#protocol/turns'
import { groupTurns } from './group-turns.ts'

const agent = (exchangeId: string, seq: number): AgentTurn => ({
  kind: 'agent',
  seq,
  at: 0,
  messageId: exchangeId,
  from: 'scout',
  fromSessionId: 's',
  exchangeId,
  text: 'What?',
})
const assistant = (runId: string, n: number, exchangeId?: string): AssistantTurn => ({
  kind: 'assistant',
  responseId: `${runId}.${n}`,
  runId,
  ...(exchangeId === undefined ? {} : { exchangeId }),
  model: 'm',
  agent: 'a',
  seq: n,
  at: 0,
  parts: [],
  end: null,
})
const user = (seq: number): UserTurn => ({
  kind: 'user',
  seq,
  at: 0,
  messageId: String(seq),
  text: 'And?',
  attachments: [],
  delivery: 'steer',
})

/** How many turns stand in each group. */
const sizes = (turns: Turn[], open: Parameters<typeof groupTurns>[1] = null): number[] =>
  groupTurns(turns, open).map((group) => (group.kind === 'turn' ? 1 : group.members.length))

test('[AGT3] a message of an agent and the answers of its run are one exchange', () => {
  const turns = [user(1), agent('x1', 2), assistant('r1', 1, 'x1'), user(4), assistant('r2', 1)]
  expect(sizes(turns)).toEqual([1, 2, 1, 1])
})

test('[AGT3] [QUE2] what was steered into the run stands inside', () => {
  const turns = [agent('x1', 1), assistant('r1', 1, 'x1'), user(3), assistant('r1', 2, 'x1')]
  expect(sizes(turns)).toEqual([4])
  expect(sizes(turns.slice(0, 3), assistant('r1', 2, 'x1'))).toEqual([3])
  expect(sizes(turns.slice(0, 3), assistant('r2', 1))).toEqual([2, 1])
})

test('[AGT5] the task of a child is answered by the run whose id it carries', () => {
  expect(sizes([agent('c.3', 1), assistant('c.3', 1)])).toEqual([2])
})

test('[AGT3] one exchange after the other, and one that nothing answers yet', () => {
  const turns = [agent('x1', 1), assistant('r1', 1, 'x1'), agent('x2', 3), agent('x3', 4)]
  expect(sizes(turns)).toEqual([2, 1, 1])
  const groups = groupTurns(turns, { runId: 'r3', exchangeId: 'x3' })
  expect(groups.map((group) => group.kind === 'exchange' && group.isAnswering)).toEqual([
    false,
    false,
    true,
  ])
})

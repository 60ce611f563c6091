import { expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { isAllThereIs, toAskedCall } from './read-wait.ts'

test.each([
  ['command', 'rm -rf build', true],
  ['command', 'ls…', false],
  ['command', '', false],
  ['command', 'rm \u202etxt.a', false],
  ['command', 'rm\u200b -rf /', false],
  ['command', 'echo café', true],
  ['file_edit', '.env', false],
  ['tool', 'deploy', false],
  ['plan', 'Ship it', false],
  ['question', 'Which colour?', false],
] as const)('[DEC6] [AGT5] %s %j can be allowed from its line: %s', (kind, title, expected) => {
  expect(isAllThereIs({ kind, title })).toBe(expected)
})

const CHILD = 'session-0123456789'
const wait = { id: `${CHILD}.d9`, callId: 'w1', kind: 'file_edit', title: 'a.txt' } as const
const start: SessionEvent = {
  seq: 4,
  at: 1,
  type: 'tool_call_start',
  responseId: `${CHILD}.3.1`,
  callId: 'w1',
  toolName: 'delete_file',
  arguments: '{"path":"a.txt"}',
}
const other: SessionEvent = { ...start, seq: 5, callId: 'w2', toolName: 'bash' }
const asked: SessionEvent = {
  seq: 9,
  at: 2,
  type: 'decision_requested',
  decisionId: wait.id,
  callId: 'w1',
  kind: 'file_edit',
  severity: 'medium',
  reason: 'it is sensitive',
  path: 'a.txt',
  diff: '-old',
}

test('[DEC6] [AGT5] what a child asks is the call as it stands there, under an id of its own', () => {
  expect(toAskedCall([start, other, asked], wait)).toMatchObject({
    callId: wait.id,
    toolName: 'delete_file',
    arguments: '{"path":"a.txt"}',
    decision: { decisionId: wait.id, status: 'pending', diff: '-old', path: 'a.txt' },
  })
})

test('[DEC6] [AGT5] a call that began long before is still shown with what is asked about it', () => {
  expect(toAskedCall([other, asked], wait)).toMatchObject({
    callId: wait.id,
    toolName: '',
    decision: { diff: '-old' },
  })
  const questions = [{ id: 'q', text: 'Which?' }]
  const questionId = `${CHILD}.q9`
  const question = { seq: 9, at: 2, type: 'ask_user', questionId, callId: 'w1', questions } as const
  expect(toAskedCall([question], { ...wait, id: questionId, kind: 'question' })).toMatchObject({
    question: { questionId, questions },
  })
})

test('[DEC6] [AGT5] what was never asked under that id is not shown', () => {
  expect(toAskedCall([], wait)).toBe(null)
  expect(toAskedCall([start], wait)).toBe(null)
  expect(toAskedCall([start, asked], { ...wait, id: `${CHILD}.d8` })).toBe(null)
})

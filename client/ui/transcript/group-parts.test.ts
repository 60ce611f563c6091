import { expect, test } from 'vitest'
import type { Part } from '#protocol/state'
import { groupParts, isEmptyAnswer, textOfAnswer } from './group-parts.ts'

const text = (partId: string, content: string): Part => ({
  kind: 'text',
  partId,
  text: content,
  state: 'done',
})
const thinking = (partId: string): Part => ({
  kind: 'thinking',
  partId,
  text: 'hm',
  state: 'done',
})
const tool = (callId: string, toolName = 'bash'): Part => ({
  kind: 'tool',
  callId,
  toolName,
  arguments: '{}',
  status: 'success',
  startedAt: 0,
  output: '',
})
const notice: Part = { kind: 'notice', seq: 9, level: 'error', code: 'x', message: 'no' }

const shape = (parts: Part[]): string[] =>
  groupParts(parts).map((segment) =>
    segment.kind === 'work' ? `work ${segment.parts.length}` : segment.kind,
  )

test('[UI1] thinking and tools that stand together are one piece of work, in their order', () => {
  const parts = [thinking('a'), tool('1'), tool('2'), text('t', 'so'), tool('3'), notice, tool('4')]
  expect(shape(parts)).toEqual(['work 3', 'text', 'work 1', 'notice', 'work 1'])
})

test('[UI1] empty text between two calls does not split the work', () => {
  expect(shape([tool('1'), text('t', ' \n'), tool('2')])).toEqual(['work 2'])
})

test('[TOOL5] a think call is never a tool block', () => {
  expect(shape([tool('1', 'think'), text('t', 'so')])).toEqual(['text'])
})

test('[UI1] a piece of work keeps its key while it grows', () => {
  const [before] = groupParts([thinking('a')])
  const [after] = groupParts([thinking('a'), tool('1')])
  expect(after?.key).toBe(before?.key)
})

test('[UI1] an answer of nothing but blanks and notices is empty', () => {
  expect(isEmptyAnswer([text('t', ''), notice])).toBe(true)
  expect(isEmptyAnswer([thinking('a')])).toBe(false)
  expect(isEmptyAnswer([tool('1')])).toBe(false)
})

test('copying an answer takes its text and nothing else', () => {
  expect(textOfAnswer([thinking('a'), text('t', 'one\n'), tool('1'), text('u', 'two')])).toBe(
    'one\n\ntwo',
  )
})

import { expect, test } from 'vitest'
import type { Part } from '#protocol/turns'
import { answeredBy, groupParts, isEmptyAnswer, lastError, textOfAnswer } from './group-parts.ts'

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
const retry = (seq: number): Part => ({
  kind: 'notice',
  seq,
  level: 'warning',
  code: 'model_retry',
  message: `try ${seq}`,
})
const fallback = (seq: number, actual: string): Part => ({
  kind: 'notice',
  seq,
  level: 'warning',
  code: 'model_fallback',
  message: 'overloaded',
  fallback: { preferred: 'a', actual },
})

const shape = (parts: Part[]): string[] =>
  groupParts(parts).map((segment) =>
    'parts' in segment ? `${segment.kind} ${segment.parts.length}` : segment.kind,
  )

const over = (parts: Part[]): boolean[] =>
  groupParts(parts).flatMap((segment) => (segment.kind === 'work' ? [segment.isOver] : []))

test('[UI1] thinking and tools that stand together are one piece of work, in their order', () => {
  const parts = [thinking('a'), tool('1'), tool('2'), text('t', 'so'), tool('3'), notice, tool('4')]
  expect(shape(parts)).toEqual(['work 3', 'text', 'work 1', 'notice', 'work 1'])
})

test('[UI1] empty text between two calls does not split the work', () => {
  expect(shape([tool('1'), text('t', ' \n'), tool('2')])).toEqual(['work 2'])
})

test('[UI2] what a call says to the person stands by itself, and is not folded away', () => {
  const parts = [tool('1'), tool('2', 'update_plan'), tool('3'), tool('4', 'ask_user')]
  expect(shape([...parts, tool('5', 'finalize_task')])).toEqual([
    'work 1',
    'block',
    'work 1',
    'block',
    'block',
  ])
})

test('[TOOL5] a think call is never a tool block', () => {
  expect(shape([tool('1', 'think'), text('t', 'so')])).toEqual(['text'])
})

test('[UI1] a piece of work keeps its key while it grows', () => {
  const [before] = groupParts([thinking('a')])
  const [after] = groupParts([thinking('a'), tool('1')])
  expect(after?.key).toBe(before?.key)
})

test('[UI1] work is over once text follows it, and not before', () => {
  expect(over([tool('1'), retry(2), tool('3')])).toEqual([false, false])
  expect(over([tool('1'), text('t', ' ')])).toEqual([false])
  expect(over([tool('1'), text('t', 'so'), tool('2'), notice])).toEqual([true, false])
})

test('[RUN10] retries in a row are one line, and text between them makes two', () => {
  expect(shape([text('t', 'so'), retry(2), retry(3), fallback(4, 'b'), text('u', 'on')])).toEqual([
    'text',
    'retries 2',
    'notice',
    'text',
  ])
  expect(shape([retry(1), text('t', 'so'), retry(3)])).toEqual(['retries 1', 'text', 'retries 1'])
})

test('[RUN7] the model that answered is the last that took over', () => {
  expect(answeredBy({ model: 'a', parts: [text('t', 'so')] })).toBe('a')
  const parts = [fallback(2, 'b'), text('t', 'so'), fallback(4, 'c'), retry(5)]
  expect(answeredBy({ model: 'a', parts })).toBe('c')
})

test('[RUN4] why a run failed is its last error, never a warning', () => {
  expect(lastError([notice, retry(10)])).toBe(notice)
  expect(lastError([retry(10)])).toBeNull()
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

test('[AGT5] children are one tree, whatever was called between them, until something is said', () => {
  const spawn = (id: string): Part => tool(id, 'agents_spawn')
  expect(shape([thinking('a'), spawn('1'), tool('2'), spawn('3'), spawn('4')])).toEqual([
    'work 1',
    'children 3',
    'work 1',
  ])
  expect(shape([spawn('1'), text('t', 'so'), spawn('2')])).toEqual([
    'children 1',
    'text',
    'children 1',
  ])
})

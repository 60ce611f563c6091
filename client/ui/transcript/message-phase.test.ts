import { expect, test } from 'vitest'
import type { Part } from '#protocol/turns'
import { messagePhase } from './message-phase.ts'

const text: Part = { kind: 'text', partId: 't', text: 'so', state: 'open' }
const thinking: Part = { kind: 'thinking', partId: 'h', text: 'hm', state: 'open' }
const tool: Part = {
  kind: 'tool',
  callId: 'c',
  toolName: 'bash',
  arguments: '{}',
  status: 'pending',
  startedAt: 0,
  output: '',
}
const retry: Part = {
  kind: 'notice',
  seq: 9,
  level: 'warning',
  code: 'model_retry',
  message: 'again',
}

test('[UI1] an open answer is thinking, working or streaming by what stands last in it', () => {
  const phases = [[], [thinking], [thinking, tool], [tool, text], [text, thinking]].map((parts) =>
    messagePhase(parts, true),
  )
  expect(phases).toEqual(['thinking', 'thinking', 'working', 'streaming', 'thinking'])
})

test('[UI1] a note changes no phase, and a settled answer is done whatever it holds', () => {
  expect(messagePhase([text, retry], true)).toBe('streaming')
  expect(messagePhase([tool], false)).toBe('done')
})

import { describe, expect, test } from 'vitest'
import { EMPTY_STATE, type MissionState, type RunState } from '#protocol/state'
import { describeRecord, describeStanding, formatWait } from './words.ts'

const mission: MissionState = {
  missionId: 'g1',
  text: 'Keep the list short',
  everyMinutes: 5,
  maxPrompts: 10,
  prompts: 3,
  status: 'active',
  setAt: 0,
  by: 'owner',
  reason: 'set',
  setSeq: 2,
  since: 1_000,
  runId: 's.9',
}
const RUN: RunState = {
  status: 'running',
  runId: 's.9',
  responseId: 's.9.1',
  model: 'm',
  agent: 'a',
  attempt: 1,
  startedAt: 0,
  kind: 'answer',
}
const item = { itemId: 'q', text: 'q', delivery: 'queue', from: 'owner' } as const

const at = (changes: object) => describeStanding({ ...EMPTY_STATE, mission, ...changes }, 1_000)
const when = (changes: Partial<MissionState>) => at({ mission: { ...mission, ...changes } })

describe('[AGT7] how a mission stands', () => {
  test('says when it prompts next, and how many times it has', () => {
    expect(at({})).toBe('Next prompt in 5 min · 3 of 10')
    expect(at({ run: RUN })).toBe('Working on it · 3 of 10')
    expect(at({ run: { ...RUN, runId: 's.4' } })).toBe('Waits for this answer · 3 of 10')
    expect(at({ queue: { items: [item], held: true } })).toBe('Waits for the queue · 3 of 10')
  })

  test('says why it does not', () => {
    expect(when({ status: 'paused', reason: 'paused' })).toBe('Paused · 3 of 10')
    const stopped = when({ status: 'paused', reason: 'stopped' })
    expect(stopped).toBe('Paused: its run was stopped · 3 of 10')
    expect(when({ status: 'paused', reason: 'failed' })).toContain('a run failed')
    expect(when({ status: 'done', summary: 'Short now.' })).toBe('Done: Short now.')
    expect(when({ status: 'exhausted' })).toBe('All 10 prompts used')
    expect(when({ status: 'exhausted', maxPrompts: 1 })).toBe('Its prompt is used')
  })

  test('counts in what people count in', () => {
    expect([-5, 59_000, 60_000, 90_000].map(formatWait)).toEqual([
      'less than a minute',
      'less than a minute',
      '1 min',
      '2 min',
    ])
    expect(formatWait(3_600_000 + 5_000)).toBe('60 min')
    expect(formatWait(3 * 3_600_000)).toBe('3 h')
    expect(formatWait(24 * 3_600_000 + 5_000)).toBe('24 h')
    expect(formatWait(36 * 3_600_000)).toBe('2 days')
  })

  test('says of one that is over how it ended', () => {
    const record = {
      mission_id: 'g1',
      session_id: 's',
      agent_id: null,
      text: 'Keep the list short',
      every_minutes: 5,
      max_prompts: 10,
      prompts: 1,
      status: 'stopped',
      set_at: 0,
      ended_at: 1,
      summary: null,
    } as const
    expect(describeRecord(record)).toBe('Cleared · 1 prompt')
    const done = { ...record, status: 'done', prompts: 2, summary: 'Short now.' } as const
    expect(describeRecord(done)).toBe('Done · 2 prompts · Short now.')
  })
})

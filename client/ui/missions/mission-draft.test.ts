import { describe, expect, test } from 'vitest'
import { draftOfRecord, draftOfState, EMPTY_DRAFT, toNewMission } from './mission-draft.ts'

describe('[AGT7] a mission while it is written', () => {
  test('begins with the defaults, and with what stands', () => {
    expect(draftOfState(null)).toEqual(EMPTY_DRAFT)
    expect(toNewMission({ ...EMPTY_DRAFT, text: ' Keep it short ' })).toEqual({
      text: 'Keep it short',
      every_minutes: 60,
      max_prompts: 10,
    })
    expect(draftOfRecord(null).isScheduled).toBe(false)
  })

  test('an agent’s may be told without a schedule', () => {
    const draft = { ...EMPTY_DRAFT, text: 'Be kind', isScheduled: false, every: 'nonsense' }
    expect(toNewMission(draft)).toEqual({ text: 'Be kind' })
  })

  test('what is no number is not sent', () => {
    const draft = { ...EMPTY_DRAFT, text: 'a' }
    expect(toNewMission({ ...draft, text: ' ' })).toEqual({ problem: 'Say what the mission is.' })
    for (const every of ['', '0', '1.5', 'x', '-1']) {
      expect(toNewMission({ ...draft, every })).toMatchObject({
        problem: expect.stringContaining('Minutes'),
      })
    }
    expect(toNewMission({ ...draft, prompts: '' })).toHaveProperty('problem')
  })
})

import { describe, expect, test } from 'vitest'
import { toPromptText } from '../core/session/mission-text.ts'
import { findScene } from './demo-scripts.ts'
import { ask, assistant, call, offer, result, user } from './demo-test-kit.ts'

const tools = offer('current_time', 'mission_done')
const prompt = (n: number, text = 'Watch the slow broken table') =>
  user(toPromptText({ type: 'idle_prompt', missionId: 'g1', runId: 's.3', text, n, of: 5 }))

describe('[AGT7] a mission of the demo model', () => {
  test('the first prompt takes a step, whatever words the mission has', async () => {
    const { calls, text } = await ask([prompt(1)], { tools })
    expect(calls).toMatchObject([{ toolName: 'current_time' }])
    expect(text).toContain('“Watch the slow broken table”')
    const after = [assistant(call('a', 'current_time', {})), result('a', 'current_time', 'noon')]
    expect((await ask([prompt(1), ...after], { tools })).text).toContain('It is noon.')
  })

  test('the second ends it', async () => {
    const { calls } = await ask([prompt(2)], { tools })
    expect(calls).toMatchObject([{ toolName: 'mission_done' }])
    expect(JSON.parse(calls[0]!.arguments)).toHaveProperty('summary')
    const after = [assistant(call('a', 'mission_done', {})), result('a', 'mission_done', 'over')]
    const { text, calls: more } = await ask([prompt(2), ...after], { tools })
    expect(text).toContain('The mission is over')
    expect(more).toEqual([])
  })

  test('somebody who asks about missions is told how to set one', async () => {
    expect(findScene('what is a mission?').offer).toContain('**mission**')
    const { text, calls } = await ask([user('what is a mission?')], { tools })
    expect(text).toContain('Open **Mission**')
    expect(calls).toEqual([])
  })
})

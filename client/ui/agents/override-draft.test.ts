import { describe, expect, test } from 'vitest'
import type { AgentSummary } from '#protocol/http'
import { toOverridden, toOverride } from './override-draft.ts'

const agent: AgentSummary = {
  name: 'coder',
  description: 'Writes',
  instructions: 'Write.',
  models: ['a'],
  tools: null,
  mode: 'agent',
  colour: 'teal',
  builtIn: true,
}

describe('[AGT7] an agent as one chat has it', () => {
  test('only what is different is said, and nothing at all is null', () => {
    const same = toOverridden(agent, {})
    expect(toOverride(agent, same)).toBe(null)
    expect(toOverride(agent, { ...same, mode: 'ask', tools: ['think'] })).toEqual({
      mode: 'ask',
      tools: ['think'],
    })
  })

  test('what was overridden is shown, and can be taken back', () => {
    const override = { instructions: 'Be brief.', tools: ['think'], models: [] }
    const shown = toOverridden(agent, override)
    expect(shown).toMatchObject({ ...override, mode: 'agent' })
    expect(toOverride(agent, shown)).toEqual(override)
    expect(toOverride(agent, { ...shown, tools: null, models: ['a'] })).toEqual({
      instructions: 'Be brief.',
    })
  })
})

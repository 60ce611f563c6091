import { describe, expect, test } from 'vitest'
import {
  EMPTY_DRAFT,
  groupTools,
  missingTools,
  moveModel,
  toChanges,
  toCopy,
  toggleTool,
  toNewAgent,
  toProblem,
} from './agent-draft.ts'

const draft = { ...EMPTY_DRAFT, name: 'writer', instructions: 'Write.', models: ['a', 'b'] }
const tool = (name: string, server: string | null = null) => ({
  name,
  server,
  description: '',
  readOnly: true,
})

describe('what goes to the server', () => {
  test('[AGT1] an agent without instructions leaves them to the server', () => {
    expect(toNewAgent({ ...draft, instructions: ' \n' })).not.toHaveProperty('instructions')
    expect(toNewAgent(draft)).toEqual(draft)
  })

  test('[AGT1] an edit sends what is different, and nothing if nothing is', () => {
    expect(toChanges(draft, { ...draft, models: ['a', 'b'] })).toBeNull()
    expect(toChanges(draft, { ...draft, models: ['b', 'a'], tools: [] })).toEqual({
      models: ['b', 'a'],
      tools: [],
    })
  })

  test('[AGT1] a copy has a name that is free and not too long', () => {
    const agent = { ...draft, builtIn: true }
    expect(toCopy(agent, ['writer']).name).toBe('writer-copy')
    expect(toCopy(agent, ['writer', 'writer-copy', 'writer-copy-2']).name).toBe('writer-copy-3')
    const long = { ...agent, name: 'n'.repeat(40) }
    expect(toCopy(long, []).name).toBe(`${'n'.repeat(35)}-copy`)
    expect(toCopy(agent, [])).not.toHaveProperty('builtIn')
  })
})

test.each([
  ['name: there is an agent x already', 'name', 'there is an agent x already'],
  ['models.1: there is no model y; there is z', 'models', 'there is no model y; there is z'],
  ['tools.0: expected the name of a tool, or <server>__*', 'tools', /^expected the name/],
  ['body: at most 100 agents; delete one first', null, 'at most 100 agents; delete one first'],
  ['fetch failed', null, 'fetch failed'],
  ['toString: a field nobody has', null, 'toString: a field nobody has'],
])('[AGT1] a refusal stands at its field: %s', (text, field, message) => {
  const problem = toProblem(new Error(text))
  expect(problem.field).toBe(field)
  expect(problem.message).toMatch(message)
})

test('[AGT1] models move one place, and not over the edges', () => {
  expect(moveModel(['a', 'b', 'c'], 0, 1)).toEqual(['b', 'a', 'c'])
  expect(moveModel(['a', 'b', 'c'], 2, -1)).toEqual(['a', 'c', 'b'])
  const models = ['a', 'b']
  expect(moveModel(models, 0, -1)).toBe(models)
  expect(moveModel(models, 1, 1)).toBe(models)
})

describe('tools', () => {
  const tools = [tool('z__one', 'z'), tool('think'), tool('a__two', 'a'), tool('z__three', 'z')]

  test('[AGT1] stand with their server, our own first', () => {
    expect(groupTools(tools).map(({ server, tools }) => [server, tools.length])).toEqual([
      [null, 1],
      ['a', 1],
      ['z', 2],
    ])
  })

  test('[AGT1] what is chosen and not offered now is kept in sight', () => {
    expect(missingTools(['think', 'z__*', 'gone__*', 'old'], tools)).toEqual(['gone__*', 'old'])
  })

  test('[AGT1] all of a server takes the place of each of its tools', () => {
    expect(toggleTool(['think', 'z__one'], 'z__*')).toEqual(['think', 'z__*'])
    expect(toggleTool(['think', 'z__*'], 'z__*')).toEqual(['think'])
    expect(toggleTool(['think'], 'a__two')).toEqual(['think', 'a__two'])
  })
})

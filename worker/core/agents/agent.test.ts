import { describe, expect, test } from 'vitest'
import { Mode } from '#protocol/events'
import { AGENT_NAME } from '#protocol/agent-fields'
import { BUILTIN_AGENTS, COLOURS, DEFAULT_AGENT, findBuiltIn, toSystem } from './agent.ts'

const TOOLS = [
  'think',
  'current_time',
  'calculate',
  'text_stats',
  'countdown',
  'weather',
  'web_fetch',
  'web_post',
]

describe('built-in agents', () => {
  test('[AGT1] the default agent is one of them, and each name is there once', () => {
    expect(findBuiltIn(DEFAULT_AGENT)).toMatchObject({ mode: 'agent', tools: null })
    const names = BUILTIN_AGENTS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test.each(BUILTIN_AGENTS)('[AGT1] $name could have been made by hand', (agent) => {
    expect(agent.name).toMatch(AGENT_NAME)
    expect(COLOURS).toContain(agent.colour)
    expect(agent.description.length).toBeGreaterThan(0)
    expect(agent.description.length).toBeLessThanOrEqual(200)
    expect(agent.builtIn).toBe(true)
    expect(TOOLS).toEqual(expect.arrayContaining([...(agent.tools ?? [])]))
  })

  test('[AGT1] no two of them have the same colour', () => {
    const colours = BUILTIN_AGENTS.map(({ colour }) => colour)
    expect(new Set(colours).size).toBe(colours.length)
  })

  test('[AGT1] a name that nobody gave finds nothing', () => {
    for (const name of ['', 'Assistant', 'constructor', '__proto__']) {
      expect(findBuiltIn(name), name).toBeNull()
    }
  })
})

describe('what a model is told', () => {
  test('[AGT1] [DEC7] the mode of the session adds to the instructions, and takes nothing away', () => {
    const agent = findBuiltIn(DEFAULT_AGENT)!
    expect(toSystem(agent, 'agent')).toBe(agent.instructions)
    const told = Mode.options.map((mode) => toSystem(agent, mode))
    expect(told.every((text) => text.startsWith(agent.instructions))).toBe(true)
    expect(new Set(told).size).toBe(Mode.options.length)
  })
})

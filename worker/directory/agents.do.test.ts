import { env } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import { BUILTIN_AGENTS, DEFAULT_AGENT } from '../core/agents/agent.ts'
import {
  AGENTS_PER_OWNER,
  createAgent,
  deleteAgent,
  listAgents,
  loadAgent,
  updateAgent,
  type AgentFields,
} from './agents.ts'

const fields = (name: string, more: Partial<AgentFields> = {}): AgentFields => ({
  name,
  description: 'Finds what is wrong',
  instructions: 'Criticise.',
  models: ['demo'],
  tools: ['think', 'files__*'],
  mode: 'ask',
  colour: 'red',
  ...more,
})

const create = (owner: string, name: string) => createAgent(env.DB, owner, fields(name), 1)

describe('agents in the directory', () => {
  test('[AGT1] an agent comes back as it was made', async () => {
    expect(await create('d1', 'critic')).toBe('created')
    const agent = { ...fields('critic'), builtIn: false }
    expect(await loadAgent(env.DB, 'd1', 'critic')).toEqual(agent)
    expect(await listAgents(env.DB, 'd1')).toEqual([...BUILTIN_AGENTS, agent])
  })

  test('[AGT1] every tool is not the same as no tool', async () => {
    for (const [name, tools] of [
      ['all', null],
      ['none', []],
    ] as const) {
      await createAgent(env.DB, 'd2', fields(name, { tools }), 1)
      expect(await loadAgent(env.DB, 'd2', name)).toMatchObject({ tools })
    }
    expect(await updateAgent(env.DB, 'd2', 'none', { tools: null }, 2)).toMatchObject({
      tools: null,
    })
  })

  test('[AGT1] a change leaves the other fields as they are', async () => {
    await create('d3', 'critic')
    const changed = await updateAgent(env.DB, 'd3', 'critic', { models: [], colour: 'teal' }, 2)
    expect(changed).toEqual({ ...fields('critic', { models: [], colour: 'teal' }), builtIn: false })
    expect(await updateAgent(env.DB, 'd3', 'nobody', { colour: 'teal' }, 2)).toBeNull()
  })

  test('[AGT1] a name is taken once, and the built-in names never', async () => {
    await create('d4', 'critic')
    expect(await create('d4', 'critic')).toBe('exists')
    expect(await create('d4', DEFAULT_AGENT)).toBe('exists')
    expect(await loadAgent(env.DB, 'd4', DEFAULT_AGENT)).toMatchObject({ builtIn: true })
  })

  test('[SAF1] an agent of another owner cannot be read, changed or deleted', async () => {
    await create('d5', 'critic')
    expect(await loadAgent(env.DB, 'thief', 'critic')).toBeNull()
    expect(await updateAgent(env.DB, 'thief', 'critic', { colour: 'teal' }, 2)).toBeNull()
    expect(await deleteAgent(env.DB, 'thief', 'critic')).toBe(false)
    expect(await listAgents(env.DB, 'thief')).toEqual(BUILTIN_AGENTS)
    expect(await loadAgent(env.DB, 'd5', 'critic')).toMatchObject({ colour: 'red' })
  })

  test('[SAF2] an owner has so many and no more, and room again after a delete', async () => {
    const names = Array.from({ length: AGENTS_PER_OWNER }, (_, index) => `agent-${index}`)
    // All at once: the limit must hold where requests race.
    const made = await Promise.all([...names, 'extra'].map((name) => create('d6', name)))
    expect(made.filter((result) => result === 'created')).toHaveLength(AGENTS_PER_OWNER)
    expect(made.filter((result) => result === 'full')).toHaveLength(1)
    const own = (await listAgents(env.DB, 'd6')).find(({ builtIn }) => !builtIn)!
    expect(await create('d6', own.name)).toBe('exists')
    expect(await deleteAgent(env.DB, 'd6', own.name)).toBe(true)
    expect(await create('d6', own.name)).toBe('created')
  })
})

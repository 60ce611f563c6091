import { describe, expect, test } from 'vitest'
import type { AgentSummary } from '#protocol/http'
import { BASE_INSTRUCTIONS, BUILTIN_AGENTS, DEFAULT_AGENT } from '../core/agents/agent.ts'
import { call, refusalOf, TWO_OWNERS, type Call } from '../testing/call-app.ts'

/** An owner of its own, so that no other test’s agents are in the list. */
const newOwner = (name: string): Call => ({
  vars: { PARLEY_TOKENS: `${name}:${name}-token` },
  token: `${name}-token`,
})

const CRITIC = {
  name: 'critic',
  description: 'Finds what is wrong',
  instructions: 'Criticise what you are shown. Be kind.',
  models: ['demo'],
  tools: ['think', 'files__*'],
  mode: 'ask',
  colour: 'red',
}

const create = (owner: Call, json: object = CRITIC) => call('/api/agents', { ...owner, json })
const agentIn = async (response: Response): Promise<AgentSummary> =>
  (await response.json<{ agent: AgentSummary }>()).agent
const list = async (owner: Call): Promise<AgentSummary[]> =>
  (await (await call('/api/agents', owner)).json<{ agents: AgentSummary[] }>()).agents

describe('agents', () => {
  test('[AGT1] the built-in ones are there from the start, before those one makes', async () => {
    const owner = newOwner('agents-list')
    expect(await list(owner)).toEqual(BUILTIN_AGENTS)
    const response = await create(owner)
    expect(response.status).toBe(201)
    const agent = await agentIn(response)
    expect(agent).toEqual({ ...CRITIC, builtIn: false })
    expect(await list(owner)).toEqual([...BUILTIN_AGENTS, agent])
    expect(await agentIn(await call('/api/agents/critic', owner))).toEqual(agent)
  })

  test('[AGT1] a name alone makes an agent with every tool', async () => {
    const agent = await agentIn(await create(newOwner('agents-plain'), { name: 'plain' }))
    expect(agent).toEqual({
      name: 'plain',
      description: '',
      instructions: BASE_INSTRUCTIONS,
      models: [],
      tools: null,
      mode: 'agent',
      colour: 'blue',
      builtIn: false,
    })
  })

  test('[AGT1] a change answers the changed agent; a deleted one is gone', async () => {
    const owner = newOwner('agents-change')
    await create(owner)
    const json = { instructions: 'Be brief.', tools: null }
    const changed = await call('/api/agents/critic', { ...owner, method: 'PATCH', json })
    expect(await agentIn(changed)).toEqual({ ...CRITIC, ...json, builtIn: false })
    const gone = await call('/api/agents/critic', { ...owner, method: 'DELETE' })
    expect(await gone.json()).toEqual({ ok: true })
    expect(await list(owner)).toEqual(BUILTIN_AGENTS)
    const again = await call('/api/agents/critic', { ...owner, method: 'DELETE' })
    expect(await refusalOf(again)).toMatchObject({ status: 404, code: 'not_found' })
  })

  test('[AGT1] a name is taken once, and the built-in names never', async () => {
    const owner = newOwner('agents-taken')
    await create(owner)
    for (const name of ['critic', DEFAULT_AGENT]) {
      const refusal = await refusalOf(await create(owner, { ...CRITIC, name }))
      expect(refusal).toMatchObject({ status: 409, code: 'agent_exists' })
    }
  })

  test('[AGT1] the built-in ones are read, not changed', async () => {
    const path = `/api/agents/${DEFAULT_AGENT}`
    const owner = newOwner('agents-builtin')
    expect(await agentIn(await call(path, owner))).toMatchObject({ builtIn: true })
    for (const options of [{ method: 'PATCH', json: { colour: 'red' } }, { method: 'DELETE' }]) {
      const refusal = await refusalOf(await call(path, { ...owner, ...options }))
      expect(refusal).toMatchObject({ status: 409, code: 'agent_built_in' })
      expect(refusal.message).toContain('built in')
    }
    expect(await list(owner)).toEqual(BUILTIN_AGENTS)
  })
})

const TOO_LONG = 'é'.repeat(16 * 1024 + 1)
const many = (count: number): string[] => Array.from({ length: count }, (_, at) => `t${at}`)

const WRONG: [string, object, string, number?][] = [
  ['no name', { ...CRITIC, name: undefined }, 'name'],
  ['a name with a capital', { ...CRITIC, name: 'Critic' }, 'name'],
  ['an empty name', { ...CRITIC, name: '' }, 'name'],
  ['a long name', { ...CRITIC, name: 'a'.repeat(41) }, 'name'],
  ['a name that is a path', { ...CRITIC, name: '../me' }, 'name'],
  ['a long description', { ...CRITIC, description: 'a'.repeat(201) }, 'description'],
  ['empty instructions', { ...CRITIC, instructions: ' \n' }, 'instructions'],
  ['long instructions', { ...CRITIC, instructions: TOO_LONG }, 'instructions', 413],
  ['too many models', { ...CRITIC, models: many(11) }, 'models'],
  ['a model twice', { ...CRITIC, models: ['demo', 'demo'] }, 'models'],
  ['an unknown model', { ...CRITIC, models: ['demo', 'nope'] }, 'models.1'],
  ['too many tools', { ...CRITIC, tools: many(101) }, 'tools'],
  ['a tool with spaces', { ...CRITIC, tools: ['think', 'rm -rf'] }, 'tools.1'],
  ['an unknown mode', { ...CRITIC, mode: 'chaos' }, 'mode'],
  ['an unknown colour', { ...CRITIC, colour: '#f00' }, 'colour'],
  ['an unknown field', { ...CRITIC, owner: 'alice' }, 'owner'],
  ['not an object', [], 'body'],
]

describe('bad input', () => {
  test.each(WRONG)('[SAF2] %s is refused by its field', async (_, json, path, status = 400) => {
    const owner = newOwner('agents-wrong')
    const refusal = await refusalOf(await create(owner, json))
    expect(refusal.status).toBe(status)
    expect(refusal.message.startsWith(`${path}: `), refusal.message).toBe(true)
    expect(await list(owner)).toEqual(BUILTIN_AGENTS)
  })

  test('[SAF2] an unknown model has its code and says which there are', async () => {
    const response = await create(newOwner('agents-model'), { ...CRITIC, models: ['nope'] })
    const refusal = await refusalOf(response)
    expect(refusal).toMatchObject({ status: 400, code: 'unknown_model' })
    expect(refusal.message).toContain('demo')
  })

  test('[SAF2] a wrong change changes nothing', async () => {
    const owner = newOwner('agents-patch')
    await create(owner)
    const patch = (json: unknown) => call('/api/agents/critic', { ...owner, method: 'PATCH', json })
    for (const json of [{}, null, { name: 'other' }, { mode: 'chaos' }, { models: ['nope'] }]) {
      expect((await patch(json)).status, JSON.stringify(json)).toBe(400)
    }
    expect(await agentIn(await call('/api/agents/critic', owner))).toEqual({
      ...CRITIC,
      builtIn: false,
    })
  })

  test('[SAF2] a name that nobody has is not found, whatever it looks like', async () => {
    const owner = newOwner('agents-none')
    for (const name of ['nobody', 'NOBODY', '..%2Fme', '%00', "'%20OR%201=1"]) {
      for (const options of [
        {},
        { method: 'DELETE' },
        { method: 'PATCH', json: { mode: 'ask' } },
      ]) {
        const response = await call(`/api/agents/${name}`, { ...owner, ...options })
        expect(await refusalOf(response), name).toMatchObject({ status: 404, code: 'not_found' })
      }
    }
  })
})

describe('whose agents', () => {
  const ALICE = { vars: TWO_OWNERS, token: 'alice-token' }
  const BOB = { vars: TWO_OWNERS, token: 'bob-token' }
  const own = '/api/agents/critic'
  const routes: (Call & { path: string })[] = [
    { path: own },
    { path: own, method: 'PATCH', json: { colour: 'teal' } },
    { path: own, method: 'DELETE' },
  ]

  test('[SAF1] another owner’s agent is not there, and its name is free', async () => {
    await create(ALICE)
    for (const { path, ...options } of routes) {
      const refusal = await refusalOf(await call(path, { ...options, ...BOB }))
      expect(refusal).toMatchObject({ status: 404, code: 'not_found' })
    }
    expect(await list(BOB)).toEqual(BUILTIN_AGENTS)
    expect((await create(BOB, { ...CRITIC, colour: 'grey' })).status).toBe(201)
    expect(await agentIn(await call(own, ALICE))).toMatchObject({ colour: 'red' })
  })

  test('[SAF1] without a credential nothing is read or written', async () => {
    const more = [{ path: '/api/agents' }, { path: '/api/agents', json: CRITIC }]
    for (const { path, ...options } of [...routes, ...more]) {
      const refusal = await refusalOf(await call(path, { ...options, vars: TWO_OWNERS }))
      expect(refusal).toMatchObject({ status: 401, code: 'unauthorized' })
    }
  })
})

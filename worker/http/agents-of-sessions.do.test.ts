import { describe, expect, test } from 'vitest'
import type { SessionSummary } from '#protocol/http'
import { call, createSession, refusalOf, TWO_OWNERS, type Call } from '../testing/call-app.ts'

const newOwner = (name: string, vars: Call['vars'] = {}): Call => ({
  vars: { PARLEY_TOKENS: `${name}:${name}-token`, ...vars },
  token: `${name}-token`,
})

const makeAgent = async (owner: Call, json: { name: string } & Record<string, unknown>) => {
  expect((await call('/api/agents', { ...owner, json })).status).toBe(201)
}

const sessionIn = async (response: Response): Promise<SessionSummary> =>
  (await response.json<{ session: SessionSummary }>()).session

const listed = async (owner: Call): Promise<SessionSummary[]> =>
  (await (await call('/api/sessions', owner)).json<{ sessions: SessionSummary[] }>()).sessions

const UNKNOWN = { status: 400, code: 'unknown_agent' }

describe('the agent of a session', () => {
  test('[AGT1] gives a new session its mode and its model', async () => {
    const owner = newOwner('of-new')
    await makeAgent(owner, { name: 'critic', mode: 'ask', models: ['demo'] })
    const made = await call('/api/sessions', { ...owner, json: { agent: 'critic' } })
    const session = await sessionIn(made)
    expect(session).toMatchObject({ agent: 'critic', mode: 'ask', model: 'demo' })
    expect(await listed(owner)).toMatchObject([{ id: session.id, mode: 'ask' }])
    const json = { agent: 'critic', model: 'strict' }
    const chosen = await call('/api/sessions', { ...owner, json })
    expect(await sessionIn(chosen)).toMatchObject({ mode: 'ask', model: 'strict' })
  })

  test('[AGT1] a model that is not configured any more is passed over', async () => {
    const before = newOwner('of-gone', { OPENAI_MODEL: 'strict,gone' })
    await makeAgent(before, { name: 'first', models: ['gone', 'demo'] })
    await makeAgent(before, { name: 'second', models: ['gone'] })
    const after = newOwner('of-gone')
    const modelOf = async (agent: string) =>
      (await sessionIn(await call('/api/sessions', { ...after, json: { agent } }))).model
    expect([await modelOf('first'), await modelOf('second')]).toEqual(['demo', 'strict'])
  })

  test('[AGT1] a built-in one needs no row', async () => {
    const made = await call('/api/sessions', { json: { agent: 'planner' } })
    expect(await sessionIn(made)).toMatchObject({ agent: 'planner', mode: 'plan' })
  })

  test('[AGT1] can be changed, and is changed to one that there is', async () => {
    const owner = newOwner('of-patch')
    const { id } = await createSession(owner)
    const patch = (agent: string) =>
      call(`/api/sessions/${id}`, { ...owner, method: 'PATCH', json: { agent, title: 'New' } })
    expect(await refusalOf(await patch('critic'))).toMatchObject(UNKNOWN)
    const json = { type: 'configure', id: 'c1', agent: 'critic' }
    const commanded = await call(`/api/sessions/${id}/commands`, { ...owner, json })
    expect(await refusalOf(commanded)).toMatchObject(UNKNOWN)
    expect(await sessionIn(await call(`/api/sessions/${id}`, owner))).toMatchObject({
      agent: 'assistant',
      title: 'Test',
      seq: 2,
    })
    await makeAgent(owner, { name: 'critic' })
    expect(await sessionIn(await patch('critic'))).toMatchObject({ agent: 'critic', title: 'New' })
  })
})

describe('an agent that is not there', () => {
  test('[SAF2] [AGT1] makes no session, and the field is named', async () => {
    const owner = newOwner('of-unknown')
    const session = await call('/api/sessions', { ...owner, json: { agent: 'nobody' } })
    const chat = await call('/api/chat', { ...owner, json: { text: 'hi', agent_id: 'nobody' } })
    for (const [response, field] of [
      [session, 'agent'],
      [chat, 'agent_id'],
    ] as const) {
      const refusal = await refusalOf(response)
      expect(refusal).toMatchObject(UNKNOWN)
      expect(refusal.message.startsWith(`${field}: `)).toBe(true)
    }
    expect(await listed(owner)).toEqual([])
  })

  test('[SAF2] [AGT1] is not written to in a session either', async () => {
    const owner = newOwner('of-chat')
    const { id } = await createSession(owner)
    const json = { session_id: id, text: 'hi', agent_id: 'nobody' }
    expect(await refusalOf(await call('/api/chat', { ...owner, json }))).toMatchObject(UNKNOWN)
    expect(await sessionIn(await call(`/api/sessions/${id}`, owner))).toMatchObject({ seq: 2 })
  })

  test('[SAF1] is what another owner’s agent looks like', async () => {
    const [alice, bob] = ['alice', 'bob'].map((name) => ({
      vars: TWO_OWNERS,
      token: `${name}-token`,
    }))
    await makeAgent(alice!, { name: 'secret' })
    const json = { agent: 'secret' }
    expect(await refusalOf(await call('/api/sessions', { ...bob!, json }))).toMatchObject(UNKNOWN)
    expect((await call('/api/sessions', { ...alice!, json })).status).toBe(201)
  })
})

import { describe, expect, test } from 'vitest'
import {
  call,
  createSession,
  refusalOf,
  TWO_OWNERS,
  UNKNOWN_ID,
  type Call,
} from '../testing/call-app.ts'

type View = Record<string, unknown> & { mission_id: string; session_id: string | null }

/** An owner of its own, so that no other test’s missions are in the list. */
const newOwner = (name: string): Call => ({
  vars: { PARLEY_TOKENS: `${name}:${name}-token` },
  token: `${name}-token`,
})

const post = (owner: Call, json: object, query = '') =>
  call(`/api/mission${query}`, { ...owner, json })
const missionAt = async (owner: Call, query: string): Promise<View | null> =>
  (await (await call(`/api/mission?${query}`, owner)).json<{ mission: View | null }>()).mission
const missionsAt = async (owner: Call, query = ''): Promise<View[]> =>
  (await (await call(`/api/missions${query}`, owner)).json<{ missions: View[] }>()).missions
const clear = (owner: Call, query: string) =>
  call(`/api/mission?${query}`, { ...owner, method: 'DELETE' })
const command = (owner: Call, id: string, json: object) =>
  call(`/api/sessions/${id}/commands`, { ...owner, json })

describe('the mission of a session', () => {
  test('[AGT7] is set, read, cleared, and kept in the history', async () => {
    const owner = newOwner('mission-session')
    const { id } = await createSession(owner)
    expect(await missionAt(owner, `session_id=${id}`)).toBe(null)
    const body = { text: 'Keep the list short', every_minutes: 30, project_root: '/srv' }
    const made = await post(owner, { session_id: id, ...body })
    expect(made.status).toBe(201)
    const { mission } = await made.json<{ mission: View }>()
    expect(mission).toMatchObject({
      session_id: id,
      agent_id: null,
      text: 'Keep the list short',
      every_minutes: 30,
      max_prompts: 10,
      prompts: 0,
      status: 'active',
      ended_at: null,
    })
    expect(mission['next_prompt_at']).toBeGreaterThanOrEqual(Number(mission['set_at']) + 1_800_000)
    expect(await missionAt(owner, `session_id=${id}`)).toEqual(mission)
    expect((await post(owner, { text: 'Another' }, `?session_id=${id}`)).status).toBe(201)
    expect((await clear(owner, `session_id=${id}`)).status).toBe(200)
    expect(await missionAt(owner, `session_id=${id}`)).toBe(null)
    expect(await refusalOf(await clear(owner, `session_id=${id}`))).toMatchObject({
      status: 404,
      code: 'no_such_mission',
    })
    expect(await missionsAt(owner, `?session_id=${id}`)).toMatchObject([
      { text: 'Another', status: 'stopped' },
      { text: 'Keep the list short', status: 'stopped' },
    ])
  })

  test('[AGT7] is paused and resumed by commands, once each', async () => {
    const owner = newOwner('mission-commands')
    const { id } = await createSession(owner)
    await post(owner, { session_id: id, text: 'A goal' })
    expect((await command(owner, id, { type: 'mission_pause', id: 'p1' })).status).toBe(200)
    expect((await command(owner, id, { type: 'mission_pause', id: 'p1' })).status).toBe(200)
    const again = await command(owner, id, { type: 'mission_pause', id: 'p2' })
    expect(await refusalOf(again)).toMatchObject({ status: 409, code: 'mission_state' })
    const paused = await missionAt(owner, `session_id=${id}`)
    expect(paused).toMatchObject({ status: 'paused', next_prompt_at: null })
    expect((await command(owner, id, { type: 'mission_resume', id: 'r1' })).status).toBe(200)
    expect(await missionAt(owner, `session_id=${id}`)).toMatchObject({ status: 'active' })
  })

  test('[AGT7] [SAF2] what is wrong is named, and nothing is set', async () => {
    const owner = newOwner('mission-wrong')
    const { id } = await createSession(owner)
    const wrong: [object, string][] = [
      [{}, 'text'],
      [{ text: '  ' }, 'text'],
      [{ text: 'a', every_minutes: 0 }, 'every_minutes'],
      [{ text: 'a', every_minutes: 1.5 }, 'every_minutes'],
      [{ text: 'a', max_prompts: 1001 }, 'max_prompts'],
      [{ text: 'a', every_seconds: 5 }, 'every_seconds'],
    ]
    for (const [body, field] of wrong) {
      const refusal = await refusalOf(await post(owner, { session_id: id, ...body }))
      expect(refusal).toMatchObject({ status: 400, code: 'bad_request' })
      expect(refusal.message).toContain(field)
    }
    const long = await post(owner, { session_id: id, text: 'x'.repeat(8193) })
    expect(await refusalOf(long)).toMatchObject({ status: 413, code: 'too_large' })
    const neither = await post(owner, { text: 'a' })
    expect(await refusalOf(neither)).toMatchObject({ status: 400, code: 'bad_request' })
    const both = await post(owner, { text: 'a', session_id: id, agent_id: 'coder' })
    expect(await refusalOf(both)).toMatchObject({ status: 400, code: 'bad_request' })
    expect(await missionsAt(owner, `?session_id=${id}`)).toEqual([])
  })

  test('[AGT7] [SAF1] of another owner, or of no session, is not there', async () => {
    const alice: Call = { vars: TWO_OWNERS, token: 'alice-token' }
    const bob: Call = { vars: TWO_OWNERS, token: 'bob-token' }
    const { id } = await createSession(alice)
    await post(alice, { session_id: id, text: 'Mine' })
    for (const session of [id, UNKNOWN_ID, 'no']) {
      const query = `session_id=${session}`
      const answers = await Promise.all([
        call(`/api/mission?${query}`, bob),
        call(`/api/missions?${query}`, bob),
        clear(bob, query),
        post(bob, { session_id: session, text: 'Yours' }),
      ])
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    }
    expect(await missionAt(alice, `session_id=${id}`)).toMatchObject({ text: 'Mine' })
    expect(await missionsAt(bob)).not.toContainEqual(expect.objectContaining({ text: 'Mine' }))
  })
})

describe('the mission of an agent', () => {
  test('[AGT7] without a schedule is only told, and can be replaced and cleared', async () => {
    const owner = newOwner('mission-agent')
    const made = await post(owner, { agent_id: 'coder', text: 'Leave it tidier' })
    expect(made.status).toBe(201)
    expect(await made.json()).toMatchObject({
      mission: { agent_id: 'coder', session_id: null, every_minutes: null, status: 'active' },
    })
    await post(owner, { agent_id: 'coder', text: 'Leave it faster' })
    expect(await missionAt(owner, 'agent_id=coder')).toMatchObject({ text: 'Leave it faster' })
    expect(await missionAt(owner, 'agent_id=analyst')).toBe(null)
    expect((await clear(owner, 'agent_id=coder')).status).toBe(200)
    expect((await clear(owner, 'agent_id=coder')).status).toBe(404)
    expect(await missionsAt(owner, '?agent_id=coder')).toMatchObject([
      { text: 'Leave it faster', status: 'stopped' },
      { text: 'Leave it tidier', status: 'stopped' },
    ])
    const unknown = await post(owner, { agent_id: 'nobody', text: 'a' })
    expect(await refusalOf(unknown)).toMatchObject({ status: 400, code: 'unknown_agent' })
  })

  test('[AGT7] is told at the start of a run, in any session of that agent', async () => {
    const owner = newOwner('mission-told')
    await post(owner, { agent_id: 'coder', text: 'Leave it tidier' })
    const sent = await call('/api/chat', { ...owner, json: { agent_id: 'coder', text: 'hi' } })
    const { run_id: runId } = await sent.json<{ run_id: string }>()
    const context = await call(`/api/agent-context?run_id=${runId}&view=raw`, owner)
    const { raw } = await context.json<{ raw: { system: string; tools: string[] } }>()
    expect(raw.system).toContain('Your standing mission, in every session:\nLeave it tidier')
    expect(raw.tools).not.toContain('mission_done')
  })

  test('[AGT7] with a schedule has a session of its own, which it keeps and which ends with it', async () => {
    const owner = newOwner('mission-home')
    const body = { agent_id: 'coder', text: 'Leave it tidier', every_minutes: 5, max_prompts: 2 }
    const { mission } = await (await post(owner, body)).json<{ mission: View }>()
    const home = mission.session_id ?? ''
    expect(mission).toMatchObject({ status: 'active', every_minutes: 5, max_prompts: 2 })
    expect(mission['next_prompt_at']).toBeGreaterThan(Number(mission['set_at']))
    const own = await missionAt(owner, `session_id=${home}`)
    expect(own).toMatchObject({ mission_id: mission.mission_id, text: 'Leave it tidier' })
    const session = await (await call(`/api/sessions/${home}`, owner)).json()
    expect(session).toMatchObject({ session: { agent: 'coder', title: 'Mission of coder' } })
    const next = await post(owner, { ...body, text: 'Leave it faster' })
    expect(await next.json()).toMatchObject({ mission: { session_id: home } })
    expect(await missionAt(owner, `session_id=${home}`)).toMatchObject({ text: 'Leave it faster' })
    await clear(owner, 'agent_id=coder')
    expect(await missionAt(owner, `session_id=${home}`)).toBe(null)
    expect(await missionAt(owner, 'agent_id=coder')).toBe(null)
  })

  test('[AGT7] follows its session: paused, cleared or deleted there', async () => {
    const owner = newOwner('mission-follows')
    const body = { agent_id: 'coder', text: 'Leave it tidier', every_minutes: 5 }
    const { mission } = await (await post(owner, body)).json<{ mission: View }>()
    const home = mission.session_id ?? ''
    await command(owner, home, { type: 'mission_pause', id: 'p1' })
    expect(await missionAt(owner, 'agent_id=coder')).toMatchObject({ status: 'paused' })
    await command(owner, home, { type: 'mission_clear', id: 'c1' })
    expect(await missionAt(owner, 'agent_id=coder')).toMatchObject({ status: 'stopped' })
    expect(await missionsAt(owner)).toEqual([])
    const again = await (await post(owner, body)).json<{ mission: View }>()
    expect(again.mission).toMatchObject({ session_id: home, status: 'active' })
    await call(`/api/sessions/${home}`, { ...owner, method: 'DELETE' })
    expect(await missionAt(owner, 'agent_id=coder')).toMatchObject({ status: 'stopped' })
    const moved = await (await post(owner, body)).json<{ mission: View }>()
    expect(moved.mission.session_id).not.toBe(home)
  })

  test('[AGT7] ends with its agent', async () => {
    const owner = newOwner('mission-orphan')
    await call('/api/agents', { ...owner, json: { name: 'critic' } })
    const body = { agent_id: 'critic', text: 'Find flaws', every_minutes: 5 }
    const { mission } = await (await post(owner, body)).json<{ mission: View }>()
    await call('/api/agents/critic', { ...owner, method: 'DELETE' })
    expect(await missionAt(owner, `session_id=${mission.session_id}`)).toBe(null)
    expect(await missionsAt(owner, '?agent_id=critic')).toMatchObject([{ status: 'stopped' }])
  })
})

test('[AGT7] everything that stands is listed once, agents’ and sessions’', async () => {
  const owner = newOwner('mission-all')
  const { id } = await createSession(owner)
  const other = await createSession(owner)
  await post(owner, { session_id: id, text: 'Of a session' })
  await post(owner, { session_id: other.id, text: 'Over' })
  await clear(owner, `session_id=${other.id}`)
  await post(owner, { agent_id: 'coder', text: 'With a schedule', every_minutes: 5 })
  await post(owner, { agent_id: 'analyst', text: 'Without one' })
  const listed = await missionsAt(owner)
  expect(listed.map(({ text }) => String(text)).sort()).toEqual([
    'Of a session',
    'With a schedule',
    'Without one',
  ])
})

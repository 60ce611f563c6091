import { describe, expect, test } from 'vitest'
import type { SessionSummary } from '#protocol/http'
import { isSessionId } from '#protocol/ids'
import { call, createSession, refusalOf } from '../testing/call-app.ts'

/** An owner of its own, so that no other test’s sessions are in the list. */
function newOwner(name: string) {
  const token = `${name}-token`
  return { vars: { PARLEY_TOKENS: `${name}:${token}` }, token }
}

type List = { sessions: (SessionSummary & { snippet?: string })[]; nextCursor: string | null }

const sessionIn = async (response: Response): Promise<SessionSummary> =>
  (await response.json<{ session: SessionSummary }>()).session

describe('creating', () => {
  test('[SES1] a session has what was asked for', async () => {
    await call('/api/agents', { json: { name: 'critic' } })
    const response = await call('/api/sessions', { json: { title: 'Plan', agent: 'critic' } })
    expect(response.status).toBe(201)
    const session = await sessionIn(response)
    expect(session).toMatchObject({ title: 'Plan', agent: 'critic', status: 'idle' })
    expect(isSessionId(session.id)).toBe(true)
    expect(session).not.toHaveProperty('empty')
    expect(await sessionIn(await call(`/api/sessions/${session.id}`))).toEqual(session)
  })

  test('[SES1] with no fields an empty session is used again', async () => {
    const owner = newOwner('reuse')
    const first = await call('/api/sessions', { ...owner, method: 'POST' })
    expect(first.status).toBe(201)
    const { id } = await sessionIn(first)
    const again = await call('/api/sessions', { ...owner, json: {} })
    expect(again.status).toBe(200)
    expect(await sessionIn(again)).toMatchObject({ id })
    const json = { type: 'send', id: 'c1', text: 'hi' }
    await call(`/api/sessions/${id}/commands`, { ...owner, json })
    const other = await call('/api/sessions', { ...owner, json: {} })
    expect(other.status).toBe(201)
    expect((await sessionIn(other)).id).not.toBe(id)
  })

  test('[SES1] two owners never share an empty session', async () => {
    const first = await call('/api/sessions', { ...newOwner('left'), json: {} })
    const second = await call('/api/sessions', { ...newOwner('right'), json: {} })
    expect((await sessionIn(second)).id).not.toBe((await sessionIn(first)).id)
  })

  test('[SAF2] an unknown model is refused, with those there are', async () => {
    const owner = newOwner('models')
    const response = await call('/api/sessions', { ...owner, json: { model: 'nope' } })
    expect(await refusalOf(response)).toMatchObject({ status: 400, code: 'unknown_model' })
    const { sessions } = await (await call('/api/sessions', owner)).json<List>()
    expect(sessions).toEqual([])
  })
})

describe('listing', () => {
  test('[SES1] newest first, page by page, each session once', async () => {
    const owner = newOwner('pages')
    const created: string[] = []
    for (let i = 0; i < 5; i++) created.unshift((await createSession(owner)).id)
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const page: List = await (await call(`/api/sessions?limit=2${query}`, owner)).json<List>()
      seen.push(...page.sessions.map(({ id }) => id))
      cursor = page.nextCursor
    }
    expect(seen.toSorted()).toEqual(created.toSorted())
    expect(new Set(seen).size).toBe(5)
  })

  test('[SES1] a search finds titles, and takes % and _ as they are', async () => {
    const owner = newOwner('search')
    for (const title of ['100% sure', '100 sure', 'snake_case', 'snakeXcase']) {
      await call('/api/sessions', { ...owner, json: { title } })
    }
    const find = async (text: string) => {
      const path = `/api/sessions?q=${encodeURIComponent(text)}`
      const { sessions } = await (await call(path, owner)).json<List>()
      return sessions.map(({ title, snippet, seq }) => ({ title, snippet, seq }))
    }
    expect(await find('100%')).toEqual([{ title: '100% sure', snippet: '100% sure', seq: 2 }])
    expect(await find('snake_')).toEqual([{ title: 'snake_case', snippet: 'snake_case', seq: 2 }])
    expect(await find('SURE')).toHaveLength(2)
    expect(await find('\\')).toEqual([])
    expect(await find("' OR 1=1 --")).toEqual([])
  })
})

describe('changing', () => {
  test('[SES1] a patch answers the changed session, and the list follows', async () => {
    const owner = newOwner('patch')
    const { id } = await createSession(owner)
    const json = { title: 'Renamed', pinned: true, mode: 'plan' }
    const response = await call(`/api/sessions/${id}`, { ...owner, method: 'PATCH', json })
    expect(await sessionIn(response)).toMatchObject({ id, ...json, seq: 3 })
    const { sessions } = await (await call('/api/sessions', owner)).json<List>()
    expect(sessions).toMatchObject([{ id, ...json, seq: 3 }])
  })

  test('[SES1] a deleted session is gone at once and can be brought back', async () => {
    const owner = newOwner('delete')
    const { id } = await createSession(owner)
    const removed = await call(`/api/sessions/${id}`, { ...owner, method: 'DELETE' })
    expect(await removed.json()).toEqual({ ok: true })
    expect((await call(`/api/sessions/${id}`, owner)).status).toBe(404)
    expect(await (await call('/api/sessions', owner)).json()).toMatchObject({ sessions: [] })
    const restored = await call(`/api/sessions/${id}/restore`, { ...owner, method: 'POST' })
    expect(await sessionIn(restored)).toMatchObject({ id, title: 'Test' })
    const { sessions } = await (await call('/api/sessions', owner)).json<List>()
    expect(sessions).toMatchObject([{ id }])
  })

  test('[API1] the same command id has one effect and one answer', async () => {
    const { id } = await createSession()
    const path = `/api/sessions/${id}/commands`
    const json = { type: 'configure', id: 'same', title: 'Once' }
    const first = await (await call(path, { json })).json()
    expect(first).toMatchObject({ ok: true, seq: 3 })
    expect(await (await call(path, { json })).json()).toEqual(first)
    const reused = await call(path, { json: { ...json, title: 'Twice' } })
    expect(await refusalOf(reused)).toMatchObject({ status: 409, code: 'id_reused' })
  })

  test('[API1] what a session costs can be read', async () => {
    const { id } = await createSession()
    const stats = await (await call(`/api/sessions/${id}/stats`)).json()
    expect(stats).toMatchObject({ events: 2, sockets: 0 })
    expect(stats).toHaveProperty('rowsWritten', expect.any(Number))
  })
})

describe('requests per owner', () => {
  test('[SAF2] are limited where it is set, with the time to wait', async () => {
    const owner = newOwner('busy')
    const vars = { ...owner.vars, PARLEY_REQUESTS_PER_MINUTE: '12' }
    const ask = () => call('/api/me', { ...owner, vars })
    expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
    const refused = await ask()
    expect(refused.headers.get('retry-after')).toBe('5')
    expect(await refusalOf(refused)).toMatchObject({ status: 429, code: 'rate_limited' })
  })
})

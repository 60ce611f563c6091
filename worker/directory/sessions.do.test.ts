import { env } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import {
  dropSession,
  findEmptySession,
  listSessions,
  projectSession,
  type Projection,
} from './sessions.ts'

const projection = (id: string, fields: Partial<Projection> = {}): Projection => ({
  id,
  title: id,
  status: 'idle',
  agent: 'assistant',
  model: 'demo',
  mode: 'agent',
  seq: 1,
  createdAt: 1,
  updatedAt: 1,
  pinned: false,
  empty: false,
  deletedAt: null,
  ...fields,
})

const list = (owner: string, limit = 30) =>
  listSessions(env.DB, owner, { limit, before: null, text: null })

const plan = async (sql: string): Promise<string> => {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`).all<{ detail: string }>()
  return results.map(({ detail }) => detail).join('; ')
}

describe('directory', () => {
  test('[SES5] an older projection never overwrites a newer one', async () => {
    await projectSession(env.DB, 'o1', projection('o1-a', { seq: 5, title: 'new', updatedAt: 50 }))
    await projectSession(env.DB, 'o1', projection('o1-a', { seq: 4, title: 'old', updatedAt: 40 }))
    expect((await list('o1')).sessions).toMatchObject([{ title: 'new', seq: 5, updatedAt: 50 }])
  })

  test('[SAF1] a projection under another owner changes nothing', async () => {
    await projectSession(env.DB, 'o2', projection('o2-a'))
    await projectSession(env.DB, 'thief', projection('o2-a', { seq: 9, title: 'stolen' }))
    expect((await list('thief')).sessions).toEqual([])
    expect((await list('o2')).sessions).toMatchObject([{ title: 'o2-a' }])
  })

  test('[SES2] a deleted session is hidden, comes back when restored, and goes when erased', async () => {
    await projectSession(env.DB, 'o3', projection('o3-a', { empty: true }))
    await projectSession(env.DB, 'o3', projection('o3-a', { empty: true, deletedAt: 1000 }))
    expect((await list('o3')).sessions).toEqual([])
    expect(await findEmptySession(env.DB, 'o3')).toBeNull()
    await projectSession(env.DB, 'o3', projection('o3-a', { seq: 2, empty: true }))
    expect((await list('o3')).sessions).toMatchObject([{ id: 'o3-a', seq: 2 }])
    expect(await findEmptySession(env.DB, 'o3')).toBe('o3-a')
    await dropSession(env.DB, 'o3', 'o3-a')
    expect((await list('o3')).sessions).toEqual([])
  })

  test('[SES1] sessions of the same moment are paged without loss', async () => {
    for (const id of ['a', 'b', 'c', 'd', 'e']) {
      await projectSession(env.DB, 'o4', projection(`o4-${id}`, { updatedAt: 7 }))
    }
    const ids: string[] = []
    let before: { updatedAt: number; id: string } | null = null
    do {
      const page = await listSessions(env.DB, 'o4', { limit: 2, before, text: null })
      ids.push(...page.sessions.map(({ id }) => id))
      before = page.next
    } while (before !== null)
    expect(ids).toEqual(['o4-e', 'o4-d', 'o4-c', 'o4-b', 'o4-a'])
  })

  test('[SES1] listing and looking for an empty session use their indexes', async () => {
    const page = `SELECT id, title FROM sessions WHERE owner = 'x' AND deleted_at IS NULL
      AND (updated_at, id) < (5, 'y') ORDER BY updated_at DESC, id DESC LIMIT 31`
    expect(await plan(page)).toMatch(/^SEARCH sessions USING (COVERING )?INDEX sessions_by_owner/)
    expect(await plan(page)).not.toContain('TEMP B-TREE')
    const empty = `SELECT id FROM sessions WHERE owner = 'x' AND is_empty = 1
      AND deleted_at IS NULL AND status = 'idle' LIMIT 1`
    expect(await plan(empty)).toContain('sessions_empty')
  })
})

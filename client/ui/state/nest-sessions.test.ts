import { expect, test } from 'vitest'
import type { SessionSummary } from '#protocol/http'
import { flatten, nestSessions, type Branch, type Unfolding } from './nest-sessions.ts'

let made = 0
const session = (id: string, fields: Partial<SessionSummary> = {}): SessionSummary => ({
  id,
  title: id,
  status: 'idle',
  agent: 'assistant',
  model: 'm',
  mode: 'agent',
  seq: 1,
  createdAt: ++made,
  updatedAt: 0,
  pinned: false,
  ...fields,
})
const child = (id: string, parentId: string, fields: Partial<SessionSummary> = {}) =>
  session(id, { parentId, ...fields })

const nest = (
  sessions: SessionSummary[],
  openId: string | null = null,
  chosen: [string, Unfolding][] = [],
): Branch[] => nestSessions(sessions, { openId, chosen: new Map(chosen) })
const idsOf = (branches: readonly Branch[]): string[] => flatten(branches).map(({ id }) => id)

test('[SES1] [AGT5] children are folded below their parent, and shown while it is open', () => {
  const list = [session('b'), session('a'), child('a1', 'a'), child('a2', 'a')]
  expect(idsOf(nest(list))).toEqual(['b', 'a'])
  expect(nest(list)[1]).toMatchObject({ count: 2, isOpen: false, hidden: 0 })
  expect(idsOf(nest(list, 'a'))).toEqual(['b', 'a', 'a1', 'a2'])
  expect(idsOf(nest(list, 'a2'))).toEqual(['b', 'a', 'a1', 'a2'])
})

test('[SES1] [AGT5] one that runs or waits is in view, however deep it is', () => {
  const list = [session('a'), child('a1', 'a'), child('a11', 'a1', { status: 'waiting' })]
  expect(idsOf(nest(list))).toEqual(['a', 'a1', 'a11'])
  expect(idsOf(nest(list, null, [['a', 'folded']]))).toEqual(['a'])
})

test('[SES1] of many, the most urgent few are shown, until all are asked for', () => {
  const many = Array.from({ length: 50 }, (_, n) => child(`c${n}`, 'a'))
  many[40] = { ...many[40]!, status: 'waiting' }
  many[30] = { ...many[30]!, status: 'running' }
  const list = [session('a'), ...many]
  expect(idsOf(nest(list))).toEqual(['a', 'c0', 'c1', 'c2', 'c30', 'c40'])
  expect(nest(list)[0]).toMatchObject({ count: 50, hidden: 45 })
  expect(idsOf(nest(list, null, [['a', 'all']]))).toHaveLength(51)
})

test('[SES1] one whose parent is on another page, or that is pinned, stands by itself', () => {
  const list = [child('p', 'a', { pinned: true }), session('a'), child('x', 'elsewhere')]
  expect(idsOf(nest(list))).toEqual(['p', 'a', 'x'])
})

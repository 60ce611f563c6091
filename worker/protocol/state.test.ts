import { describe, expect, test } from 'vitest'
import {
  EMPTY_STATE,
  fromSnapshot,
  hot,
  isSameHot,
  toSnapshot,
  type SessionState,
} from './state.ts'
import { isEmptySession, statusOfSession, titleOf, toSummary } from './summary.ts'

const withSession = (session: Partial<SessionState['session']>): SessionState => ({
  ...EMPTY_STATE,
  session: { ...EMPTY_STATE.session, ...session },
})
const titled = (firstText: string | null, title: string | null = null): string =>
  titleOf(withSession({ firstText, title }).session)

const RUNNING: SessionState = {
  ...EMPTY_STATE,
  run: {
    status: 'running',
    runId: 'r',
    responseId: 'r.1',
    model: 'm',
    agent: 'a',
    attempt: 1,
    startedAt: 0,
    kind: 'answer',
  },
}

const ended = (outcome: 'done' | 'failed' | 'cancelled'): SessionState => ({
  ...EMPTY_STATE,
  lastRun: { runId: 'r', outcome, seq: 4 },
})

describe('a title', () => {
  test('[SES1] is what a person chose, else the first line of the first message', () => {
    expect(titled('one\ntwo', 'Mine')).toBe('Mine')
    expect(titled('  one two\nthree')).toBe('one two')
    expect(titled(null)).toBe('New chat')
    expect(titled(' \n ')).toBe('New chat')
  })

  test('[SES1] made from a message is short, and never ends in half a character', () => {
    expect(titled('x'.repeat(60))).toBe('x'.repeat(60))
    expect(titled('x'.repeat(61))).toBe(`${'x'.repeat(59)}…`)
    expect(titled(`${'x'.repeat(58)}😀 and more`)).toBe(`${'x'.repeat(58)}…`)
  })
})

describe('a summary', () => {
  test('[SES1] says running, error or idle', () => {
    expect(statusOfSession(EMPTY_STATE)).toBe('idle')
    expect(statusOfSession(RUNNING)).toBe('running')
    expect(statusOfSession(ended('done'))).toBe('idle')
    expect(statusOfSession(ended('cancelled'))).toBe('idle')
    expect(statusOfSession(ended('failed'))).toBe('error')
    expect(statusOfSession({ ...ended('failed'), run: RUNNING.run })).toBe('running')
  })

  test('[SES1] has what a list shows and nothing of what was said', () => {
    const state = withSession({ id: 'x', firstText: 'hello', pinned: true, createdAt: 1 })
    expect(toSummary({ ...state, seq: 7 })).toEqual({
      id: 'x',
      title: 'hello',
      status: 'idle',
      agent: '',
      model: '',
      mode: 'agent',
      seq: 7,
      createdAt: 1,
      updatedAt: 0,
      pinned: true,
    })
  })

  test('[SES2] a session is empty until somebody used it in any way', () => {
    expect(isEmptySession(EMPTY_STATE)).toBe(true)
    expect(isEmptySession(withSession({ pinned: true }))).toBe(true)
    expect(isEmptySession(withSession({ messages: 1 }))).toBe(false)
    expect(isEmptySession(withSession({ clearedSeq: 9 }))).toBe(false)
    expect(isEmptySession(withSession({ title: 'Mine' }))).toBe(false)
    expect(isEmptySession(RUNNING)).toBe(false)
    const item = { itemId: 'q', text: 'x', delivery: 'queue', from: 'o' } as const
    expect(isEmptySession({ ...EMPTY_STATE, queue: { items: [item], held: true } })).toBe(false)
  })
})

describe('hot state', () => {
  test('[LOG7] is all but seq, turns and the open response', () => {
    const keys = Object.keys(EMPTY_STATE).filter((key) => !['seq', 'turns', 'open'].includes(key))
    expect(Object.keys(hot(RUNNING)).sort()).toEqual(keys.sort())
  })

  test('[LOG7] goes into a snapshot and out of it again', () => {
    const state: SessionState = { ...RUNNING, seq: 12 }
    expect(fromSnapshot(toSnapshot(state), 12)).toEqual(state)
  })

  test('[LOG1] is the same while each of its parts is the same object', () => {
    const later: SessionState = { ...RUNNING, seq: 9, turns: [] }
    expect(isSameHot(RUNNING, later)).toBe(true)
    for (const key of Object.keys(hot(RUNNING)) as (keyof ReturnType<typeof hot>)[]) {
      const changed = { ...RUNNING, [key]: structuredClone(RUNNING[key]) }
      if (RUNNING[key] === null) continue
      expect(isSameHot(RUNNING, changed), key).toBe(false)
    }
    expect(
      isSameHot(RUNNING, { ...RUNNING, lastRun: { runId: 'r', outcome: 'done', seq: 1 } }),
    ).toBe(false)
  })
})

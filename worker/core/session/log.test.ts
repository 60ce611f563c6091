import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { toRunId } from '#protocol/ids'
import { openPartIds } from '#protocol/live'
import { fold } from '#protocol/reduce'
import { EMPTY_STATE, hot } from '#protocol/state'
import { FuzzSession } from '../../testing/node/fuzz-session.ts'
import { MemorySql } from '../../testing/node/memory-sql.ts'
import { OWNER, SESSION_ID, SessionHarness } from '../../testing/node/session-harness.ts'
import { Log } from './log.ts'
import { applySchemaSteps, hasTable, SCHEMA_VERSION } from './schema.ts'

const seqs = (rows: readonly { seq: number }[]): number[] => rows.map(({ seq }) => seq)

/** 1 created, 2 message, 3 run, 4–6 deltas, 7 text_done, 8 call, 9 context, 10 output of the call. */
async function streamed(): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text: 'hello' })
  await harness.settle()
  for (const words of ['some words ', 'more words ', 'last words']) {
    harness.model.current.text(words)
    harness.timers.advance(500)
  }
  harness.model.current.emit({ type: 'tool_call', id: 'a', toolName: 'search', arguments: '{}' })
  harness.model.current.finish('tool_calls')
  await harness.settle()
  harness.tools.open[0]?.context.output('output')
  harness.timers.advance(500)
  return harness
}

function page(
  harness: SessionHarness,
  query: Parameters<SessionHarness['core']['views']['events']>[1],
) {
  const result = harness.core.views.events(OWNER, query)
  if (!result.ok) throw new Error(result.rejection.code)
  return result.value
}

async function configured(events: number): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  for (let i = 2; i <= events; i++) harness.command({ type: 'configure', title: `title ${i}` })
  return harness
}

describe('pages', () => {
  test('[API1] after gives what follows, ascending, and says whether there is more', async () => {
    const harness = await configured(10)
    const first = page(harness, { after: 0, limit: 4, deltas: false })
    expect(seqs(first.events)).toEqual([1, 2, 3, 4])
    expect(first).toMatchObject({ seq: 10, hasMore: true })
    const last = page(harness, { after: 6, limit: 4, deltas: false })
    expect(seqs(last.events)).toEqual([7, 8, 9, 10])
    expect(last.hasMore).toBe(false)
    expect(page(harness, { after: 10, limit: 4, deltas: false })).toEqual({
      events: [],
      seq: 10,
      hasMore: false,
    })
    expect(page(harness, { after: 99, limit: 4, deltas: false }).events).toEqual([])
  })

  test('[API1] [LOG7] before alone gives the last ones below it, still ascending', async () => {
    const harness = await configured(10)
    const middle = page(harness, { before: 8, limit: 3, deltas: false })
    expect(seqs(middle.events)).toEqual([5, 6, 7])
    expect(middle).toMatchObject({ seq: 10, hasMore: true })
    const first = page(harness, { before: 4, limit: 3, deltas: false })
    expect(seqs(first.events)).toEqual([1, 2, 3])
    expect(first.hasMore).toBe(false)
    expect(page(harness, { before: 1, limit: 3, deltas: false }).events).toEqual([])
  })

  test('[API1] after and before together give what lies between, from the front', async () => {
    const harness = await configured(10)
    const between = page(harness, { after: 3, before: 9, limit: 3, deltas: false })
    expect(seqs(between.events)).toEqual([4, 5, 6])
    expect(between.hasMore).toBe(true)
    expect(page(harness, { after: 6, before: 9, limit: 3, deltas: false })).toMatchObject({
      hasMore: false,
    })
  })

  test('[API1] an after of 0 is an after, also beside a before', async () => {
    const harness = await configured(10)
    const first = page(harness, { after: 0, before: 6, limit: 3, deltas: false })
    expect(seqs(first.events)).toEqual([1, 2, 3])
  })

  test('[API1] neither gives the log from its start', async () => {
    const harness = await configured(3)
    expect(seqs(page(harness, { limit: 10, deltas: false }).events)).toEqual([1, 2, 3])
  })

  test('[API1] [LOG3] superseded deltas are left out unless asked for', async () => {
    const harness = await streamed()
    const without = page(harness, { limit: 100, deltas: false })
    expect(without.events.map(({ type }) => type)).toEqual([
      'session_created',
      'user_message',
      'run_started',
      'text_done',
      'tool_call_start',
      'context_usage',
      'tool_output_delta',
    ])
    expect(seqs(page(harness, { limit: 100, deltas: true }).events)).toEqual([
      1, 2, 3, 4, 5, 6, 7, 8, 9, 10,
    ])
  })

  test('[LOG7] pages joined backwards are the whole log, whatever their size', async () => {
    const { harness } = await FuzzSession.run(31, 300)
    const all = page(harness, { limit: 10_000, deltas: false }).events
    for (const limit of [1, 3, 50]) {
      const joined: SessionEvent[] = []
      let before = Number.MAX_SAFE_INTEGER
      for (let hasMore = true; hasMore;) {
        const part = page(harness, { before, limit, deltas: false })
        joined.unshift(...part.events)
        before = part.events[0]?.seq ?? 0
        hasMore = part.hasMore
      }
      expect(seqs(joined)).toEqual(seqs(all))
    }
    expect(fold(all)).toEqual(harness.folded())
  })

  test('[SAF1] another owner is told nothing', async () => {
    const harness = await configured(3)
    expect(harness.core.views.events('mallory', { limit: 10, deltas: true })).toMatchObject({
      ok: false,
      rejection: { code: 'not_found' },
    })
  })
})

describe('the end of a run', () => {
  test('[CAN2] is found by its id alone, also when it went through several attempts', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'one' })
    await harness.settle()
    harness.model.current.text('An answer').finish()
    await harness.settle()
    harness.command({ type: 'send', text: 'two' })
    await harness.settle()
    harness.crash()
    await harness.settle()
    const log = new Log(harness.database)
    expect(log.terminalSeqOf(toRunId(SESSION_ID, 3))).toBe(6)
    // Active, begun at 8; its second attempt at 9 is not a run of its own.
    expect(log.terminalSeqOf(toRunId(SESSION_ID, 8))).toBe(null)
    expect(log.terminalSeqOf(toRunId(SESSION_ID, 9))).toBe(null)
    harness.model.current.text('An answer').finish()
    await harness.settle()
    expect(log.terminalSeqOf(toRunId(SESSION_ID, 8))).toBe(12)
  })

  test('[CAN2] of what is no run here there is none', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'one' })
    harness.command({ type: 'cancel' })
    const log = new Log(harness.database)
    const wrong = [
      '',
      'nonsense',
      toRunId(SESSION_ID, 2),
      toRunId(SESSION_ID, 999),
      toRunId('another-session-0123', 3),
    ]
    for (const runId of wrong) expect(log.terminalSeqOf(runId), runId).toBe(null)
  })
})

describe('what is stored', () => {
  test('[SAF2] asking for a session that is not there stores nothing', () => {
    const sql = new MemorySql()
    expect(new Log(sql).load()).toBe(null)
    expect(sql.exec('SELECT name FROM sqlite_master')).toEqual([])
  })

  test('[LOG1] the log holds each event as it was, and a hole cannot be written over', async () => {
    const harness = await streamed()
    const log = new Log(harness.database)
    const [last] = harness.events().slice(-1)
    expect(() => log.append([last!], {})).toThrow(/UNIQUE/)
    expect(log.lastSeq()).toBe(10)
  })

  test('[LOG1] a lone surrogate survives storage, unit for unit', async () => {
    const harness = await SessionHarness.create()
    const text = 'a\ud83db\ude00'
    harness.command({ type: 'send', text })
    expect(harness.events()[1]).toMatchObject({ type: 'user_message', text })
  })

  test('[LOG2] the hot row is the hot part of a fold of the log, after every commit', async () => {
    for (const seed of [51, 52, 53, 54]) {
      const { harness } = await FuzzSession.run(seed, 150)
      expect(new Log(harness.database).load()?.hot).toEqual(hot(harness.folded()))
    }
  })

  test('[LOG1] append is all or nothing: what stands beside fails, so do the events', async () => {
    const harness = await SessionHarness.create()
    const log = new Log(harness.database)
    const event: SessionEvent = { seq: 2, at: 0, type: 'session_cleared', by: 'owner' }
    const command = { id: 'x', body: 'b', ack: { seq: 2 } }
    log.append([], { command })
    expect(() => log.append([event], { hot: hot(EMPTY_STATE), command })).toThrow(/UNIQUE/)
    expect(log.lastSeq()).toBe(1)
    expect(log.load()?.hot.session.id).toBe(SESSION_ID)
  })

  test('[SES1] whether the directory has to hear of it is never forgotten by a later change', async () => {
    const harness = await SessionHarness.create()
    const log = new Log(harness.database)
    const state = log.load()!.hot
    expect(log.load()?.unprojected).toBe(false)
    log.append([], { hot: state, unprojected: true })
    log.append([], { hot: state, unprojected: false })
    expect(log.load()?.unprojected).toBe(true)
    log.markProjected()
    expect(log.load()?.unprojected).toBe(false)
  })
})

describe('snapshots', () => {
  test('[LOG7] are kept where turns start, a hundred events apart, and are true', async () => {
    const harness = await SessionHarness.create()
    for (let i = 0; i < 120; i++) {
      harness.command({ type: 'send', text: `question ${i}` })
      await harness.settle()
      harness.model.current.text('A good answer').finish()
      await harness.settle()
    }
    const rows = harness.database.exec<{ seq: number; state: string }>(
      'SELECT seq, state FROM snapshots ORDER BY seq',
    )
    expect(rows).toHaveLength(5)
    const events = harness.events()
    for (const [index, { seq, state }] of rows.entries()) {
      expect(seq - (rows[index - 1]?.seq ?? 0)).toBeGreaterThanOrEqual(100)
      expect(JSON.parse(state)).toEqual(hot(fold(events.slice(0, seq))))
      expect(events[seq]).toMatchObject({ type: 'user_message' })
    }
  })

  test('[LOG7] a session that needs none has no table for them', async () => {
    const harness = await streamed()
    expect(hasTable(harness.database, 'snapshots')).toBe(false)
  })

  test('[LOG7] the distance is kept across a restart', async () => {
    const harness = await SessionHarness.create()
    for (let i = 0; i < 60; i++) {
      harness.command({ type: 'send', text: `question ${i}` })
      await harness.settle()
      harness.model.current.text('A good answer').finish()
      await harness.settle()
      harness.hibernate()
    }
    expect(harness.database.exec('SELECT seq FROM snapshots')).toHaveLength(2)
  })

  test('[LOG7] [LOG2] lead to the state a full fold gives, wherever the tail begins', async () => {
    const { harness } = await FuzzSession.run(77, 900)
    const events = harness.events()
    const log = new Log(harness.database)
    const openParts = openPartIds(harness.folded().open)
    for (let tail = 1; tail < events.length; tail += 9) {
      const before = log.stateBeforeTail(tail, events.length, openParts)
      expect(hot(before)).toEqual(hot(fold(events.slice(0, before.seq))))
      const rest = log.events({ after: before.seq, openParts })
      expect({ ...fold(rest, before), turns: [] }).toEqual({ ...fold(events), turns: [] })
    }
  })
})

describe('schema steps', () => {
  test('a database of today’s version is left as it is', async () => {
    const harness = await SessionHarness.create()
    const tables = () => harness.database.exec('SELECT name, sql FROM sqlite_master ORDER BY name')
    const before = tables()
    new Log(harness.database).load()
    applySchemaSteps(harness.database, SCHEMA_VERSION)
    expect(tables()).toEqual(before)
    expect(harness.database.exec('SELECT version FROM session')).toEqual([
      { version: SCHEMA_VERSION },
    ])
  })

  test('a step that fails leaves the stored version and everything else as they were', async () => {
    const harness = await SessionHarness.create()
    harness.database.exec('UPDATE session SET version = ?', SCHEMA_VERSION - 1)
    const before = harness.events()
    // The tables of the last step are there already, so taking it again has to fail.
    expect(() => new Log(harness.database).load()).toThrow(/already exists/)
    expect(harness.database.exec('SELECT version FROM session')).toEqual([
      { version: SCHEMA_VERSION - 1 },
    ])
    expect(harness.events()).toEqual(before)
  })
})

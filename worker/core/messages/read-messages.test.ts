import { convertToModelMessages, validateUIMessages } from 'ai'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { fold } from '#protocol/reduce'
import { hot, type SessionState } from '#protocol/state'
import { isTextPart, type Part } from '#protocol/turns'
import { MemorySql } from '../../testing/node/memory-sql.ts'
import { WrittenLog } from '../../testing/node/written-log.ts'
import { RandomSource } from '../../testing/random-source.ts'
import { Log } from '../session/log.ts'
import type { SqlValue } from '../session/sql.ts'
import { readMessages, type MessagesQuery } from './read-messages.ts'
import { markSteps, type StepMarks } from './steps.ts'
import { toUiMessages } from './ui.ts'
import { toVercelMessages } from './vercel.ts'

type Format = MessagesQuery['format']
const FORMATS = ['vercel', 'ui'] as const
const RANDOM_LOGS = 24
const FIRST_SEED = 20261118

const folder = new URL('../../testing/logs/', import.meta.url)
const recorded = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => ({
    name: file,
    events: (JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as { events: SessionEvent[] })
      .events,
  }))

/** Runs of every course, one after another: steers, crashes, retries, decisions, clears. */
function writeRandomly(seed: number): WrittenLog {
  const random = new RandomSource(seed)
  const log = new WrittenLog()
  for (let runs = 1 + random.below(8); runs > 0; runs--) {
    if (random.chance(0.8)) log.user(`message ${log.seq}`)
    log.run(random.chance(0.1) ? 'compact' : 'answer')
    for (let steps = random.below(5); steps > 0; steps--) writeStep(log, random)
    if (random.chance(0.7)) log.text(`end ${log.seq}`, random.pick(['done', 'interrupted']))
    if (runs > 1 || random.chance(0.6)) log.done(random.pick(['done', 'cancelled', 'failed']))
    if (runs > 1 && random.chance(0.1)) log.clear()
    if (runs > 1 && random.chance(0.1)) {
      log.add({ type: 'warning', code: 'w', message: `notice ${log.seq}` })
    }
  }
  return log
}

function writeStep(log: WrittenLog, random: RandomSource): void {
  if (random.chance(0.3)) log.think(`thought ${log.seq}`)
  if (random.chance(0.5)) log.text(`text ${log.seq}`)
  if (random.chance(0.2)) log.retry().text(`again ${log.seq}`)
  if (random.chance(0.2)) log.think(`think ${log.seq}`, `t${log.seq}`)
  if (random.chance(0.15)) log.text(`cut ${log.seq}`, 'interrupted').again()
  const calls = Array.from({ length: random.below(4) }, (_, index) => `call-${log.seq}-${index}`)
  for (const callId of calls) log.call(callId)
  if (random.chance(0.2)) log.text(`after calls ${log.seq}`)
  if (random.chance(0.7)) log.endStep()
  for (const callId of calls.toSorted(() => random.next() - 0.5)) writeEnd(log, random, callId)
  if (random.chance(0.3)) log.steer(`steer ${log.seq}`)
  if (random.chance(0.1)) log.steer(`steer ${log.seq}`)
}

function writeEnd(log: WrittenLog, random: RandomSource, callId: string): void {
  if (random.chance(0.3)) {
    log.ask(callId)
    const status = random.pick(['accepted', 'rejected', 'expired', 'cancelled'] as const)
    log.decide(callId, status)
    if (status !== 'accepted') return void log.fail(callId, 'tool_denied')
  }
  if (random.chance(0.7)) log.result(callId)
  else log.fail(callId, random.pick(['tool_error', 'tool_interrupted']))
}

const random = Array.from({ length: RANDOM_LOGS }, (_, index) => FIRST_SEED + index)
const logs = [
  ...recorded,
  ...random.map((seed) => ({ name: `seed ${seed}`, events: writeRandomly(seed).events })),
]

/** Rows that were read, beside the database. */
class CountingSql extends MemorySql {
  rows = 0
  override exec<Row extends Record<string, SqlValue>>(query: string, ...values: SqlValue[]): Row[] {
    const rows = super.exec<Row>(query, ...values)
    this.rows += rows.length
    return rows
  }
}

function store(events: SessionEvent[]): { log: Log; state: SessionState; sql: CountingSql } {
  const sql = new CountingSql()
  const log = new Log(sql)
  const state = fold(events)
  log.create('owner', events, hot(state))
  sql.rows = 0
  return { log, state, sql }
}

function whole(events: SessionEvent[], format: Format): unknown[] {
  const { turns, open } = fold(events)
  const marks = markSteps(events)
  return format === 'ui' ? toUiMessages(turns, open, marks) : toVercelMessages(turns, open, marks)
}

function readAll(events: SessionEvent[], format: Format, limit: number): unknown[] {
  const { log, state } = store(events)
  const pages: unknown[][] = []
  let before: number | undefined
  do {
    const page = readMessages(log, state, {
      format,
      limit,
      ...(before === undefined ? {} : { before }),
    })
    pages.push(page.messages)
    if (page.cursor !== null) expect(page.cursor).toBeLessThan(before ?? Infinity)
    before = page.cursor ?? undefined
  } while (before !== undefined)
  return (format === 'ui' ? pages.toReversed() : pages).flat()
}

const partsOf = ({ turns, open }: SessionState): Part[] => [
  ...turns.flatMap((turn) => (turn.kind === 'assistant' ? turn.parts : [])),
  ...(open?.parts ?? []),
]

describe.each(logs)('[API2] $name', ({ events }) => {
  test('[API2] gives valid messages of both formats after every event', async () => {
    for (let end = 0; end <= events.length; end++) {
      const known = events.slice(0, end)
      const state = fold(known)
      const marks = markSteps(known)
      const messages = toUiMessages(state.turns, state.open, marks)
      if (messages.length > 0) {
        const read = await validateUIMessages({ messages })
        expect(read).toEqual(messages)
        await convertToModelMessages(read)
      }
      const ids = messages.map(({ id }) => id)
      expect(new Set(ids).size).toBe(ids.length)
      checkVercel(state, marks)
    }
  })

  test.each(FORMATS)('[API2] is the same as %s page by page, whatever the size', (format) => {
    const all = whole(events, format)
    for (const limit of [1, 2, 3, 5, 200]) expect(readAll(events, format, limit)).toEqual(all)
  })
})

/** Nothing that was said or called is lost, doubled or moved. */
function checkVercel(state: SessionState, marks: StepMarks): void {
  const messages = toVercelMessages(state.turns, state.open, marks).toReversed()
  const ids = messages.map(({ id }) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const answers = messages.filter((message) => message.role === 'assistant')
  const told = answers.flatMap(({ parts }) =>
    parts.map((part) => {
      if (part.type === 'tool-invocation') return `call ${part.toolInvocation.toolCallId}`
      return part.type === 'text' ? `text ${part.text}` : `thinking ${part.reasoning}`
    }),
  )
  const known = partsOf(state).flatMap((part) => {
    if (part.kind === 'tool') return [`call ${part.callId}`]
    return isTextPart(part) && part.text !== '' ? [`${part.kind} ${part.text}`] : []
  })
  expect(told).toEqual(known)
  for (const { id, parts, annotations, content } of answers) {
    const calls = parts.flatMap((part) =>
      part.type === 'tool-invocation' ? [part.toolInvocation] : [],
    )
    const marks = annotations.filter((mark) => 'toolCallId' in mark)
    expect(marks.map(({ toolCallId }) => toolCallId)).toEqual(calls.map((one) => one.toolCallId))
    expect(marks.map(({ isComplete }) => isComplete)).toEqual(
      calls.map((one) => one.state === 'result'),
    )
    expect(annotations.slice(marks.length)).toEqual(
      content === '' ? [] : [{ messageId: id, isComplete: expect.any(Boolean) }],
    )
  }
}

function long(runs: number): WrittenLog {
  const log = new WrittenLog()
  for (let run = 0; run < runs; run++) {
    log.user(`question ${run}`).run().text(`answer ${run}`).done()
  }
  return log
}

function readOf(runs: number): number {
  const { log, state, sql } = store(long(runs).events)
  readMessages(log, state, { format: 'ui', limit: 20 })
  return sql.rows
}

describe('[API2] a page', () => {
  test('[API2] has the turns at the end, and says where the page before it ends', () => {
    const { log, state } = store(long(10).events)
    const page = readMessages(log, state, { format: 'vercel', limit: 4 })
    expect(page.messages).toMatchObject([
      { content: 'answer 9' },
      { content: 'question 9' },
      { content: 'answer 8' },
      { content: 'question 8' },
    ])
    const before = readMessages(log, state, { format: 'ui', limit: 1, before: page.cursor! })
    expect(before.messages).toMatchObject([{ parts: [{}, { text: 'answer 7' }] }])
  })

  test('[API2] [LOG7] reads no more of a long session than of a short one', () => {
    expect(readOf(3000)).toBe(readOf(300))
  })

  test('[API2] of very long turns has fewer of them, and the rest follow', () => {
    const log = new WrittenLog()
    const text = 'x'.repeat(250_000)
    for (let run = 0; run < 60; run++) log.user(`question ${run}`).run().text(text).done()
    const { log: stored, state } = store(log.events)
    const page = readMessages(stored, state, { format: 'ui', limit: 200 })
    expect(page.messages.length).toBeGreaterThan(10)
    expect(page.messages.length).toBeLessThan(100)
    expect(page.cursor).not.toBeNull()
    expect(readAll(log.events, 'ui', 200)).toHaveLength(120)
  })

  test('[API2] keeps an answer that a steer opened with its message', () => {
    const log = new WrittenLog().user('one').run().text('a').steer('two').text('b').done()
    const { log: stored, state } = store(log.events)
    const page = readMessages(stored, state, { format: 'ui', limit: 1 })
    expect(page.messages).toMatchObject([{ role: 'user' }, { role: 'assistant' }])
  })

  test('[API2] holds nothing from before a clear, whatever the cursor', () => {
    const log = long(3).clear()
    const cleared = log.seq
    log.user('new').run().text('fresh').done()
    const { log: stored, state } = store(log.events)
    const page = readMessages(stored, state, { format: 'vercel', limit: 50 })
    expect(page).toMatchObject({
      messages: [{ content: 'fresh' }, { content: 'new' }],
      cursor: null,
    })
    for (let before = 0; before <= cleared + 1; before++) {
      expect(readMessages(stored, state, { format: 'vercel', limit: 50, before })).toEqual({
        messages: [],
        cursor: null,
      })
    }
  })

  test.each(FORMATS)('[API2] [SAF2] any number is a cursor: %s', (format) => {
    const { events } = writeRandomly(FIRST_SEED)
    const { log, state } = store(events)
    for (const before of [...events.keys(), 10 ** 15 - 1]) {
      const page = readMessages(log, state, { format, limit: 2, before })
      expect(page.cursor ?? 0).toBeLessThan(Math.max(before, 1))
    }
  })

  test('[API2] of a session where nothing was said is empty', () => {
    const { log, state } = store(new WrittenLog().events)
    expect(readMessages(log, state, { format: 'ui', limit: 5 })).toEqual({
      messages: [],
      cursor: null,
    })
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { EventBody, SessionEvent } from '#protocol/events'
import { deltaPartOf } from '#protocol/live'
import { fold } from '#protocol/reduce'
import { toRunRecords } from './run-records.ts'

type Recorded = { name: string; events: SessionEvent[] }

const SESSION = 'session-0123456789'
const folder = new URL('../../testing/logs/', import.meta.url)
const logs = readdirSync(folder).map(
  (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recorded,
)
const recorded = (name: string): SessionEvent[] => logs.find((log) => log.name === name)!.events

const toLog = (...bodies: EventBody[]): SessionEvent[] =>
  bodies.map((body, index) => ({ ...body, seq: index + 1, at: 1000 + index }))

const RUN = `${SESSION}.1`
const started = (fields: { attempt?: number; model?: string } = {}): EventBody => ({
  type: 'run_started',
  runId: RUN,
  responseId: `${RUN}.1`,
  model: 'big',
  agent: 'critic',
  attempt: 1,
  ...fields,
})

const call = (callId: string): EventBody => ({
  type: 'tool_call_start',
  responseId: `${RUN}.1`,
  callId,
  toolName: 'search',
  arguments: '{}',
})

describe.each(logs)('$name', ({ events }) => {
  const runs = toRunRecords(SESSION, events)

  test('[AGT6] every run is there once, in the order in which they began', () => {
    const first = events.filter((event) => event.type === 'run_started' && event.attempt === 1)
    expect(runs.map(({ run_id: id }) => id)).toEqual(
      first.map((event) => 'runId' in event && event.runId),
    )
  })

  test('[AGT6] superseded deltas change nothing', () => {
    expect(
      toRunRecords(
        SESSION,
        events.filter((event) => deltaPartOf(event) === null),
      ),
    ).toEqual(runs)
  })

  test('[AGT6] the responses are those that people see', () => {
    const seen = fold(events).turns.flatMap((turn) =>
      turn.kind === 'assistant' ? [turn.responseId] : [],
    )
    const known = runs.flatMap(({ response_ids: ids }) => ids)
    expect(known).toEqual(expect.arrayContaining(seen))
    expect(new Set(known).size).toBe(known.length)
  })

  test('[RUN4] what has ended says how, with its tokens and its time', () => {
    const ends = events.filter((event) => event.type === 'run_done')
    expect(runs.filter(({ state }) => state === 'ended')).toMatchObject(
      ends.map(({ at, outcome, stopReason, usage, durationMs }) => ({
        outcome,
        stop_reason: stopReason,
        ended_at: at,
        duration_ms: durationMs,
        usage,
      })),
    )
  })
})

describe('a run', () => {
  test('[AGT6] that was steered has the response before and the one after', () => {
    const [run] = toRunRecords(SESSION, recorded('steer'))
    expect(run).toMatchObject({
      response_ids: [`${SESSION}.3.1`, `${SESSION}.3.2`],
      tool_calls: [{ call_id: 'call_1', tool: 'search', ok: true }],
    })
  })

  test('[AGT6] that a steer reached before its first word has one response', () => {
    const steer: EventBody = {
      type: 'user_message',
      messageId: 'm2',
      text: 'shorter',
      attachments: [],
      delivery: 'steer',
    }
    const [run] = toRunRecords(SESSION, toLog(started(), steer))
    expect(run).toMatchObject({ response_ids: [`${RUN}.1`], state: 'running', outcome: null })
  })

  test('[AGT6] that went on after a crash is one run, with its last attempt', () => {
    const runs = toRunRecords(SESSION, recorded('crash-and-continuation'))
    expect(runs).toMatchObject([
      {
        attempt: 3,
        started_at: 1000000,
        tool_calls: [
          { call_id: 'call_1', ok: false, error_code: 'tool_interrupted' },
          { call_id: 'call_2', ok: true },
        ],
      },
    ])
  })

  test('[AGT6] that fell back names both models, also after a crash', () => {
    const fallback: EventBody = {
      type: 'model_fallback',
      runId: RUN,
      preferred: 'big',
      actual: 'small',
      reason: 'overloaded',
    }
    const again = started({ attempt: 2, model: 'small' })
    for (const events of [toLog(started(), fallback), toLog(started(), fallback, again)]) {
      expect(toRunRecords(SESSION, events)).toMatchObject([
        { model: 'big', actual_model: 'small', agent_id: 'critic', kind: 'answer' },
      ])
    }
  })

  test('[AGT6] that only makes room is of that kind', () => {
    const events = toLog({ ...started(), kind: 'compact' } as EventBody)
    expect(toRunRecords(SESSION, events)).toMatchObject([{ kind: 'compact' }])
  })

  test('[AGT6] with an open call says that nobody knows yet', () => {
    expect(toRunRecords(SESSION, toLog(started(), call('c1')))).toMatchObject([
      { tool_calls: [{ call_id: 'c1', tool: 'search', ok: null }], usage: null, ended_at: null },
    ])
  })

  test('[RUN4] says how each call ended, and how its result begins', () => {
    const result: EventBody = {
      type: 'tool_result',
      callId: 'c1',
      toolName: 'search',
      ok: true,
      // Cut in the middle of a pair, half of which would be no text.
      result: `${'x'.repeat(299)}🙂${'y'.repeat(1000)}`,
      durationMs: 7,
    }
    const failure: EventBody = {
      type: 'tool_result',
      callId: 'c2',
      toolName: 'search',
      ok: false,
      error: { code: 'tool_timeout', message: 'It took too long.' },
      durationMs: 9,
    }
    const [run] = toRunRecords(SESSION, toLog(started(), call('c1'), call('c2'), failure, result))
    expect(run?.tool_calls).toEqual([
      {
        call_id: 'c1',
        tool: 'search',
        ok: true,
        error_code: null,
        result: `${'x'.repeat(299)}�`,
        duration_ms: 7,
      },
      {
        call_id: 'c2',
        tool: 'search',
        ok: false,
        error_code: 'tool_timeout',
        result: 'It took too long.',
        duration_ms: 9,
      },
    ])
  })

  test('[AGT6] whose start is not among the events has no record', () => {
    const events = recorded('thinking-and-parallel-tools')
    const at = events.findIndex(({ type }) => type === 'run_started')
    expect(toRunRecords(SESSION, events.slice(at + 1))).toEqual([])
  })
})

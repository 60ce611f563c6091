import { describe, expect, test } from 'vitest'
import { isSessionId, parseResponseId, parseRunId, toResponseId, toRunId } from './ids.ts'

const SESSION = 'abcDEF_0123-456789'

describe('ids', () => {
  test('[SAF1] a session id has a shape, so that probing with anything else reaches no object', () => {
    expect(isSessionId(SESSION)).toBe(true)
    expect(isSessionId('x'.repeat(16))).toBe(true)
    expect(isSessionId('x'.repeat(64))).toBe(true)
    const wrong = [
      '',
      'short',
      'x'.repeat(65),
      '../../etc/passwd00',
      'a b'.repeat(6),
      `${SESSION}\n`,
    ]
    for (const text of wrong) expect(isSessionId(text), JSON.stringify(text)).toBe(false)
  })

  test('[RUN1] a run id names its session and where it started', () => {
    expect(parseRunId(toRunId(SESSION, 42))).toEqual({ sessionId: SESSION, startedSeq: 42 })
  })

  test('[RUN1] what is not a run id is none', () => {
    const wrong = [
      '',
      SESSION,
      `${SESSION}.`,
      `${SESSION}.x`,
      `${SESSION}.3.1`,
      'short.3',
      `${SESSION}.-1`,
    ]
    for (const text of wrong) expect(parseRunId(text), text).toBe(null)
    expect(parseRunId(`${SESSION}.${'9'.repeat(16)}`)).toBe(null)
  })

  test('[RUN1] a response id names its run and its number', () => {
    const runId = toRunId(SESSION, 42)
    expect(toResponseId(runId, 3)).toBe(`${SESSION}.42.3`)
    expect(parseResponseId(toResponseId(runId, 12))).toEqual({ runId, n: 12 })
  })
})

import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EventSchema, parseEvent, type SessionEvent } from './events.ts'
import { deltaPartOf, openPartIds } from './live.ts'
import { EVENT_BYTES } from './limits.ts'
import { fold } from './reduce.ts'
import { EMPTY_STATE, type SessionState } from './state.ts'
import { utf8Bytes } from './text.ts'

// Recorded once from the real engine by scripts/record-logs.ts. A session may sleep for a year and
// wake under today's reducer: these must replay for ever.

type Recorded = { name: string; what: string; events: SessionEvent[]; state: SessionState }

const folder = new URL('../testing/logs/', import.meta.url)
const logs = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as Recorded)
  // What came later than a log is in it as it was at the start.
  .map((log) => ({ ...log, state: { ...EMPTY_STATE, ...log.state } }))

test('[LOG2] there is a log of every course that a run can take', () => {
  expect(logs.map(({ name }) => name).sort()).toEqual([
    'agents-asked',
    'agents-asking',
    'cancel-in-text',
    'cancel-in-tool',
    'child',
    'clear',
    'compact-by-hand',
    'compaction',
    'crash-and-continuation',
    'crash-too-often',
    'decisions',
    'failed',
    'fallback-mid-text',
    'files',
    'missions',
    'queue-held-and-released',
    'retry-then-success',
    'steer',
    'think-tool',
    'thinking-and-parallel-tools',
  ])
  const types = new Set(logs.flatMap(({ events }) => events.map(({ type }) => type)))
  const recorded = EventSchema.options.flatMap((option) => [...option.shape.type.values])
  expect([...types].sort()).toEqual(recorded.sort())
})

describe.each(logs)('$name: $what', ({ events, state }) => {
  test('[LOG1] every event is one by the schema, with nothing left over and no hole in seq', () => {
    for (const event of events) {
      expect(parseEvent(event)).toEqual(event)
      expect(utf8Bytes(JSON.stringify(event))).toBeLessThanOrEqual(EVENT_BYTES)
    }
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  })

  test('[LOG2] replays to exactly the recorded state', () => {
    expect(fold(events)).toEqual(state)
  })

  test('[LOG2] replays to it without the deltas that were superseded', () => {
    const open = new Set(openPartIds(state.open))
    const kept = events.filter((event) => {
      const part = deltaPartOf(event)
      return part === null || open.has(part)
    })
    expect(kept.length).toBeLessThan(events.length)
    expect(fold(kept)).toEqual(state)
  })

  test('[LOG3] replays to it from any seq a client may have stopped at', () => {
    for (let after = 0; after <= events.length; after++) {
      expect(fold(events.slice(after), fold(events.slice(0, after)))).toEqual(state)
    }
  })
})

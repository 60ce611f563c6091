import { abortAllDurableObjects } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { AUTOMATIC_CONTINUATIONS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import { allowTool, LiveSession, model, script } from '../testing/live-session.ts'
import { RandomSource } from '../testing/random-source.ts'

// The object is cut down in the middle of whatever it does, and goes on: 5 deaths in each of 42
// lives, 210 in all.
const LIVES = 42
const DEATHS = 5
const BLOCK = 7
const FIRST_SEED = 20261118

const call = (id: string, name: string, args: object) => ({
  toolCall: { id, name, arguments: JSON.stringify(args), chunks: 3 },
})

/** Not known to be safe to repeat: a tool of a server that says nothing about it. */
const UNSAFE = 'newer__whoami'
// Nobody is there to be asked.
beforeAll(() => allowTool(UNSAFE))

/** Provider calls of a busy run that nobody kills. */
const STEPS = 3

/** Three steps with six calls, two of them unsafe to repeat, text between them. */
const busyRun = (tag: string): string =>
  `${tag} ${script(
    [
      { reasoning: 'First the time and the sum, then the count. ' },
      { text: 'I will look at the clock. ' },
      call('a', 'current_time', {}),
      call('b', 'calculate', { expression: '6*7' }),
      call('e', UNSAFE, {}),
      { finish: 'tool_calls' },
    ],
    [
      { text: 'And now I count the words, slowly. ' },
      call('c', 'countdown', { from: 1 }),
      call('d', 'text_stats', { text: 'one two three' }),
      call('f', UNSAFE, {}),
      { finish: 'tool_calls' },
    ],
    [{ repeat: 120, text: 'word ', perSecond: 400 }, { finish: 'stop' }],
  )}`

const of = (events: SessionEvent[], type: SessionEvent['type']): SessionEvent[] =>
  events.filter((event) => event.type === type)

const isRunDone = (event: SessionEvent): boolean => event.type === 'run_done'

/** One life: busy runs, each killed after a random number of events, until all deaths are died. */
async function live(seed: number): Promise<void> {
  const random = new RandomSource(seed)
  const session = await LiveSession.create()
  // In every request of this life, and in no other.
  const tag = `life-${seed}-`
  await session.command({ type: 'send', text: busyRun(tag) })
  let seq = 2
  for (let deaths = 0; deaths < DEATHS; deaths++) {
    const socket = await session.connect(0)
    seq += 1 + random.below(6)
    const until = seq
    const event = await socket.untilEvent((one) => one.seq >= until || isLast(one, socket.events))
    await abortAllDurableObjects()
    await socket.closed
    // The run had ended by itself, or by its third death: the next one dies too.
    if (isRunDone(event)) await session.command({ type: 'send', text: busyRun(tag) })
    seq = Math.max(seq, event.seq)
  }
  const last = await session.connect(0)
  await last.untilEvent((one) => isLast(one, last.events))
  const runs = check(await session.events(true))
  // A death costs one call at most: the one that it cut.
  expect(await model.count(tag)).toBeLessThanOrEqual(STEPS * runs + DEATHS)
}

/** The end of the newest run that has begun. */
function isLast(event: SessionEvent, events: readonly SessionEvent[]): boolean {
  const started = events.findLast(({ type }) => type === 'run_started')
  return isRunDone(event) && (started === undefined || event.seq > started.seq)
}

/** Returns how many runs there were. */
function check(events: SessionEvent[]): number {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  const ends = of(events, 'run_done') as { runId: string }[]
  const starts = of(events, 'run_started') as { runId: string; attempt: number }[]
  const runs = new Set(starts.map(({ runId }) => runId))
  expect(ends.map(({ runId }) => runId)).toEqual([...runs])
  expect(events.at(-1)?.type).toBe('run_done')
  const attempts = starts.map(({ attempt }) => attempt)
  expect(Math.max(...attempts)).toBeLessThanOrEqual(1 + AUTOMATIC_CONTINUATIONS)
  const calls = of(events, 'tool_call_start') as { callId: string }[]
  const results = of(events, 'tool_result') as { callId: string }[]
  expect(results.map(({ callId }) => callId).toSorted()).toEqual(
    calls.map(({ callId }) => callId).toSorted(),
  )
  checkUnsafe(events)
  const state = fold(events)
  expect(state.run.status).toBe('idle')
  expect(state.open).toBe(null)
  return runs.size
}

/** Begun in an attempt and answered in the same one, or told as interrupted: never run again. */
function checkUnsafe(events: SessionEvent[]): void {
  let attempt = 0
  const begun = new Map<string, number>()
  for (const event of events) {
    if (event.type === 'run_started') attempt = event.seq
    if (event.type === 'tool_call_start') begun.set(event.callId, attempt)
    if (event.type !== 'tool_result' || event.toolName !== UNSAFE) continue
    if (event.ok) expect(begun.get(event.callId)).toBe(attempt)
    else expect(event.error?.code).toBe('tool_interrupted')
  }
}

describe('[RUN9] [TOOL3] killed at random points of a tool-heavy run', () => {
  for (let first = FIRST_SEED; first < FIRST_SEED + LIVES; first += BLOCK) {
    test(`each run ends once, every call is answered once, seeds from ${first}`, async () => {
      for (let seed = first; seed < first + BLOCK; seed++) {
        try {
          await live(seed)
        } catch (error) {
          throw new Error(`seed ${seed}`, { cause: error })
        }
      }
      expect(await model.violations()).toEqual([])
    })
  }
})

import { abortAllDurableObjects } from 'cloudflare:test'
import { beforeAll, describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { AUTOMATIC_CONTINUATIONS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import { allowTool, LiveSession, model, script, type LiveSocket } from '../testing/live-session.ts'
import { RandomSource } from '../testing/random-source.ts'

// Objects are cut down in the middle of whatever they do, and go on. Seven at a time: an abort hits all
// of them, wherever each one is. Only what a run in flight felt is a death, and the log says so: five
// or more in each of 42 lives, 210 in all.
const GROUPS = 6
const LIVES = 7
const DEATHS = 5
const DEATHS_LEAST = 200
/** A run may end before it is hit. */
const ABORTS_MAX = 6 * DEATHS
const FIRST_SEED = 20261118

const call = (id: string, name: string, args: object) => ({
  toolCall: { id, name, arguments: JSON.stringify(args), chunks: 3 },
})

/** Not known to be safe to repeat: a tool of a server that says nothing about it. */
const UNSAFE = 'newer__mark'
// Nobody is there to be asked.
beforeAll(() => allowTool(UNSAFE))

/** Provider calls of a busy run that nobody kills. */
const STEPS = 3

/** Three steps with six calls, two of them unsafe to repeat, text between them. */
const busyRun = (tag: string, index: number): string =>
  `${tag} ${script(
    [
      { reasoning: 'First the time and the sum, then the count. ' },
      { text: 'I will look at the clock. ' },
      call('a', 'current_time', {}),
      call('b', 'calculate', { expression: '6*7' }),
      call('e', UNSAFE, { words: `${tag}${index}-e` }),
      { finish: 'tool_calls' },
    ],
    [
      { text: 'And now I count the words, slowly. ' },
      // A second of real time, once: the rest of the calls are quick.
      index === 1 ? call('c', 'countdown', { from: 1 }) : call('c', 'current_time', {}),
      call('d', 'text_stats', { text: 'one two three' }),
      call('f', UNSAFE, { words: `${tag}${index}-f` }),
      { finish: 'tool_calls' },
    ],
    [{ repeat: 60, text: 'word ', perSecond: 600 }, { finish: 'stop' }],
  )}`

const of = (events: SessionEvent[], type: SessionEvent['type']): SessionEvent[] =>
  events.filter((event) => event.type === type)

const isRunDone = (event: SessionEvent): boolean => event.type === 'run_done'

/** One session: busy runs, each killed after a random number of events, until all deaths are died. */
class Life {
  readonly session: LiveSession
  /** In every request of this life, and in no other. */
  readonly tag: string
  socket!: LiveSocket
  deaths = 0
  private seen = 0
  private sent = 0

  private constructor(session: LiveSession, tag: string) {
    this.session = session
    this.tag = tag
  }

  static async begin(tag: string): Promise<Life> {
    return new Life(await LiveSession.create(), tag)
  }

  /** Somebody looks, so it wakes; a new run where none is in flight, as long as there is one to kill. */
  async wake(): Promise<void> {
    this.socket = await this.session.connect(0)
    const { events } = this.socket
    this.deaths = countDeaths(events)
    this.seen = events.at(-1)!.seq
    if (this.deaths >= DEATHS || isInFlight(events)) return
    await this.session.command({ type: 'send', text: busyRun(this.tag, ++this.sent) })
  }

  /** Until so many events have come since, or its run is over. */
  async pass(events: number): Promise<void> {
    const { seen } = this
    await this.socket.untilEvent(
      (one) => one.seq >= seen + events || (one.seq > seen && isRunDone(one)),
    )
  }

  /** Nobody kills it any more: its last run ends, and all that was is looked at. */
  async end(): Promise<void> {
    const { socket, session, tag } = this
    await socket.untilEvent((one) => isLast(one, socket.events))
    const events = await session.events(true)
    const runs = check(events)
    expect(runs).toBe(this.sent)
    this.deaths = countDeaths(events)
    // A death costs one call at most: the one that it cut.
    expect(await model.count(tag)).toBeLessThanOrEqual(STEPS * runs + this.deaths)
    checkUnsafe(events, await model.executions(tag))
  }
}

/** Returns how many died in all. */
async function live(seed: number): Promise<number> {
  const random = new RandomSource(seed)
  const tags = Array.from({ length: LIVES }, (_, index) => `life-${seed}-${index}-`)
  const lives = await Promise.all(tags.map((tag) => Life.begin(tag)))
  for (let aborts = 0; ; aborts++) {
    await Promise.all(lives.map((life) => life.wake()))
    const mortal = lives.filter(({ deaths }) => deaths < DEATHS)
    if (mortal.length === 0) break
    if (aborts >= ABORTS_MAX) throw new Error('the aborts hit too few runs')
    await random.pick(mortal).pass(1 + random.below(8))
    await abortAllDurableObjects()
    await Promise.all(lives.map(({ socket }) => socket.closed))
  }
  await Promise.all(lives.map((life) => life.end()))
  return lives.reduce((sum, { deaths }) => sum + deaths, 0)
}

/** Runs that were in flight when their object died: taken up again, or ended as interrupted. */
const countDeaths = (events: readonly SessionEvent[]): number =>
  events.filter(
    (event) =>
      (event.type === 'run_started' && event.attempt > 1) ||
      (event.type === 'run_done' && event.outcome === 'interrupted'),
  ).length

const isInFlight = (events: readonly SessionEvent[]): boolean =>
  events.findLast(({ type }) => type === 'run_started' || type === 'run_done')?.type ===
  'run_started'

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
  const state = fold(events)
  expect(state.run.status).toBe('idle')
  expect(state.open).toBe(null)
  return runs.size
}

/**
 * `executions`: as they were counted where the tool runs. Begun in an attempt and answered in the same one,
 * or told as interrupted: never run again.
 */
function checkUnsafe(events: SessionEvent[], executions: Record<string, number>): void {
  let attempt = 0
  const begun = new Map<string, { attempt: number; words: string }>()
  const known = new Set<string>()
  for (const event of events) {
    if (event.type === 'run_started') attempt = event.seq
    if (event.type === 'tool_call_start' && event.toolName === UNSAFE) {
      const { words } = JSON.parse(event.arguments) as { words: string }
      begun.set(event.callId, { attempt, words })
      known.add(words)
    }
    if (event.type !== 'tool_result' || event.toolName !== UNSAFE) continue
    const call = begun.get(event.callId)!
    if (event.ok) {
      expect(call.attempt).toBe(attempt)
      expect(executions[call.words]).toBe(1)
    } else expect(event.error?.code).toBe('tool_interrupted')
  }
  for (const [words, count] of Object.entries(executions)) {
    expect(known).toContain(words)
    expect(count, words).toBe(1)
  }
}

describe('[RUN9] [TOOL3] killed at random points of a tool-heavy run', () => {
  let deaths = 0
  for (let seed = FIRST_SEED; seed < FIRST_SEED + GROUPS; seed++) {
    test(`each run ends once, every call is answered once, seed ${seed}`, async () => {
      deaths += await live(seed)
      expect(await model.violations()).toEqual([])
    })
  }

  test(`at least ${DEATHS_LEAST} objects died with a run in flight`, () => {
    expect(deaths).toBeGreaterThanOrEqual(DEATHS_LEAST)
  })
})

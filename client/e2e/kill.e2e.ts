// The server is killed with SIGKILL, every process of it at once, in the middle of runs that call
// tools, and started again on the same folder. No page: what counts is the log, what the tools did,
// and how often the model was asked. Both are counted where they happen, outside of the server.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import type { ServerFrame } from '#protocol/frames'
import { AUTOMATIC_CONTINUATIONS } from '#protocol/limits'
import { startMcpServer, type McpKit } from '../../worker/testing/node/mcp-server.ts'
import { RandomSource } from '../../worker/testing/random-source.ts'
import { Api } from '../sdk/api.ts'
import { call, callTools, script, stop, text } from './script.ts'
import { TestServer } from './server.ts'

const SEEDS = [20261121, 20261122]
const DEATHS = 4
/** Provider calls of a busy run that nobody kills. */
const STEPS = 3

let server: TestServer
let ledger: McpKit
/** Every entry that was really booked, in order. */
const booked: string[] = []
/** An entry that waits at its gate once it is booked. */
const HELD = 'held'

beforeAll(async () => {
  ledger = await startMcpServer()
  ledger.setTools([
    {
      // It does not say that it may be repeated: nobody may book twice.
      name: 'book',
      properties: { entry: { type: 'string' } },
      run: async ({ entry }) => {
        booked.push(String(entry))
        if (entry === HELD) await ledger.wait(HELD)
        return `booked ${String(entry)}`
      },
    },
  ])
  const env = { PARLEY_MCP_SERVERS: JSON.stringify({ ledger: { url: ledger.url } }) }
  server = await TestServer.start({ env })
  await allowBooking()
})

afterEach(() => {
  expect(server.violations).toEqual([])
  expect(server.failures).toEqual([])
})

afterAll(async () => {
  await server.stop()
  await ledger.close()
})

/** Five calls in two steps, two of them bookings, then words. */
const busyRun = (tag: string): string =>
  script(
    [
      { reasoning: 'First the time, the sum and a booking. ' },
      text('I will look at the clock. '),
      call('a', 'current_time', {}, { chunks: 3 }),
      call('b', 'ledger__book', { entry: `${tag}-first` }, { chunks: 3 }),
      callTools,
    ],
    [
      text('And now I count, and book again. '),
      call('c', 'countdown', { from: 1 }),
      call('d', 'ledger__book', { entry: `${tag}-second` }),
      call('e', 'calculate', { expression: '6*7' }),
      callTools,
    ],
    [{ repeat: 120, text: 'word ', perSecond: 400 }, stop],
  )

const isRunDone = ({ type }: SessionEvent): boolean => type === 'run_done'

/** The end of the newest run that has begun. */
function isOver(events: readonly SessionEvent[]): boolean {
  const started = events.findLastIndex(({ type }) => type === 'run_started')
  return started >= 0 && events.slice(started).some(isRunDone)
}

/** Follows a session from its start, and resolves with its events as soon as they are as asked. */
function follow(
  sessionId: string,
  isEnough: (events: readonly SessionEvent[]) => boolean,
): Promise<SessionEvent[]> {
  const address = `${server.origin.replace('http', 'ws')}/api/sessions/${sessionId}/socket`
  const socket = new WebSocket(address)
  const events: SessionEvent[] = []
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () =>
      socket.send(JSON.stringify({ type: 'hello', version: 1, after: 0 })),
    )
    socket.addEventListener('error', () => reject(new Error('the socket failed')))
    socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(data as string) as ServerFrame
      if (frame.type === 'events') events.push(...frame.events)
      if (!isEnough(events)) return
      socket.close()
      resolve(events)
    })
  })
}

async function begin(): Promise<{ api: Api; id: string }> {
  const api = new Api({ origin: server.origin })
  const { id } = await api.createSession({ title: 'Killed' })
  return { api, id }
}

/** Nobody sits here to be asked about each booking: somebody says "always" once. */
async function allowBooking(): Promise<void> {
  const { api, id } = await begin()
  const message = script([call('a', 'ledger__book', { entry: 'allowed' }), callTools], [stop])
  await api.command(id, { type: 'send', id: 'allow', text: message })
  const events = await follow(id, (all) => all.some(({ type }) => type === 'decision_requested'))
  const [asked] = of(events, 'decision_requested')
  const { decisionId } = asked!
  const yes = {
    type: 'decide',
    id: 'always',
    decisionId,
    verdict: 'accept',
    scope: 'always',
  } as const
  await api.command(id, yes)
  await follow(id, isOver)
}

const readLog = async (id: string): Promise<SessionEvent[]> =>
  (await new Api({ origin: server.origin }).events(id, { deltas: true, limit: 1000 })).events

const of = <T extends SessionEvent['type']>(events: readonly SessionEvent[], type: T) =>
  events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type)

/** Runs end once, calls are answered once, bookings are made once; returns how many runs there were. */
function checkLog(events: readonly SessionEvent[], entries: readonly string[]): number {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1))
  const starts = of(events, 'run_started')
  const runs = [...new Set(starts.map(({ runId }) => runId))]
  expect(of(events, 'run_done').map(({ runId }) => runId)).toEqual(runs)
  const attempts = starts.map(({ attempt }) => attempt)
  expect(Math.max(...attempts)).toBeLessThanOrEqual(1 + AUTOMATIC_CONTINUATIONS)
  const calls = of(events, 'tool_call_start')
  const results = of(events, 'tool_result')
  expect(results.map(({ callId }) => callId).toSorted()).toEqual(
    calls.map(({ callId }) => callId).toSorted(),
  )
  for (const entry of entries) {
    const times = booked.filter((one) => one === entry).length
    expect(times, entry).toBeLessThanOrEqual(1)
    const isTold = results.some(({ ok, result }) => ok && result === `booked ${entry}`)
    if (isTold) expect(times, entry).toBe(1)
    // Nothing is booked that the log does not know of.
    if (times > 0)
      expect(
        calls.some((one) => one.arguments.includes(entry)),
        entry,
      ).toBe(true)
  }
  return runs.length
}

describe('[RUN9] [TOOL3] SIGKILL at random points of tool-heavy runs', () => {
  test.each(SEEDS)('each run ends once, no booking is made twice, seed %i', async (seed) => {
    const random = new RandomSource(seed)
    const { api, id } = await begin()
    const asked = server.model.requests.length
    const entries: string[] = []
    const sendBusy = async (): Promise<void> => {
      const tag = `${seed}-${entries.length}`
      entries.push(`${tag}-first`, `${tag}-second`)
      await api.command(id, { type: 'send', id: tag, text: busyRun(tag) })
    }
    await sendBusy()
    let seen = 2
    for (let deaths = 0; deaths < DEATHS; deaths++) {
      seen += 1 + random.below(7)
      const enough = seen
      const events = await follow(id, (all) => all.length >= enough || isOver(all))
      await server.kill()
      await server.restart()
      seen = Math.max(seen, events.length)
      // The run had ended by itself, or by its third death: the next one dies too.
      if (isOver(await readLog(id))) await sendBusy()
    }
    await follow(id, isOver)
    const runs = checkLog(await readLog(id), entries)
    const calls = server.model.requests.length - asked
    expect(calls).toBeGreaterThanOrEqual(runs)
    // A death costs one call at most: the one that it cut.
    expect(calls).toBeLessThanOrEqual(STEPS * runs + DEATHS)
  })

  test('in the middle of a booking: it is told as interrupted, and is not made again', async () => {
    const { api, id } = await begin()
    const asked = server.model.requests.length
    const message = script(
      [text('I book it. '), call('a', 'ledger__book', { entry: HELD }), callTools],
      [text('Whatever became of it.'), stop],
    )
    await api.command(id, { type: 'send', id: 'held', text: message })
    await ledger.gate(HELD).reached
    await server.kill()
    await server.restart()
    await follow(id, isOver)
    ledger.gate(HELD).release()
    const events = await readLog(id)
    checkLog(events, [HELD])
    expect(booked.filter((one) => one === HELD)).toHaveLength(1)
    expect(of(events, 'tool_result')).toMatchObject([
      { ok: false, error: { code: 'tool_interrupted' } },
    ])
    expect(of(events, 'run_started').map(({ attempt }) => attempt)).toEqual([1, 2])
    expect(of(events, 'run_done')).toMatchObject([{ outcome: 'done' }])
    expect(server.model.requests.length - asked).toBe(2)
  })
})

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { RETRIES_PER_MODEL } from '#protocol/limits'
import { SessionHarness } from '../testing/node/session-harness.ts'
import {
  startStrictOpenAi,
  type ChatBody,
  type Reply,
  type StrictOpenAi,
} from '../testing/node/strict-openai.ts'
import { resolveModels } from './resolve.ts'

// The whole engine over real HTTP: a first model that fails in every way there is, and a second
// that is well. Waits are cut short; their lengths are tested where they are decided.

const ANSWER = 'The quick brown fox jumps over the lazy dog, and then it sleeps.'
const PER_MODEL = 1 + RETRIES_PER_MODEL

let server: StrictOpenAi
beforeAll(async () => {
  server = await startStrictOpenAi()
})
afterAll(() => server.close())

const quickTimers = {
  set: (ms: number, run: () => void): unknown => setTimeout(run, Math.min(ms, 2)),
  clear: (handle: unknown): void => clearTimeout(handle as NodeJS.Timeout),
}

type Faults = { first: (body: ChatBody, index: number) => Reply; stallMs?: number }

/** One message to the first model; resolves when its run is over. */
async function run({ first, stallMs }: Faults): Promise<SessionHarness> {
  server.requests.length = 0
  server.setScript((body) => {
    if (body.model === 'second') return goOn(body)
    return first(body, requestsTo('first') - 1)
  })
  const models = resolveModels({
    OPENAI_BASE_URL: server.url,
    OPENAI_MODEL: 'first,second',
    PARLEY_FALLBACK: 'second',
  })
  const harness = new SessionHarness({
    models,
    timers: quickTimers,
    now: () => Date.now(),
    ...(stallMs === undefined ? {} : { stallMs, firstByteMs: stallMs }),
  })
  const input = { sessionId: 'session-0123456789', owner: 'owner', agent: 'parley' }
  await harness.core.create({ ...input, model: 'first' })
  const socket = harness.connect()
  const ended = new Promise<void>((resolve) => {
    socket.onSend = () => {
      if (socket.events.some(({ type }) => type === 'run_done')) resolve()
    }
  })
  const alarm = setInterval(() => void harness.core.alarm(), 20)
  harness.command({ type: 'send', text: 'Tell me about the fox.' })
  await ended
  clearInterval(alarm)
  expect(server.violations).toEqual([])
  return harness
}

const requestsTo = (model: string): number =>
  server.requests.filter((body) => body.model === model).length

/** What an able model does: says the rest, and the last words once more. */
function goOn(body: ChatBody): Reply {
  const said = body.messages
    .filter(({ role }) => role === 'assistant')
    .map(({ content }) => (typeof content === 'string' ? content : ''))
    .join('')
  const from = ANSWER.startsWith(said) ? Math.max(0, said.length - 8) : 0
  return [{ text: ANSWER.slice(from) || ' ' }, { finish: 'stop' }]
}

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const textOf = (harness: SessionHarness): string =>
  of(harness, 'text_done')
    .map(({ text }) => text)
    .join('')

const RETRIED: Record<string, { reply: Reply; code: RegExp }> = {
  '429': { reply: [{ status: 429, body: { error: { message: 'slow down' } } }], code: /rate/i },
  '500': { reply: [{ status: 500, body: 'oops' }], code: /500/ },
  '503': { reply: [{ status: 503, body: '' }], code: /.+/ },
  '529': { reply: [{ status: 529, body: '{}' }], code: /.+/ },
  'a reset': { reply: [{ cut: true }], code: /.+/ },
  garbage: { reply: [{ raw: 'data: {"choices": nonsense\n\n' }], code: /.+/ },
  'a page of HTML': { reply: [{ raw: '<html>proxy error</html>' }], code: /.+/ },
  'an end without a finish': { reply: [{ raw: 'data: [DONE]\n\n' }], code: /.+/ },
}

describe('[RUN7] a provider that fails before its first word', () => {
  for (const [name, { reply, code }] of Object.entries(RETRIED)) {
    test(`${name}: is asked ${PER_MODEL} times, then the next model answers`, async () => {
      const harness = await run({ first: () => reply })
      expect(requestsTo('first')).toBe(PER_MODEL)
      expect(requestsTo('second')).toBe(1)
      expect(of(harness, 'warning').map((event) => event.code)).toEqual(
        Array.from({ length: RETRIES_PER_MODEL }, () => 'model_retry'),
      )
      expect(of(harness, 'model_fallback')).toMatchObject([
        { preferred: 'first', actual: 'second', reason: expect.stringMatching(code) as string },
      ])
      expect(textOf(harness)).toBe(ANSWER)
      expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
    })
  }

  test('a hang: the watchdog takes it for a failure', async () => {
    // Real time: the second model has to answer within it, however busy the machine is.
    const harness = await run({ first: () => [{ hang: true }], stallMs: 1500 })
    expect(requestsTo('first')).toBe(PER_MODEL)
    expect(requestsTo('second')).toBe(1)
    expect(textOf(harness)).toBe(ANSWER)
  })

  for (const status of [400, 401, 403, 404]) {
    test(`${status} is not tried again`, async () => {
      const error = { message: 'no such thing' }
      const harness = await run({ first: () => [{ status, body: { error } }] })
      expect(requestsTo('first')).toBe(1)
      expect(of(harness, 'warning')).toEqual([])
      expect(textOf(harness)).toBe(ANSWER)
    })
  }

  test('a fault that passes: the same model answers, and nobody falls over', async () => {
    const harness = await run({
      first: (body, index) => (index === 0 ? [{ cut: true }] : goOn(body)),
    })
    expect(requestsTo('first')).toBe(2)
    expect(requestsTo('second')).toBe(0)
    expect(of(harness, 'model_fallback')).toEqual([])
    expect(textOf(harness)).toBe(ANSWER)
  })
})

describe('[RUN7] a stream that closes early', () => {
  const words = ANSWER.split(/(?<= )/)
  for (let at = 0; at <= words.length; at++) {
    test(`after ${at} words: goes on elsewhere, nothing doubled, nothing lost`, async () => {
      const said = words.slice(0, at).map((text) => ({ text }))
      const harness = await run({
        // Every further try of the first model breaks too, before it says a word.
        first: (_, index) => (index === 0 ? [...said, { cut: true }] : [{ status: 500, body: '' }]),
      })
      expect(requestsTo('first')).toBe(PER_MODEL)
      expect(requestsTo('second')).toBe(1)
      expect(textOf(harness).trim()).toBe(ANSWER)
      expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done' }])
    })
  }
})

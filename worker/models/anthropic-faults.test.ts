import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RETRIES_PER_MODEL } from '#protocol/limits'
import type { ModelErrorCode, ModelPart } from '../core/session/model.ts'
import {
  ANSWER,
  FaultStage,
  goOn,
  PREAMBLE,
  QUESTION,
  type FaultedSession,
} from '../testing/node/fault-stage.ts'
import { signThought } from '../testing/node/strict-anthropic-rules.ts'
import type { Reply } from '../testing/node/strict-reply.ts'
import { createAnthropicModel } from './anthropic.ts'

// Anthropic's API fails in every way there is; a chat-completions model is well. Both servers refuse
// what the real ones refuse.

const PER_MODEL = 1 + RETRIES_PER_MODEL

let stage: FaultStage
beforeAll(async () => {
  stage = await FaultStage.start()
})
afterAll(() => stage.close())

const told = (type: string, message: string) => ({ type: 'error', error: { type, message } })
const error = (type: string, message: string): Reply => [{ error: { type, message } }]
const half: Reply = [{ reasoning: 'Hm.' }, { text: 'I will note ' }]

const FAULTS: [name: string, reply: Reply, code: ModelErrorCode][] = [
  ['429', [{ status: 429, body: told('rate_limit_error', 'Too many') }], 'model_rate_limited'],
  ['500', [{ status: 500, body: told('api_error', 'Internal') }], 'model_unavailable'],
  ['502 from a proxy', [{ status: 502, body: '<html>Bad gateway</html>' }], 'model_unavailable'],
  ['529', [{ status: 529, body: told('overloaded_error', 'Overloaded') }], 'model_overloaded'],
  ['overloaded at once', error('overloaded_error', 'Overloaded'), 'model_overloaded'],
  [
    'overloaded in mid-stream',
    [...half, ...error('overloaded_error', 'Overloaded')],
    'model_overloaded',
  ],
  ['limited in mid-stream', [...half, ...error('rate_limit_error', 'Slow')], 'model_rate_limited'],
  ['broken in mid-stream', [...half, ...error('api_error', 'Internal')], 'model_unavailable'],
  ['a reset', [{ cut: true }], 'model_unavailable'],
  ['a reset in mid-stream', [...half, { cut: true }], 'model_unavailable'],
  ['an early close', [...half], 'model_malformed'],
  ['a close before the first event', [{ ping: true }], 'model_malformed'],
  ['garbage', [{ raw: 'event: message_start\ndata: {"type": nonsense\n\n' }], 'model_malformed'],
  ['garbage in mid-stream', [...half, { raw: 'data: {{{\n\n' }], 'model_malformed'],
  ['a page of HTML', [{ raw: '<html>proxy error</html>' }], 'model_malformed'],
]

const LASTING: [name: string, reply: Reply, code: ModelErrorCode][] = [
  ['401', [{ status: 401, body: told('authentication_error', 'x') }], 'model_unauthorized'],
  ['403', [{ status: 403, body: told('permission_error', 'x') }], 'model_unauthorized'],
  ['404', [{ status: 404, body: told('not_found_error', 'model: x') }], 'model_not_found'],
  ['400', [{ status: 400, body: told('invalid_request_error', 'x') }], 'model_bad_request'],
]

/** One call of the provider file alone. */
async function callOnce(reply: Reply): Promise<{ code: unknown; parts: ModelPart[] }> {
  stage.fault = () => reply
  const model = createAnthropicModel({
    baseURL: stage.anthropic.url,
    apiKey: 'test-key',
    modelId: 'first',
  })
  const parts: ModelPart[] = []
  const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
  const code = await model
    .stream(request, new AbortController().signal, (part) => parts.push(part))
    .then(
      () => 'no failure',
      (failure: { code?: string }) => failure.code,
    )
  return { code, parts }
}

async function ask(fault: typeof stage.fault): Promise<FaultedSession> {
  const session = await stage.open('anthropic')
  stage.fault = fault
  await session.send(QUESTION)
  expect(stage.violations).toEqual([])
  return session
}

/** Every word once, one note, and an end that is an end. */
function expectAnswered(session: FaultedSession): void {
  expect(session.text).toBe(PREAMBLE + ANSWER)
  expect(session.noted).toEqual(['{"what":"the fox"}'])
  expect(session.of('tool_call_start')).toHaveLength(1)
  expect(session.of('run_done')).toMatchObject([{ outcome: 'done' }])
}

describe('[BAK1] [RUN7] Anthropic’s failures are told apart', () => {
  test.each([...FAULTS, ...LASTING])('%s', async (_, reply, code) => {
    const failed = await callOnce(reply)
    expect(failed.code).toBe(code)
    expect(failed.parts.filter(({ type }) => type === 'tool_call')).toEqual([])
  })
})

describe('[RUN7] Anthropic fails, and a chat-completions model takes over', () => {
  test.each(FAULTS)('%s: after a bounded number of tries', async (_, reply) => {
    const session = await ask(() => reply)
    expect(stage.asked.first).toHaveLength(PER_MODEL)
    expect(stage.asked.second).toHaveLength(2)
    expect(session.of('warning').map(({ code }) => code)).toEqual(
      Array.from({ length: RETRIES_PER_MODEL }, () => 'model_retry'),
    )
    expect(session.of('model_fallback')).toMatchObject([{ preferred: 'first', actual: 'second' }])
    expectAnswered(session)
  })

  test.each(LASTING)('%s: at once', async (_, reply) => {
    const session = await ask(() => reply)
    expect(stage.asked.first).toHaveLength(1)
    expect(stage.asked.second).toHaveLength(2)
    expect(session.of('warning')).toEqual([])
    expectAnswered(session)
  })

  test('a fault that passes: the same model goes on, signed thoughts and all', async () => {
    const session = await ask((asked, index) =>
      index === 0 ? [...half, ...error('overloaded_error', 'Overloaded')] : goOn(asked),
    )
    expect(stage.asked.first).toHaveLength(3)
    expect(stage.asked.second).toHaveLength(0)
    expectAnswered(session)
  })

  test('in the second step: the call of the first is not made again', async () => {
    const session = await ask((asked) =>
      asked.results === 0 ? goOn(asked) : error('overloaded_error', 'Overloaded'),
    )
    expect(stage.asked.first).toHaveLength(1 + PER_MODEL)
    expect(stage.asked.second).toHaveLength(1)
    expectAnswered(session)
  })

  test('a model that hangs, with pings or after words, is given up by the watchdog', async () => {
    for (const said of [[], half, [...half, { ping: true as const }]]) {
      const session = await stage.open('anthropic')
      stage.fault = () => {
        const gate = stage.newGate('anthropic')
        const last = said.length === 0 ? '' : 'I will note '
        void gate.reached.then(() => session.heard(last)).then(() => session.stall())
        return [...said, { gate: gate.name }]
      }
      await session.send(QUESTION)
      expect(stage.asked.first).toHaveLength(PER_MODEL)
      const reason = said.length === 0 ? 'not begun to answer' : 'stopped sending'
      expect(session.of('model_fallback')).toMatchObject([
        { reason: expect.stringContaining(reason) as string },
      ])
      expectAnswered(session)
    }
  })
})

const limited = (headers: Record<string, string>): Reply => [
  { status: 429, headers, body: told('rate_limit_error', 'Too many') },
]

describe('[RUN7] Anthropic says when to come back', () => {
  test('soon: it is waited for that long, and people are told', async () => {
    const session = await ask((asked, index) =>
      index === 0 ? limited({ 'retry-after': '7' }) : goOn(asked),
    )
    expect(session.waits.filter((ms) => ms === 7000)).toHaveLength(1)
    expect(session.of('warning')).toMatchObject([
      { code: 'model_retry', message: expect.stringMatching(/Trying again in 7 s\.$/) as string },
    ])
    expect(stage.asked.second).toHaveLength(0)
    expectAnswered(session)
  })

  test('later than anybody would wait: the next model takes over at once', async () => {
    const session = await ask(() => limited({ 'retry-after': '3600' }))
    expect(stage.asked.first).toHaveLength(1)
    expect(session.of('warning')).toEqual([])
    expectAnswered(session)
    // And it is left alone by the next run.
    await session.send('And then?')
    expect(stage.asked.first).toHaveLength(1)
    expect(session.of('run_done').at(-1)).toMatchObject({ outcome: 'done' })
  })
})

const event = (type: string, data: object): string =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
const block = (index: number, content_block: object): string =>
  event('content_block_start', { index, content_block })
const delta = (index: number, one: object): string =>
  event('content_block_delta', { index, delta: one })
const stop = (index: number): string => event('content_block_stop', { index })

const THOUGHT = 'First a note.'
const [FIRST_WORDS, LAST_WORDS] = [PREAMBLE.slice(0, 20), PREAMBLE.slice(20)]
const usage = { input_tokens: 12, output_tokens: 1 }
const EVENTS = [
  event('message_start', {
    message: { id: 'm', type: 'message', role: 'assistant', model: 'first', content: [], usage },
  }),
  event('ping', {}),
  block(0, { type: 'thinking', thinking: '', signature: '' }),
  delta(0, { type: 'thinking_delta', thinking: THOUGHT }),
  delta(0, { type: 'signature_delta', signature: signThought('first', THOUGHT) }),
  stop(0),
  block(1, { type: 'text', text: '' }),
  delta(1, { type: 'text_delta', text: FIRST_WORDS }),
  delta(1, { type: 'text_delta', text: LAST_WORDS }),
  stop(1),
  block(2, { type: 'tool_use', id: 'toolu_1', name: 'note', input: {} }),
  delta(2, { type: 'input_json_delta', partial_json: '' }),
  delta(2, { type: 'input_json_delta', partial_json: '{"what":' }),
  delta(2, { type: 'input_json_delta', partial_json: '"the fox"}' }),
  stop(2),
  event('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage }),
  event('message_stop', {}),
]
describe('[RUN7] [TOOL3] Anthropic’s stream closes early', () => {
  const boundaries = EVENTS.map((_, at) => at)
  test.each(boundaries)(
    'after %i events: no call of it is made, nothing is doubled',
    async (at) => {
      const session = await ask((asked) =>
        asked.results > 0 ? goOn(asked) : [{ raw: EVENTS.slice(0, at).join('') }],
      )
      expectAnswered(session)
      expect(stage.asked.first).toHaveLength(PER_MODEL)
      expect(stage.asked.second).toHaveLength(2)
      await session.send('And then?')
      expect(stage.violations).toEqual([])
      expect(session.of('run_done').at(-1)).toMatchObject({ outcome: 'done' })
    },
  )
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModelMessage, ModelPart, ModelRequest } from '../core/session/model.ts'
import { signThought } from '../testing/node/strict-anthropic-rules.ts'
import { startStrictAnthropic, type StrictAnthropic } from '../testing/node/strict-anthropic.ts'
import type { Reply } from '../testing/node/strict-reply.ts'
import { createAnthropicModel } from './anthropic.ts'

const MANUAL = 'claude-sonnet-4-5'
const ADAPTIVE = 'claude-opus-4-6'
const API_KEY = 'sk-ant-0123456789abcdef'
const LOOK = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }
const USER: ModelMessage = { role: 'user', text: 'Look' }
const REQUEST: ModelRequest = { system: 'Be brief.', messages: [USER], tools: [LOOK] }

let server: StrictAnthropic
beforeEach(async () => {
  server = await startStrictAnthropic({ apiKey: API_KEY })
})
afterEach(() => server.close())

type Options = { modelId?: string; thinkingTokens?: number | null }

function open(request: ModelRequest, options: Options = {}, signal = new AbortController().signal) {
  const model = createAnthropicModel({
    baseURL: server.url,
    apiKey: API_KEY,
    modelId: MANUAL,
    ...options,
  })
  const parts: ModelPart[] = []
  const heard: string[] = []
  const finish = model.stream(request, signal, (part) => {
    heard.push(part.type)
    if (part.type !== 'activity') parts.push(part)
  })
  return { parts, heard, finish }
}

async function play(reply: Reply, request = REQUEST, options: Options = {}) {
  server.setScript(() => reply)
  const { parts, heard, finish } = open(request, options)
  return { finish: await finish, parts, heard, body: server.requests.at(-1)! }
}

/** The history after a step that thought and called. */
function afterCall(signature: string | null, model = MANUAL): ModelRequest {
  const thought = { type: 'thinking' as const, text: 'Hm.', model }
  return {
    ...REQUEST,
    messages: [
      USER,
      {
        role: 'assistant',
        parts: [
          ...(signature === null ? [] : [{ ...thought, signature }]),
          { type: 'text', text: 'On it.' },
          {
            type: 'tool_call',
            callId: 'functions.look:0',
            toolName: 'look',
            arguments: '{"at":1}',
          },
        ],
      },
      {
        role: 'tool',
        results: [{ callId: 'functions.look:0', toolName: 'look', ok: false, text: 'nothing' }],
      },
    ],
  }
}

const BUDGET = { thinkingTokens: 2000 }
const DONE: Reply = [{ text: 'Done.' }, { finish: 'stop' }]

describe('[BAK1] Anthropic’s API', () => {
  test('streams a signed thought, text and parallel calls, and counts what was cached', async () => {
    const { parts, finish, heard } = await play(
      [
        { reasoning: 'Let me ' },
        { ping: true },
        { reasoning: 'see.' },
        { text: 'Looking.' },
        { toolCall: { id: 'toolu_1', name: 'look', arguments: '{"at":"here"}', chunks: 3 } },
        { toolCall: { id: 'toolu_2', name: 'look', arguments: '' } },
        {
          finish: 'tool_calls',
          usage: {
            prompt_tokens: 100,
            completion_tokens: 20,
            prompt_tokens_details: { cached_tokens: 64 },
          },
        },
      ],
      REQUEST,
      BUDGET,
    )
    expect(parts.filter(({ type }) => type !== 'tool_input')).toEqual([
      { type: 'thinking', text: 'Let me ' },
      { type: 'thinking', text: 'see.' },
      { type: 'part_end', signature: signThought(MANUAL, 'Let me see.') },
      { type: 'text', text: 'Looking.' },
      { type: 'part_end' },
      { type: 'tool_call', id: 'toolu_1', toolName: 'look', arguments: '{"at":"here"}' },
      { type: 'tool_call', id: 'toolu_2', toolName: 'look', arguments: '{}' },
    ])
    expect(finish).toEqual({
      stopReason: 'tool_calls',
      usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 64 },
    })
    expect(heard).toContain('activity')
  })

  test('a redacted thought comes as a signature and goes back as it came', async () => {
    const { parts } = await play([{ redacted: 'EvAF==' }, ...DONE], REQUEST, BUDGET)
    const end = parts[1]
    if (end?.type !== 'part_end' || end.signature === undefined) throw new Error('no signature')
    expect(parts[0]).toEqual({ type: 'thinking', text: '' })
    const { body } = await play(DONE, afterCall(end.signature), BUDGET)
    expect(body.messages[1]?.content[0]).toEqual({ type: 'redacted_thinking', data: 'EvAF==' })
    expect(body.thinking).toMatchObject({ type: 'enabled' })
  })

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['pause_turn', 'stop'],
    ['something_new', 'other'],
  ])('the stop reason of %s is %s', async (sent, stopReason) => {
    const { finish } = await play([{ text: 'x' }, { finish: sent }])
    expect(finish.stopReason).toBe(stopReason)
  })
})

describe('[BAK1] the request to Anthropic', () => {
  test('is accepted, caches its prefix, and tells failures and foreign ids properly', async () => {
    const { body } = await play(DONE, afterCall(null))
    const cached = { cache_control: { type: 'ephemeral' } }
    expect(server.violations).toEqual([])
    expect(body.system).toEqual([{ type: 'text', text: 'Be brief.', ...cached }])
    const id = expect.stringMatching(/^toolu_[a-z0-9]{9}$/) as string
    const [, use] = body.messages[1]!.content as { id?: string }[]
    expect(body.messages[1]?.content).toMatchObject([
      { type: 'text' },
      { type: 'tool_use', id, input: { at: 1 } },
    ])
    expect(body.messages[2]?.content).toMatchObject([
      { type: 'tool_result', tool_use_id: use!.id, is_error: true, ...cached },
    ])
    expect(body.thinking).toBeUndefined()
    expect(server.headers[0]).toMatchObject({ 'x-api-key': API_KEY })
  })

  test('a steered message after results, and answers in a row, are one turn each', async () => {
    const { messages } = afterCall(null)
    const { body } = await play(DONE, {
      ...REQUEST,
      messages: [
        USER,
        { role: 'assistant', parts: [{ type: 'text', text: 'Half an ans' }] },
        { role: 'assistant', parts: [{ type: 'text', text: '  ' }] },
        ...messages.slice(1),
        { role: 'user', text: 'And hurry' },
      ],
    })
    expect(body.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(server.violations).toEqual([])
  })

  test('without tools, the calls of the history are declared and none may be made', async () => {
    const { body } = await play(DONE, { ...afterCall(null), tools: [] })
    expect(body.tools).toMatchObject([{ name: 'look' }])
    expect(body.tool_choice).toEqual({ type: 'none' })
    expect((await play(DONE, { ...REQUEST, tools: [] })).body.tools).toBeUndefined()
  })
})

describe('[BAK1] thinking', () => {
  const signature = signThought(MANUAL, 'Hm.')

  test('goes back with its signature to the model that signed it', async () => {
    const { body } = await play(DONE, afterCall(signature), BUDGET)
    expect(body.thinking).toMatchObject({ type: 'enabled', budget_tokens: 2000 })
    expect(body.messages[1]?.content[0]).toEqual({ type: 'thinking', thinking: 'Hm.', signature })
  })

  test.each([
    ['has no thought', afterCall(null)],
    ['has another model’s thought', afterCall(signature, 'claude-opus-4-5')],
  ])('is off for a request whose last calling turn %s', async (_, request) => {
    const { body } = await play(DONE, request, BUDGET)
    expect(body.thinking).toBeUndefined()
    expect(JSON.stringify(body.messages)).not.toContain('Hm.')
    expect(server.violations).toEqual([])
  })

  test('is on again with the next question', async () => {
    const { messages } = afterCall(null)
    const said: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: 'Nothing.' }] }
    const request = { ...REQUEST, messages: [...messages, said, USER] }
    expect((await play(DONE, request, BUDGET)).body.thinking).toMatchObject({ type: 'enabled' })
  })

  test.each([
    [MANUAL, null, undefined],
    [MANUAL, 0, undefined],
    [MANUAL, 1, { type: 'enabled', budget_tokens: 1024 }],
    ['claude-sonnet-4-20250514', null, undefined],
    [ADAPTIVE, null, { type: 'adaptive', display: 'summarized' }],
    [ADAPTIVE, 5000, { type: 'adaptive', display: 'summarized' }],
    [ADAPTIVE, 0, { type: 'disabled' }],
    ['claude-opus-5', null, { type: 'adaptive', display: 'summarized' }],
  ])('of %s with a budget of %s is %j', async (modelId, thinkingTokens, thinking) => {
    const { body } = await play(DONE, REQUEST, { modelId, thinkingTokens })
    expect(body.thinking).toEqual(thinking)
  })
})

describe('[RUN7] a failure of Anthropic’s', () => {
  test.each<[string, Reply, string]>([
    [
      'overloaded at once',
      [{ error: { type: 'overloaded_error', message: 'Overloaded' } }],
      'model_overloaded',
    ],
    [
      'overloaded in the middle',
      [{ text: 'x' }, { error: { type: 'overloaded_error', message: 'Overloaded' } }],
      'model_overloaded',
    ],
    [
      'broken in the middle',
      [{ text: 'x' }, { error: { type: 'api_error', message: 'Internal' } }],
      'model_unavailable',
    ],
    ['cut without an end', [{ text: 'Half an ans' }], 'model_malformed'],
    [
      'cut in a call',
      [{ toolCall: { id: 'a', name: 'look', arguments: '{"at":1}' } }],
      'model_malformed',
    ],
    ['that says nothing', [], 'model_malformed'],
    ['that is no event', [{ raw: 'data: {"object":"list"}\n\n' }], 'model_malformed'],
    ['that is no JSON', [{ text: 'x' }, { raw: 'data: {"ty\n\n' }], 'model_malformed'],
  ])('that is %s', async (_, reply, code) => {
    server.setScript(() => reply)
    const { finish, parts } = open(REQUEST)
    await expect(finish).rejects.toMatchObject({ code })
    expect(parts.some(({ type }) => type === 'tool_call')).toBe(false)
  })

  test('[CAN1] an abort rejects with its reason and closes the connection', async () => {
    server.setScript(() => [{ text: 'Half' }, { gate: 'here' }, { hang: true }])
    const controller = new AbortController()
    const { finish } = open(REQUEST, {}, controller.signal)
    await server.gate('here').reached
    const reason = new Error('the person stopped')
    controller.abort(reason)
    await expect(finish).rejects.toBe(reason)
    await server.untilAborted()
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ModelError, type ModelPart, type ModelRequest } from '../core/session/model.ts'
import { startStrictOpenAi, type Reply, type StrictOpenAi } from '../testing/node/strict-openai.ts'
import { createOpenAiModel } from './openai.ts'

const API_KEY = 'sk-test-0123456789abcdef'
const REQUEST: ModelRequest = {
  system: 'Be brief.',
  messages: [{ role: 'user', text: 'Hello' }],
  tools: [],
}

let server: StrictOpenAi
beforeEach(async () => {
  server = await startStrictOpenAi()
})
afterEach(() => server.close())

function open(request = REQUEST, signal = new AbortController().signal, baseURL = server.url) {
  const model = createOpenAiModel({ baseURL, apiKey: API_KEY, modelId: 'test-model' })
  const parts: ModelPart[] = []
  const finish = model.stream(request, signal, (part) => {
    // How many chunks there are is the network's business.
    if (part.type !== 'activity') parts.push(part)
  })
  return { model, parts, finish }
}

async function play(reply: Reply, request = REQUEST) {
  server.setScript(() => reply)
  const { parts, finish } = open(request)
  return { finish: await finish, parts }
}

async function failure(reply: Reply): Promise<ModelError> {
  server.setScript(() => reply)
  const error: unknown = await open().finish.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(ModelError)
  return error as ModelError
}

const event = (delta: object) => `data:${JSON.stringify({ choices: [{ delta }] })}\r\n\r\n`

const call = (id: string, args: string) => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: args },
})

/** Runs of one kind joined, because how deltas are cut is the network's business. */
function joined(parts: readonly ModelPart[]): unknown[] {
  const out: { type: string; text?: string; id?: string }[] = []
  for (const part of parts) {
    const last = out.at(-1)
    const isSame =
      last?.type === part.type && 'text' in part && (!('id' in part) || part.id === last.id)
    if (isSame && last.text !== undefined) last.text += part.text
    else out.push({ ...part })
  }
  return out
}

describe('[BAK1] an OpenAI-compatible server', () => {
  test('streams text, and its finish carries usage and stop reason', async () => {
    const { parts, finish } = await play([
      { text: 'Hel' },
      { text: 'lo' },
      {
        finish: 'stop',
        usage: {
          prompt_tokens: 100,
          completion_tokens: 20,
          prompt_tokens_details: { cached_tokens: 64 },
        },
      },
    ])
    expect(parts).toEqual([
      { type: 'text', text: 'Hel' },
      { type: 'text', text: 'lo' },
      { type: 'part_end' },
    ])
    expect(finish).toEqual({
      stopReason: 'stop',
      usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 64 },
    })
  })

  test('streams thinking before text, each in a part of its own', async () => {
    const { parts } = await play([
      { reasoning: 'Let me ' },
      { reasoning: 'see.' },
      { text: 'Yes.' },
      { finish: 'stop' },
    ])
    expect(joined(parts)).toEqual([
      { type: 'thinking', text: 'Let me see.' },
      { type: 'text', text: 'Yes.' },
      { type: 'part_end' },
    ])
  })

  test('[TOOL4] streams the arguments of parallel calls, then the whole calls', async () => {
    const { parts, finish } = await play([
      { text: 'Looking.' },
      { toolCall: { id: 'a', name: 'look', arguments: '{"at":"here"}', chunks: 4 } },
      { toolCall: { id: 'b', name: 'find', arguments: '{}' } },
      { finish: 'tool_calls' },
    ])
    expect(joined(parts)).toEqual([
      { type: 'text', text: 'Looking.' },
      { type: 'tool_input', id: 'a', toolName: 'look', text: '{"at":"here"}' },
      { type: 'tool_input', id: 'b', toolName: 'find', text: '{}' },
      { type: 'tool_call', id: 'a', toolName: 'look', arguments: '{"at":"here"}' },
      { type: 'tool_call', id: 'b', toolName: 'find', arguments: '{}' },
    ])
    expect(parts.filter((part) => part.type === 'tool_input').length).toBeGreaterThan(4)
    expect(finish.stopReason).toBe('tool_calls')
  })

  test('text after a call is a new text part', async () => {
    const { parts } = await play([
      { toolCall: { id: 'a', name: 'look', arguments: '{}' } },
      { text: 'Wait' },
      { text: ' for it.' },
      { finish: 'tool_calls' },
    ])
    expect(joined(parts).slice(1)).toEqual([
      { type: 'text', text: 'Wait for it.' },
      { type: 'part_end' },
      { type: 'tool_call', id: 'a', toolName: 'look', arguments: '{}' },
    ])
  })

  test('a server that gives no ids, no usage and a wrong reason still makes proper calls', async () => {
    const { parts, finish } = await play([
      { toolCall: { id: '', name: 'look', arguments: '{"n":1}' } },
      { toolCall: { id: '', name: 'look', arguments: '{"n":2}' } },
      { finish: 'stop', usage: null },
    ])
    const calls = parts.filter((part) => part.type === 'tool_call')
    expect(calls.map((call) => call.arguments)).toEqual(['{"n":1}', '{"n":2}'])
    expect(finish).toEqual({ stopReason: 'tool_calls', usage: null })
  })

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['something_new', 'other'],
  ])('the finish reason %s is %s', async (sent, stopReason) => {
    const { finish } = await play([{ text: 'x' }, { finish: sent }])
    expect(finish.stopReason).toBe(stopReason)
  })

  test('characters cut by the network, comments, CRLF and filler chunks do not disturb the text', async () => {
    const { parts } = await play([
      { raw: ': OPENROUTER PROCESSING\n\n' },
      { raw: 'data: {"choices":[],"prompt_filter_results":[]}\n\n' },
      { raw: event({ role: 'assistant', content: null }) },
      { raw: event({ content: 'smile 🙂 ' }) },
      { raw: event({ content: '\ud83d' }) + event({ content: '\ude42' }) },
      { finish: 'stop' },
    ])
    expect(joined(parts)).toEqual([{ type: 'text', text: 'smile 🙂 🙂' }, { type: 'part_end' }])
  })
})

describe('[BAK1] the request', () => {
  test('is one that a strict server accepts: calls answered, failures told, empty turns left out', async () => {
    const { finish } = await play([{ finish: 'stop' }], {
      system: 'Be brief.',
      messages: [
        { role: 'user', text: 'Look' },
        {
          role: 'assistant',
          parts: [
            { type: 'text', text: 'On it.' },
            { type: 'tool_call', callId: 'a', toolName: 'look', arguments: '{"at": 1}' },
            { type: 'tool_call', callId: 'b', toolName: 'look', arguments: '{"at":' },
            { type: 'tool_call', callId: 'c', toolName: 'look', arguments: '' },
          ],
        },
        {
          role: 'tool',
          results: [
            { callId: 'a', toolName: 'look', ok: true, text: 'found' },
            { callId: 'b', toolName: 'look', ok: false, text: 'tool_invalid_input: at' },
            { callId: 'c', toolName: 'look', ok: false, text: 'tool_interrupted: stopped' },
          ],
        },
        { role: 'assistant', parts: [{ type: 'text', text: '' }] },
        { role: 'user', text: 'And?' },
      ],
      tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    })
    expect(finish.stopReason).toBe('stop')
    expect(server.violations).toEqual([])
    expect(server.requests[0]).toEqual({
      model: 'test-model',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Look' },
        {
          role: 'assistant',
          content: 'On it.',
          tool_calls: [
            call('a', '{"at":1}'),
            call('b', '{"invalid_arguments":"{\\"at\\":"}'),
            call('c', '{}'),
          ],
        },
        { role: 'tool', tool_call_id: 'a', content: 'found' },
        { role: 'tool', tool_call_id: 'b', content: 'tool_invalid_input: at' },
        { role: 'tool', tool_call_id: 'c', content: 'tool_interrupted: stopped' },
        { role: 'user', content: 'And?' },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'look', description: 'Looks.', parameters: { type: 'object' } },
        },
      ],
    })
    expect(server.authorizations).toEqual([`Bearer ${API_KEY}`])
  })

  test('without a system prompt, tools or a key names none of them', async () => {
    const model = createOpenAiModel({ baseURL: server.url, modelId: 'local' })
    const request = { ...REQUEST, system: '' }
    await model.stream(request, new AbortController().signal, () => {})
    expect(server.requests[0]).not.toHaveProperty('tools')
    expect(server.requests[0]?.messages).toEqual([{ role: 'user', content: 'Hello' }])
    expect(server.authorizations).toEqual([undefined])
  })
})

describe('[BAK1] a failure is told apart', () => {
  test('[SAF3] no message ever holds the key, whatever the provider quotes', async () => {
    const quoting = {
      error: { message: `The key ${API_KEY} and Bearer ${API_KEY} and sk-live***wxyz` },
    }
    for (const status of [400, 401, 403, 429, 500]) {
      const { message, stack } = await failure([{ status, body: quoting }])
      expect(message + stack).not.toMatch(/sk-|0123456789abcdef|wxyz/)
    }
    const streamed = await failure([{ raw: `data: ${JSON.stringify(quoting)}\n\n` }])
    expect(streamed.message).not.toMatch(/sk-|0123456789abcdef|wxyz/)
  })

  test('a server that is not there is model_unavailable, and only its host is named', async () => {
    await server.close()
    const baseURL = server.url.replace('http://', 'http://user:secret@')
    for (const url of [server.url, baseURL]) {
      const error: unknown = await open(REQUEST, undefined, url).finish.catch((e: unknown) => e)
      expect(error).toMatchObject({ code: 'model_unavailable' })
      expect((error as Error).message).toContain(new URL(url).host)
      expect((error as Error).message).not.toContain('secret')
    }
  })

  test('an address that is none is model_unavailable', async () => {
    await expect(open(REQUEST, undefined, 'nowhere').finish).rejects.toMatchObject({
      code: 'model_unavailable',
    })
  })

  test('a connection that breaks in the middle is model_unavailable, and the text before it stays', async () => {
    server.setScript(() => [{ text: 'Half' }, { gate: 'half' }, { cut: true }])
    const model = createOpenAiModel({ baseURL: server.url, modelId: 'm' })
    const parts: ModelPart[] = []
    const finish = model.stream(REQUEST, new AbortController().signal, (part) => {
      if (part.type !== 'text') return
      parts.push(part)
      // Only now: what a broken connection still held is lost, and that is not under test.
      server.gate('half').release()
    })
    await expect(finish).rejects.toMatchObject({ code: 'model_unavailable' })
    expect(parts).toEqual([{ type: 'text', text: 'Half' }])
  })

  test.each<[string, Reply]>([
    ['ends without a finish', [{ text: 'Half an ans' }]],
    ['ends at once', []],
    ['is not a stream of chunks', [{ raw: '<html>Welcome</html>' }]],
    [
      'has a chunk that is not JSON',
      [{ text: 'x' }, { raw: 'data: {"cho\n\n' }, { finish: 'stop' }],
    ],
    ['has a chunk of another kind', [{ raw: 'data: {"object":"list"}\n\n' }, { finish: 'stop' }]],
  ])('a stream that %s is model_malformed', async (_, reply) => {
    expect(await failure(reply)).toMatchObject({ code: 'model_malformed' })
  })

  test('[TOOL3] a call whose stream was cut is never handed on as a call', async () => {
    server.setScript(() => [
      { toolCall: { id: 'a', name: 'remove', arguments: '{"path":"/tmp"}' } },
    ])
    const { parts, finish } = open()
    await expect(finish).rejects.toMatchObject({ code: 'model_malformed' })
    expect(parts.some((part) => part.type === 'tool_call')).toBe(false)
  })

  test.each([
    [{ message: 'slow down', type: 'rate_limit_error' }, 'model_rate_limited'],
    [{ message: 'slow down', code: 429 }, 'model_rate_limited'],
    [{ message: 'overloaded', type: 'server_error', code: null }, 'model_overloaded'],
    [{ message: 'no such field', type: 'invalid_request_error' }, 'model_bad_request'],
    ['out of memory', 'model_unavailable'],
  ])('an error in the middle of a stream, %j, is %s', async (error, code) => {
    const raw = `data: ${JSON.stringify({ error })}\n\n`
    const told = await failure([{ text: 'x' }, { raw }, { hang: true }])
    expect(told.code).toBe(code)
    expect(told.message).toContain(typeof error === 'string' ? error : error.message)
    // The connection is let go although the server would have kept it open.
    await server.untilAborted()
  })

  test('what the receiver of the parts throws is not blamed on the provider', async () => {
    const bug = new Error('disk full')
    const model = createOpenAiModel({ baseURL: server.url, modelId: 'm' })
    for (const reply of [
      [{ text: 'x' }, { hang: true }],
      [{ toolCall: { id: 'a', name: 'look', arguments: '{}' } }, { hang: true }],
    ] satisfies Reply[]) {
      server.setScript(() => reply)
      const finish = model.stream(REQUEST, new AbortController().signal, () => {
        throw bug
      })
      await expect(finish).rejects.toBe(bug)
    }
    await server.untilAborted(2)
  })
})

describe('[CAN1] an abort', () => {
  const reason = new Error('the person stopped')

  test('before the call makes no request', async () => {
    await expect(open(REQUEST, AbortSignal.abort(reason)).finish).rejects.toBe(reason)
    expect(server.requests).toEqual([])
  })

  test.each<[string, Reply]>([
    ['while the server has not answered', [{ gate: 'here' }, { hang: true }]],
    ['in the middle of text', [{ text: 'Half' }, { gate: 'here' }, { hang: true }]],
    [
      'in the middle of a call',
      [
        { toolCall: { id: 'a', name: 'look', arguments: '{"a":' } },
        { gate: 'here' },
        { hang: true },
      ],
    ],
  ])('%s rejects with its reason and closes the connection', async (_, reply) => {
    server.setScript(() => reply)
    const controller = new AbortController()
    const { finish, parts } = open(REQUEST, controller.signal)
    await server.gate('here').reached
    controller.abort(reason)
    await expect(finish).rejects.toBe(reason)
    const seen = parts.length
    await server.untilAborted()
    expect(parts).toHaveLength(seen)
  })

  test('does not wait for a fetch that ignores its signal, and nothing is emitted after it', async () => {
    const held = Promise.withResolvers<Response>()
    const model = createOpenAiModel({
      baseURL: server.url,
      modelId: 'm',
      fetch: () => held.promise,
    })
    const controller = new AbortController()
    const parts: ModelPart[] = []
    const finish = model.stream(REQUEST, controller.signal, (part) => parts.push(part))
    controller.abort(reason)
    await expect(finish).rejects.toBe(reason)
    const late = new TransformStream<Uint8Array, Uint8Array>()
    held.resolve(new Response(late.readable))
    const writer = late.writable.getWriter()
    const chunk = 'data: {"choices":[{"delta":{"content":"late"}}]}\n\n'
    await writer.write(new TextEncoder().encode(chunk)).catch(() => {})
    await writer.close().catch(() => {})
    expect(parts).toEqual([])
  })
})

test('[RUN2] ten thousand deltas at full speed arrive whole and in order', async () => {
  const count = 10_000
  const { parts } = await play([{ repeat: count, text: (i) => `${i} ` }, { finish: 'stop' }])
  const text = parts.map((part) => ('text' in part ? part.text : '')).join('')
  expect(text).toBe(Array.from({ length: count }, (_, i) => `${i} `).join(''))
})

test('calls at the same time do not get each other’s parts', async () => {
  server.setScript((body) => {
    const last = body.messages.at(-1)?.content as string
    return [{ text: last }, { gate: last }, { text: last }, { finish: 'stop' }]
  })
  const model = createOpenAiModel({ baseURL: server.url, modelId: 'm' })
  const answers = ['a', 'b', 'c'].map(async (text) => {
    let said = ''
    const request: ModelRequest = { ...REQUEST, messages: [{ role: 'user', text }] }
    await model.stream(request, new AbortController().signal, (part) => {
      if (part.type === 'text') said += part.text
    })
    return said
  })
  for (const name of ['a', 'b', 'c']) await server.gate(name).reached
  for (const name of ['c', 'a', 'b']) server.gate(name).release()
  expect(await Promise.all(answers)).toEqual(['aa', 'bb', 'cc'])
})

import { describe, expect, test } from 'vitest'
import { ModelError, type ModelPart } from '../core/session/model.ts'
import { createAnthropicModel } from './anthropic.ts'
import { LINE_BYTES } from './line-length.ts'
import { createOpenAiModel } from './openai.ts'
import { createWorkersAiModel } from './workers-ai.ts'

// What servers send in place of a stream of events.

const JSON_TYPE = 'application/json; charset=utf-8'

async function read(body: BodyInit, type = JSON_TYPE, create = createOpenAiModel) {
  const parts: ModelPart[] = []
  const model = create({
    baseURL: 'http://host.test/v1',
    modelId: 'm',
    fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': type } })),
  })
  const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
  const finish = await model
    .stream(request, new AbortController().signal, (part) => {
      if (part.type !== 'activity') parts.push(part)
    })
    .catch((error: unknown) => {
      if (!(error instanceof ModelError)) throw error
      return error
    })
  return { parts, finish }
}

const completion = (message: object, finish_reason: string | null) =>
  JSON.stringify(
    {
      object: 'chat.completion',
      choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    },
    null,
    2,
  )

const named = (name: string) => ({ name, arguments: '{"at":1}' })
const chunk = (delta: object, finish_reason: string | null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason }] })}\n\n`

describe('[BAK1] a server that does not stream', () => {
  test('has its answer read all the same', async () => {
    const answer = completion({ content: '<think>Hm.</think>Grüße 🙂' }, 'stop')
    expect(await read(answer)).toEqual({
      parts: [
        { type: 'thinking', text: 'Hm.' },
        { type: 'text', text: 'Grüße 🙂' },
        { type: 'part_end' },
      ],
      finish: { stopReason: 'stop', usage: { inputTokens: 3, outputTokens: 4, cachedTokens: 0 } },
    })
  })

  test('[TOOL4] has its calls made', async () => {
    const tool_calls = [
      { id: 'a', type: 'function', function: named('look') },
      { id: 'b', type: 'function', function: named('find') },
    ]
    const { parts, finish } = await read(completion({ content: null, tool_calls }, null))
    expect(parts.filter(({ type }) => type === 'tool_call')).toEqual([
      { type: 'tool_call', id: 'a', toolName: 'look', arguments: '{"at":1}' },
      { type: 'tool_call', id: 'b', toolName: 'find', arguments: '{"at":1}' },
    ])
    expect(finish).toMatchObject({ stopReason: 'tool_calls' })
  })

  test.each([
    [{ error: { message: 'Provider returned error', code: 502 } }, 'model_unavailable'],
    [{ error: { message: 'Rate limit reached', code: 429 } }, 'model_rate_limited'],
    [[{ error: { message: 'gone', code: 404, status: 'NOT_FOUND' } }], 'model_not_found'],
    [{ object: 'error', message: 'This model does not exist: no such model' }, 'model_not_found'],
    [{ object: 'list', data: [] }, 'model_malformed'],
  ])('and says %j with status 200 has failed: %s', async (body, code) => {
    for (const text of [JSON.stringify(body), JSON.stringify(body, null, 2)]) {
      expect((await read(text)).finish).toMatchObject({ code })
    }
  })

  test('is not what calls itself JSON and streams', async () => {
    const events = `\n${chunk({ content: 'Hi' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`
    expect(await read(events)).toMatchObject({ finish: { stopReason: 'stop' } })
    expect((await read('<html>Sign in</html>')).finish).toMatchObject({ code: 'model_malformed' })
    expect((await read('{"choices":[')).finish).toMatchObject({ code: 'model_malformed' })
  })
})

/** As much as is asked for, and a count of it. */
function endless(first: string) {
  const sent = { bytes: 0 }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const chunk = encoder.encode(sent.bytes === 0 ? first : 'x'.repeat(65_536))
      sent.bytes += chunk.length
      controller.enqueue(chunk)
    },
  })
  return { body, sent }
}

describe('[SAF2] a line that never ends', () => {
  test.each([
    ['of text', 'data: {"choices":[{"delta":{"content":"', 'text/event-stream', createOpenAiModel],
    ['of anything', ': ', 'text/event-stream', createOpenAiModel],
    ['after other events', 'data: {"choices":null}\n\ndata: ', '', createOpenAiModel],
    ['of JSON', '{"choices":[{"message":"', JSON_TYPE, createOpenAiModel],
    ['of Anthropic', 'event: message_start\ndata: {"', '', createAnthropicModel],
  ])('%s is given up before it fills the memory', async (_, first, type, create) => {
    const { body, sent } = endless(first)
    const { finish } = await read(body, type, create)
    expect(finish).toMatchObject({ code: 'model_malformed' })
    expect(sent.bytes).toBeLessThan(2 * LINE_BYTES)
  })

  test('of Workers AI is given up likewise', async () => {
    const { body, sent } = endless('data: {"response":"')
    const model = createWorkersAiModel({ ai: { run: () => Promise.resolve(body) }, modelId: 'm' })
    const request = { system: '', messages: [{ role: 'user' as const, text: 'hi' }], tools: [] }
    const finish = model.stream(request, new AbortController().signal, () => {})
    await expect(finish).rejects.toMatchObject({ code: 'model_malformed' })
    expect(sent.bytes).toBeLessThan(2 * LINE_BYTES)
  })

  test('is told from long ones that do', async () => {
    const content = 'x'.repeat(LINE_BYTES - 1000)
    const events = `${chunk({ content }, 'stop')}data: [DONE]\n\n`
    const { parts } = await read(events, 'text/event-stream')
    expect(parts[0]).toEqual({ type: 'text', text: content })
  })
})

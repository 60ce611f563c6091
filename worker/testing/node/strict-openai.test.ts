import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startStrictOpenAi, type Rule, type StrictOpenAi } from './strict-openai.ts'

let server: StrictOpenAi
beforeEach(async () => {
  server = await startStrictOpenAi()
})
afterEach(() => server.close())

const USER = { role: 'user', content: 'Hello' }
const callOf = (id: string, args: unknown = '{}') => ({
  id,
  type: 'function',
  function: { name: 'look', arguments: args },
})
const calling = (...ids: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: ids.map((id) => callOf(id)),
})
const answer = (id: string) => ({ role: 'tool', tool_call_id: id, content: '' })

const toolWith = (fn: unknown) => ({ tools: [{ type: 'function', function: fn }] })

function post(body: unknown, signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal,
  })
}
const chat = (messages: unknown[], more: object = {}) =>
  post({ model: 'm', stream: true, messages, ...more })

describe('refuses', () => {
  const cases: [string, Rule, unknown[], object?][] = [
    ['no messages', 'messages_empty', []],
    ['an unknown role', 'role', [{ role: 'robot', content: 'x' }]],
    ['an empty user message', 'content_required', [{ role: 'user', content: '' }]],
    ['a user message without content', 'content_required', [{ role: 'user' }]],
    ['an empty list of parts', 'content_required', [{ role: 'user', content: [] }]],
    ['an empty assistant message', 'content_required', [{ role: 'assistant', content: '' }, USER]],
    ['an unknown part', 'content_part', [{ role: 'user', content: [{ type: 'smell' }] }]],
    ['an empty list of calls', 'tool_calls', [{ ...calling(), content: 'x' }, USER]],
    ['a call without an id', 'tool_calls', [calling(''), answer('')]],
    ['an unanswered call', 'tool_call_unanswered', [USER, calling('a', 'b'), answer('a'), USER]],
    ['an unanswered call at the end', 'tool_call_unanswered', [USER, calling('a')]],
    ['an answer to no call', 'tool_orphan', [USER, answer('a')]],
    ['an answer to another call', 'tool_orphan', [USER, calling('a'), answer('b')]],
    ['a second answer', 'tool_orphan', [USER, calling('a'), answer('a'), answer('a')]],
    ['an answer without an id', 'tool_orphan', [USER, { role: 'tool', content: 'x' }]],
    ['two calls of one id', 'tool_call_duplicate', [USER, calling('a', 'a'), answer('a')]],
    [
      'an assistant message at the end',
      'last_message',
      [USER, { role: 'assistant', content: 'x' }],
    ],
    ['an empty list of tools', 'tools', [USER], { tools: [] }],
    ['a tool without a name', 'tools', [USER], toolWith({ description: 'x' })],
    ['a tool with a bad name', 'tools', [USER], toolWith({ name: 'a b' })],
    ['a schema that is no object', 'tools', [USER], toolWith({ name: 'a', parameters: {} })],
    ['a request without a model', 'body', [USER], { model: '' }],
    ['a request that does not stream', 'body', [USER], { stream: false }],
  ]
  test.each(cases)('%s', async (_, rule, messages, more = {}) => {
    const response = await chat(messages, more)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { type: 'invalid_request_error', message: expect.stringMatching(/./) as string },
    })
    expect(server.violations.map((violation) => violation.rule)).toEqual([rule])
  })

  test.each([[{}], ['not json'], ['[]'], ['"text"'], [null]])('arguments %j', async (args) => {
    const message = { role: 'assistant', content: null, tool_calls: [callOf('a', args)] }
    expect((await chat([USER, message, answer('a')])).status).toBe(400)
    expect(server.violations[0]?.rule).toBe('tool_call_arguments')
  })

  test('a body that is not JSON, another path and a wrong key', async () => {
    expect((await post('{')).status).toBe(400)
    expect((await fetch(`${server.url}/models`)).status).toBe(404)
    const closed = await startStrictOpenAi({ apiKey: 'right' })
    const response = await fetch(`${closed.url}/chat/completions`, {
      method: 'POST',
      headers: { authorization: 'Bearer wrong' },
      body: JSON.stringify({ model: 'm', stream: true, messages: [USER] }),
    })
    expect(response.status).toBe(401)
    await closed.close()
  })
})

test('a correct conversation with parallel calls is served as server-sent events', async () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    USER,
    calling('a', 'b'),
    answer('b'),
    answer('a'),
    { role: 'assistant', content: 'Done.' },
    { role: 'user', content: [{ type: 'text', text: 'Thanks' }] },
  ]
  server.setScript(() => [{ text: 'Hi' }, { finish: 'stop' }])
  const response = await chat(messages, { stream_options: { include_usage: true } })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const lines = (await response.text()).split('\n\n')
  const events = lines.slice(0, -2).map((line) => JSON.parse(line.slice('data: '.length)) as object)
  expect(events).toMatchObject([
    { choices: [{ delta: { role: 'assistant', content: '' } }] },
    { choices: [{ delta: { content: 'Hi' }, finish_reason: null }] },
    { choices: [{ delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 12, completion_tokens: 7, total_tokens: 19 } },
  ])
  expect(lines.slice(-2)).toEqual(['data: [DONE]', ''])
  expect(server.requests[0]?.messages).toEqual(messages)
  expect(server.violations).toEqual([])
})

test('a gate holds the reply until it is released, and a client that leaves is counted', async () => {
  server.setScript(() => [
    { text: 'before' },
    { gate: 'middle' },
    { text: 'after' },
    { hang: true },
  ])
  const controller = new AbortController()
  const response = await post({ model: 'm', stream: true, messages: [USER] }, controller.signal)
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  const readUntil = async (text: string) => {
    while (!seen.includes(text)) seen += (await reader.read()).value ?? ''
  }
  await readUntil('before')
  await server.gate('middle').reached
  expect(seen).not.toContain('after')
  server.gate('middle').release()
  await readUntil('after')
  expect(server.aborted).toBe(0)
  controller.abort()
  await server.untilAborted()
  expect(server.aborted).toBe(1)
})

test('a cut breaks the stream and is not counted as an abort', async () => {
  server.setScript(() => [{ text: 'x' }, { cut: true }])
  await expect(chat([USER]).then((response) => response.text())).rejects.toThrow()
  expect(server.aborted).toBe(0)
})

test('many deltas arrive whole and in order, at full speed and at a rate', async () => {
  server.setScript(() => [
    { repeat: 1000, text: (i) => `<${i}>` },
    { repeat: 20, text: 'x', perSecond: 10_000 },
    { finish: 'stop' },
  ])
  const body = await (await chat([USER])).text()
  const texts = [...body.matchAll(/"content":"([^"]*)"/g)].map((match) => match[1])
  expect(texts).toEqual([
    '',
    ...Array.from({ length: 1000 }, (_, i) => `<${i}>`),
    ...Array.from({ length: 20 }, () => 'x'),
  ])
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startModelServer } from './model-server.ts'
import { signThought, type AnthropicRule } from './strict-anthropic-rules.ts'
import { startStrictAnthropic, type StrictAnthropic } from './strict-anthropic.ts'

let server: StrictAnthropic
beforeEach(async () => {
  server = await startStrictAnthropic()
})
afterEach(() => server.close())

const HEADERS = { 'x-api-key': 'k', 'anthropic-version': '2023-06-01' }
const TOOLS = { tools: [{ name: 'look', input_schema: { type: 'object' } }] }
const USER = { role: 'user', content: 'Hello' }
const use = (id: string, input: unknown = {}) => ({ type: 'tool_use', id, name: 'look', input })
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: '' })
const assistant = (...content: object[]) => ({ role: 'assistant', content })
const user = (...content: object[]) => ({ role: 'user', content })
const text = (words: string) => ({ type: 'text', text: words })
const thought = (words: string, signature = signThought('m', words)) => ({
  type: 'thinking',
  thinking: words,
  signature,
})
const ENABLED = { thinking: { type: 'enabled', budget_tokens: 1024 }, max_tokens: 2048, ...TOOLS }

function post(messages: unknown[], more: object = {}, headers: object = HEADERS) {
  return fetch(`${server.url}/messages`, {
    method: 'POST',
    headers: { ...headers },
    body: JSON.stringify({ model: 'm', max_tokens: 100, stream: true, messages, ...more }),
  })
}

const CALLED = [USER, assistant(use('a')), user(result('a'))]

describe('[BAK1] refuses', () => {
  const cases: [string, AnthropicRule, unknown[], object?][] = [
    ['no messages', 'messages_empty', []],
    ['a request without max_tokens', 'max_tokens', [USER], { max_tokens: undefined }],
    ['a request without a model', 'body', [USER], { model: '' }],
    ['a request that does not stream', 'body', [USER], { stream: false }],
    ['a system message', 'role', [{ role: 'system', content: 'x' }, USER]],
    ['an assistant message at the start', 'first_message', [assistant(text('x')), USER]],
    ['an assistant message at the end', 'last_message', [USER, assistant(text('x'))]],
    ['an empty text', 'content_required', [{ role: 'user', content: '' }]],
    ['a blank text', 'content_required', [USER, assistant(text(' \n')), USER]],
    ['a message without content', 'content_required', [user()]],
    ['an empty system prompt', 'content_required', [USER], { system: '' }],
    ['a call from the user', 'content_block', [user(use('a'))], TOOLS],
    ['an answer from the assistant', 'content_block', [USER, assistant(result('a')), USER], TOOLS],
    ['an id with a colon', 'tool_use', [USER, assistant(use('a:0')), user(result('a:0'))], TOOLS],
    ['arguments as text', 'tool_use', [USER, assistant(use('a', '{}')), user(result('a'))], TOOLS],
    ['an unanswered call', 'tool_use_unanswered', [USER, assistant(use('a')), USER], TOOLS],
    [
      'one of two answers',
      'tool_use_unanswered',
      [USER, assistant(use('a'), use('b')), user(result('b'))],
      TOOLS,
    ],
    [
      'an answer after words',
      'tool_use_unanswered',
      [USER, assistant(use('a')), user(text('x'), result('a'))],
      TOOLS,
    ],
    ['an answer to no call', 'tool_result_orphan', [user(result('a'))], TOOLS],
    ['a second answer', 'tool_result_orphan', [...CALLED, user(result('a'))], TOOLS],
    [
      'an id used twice',
      'tool_use_duplicate',
      [...CALLED, assistant(use('a')), user(result('a'))],
      TOOLS,
    ],
    ['calls without tools', 'tools_required', CALLED],
    ['a tool with a bad name', 'tools', [USER], { tools: [{ name: 'a b' }] }],
    ['a tool without a schema', 'tools', [USER], { tools: [{ name: 'a' }] }],
    ['a tool named twice', 'tools', [USER], { tools: [...TOOLS.tools, ...TOOLS.tools] }],
    ['a budget above the limit', 'thinking_budget', [USER], { ...ENABLED, max_tokens: 1024 }],
    ['a small budget', 'thinking_budget', [USER], { ...ENABLED, thinking: { type: 'enabled' } }],
    ['a forced call', 'thinking_budget', [USER], { ...ENABLED, tool_choice: { type: 'any' } }],
    ['a calling turn without a thought', 'thinking_first', CALLED, ENABLED],
    [
      'a thought that is not the first',
      'thinking_first',
      [USER, assistant(text('x')), assistant(thought('hm'), use('a')), user(result('a'))],
      ENABLED,
    ],
    ['a forged signature', 'thinking_signature', [USER, assistant(thought('hm', 'x')), USER]],
    [
      'five marks for the cache',
      'cache_control',
      [user(...Array.from({ length: 5 }, () => ({ ...text('x'), cache_control: {} })))],
    ],
    [
      'a thought marked for the cache',
      'cache_control',
      [USER, assistant({ ...thought('hm'), cache_control: {} }), USER],
    ],
  ]
  test.each(cases)('%s', async (_, rule, messages, more = {}) => {
    const response = await post(messages, more)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      type: 'error',
      error: { type: 'invalid_request_error', message: expect.stringMatching(/./) as string },
    })
    expect(server.violations.map((violation) => violation.rule)).toEqual([rule])
  })

  test('a request without a key, with a wrong one, without a version, and another path', async () => {
    expect((await post([USER], {}, {})).status).toBe(401)
    expect((await post([USER], {}, { 'x-api-key': 'k' })).status).toBe(400)
    expect((await fetch(`${server.url}/models`)).status).toBe(404)
    const closed = await startStrictAnthropic({ apiKey: 'right' })
    const url = `${closed.url}/messages`
    expect((await fetch(url, { method: 'POST', headers: HEADERS, body: '{}' })).status).toBe(401)
    await closed.close()
  })
})

test('[BAK1] a correct conversation is served as the events of the real API', async () => {
  server.setScript(() => [
    { reasoning: 'hm' },
    { text: 'Hi' },
    { toolCall: { id: 'b', name: 'look', arguments: '{}' } },
    { finish: 'tool_calls' },
  ])
  const messages = [
    USER,
    assistant(thought('hm'), text('x'), use('a')),
    user(result('a'), text('y')),
  ]
  const response = await post(messages, ENABLED)
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const events = (await response.text()).split('\n\n').slice(0, -1)
  expect(events.map((event) => /^event: (\w+)\ndata: \{"type":"\1"/.exec(event)?.[1])).toEqual([
    'message_start',
    'ping',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ])
  expect(server.violations).toEqual([])
})

async function ask(url: string, messages: unknown[]): Promise<string> {
  const body = JSON.stringify({ model: 'm', max_tokens: 9, stream: true, messages, ...TOOLS })
  return (await fetch(url, { method: 'POST', headers: HEADERS, body })).text()
}

test('[BAK1] both servers play the script in the last message of a person, and share gates', async () => {
  const both = await startModelServer()
  const script = '#script [[{"text":"one"},{"gate":"g"},{"finish":"stop"}],[{"text":"two"}]]'
  both.gate('g').release()
  const messages = `${both.anthropicUrl}/messages`
  expect(await ask(messages, [user(text('earlier'), text(script))])).toContain('one')
  const later = [user(text(script)), assistant(use('a')), user(result('a'))]
  expect(await ask(messages, later)).toContain('two')
  const chat = both.url.replace(/$/, '/chat/completions')
  const body = JSON.stringify({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: script }],
  })
  expect(await (await fetch(chat, { method: 'POST', body })).text()).toContain('one')
  await both.close()
})

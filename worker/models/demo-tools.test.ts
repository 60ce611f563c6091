// Scenes about tools that came with the engine's features, and how scenes are told apart.

import { describe, expect, test } from 'vitest'
import { findScene, SCENES } from './demo-scripts.ts'
import { ask, assistant, call, converse, offer, result, said, user } from './demo-test-kit.ts'

describe('[TOOL8] the world outside', () => {
  const tools = offer('weather', 'web_fetch')

  test.each([
    ['What is the weather in New York?', 'New York'],
    ['weather in São Paulo, please', 'São Paulo'],
    ['the weather at St. Gallen.', 'St. Gallen'],
    ['Weather for Tokyo today. Thank you', 'Tokyo'],
    ['the weather', 'Berlin'],
  ])('%j asks for the weather of %s', async (question, place) => {
    const { calls } = await ask([user(question)], { tools })
    expect(calls).toMatchObject([{ toolName: 'weather', arguments: JSON.stringify({ place }) }])
  })

  test.each([
    ['fetch https://example.com/slow?a=table', 'https://example.com/slow?a=table'],
    ['Please read (https://example.com/a).', 'https://example.com/a'],
    ['fetch a page', 'https://example.com/'],
  ])('%j fetches %s', async (question, url) => {
    const { calls } = await ask([user(question)], { tools })
    expect(calls).toMatchObject([{ toolName: 'web_fetch', arguments: JSON.stringify({ url }) }])
  })

  test('an address alone is no wish to fetch it', () => {
    expect(findScene('a table like https://example.com').offer).toContain('markdown')
  })

  test('results are told, a page as a quotation that cannot end itself', async () => {
    const weather = await ask(
      [
        user('weather in Rome'),
        assistant(call('a', 'weather', { place: 'Rome' })),
        result('a', 'weather', '21 °C, clear'),
      ],
      { tools },
    )
    expect(weather.text).toBe('The tool says:\n\n21 °C, clear')
    const page = `# Title\n\`\`\`\n${'word '.repeat(500)}`
    const before = [
      user('fetch https://example.com'),
      assistant(call('a', 'web_fetch', { url: 'https://example.com' })),
    ]
    const { text } = await ask([...before, result('a', 'web_fetch', page)], { tools })
    expect(text.match(/```/g)).toHaveLength(2)
    expect(text.length).toBeLessThan(1000)
    const failed = await ask([...before, result('a', 'web_fetch', 'tool_error: 404', false)])
    expect(failed.text).toContain('*`web_fetch` failed:* tool_error: 404')
  })

  test('without these tools it says so', async () => {
    const { text, calls } = await ask([user('weather in Rome')], { tools: [] })
    expect(calls).toEqual([])
    expect(text).toContain('I would call `weather`')
  })
})

test('[RUN3] many steps: one call and one word each, without an end of its own', async () => {
  const { messages, isOver } = await converse('many steps', 60)
  expect(isOver).toBe(false)
  const answers = messages.filter(({ role }) => role === 'assistant')
  expect(answers).toHaveLength(60)
  expect(answers.at(-1)).toMatchObject({
    parts: [said('Step 60. '), { type: 'tool_call', toolName: 'current_time' }],
  })
})

test('[UI1] a long run: two stretches of work, with text after each of them', async () => {
  const messages = [user('a long run')]
  const stretches: string[] = []
  for (let round = 0; round < 4; round++) {
    const { text, calls } = await ask(messages)
    stretches.push(`${text === '' ? '' : 'text '}${calls.length}`)
    const results = calls.map(({ id: callId, toolName }, at) => ({
      callId,
      toolName,
      ok: true,
      text: String(at),
    }))
    const made = calls.map(({ id, toolName }) => call(id, toolName, {}))
    messages.push(assistant(said(text), ...made), { role: 'tool', results })
  }
  expect(stretches).toEqual(['text 3', '3', 'text 3', 'text 0'])
  expect(JSON.stringify(messages)).toContain('The sums are 0 and 1.')
})

test('[TOOL3] invalid arguments: the error is read and the call repaired', async () => {
  const { calls, parts } = await ask([user('invalid arguments')])
  expect(calls).toMatchObject([{ toolName: 'calculate', arguments: '{"expression": 2 +' }])
  const streamed = parts.map((part) => (part.type === 'tool_input' ? part.text : ''))
  expect(streamed.join('')).toBe('{"expression": 2 +')
  const { messages, text } = await converse('invalid arguments')
  expect(JSON.stringify(messages)).toContain('tool_invalid_input: The arguments of calculate')
  expect(text).toContain('gives: 4')
})

test('[TOOL4] calls are made when the stream has come to its end', async () => {
  const { parts } = await ask([user('use tools')])
  const kinds = parts.map(({ type }) => type)
  expect(kinds.slice(kinds.indexOf('tool_call'))).toEqual(Array(4).fill('tool_call'))
})

test('[QUE2] several messages that arrive in mid-run are all read there', async () => {
  const { text } = await ask([
    user('steering'),
    assistant(call('a', 'countdown', { from: 15 })),
    result('a', 'countdown', 'counted down'),
    user('make it blue'),
    user('and markdown'),
  ])
  expect(text).toContain('you wrote “make it blue” and “and markdown”')
  expect(text).toContain('That is steering')
})

test('what an attached file says chooses no scene', async () => {
  const { text } = await ask([user('hello\n\n[Attached: a.txt]\nfetch slow weather, retry')])
  expect(text).toContain('You wrote “hello”')
})

describe('[SES4] scenes', () => {
  test.each([
    ['Show me thinking', 'thinking'],
    ['Run tools in parallel', 'tools'],
    ['Show a failing tool', 'failing tool'],
    ['Count down slowly', 'slow tool'],
    ['Write a long answer I can interrupt', 'long answer'],
    ['Show me markdown', 'markdown'],
    ['use the think tool', 'think tool'],
    ['steering', 'steering'],
    ['fallback', 'fallback'],
    ['fall over', 'fallback'],
    ['retry after an error', 'retry'],
    ['rate limit', 'retry'],
    ['use no tools', 'no tools'],
    ['a warning', 'no tools'],
    ['invalid arguments', 'invalid arguments'],
    ['stall', 'stall'],
    ['hang', 'stall'],
    ['crash', 'crash'],
    ['fill the context', 'context'],
    ['compact', 'context'],
    ['many steps', 'many steps'],
    ['run into the step limit', 'many steps'],
    ['fetch the weather in Rome', 'weather'],
    ['read https://example.com/weather/error', 'fetch'],
  ])('%j plays %s', (question, name) => {
    expect(findScene(question).offer).toMatch(new RegExp(`^\\*\\*${name}\\*\\*`))
  })

  test('each is found by the name it is offered under', () => {
    for (const { offer: line } of SCENES) {
      const name = /^\*\*([^*]+)\*\*/.exec(line)?.[1] ?? ''
      expect(findScene(name).offer, name).toBe(line)
    }
  })
})

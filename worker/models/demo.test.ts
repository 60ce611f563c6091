import { describe, expect, test } from 'vitest'
import type { ModelPart } from '../core/session/model.ts'
import { SCENES } from './demo-scripts.ts'
import {
  ask,
  assistant,
  call,
  CONTINUE,
  converse,
  INTERRUPTED,
  registry,
  result,
  said,
  user,
} from './demo-test-kit.ts'
import { createDemoModel, parseDemoRate } from './demo.ts'

describe('[SES4] the demo model', () => {
  test('says what it is in its first answer, and what it can be asked for', async () => {
    const { text, finish } = await ask([user('Good morning!')])
    expect(text).toContain("I'm Parley's built-in demo model, not a real language model")
    expect(text).toContain('“Good morning!”')
    for (const { offer } of SCENES) expect(text).toContain(offer)
    expect(finish.stopReason).toBe('stop')
  })

  test('does not introduce itself again', async () => {
    const { text } = await ask([user('hi'), assistant(said('Hello!')), user('markdown')])
    expect(text).not.toContain('built-in demo model')
    expect(text).toContain('## Streaming markdown')
  })

  test('thinks before it answers', async () => {
    const { parts, thinking, text } = await ask([user('show me some thinking')])
    expect(parts[0]?.type).toBe('thinking')
    expect(thinking).toContain('“show me some thinking”')
    expect(text).toContain('That was a thinking part')
  })

  test('shows markdown: headings, table, code and list', async () => {
    const { text } = await ask([user('a table, please')])
    expect(text).toMatch(/^## .*^\| --- .*^```ts.*^1\. /ms)
  })

  test('[TOOL4] calls several tools at once and reports each result with its call', async () => {
    const { calls } = await ask([user('use tools')])
    expect(calls.map(({ toolName }) => toolName)).toEqual([
      'current_time',
      'current_time',
      'current_time',
      'calculate',
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4)
    const { text } = await converse('calculate (3 + 4) * 2^3')
    expect(text).toContain('| Tokyo | Thursday, 1970-01-01 09:00:00 (Asia/Tokyo, UTC+09:00) |')
    expect(text).toContain('| `(3 + 4) * 2^3` | 56 |')
  })

  test('[TOOL3] lets a tool fail, explains the error and repairs the call', async () => {
    const { messages, text } = await converse('show a failing tool')
    const told = JSON.stringify(messages)
    expect(told).toContain('failed:* tool_error: expected a number at position 5')
    expect(text).toContain('gives: 8')
  })

  test('[TOOL5] uses the think tool, then answers', async () => {
    const { calls } = await ask([user('use the think tool')])
    expect(calls).toMatchObject([{ toolName: 'think' }])
    expect(registry.specs().some(({ name }) => name === 'think')).toBe(true)
    const { text } = await converse('use the think tool')
    expect(text).toContain('came from the `think` **tool**')
  })

  test.each([
    ['a slow tool', 10],
    ['count down from 25', 25],
    ['count down from 500', 60],
  ])('calls the slow tool for %j from %i', async (question, from) => {
    const { calls } = await ask([user(question)])
    expect(calls.map((made) => JSON.parse(made.arguments) as object)).toMatchObject([{ from }])
  })

  test('[CAN3] knows a countdown that was interrupted from one that finished', async () => {
    const before = [
      user('slow tool'),
      assistant(call('a', 'countdown', { from: 10, label: 'Lift-off in' })),
    ]
    const interrupted = await ask([
      ...before,
      result('a', 'countdown', 'tool_interrupted: stopped\nOutput so far:\n10', false),
    ])
    expect(interrupted.text).toContain('was interrupted before it reached zero')
    const finished = await ask([...before, result('a', 'countdown', 'counted down')])
    expect(finished.text).toContain('The tool says: counted down')
  })

  test('gives a long answer: a minute at sixty words a second', async () => {
    const { parts, text } = await ask([user('a long story')])
    expect(parts.length / 60).toBeGreaterThan(50)
    expect(parts.length / 60).toBeLessThan(75)
    const paragraphs = text.split('\n\n')
    expect(new Set(paragraphs).size).toBe(paragraphs.length)
  })

  test('reports results of calls it knows nothing about', async () => {
    const { text } = await ask([
      user('hello'),
      assistant(call('a', 'weather', {}), call('b', 'weather', {})),
      {
        role: 'tool',
        results: [
          { callId: 'a', toolName: 'weather', ok: true, text: 'rain' },
          { callId: 'b', toolName: 'weather', ok: false, text: 'tool_denied: no\nmore' },
        ],
      },
    ])
    expect(text).toContain('- `weather`: rain\n- `weather`: *`weather` failed:* tool_denied: no\n')
  })

  test('says so when a tool is not offered to it', async () => {
    const { calls, text, finish } = await ask([user('slow tool')], { tools: [] })
    expect(calls).toEqual([])
    expect(text).toContain('I would call `countdown`')
    expect(finish.stopReason).toBe('stop')
  })
})

describe('[QUE2] a message that arrives in mid-run', () => {
  test('is acknowledged in the step that first sees it', async () => {
    const steered = [
      user('steering'),
      assistant(call('a', 'countdown', { from: 15 })),
      result('a', 'countdown', 'counted down'),
      user('make it blue'),
    ]
    const { text, calls } = await ask(steered)
    expect(text).toContain('While I was working you wrote “make it blue”')
    expect(text).toContain('That is steering')
    expect(calls).toEqual([])
  })

  test('[AGT1] is read without the note that another agent answers from here on', async () => {
    const note = '[From here the agent “coder” answers, not “assistant” as before.]'
    const { text } = await ask([
      user('hello'),
      assistant(said('Hello.')),
      user(`${note}\n\n${INTERRUPTED}\n\nmarkdown`),
    ])
    expect(text).toContain('## Streaming markdown')
  })

  test('is not confused with the first message after a run that was stopped', async () => {
    const { text } = await ask([
      user('slow tool'),
      assistant(call('a', 'countdown', { from: 15 })),
      result('a', 'countdown', 'tool_interrupted: stopped', false),
      user(`${INTERRUPTED}\n\nmarkdown`),
    ])
    expect(text).not.toContain('While I was working')
    expect(text).toContain('## Streaming markdown')
  })
})

describe('[RUN9] an answer that was interrupted', () => {
  test.each([1, 7, 1000, 15_000])('goes on at character %i without repeating', async (at) => {
    const whole = (await ask([user('a long story')])).text
    const { text } = await ask([
      user('a long story'),
      assistant(said(whole.slice(0, at))),
      user(`${INTERRUPTED}\n${CONTINUE}`),
    ])
    expect(text).toBe(whole.slice(at))
  })

  test('goes on again after a second interruption', async () => {
    const whole = (await ask([user('a long story')])).text
    const { text } = await ask([
      user('a long story'),
      assistant(said(whole.slice(0, 500))),
      user(`${INTERRUPTED}\n${CONTINUE}`),
      assistant(said(whole.slice(500, 900))),
      user(CONTINUE),
    ])
    expect(text).toBe(whole.slice(900))
  })

  test('still makes the calls that were to follow its text', async () => {
    const whole = (await ask([user('slow tool')])).text
    const { text, calls } = await ask([
      user('slow tool'),
      assistant(said(whole)),
      user(`${INTERRUPTED}\n${CONTINUE}`),
    ])
    expect(text).toBe('')
    expect(calls).toMatchObject([{ toolName: 'countdown' }])
  })

  test('starts again when the words were another model’s, and has nothing to add when it was whole', async () => {
    const foreign = await ask([user('markdown'), assistant(said('As an AI')), user(CONTINUE)])
    expect(foreign.text).toContain('here is the answer again')
    const whole = (await ask([user('markdown')])).text
    const complete = await ask([user('markdown'), assistant(said(whole)), user(CONTINUE)])
    expect(complete.text).toContain('nothing left to add')
  })
})

describe('the stream', () => {
  test('is paced word by word at the given rate', async () => {
    const pauses = new Set<number>()
    let count = 0
    const sleep = (ms: number) => {
      pauses.add(ms)
      count++
      return Promise.resolve()
    }
    const model = createDemoModel({ sleep, rate: 50 })
    const parts: ModelPart[] = []
    const request = { system: '', messages: [user('hi')], tools: [] }
    await model.stream(request, new AbortController().signal, (part) => parts.push(part))
    expect([...pauses]).toEqual([20])
    expect(count).toBe(parts.length)
    for (const part of parts) expect('text' in part && part.text).toMatch(/^\S+\s*$/)
  })

  test.each([
    [undefined, 60],
    ['', 60],
    [' 240 ', 240],
    ['1', 1],
    ['0.5', null],
    ['0', null],
    ['-1', null],
    ['10001', null],
    ['Infinity', null],
    ['fast', null],
  ])('[SES4] the rate %j is %j deltas a second, null being no rate', (setting, rate) => {
    expect(parseDemoRate(setting)).toBe(rate)
  })

  test('[CAN1] stops at once when it is aborted, also with the timer it has by default', async () => {
    const reason = new Error('the person stopped')
    const controller = new AbortController()
    const parts: ModelPart[] = []
    const request = { system: '', messages: [user('a long story')], tools: [] }
    const finish = createDemoModel({ rate: 1 / 3600 }).stream(request, controller.signal, (part) =>
      parts.push(part),
    )
    controller.abort(reason)
    await expect(finish).rejects.toBe(reason)
    const again = createDemoModel().stream(request, controller.signal, (part) => parts.push(part))
    await expect(again).rejects.toBe(reason)
    expect(parts).toEqual([])
  })

  test('[RUN4] reports usage counted from the texts', async () => {
    const short = await ask([user('markdown')], { tools: [] })
    expect(short.finish.usage).toEqual({
      inputTokens: Math.ceil(('markdown'.length + '[]'.length) / 4),
      outputTokens: Math.ceil(short.text.length / 4),
      cachedTokens: 0,
    })
  })

  test('[TOOL2] arguments stream in before their call, and add up to it', async () => {
    const { parts, calls } = await ask([user('use tools')])
    for (const { id, arguments: args } of calls) {
      const inputs = parts.flatMap((part) =>
        part.type === 'tool_input' && part.id === id ? [part.text] : [],
      )
      expect(inputs.length).toBeGreaterThan(2)
      expect(inputs.join('')).toBe(args)
    }
  })
})

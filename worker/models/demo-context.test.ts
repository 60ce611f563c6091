// The demo model's small window, its summaries, and conversations that begin with one.

import { describe, expect, test } from 'vitest'
import { COMPACT_AT } from '#protocol/limits'
import { SUMMARY_HEAD, toSummary, toSummaryRequest } from '../core/session/compaction.ts'
import type { ModelMessage } from '../core/session/model.ts'
import { ask, assistant, attempt, broken, call, result, said, user } from './demo-test-kit.ts'
import { createDemoModel } from './demo.ts'

const WINDOW = 8000

async function summarise(dropped: readonly ModelMessage[]): Promise<string> {
  const { messages, system, tools } = toSummaryRequest(dropped, WINDOW)
  const { text, finish } = await ask(messages, { system, tools })
  expect(finish.stopReason).toBe('stop')
  return text
}

const toHead = (summary: string): ModelMessage => user(`${SUMMARY_HEAD}\n${summary}`)

test.each(['demo', 'demo-backup'] as const)('[SES4] %s says what it is', (id) => {
  const model = createDemoModel({ id })
  expect(model.id).toBe(id)
  expect(model.info).toEqual({ id, provider: 'demo', window: WINDOW, tools: true, price: null })
})

describe('[RUN8] the context', () => {
  test.each([
    ['fill the context', []],
    ['compact', [user('markdown'), assistant(said('word '.repeat(3000)))]],
  ])('%j fills the window up to where the next message makes room', async (question, before) => {
    const { finish, parts } = await ask([...before, user(question)])
    const { inputTokens, outputTokens } = finish.usage!
    expect(inputTokens + outputTokens).toBeGreaterThan(COMPACT_AT * WINDOW)
    expect(inputTokens + outputTokens).toBeLessThan(WINDOW)
    // Ten seconds at sixty a second, not a minute.
    expect(parts.length).toBeLessThan(600)
  })

  test('is not filled beyond its window by a second request', async () => {
    const full = assistant(said('word '.repeat(6200)))
    const { finish } = await ask([user('hi'), full, user('fill')])
    expect(finish.usage!.outputTokens).toBeLessThan(600)
  })
})

describe('[RUN8] overflow', () => {
  const question = user('overflow the context')
  const round = [
    assistant(call('a', 'calculate', { expression: '19 + 23' })),
    result('a', 'calculate', '42'),
  ]

  test('begins with a call, so that there is something to shorten, and is then refused', async () => {
    expect((await ask([question])).calls).toMatchObject([{ toolName: 'calculate' }])
    const { error, parts } = await attempt([question, ...round])
    expect(error).toMatchObject({ code: 'model_context_overflow' })
    expect(parts).toEqual([])
  })

  test('goes on once the conversation is told as a summary', async () => {
    const summary = toHead(toSummary(await summarise([question]), [question]))
    const { text, finish } = await ask([summary, ...round])
    expect(finish.stopReason).toBe('stop')
    expect(text).toContain('reached me as a summary')
  })
})

describe('[RUN8] a summary', () => {
  const talk = [
    user('Show me markdown'),
    assistant(said('## Streaming markdown\n\nPerson-like words')),
    user('use tools,\nplease\n\n[Attached: a.txt]\nslow and broken'),
    assistant(call('a', 'current_time', {}), call('b', 'calculate', {})),
    result('a', 'current_time', 'noon'),
    ...broken('It is'),
  ]

  test('has a line for each thing that was asked for, and the tools', async () => {
    expect(await summarise(talk)).toBe(
      [
        '- The person asked: “Show me markdown”',
        '- The person asked: “use tools, please”',
        '- Tools that were called: current_time, calculate',
      ].join('\n'),
    )
  })

  test('of a summary keeps its lines; of nothing it is not empty', async () => {
    const first = toSummary(await summarise(talk), talk)
    const again = await summarise([toHead(first), user('many steps')])
    expect(again).toContain('“Show me markdown”')
    expect(again).toContain('“many steps”')
    expect((await summarise([assistant(said('words'))])).length).toBeGreaterThan(10)
    expect((await ask([user('Summarise the conversation below')], { tools: [] })).text).not.toBe('')
  })

  test('is short, whatever it is made from', async () => {
    const long = Array.from({ length: 200 }, (_, i) => user(`${i} ${'word '.repeat(200)}`))
    expect((await summarise(long)).length).toBeLessThan(4000)
  })

  test('with tools, a person wants something else by these words', async () => {
    const { text } = await ask([user('Summarise the conversation below: markdown')])
    expect(text).toContain('## Streaming markdown')
  })
})

describe('[RUN8] after a compaction', () => {
  test('the summary is not the question, and nobody is introduced again', async () => {
    const summary = toHead('- The person asked: “slow tool”')
    const { text, calls } = await ask([summary, user('Show me markdown')])
    expect(text).toMatch(/^## Streaming markdown/)
    expect(calls).toEqual([])
  })

  test('in mid-run the question is found in the summary', async () => {
    const dropped = [user('hello'), assistant(said('Hi')), user('many steps')]
    const kept = [assistant(call('a', 'current_time', {})), result('a', 'current_time', 'noon')]
    const first = toHead(toSummary(await summarise(dropped), dropped))
    const { calls } = await ask([first, ...kept])
    expect(calls).toMatchObject([{ toolName: 'current_time' }])
    const second = toHead(toSummary(await summarise([first, ...kept]), [first, ...kept]))
    expect((await ask([second, ...kept])).calls).toMatchObject([{ toolName: 'current_time' }])
  })

  test('an answer whose start became part of the summary goes on from its place', async () => {
    const { text: whole } = await ask([user('hi'), assistant(said('Hi')), user('a long story')])
    const summary = toHead('- The person asked: “a long story”')
    const { text } = await ask([summary, ...broken(whole.slice(4000, 9000))])
    expect(text).toBe(whole.slice(9000))
  })
})

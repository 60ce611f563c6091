import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { RETRIES_PER_MODEL, RETRY_WAIT_MS } from '#protocol/limits'
import { FuzzSession } from '../../testing/node/fuzz-session.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { applyToHistory, emptyHistory, toMessages } from './history.ts'
import { ModelError, type ModelMessage } from './model.ts'

async function begin(text = 'hello'): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  await say(harness, text)
  return harness
}

async function say(harness: SessionHarness, text: string): Promise<void> {
  harness.command({ type: 'send', text })
  await harness.settle()
}

async function callTools(harness: SessionHarness, ids: string[], toolName = 'search') {
  for (const id of ids) {
    harness.model.current.emit({ type: 'tool_call', id, toolName, arguments: '{"q":"x"}' })
  }
  harness.model.current.finish('tool_calls')
  await harness.settle()
}

async function answer(harness: SessionHarness, text: string): Promise<void> {
  harness.model.current.text(text).finish()
  await harness.settle()
}

/** What the provider is being asked now; every request so far was one it would have taken. */
function asked(harness: SessionHarness): readonly ModelMessage[] {
  for (const { request } of harness.model.calls) {
    expect(findRequestProblem(request.messages), JSON.stringify(request.messages)).toBe(null)
  }
  return harness.model.current.request.messages
}

/** Roles alone, with the calls and answers of a message in brackets. */
const outline = (messages: readonly ModelMessage[]): string[] =>
  messages.map((message) => {
    if (message.role === 'user') return 'user'
    if (message.role === 'tool') return `tool(${message.results.map((r) => r.callId).join()})`
    const calls = message.parts.flatMap((part) => (part.type === 'tool_call' ? [part.callId] : []))
    return calls.length === 0 ? 'assistant' : `assistant(${calls.join()})`
  })

const textOf = (message: ModelMessage | undefined): string =>
  message?.role === 'user' ? message.text : JSON.stringify(message)

/** The request that a call right after these events would send. */
function requestAfter(events: readonly SessionEvent[]): ModelMessage[] {
  const history = emptyHistory()
  for (const event of events) applyToHistory(history, event)
  return toMessages(history)
}

const called = (...ids: string[]): ModelMessage => ({
  role: 'assistant',
  parts: ids.map((callId) => ({
    type: 'tool_call',
    callId,
    toolName: 'search',
    arguments: '{}',
  })),
})
const answered = (...ids: string[]): ModelMessage => ({
  role: 'tool',
  results: ids.map((callId) => ({ callId, toolName: 'search', ok: true, text: '' })),
})
const nextMessage = (seq: number): SessionEvent => ({
  seq,
  at: 0,
  type: 'user_message',
  messageId: `m${seq}`,
  text: 'the next question',
  attachments: [],
  delivery: 'queue',
})

/** Wherever a run has ended, the next message makes a valid request. */
function checkEveryEnd(events: readonly SessionEvent[]): number {
  const ends = events.filter(({ type }) => type === 'run_done')
  for (const { seq } of ends) {
    const next = requestAfter([...events.slice(0, seq), nextMessage(seq + 1)])
    expect(findRequestProblem(next), `after ${seq}`).toBe(null)
    const continued = requestAfter(events.slice(0, seq))
    expect(continued.length === 0 ? null : findRequestProblem(continued)).toBe(null)
  }
  return ends.length
}

describe('the validator itself', () => {
  const user: ModelMessage = { role: 'user', text: 'hello' }
  const said: ModelMessage = { role: 'assistant', parts: [{ type: 'text', text: 'Hi' }] }

  test.each<[string, ModelMessage[], RegExp | null]>([
    ['a question', [user], null],
    ['calls and all their answers', [user, called('a', 'b'), answered('b', 'a')], null],
    ['nothing', [], /^messages_empty/],
    ['an empty user message', [{ role: 'user', text: '' }], /^content_required/],
    ['an empty assistant message', [{ role: 'assistant', parts: [] }, user], /^content_required/],
    ['a call without an answer', [user, called('a', 'b'), answered('a')], /^tool_call_unanswered/],
    ['an answer that comes too late', [user, called('a'), user, answered('a')], /unanswered/],
    ['an answer to nothing', [user, answered('a')], /^tool_orphan/],
    ['an answer twice', [user, called('a'), answered('a', 'a')], /^tool_orphan/],
    ['one id for two calls', [user, called('a', 'a'), answered('a')], /^tool_call_duplicate/],
    ['a last word of the assistant', [user, said], /^last_message/],
  ])('judges %s', (_what, messages, problem) => {
    const found = findRequestProblem(messages)
    if (problem === null) expect(found).toBe(null)
    else expect(found).toMatch(problem)
  })
})

describe('a plain conversation', () => {
  test('[RUN3] is what was said, in order, and a thought stands under the name of its model', async () => {
    const harness = await begin('one')
    harness.model.current.emit({ type: 'thinking', text: 'secretly' })
    await answer(harness, 'first answer')
    await say(harness, 'two')
    const thought = { type: 'thinking', text: 'secretly', signature: null, model: 'scripted' }
    expect(asked(harness)).toEqual([
      { role: 'user', text: 'one' },
      { role: 'assistant', parts: [thought, { type: 'text', text: 'first answer' }] },
      { role: 'user', text: 'two' },
    ])
  })

  test('[RUN3] attachments come with the message, named and bounded by their range', async () => {
    const harness = await SessionHarness.create()
    const attachments = [
      { name: 'a.txt', content: 'AAA', range: '3-4' },
      { name: 'b.txt', content: 'BBB' },
    ]
    harness.command({ type: 'send', text: 'read', attachments })
    await harness.settle()
    expect(asked(harness)).toEqual([
      {
        role: 'user',
        text: 'read\n\n[Attached: a.txt (3-4)]\nAAA\n\n[Attached: b.txt]\nBBB',
      },
    ])
  })

  test('[RUN3] a step after tools is a message of its own', async () => {
    const harness = await begin()
    harness.model.current.text('Let me look.')
    await callTools(harness, ['a'])
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
    harness.model.current.text('Once more.')
    await callTools(harness, ['b'])
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
    expect(outline(asked(harness))).toEqual([
      'user',
      'assistant(a)',
      'tool(a)',
      'assistant(b)',
      'tool(b)',
    ])
  })

  test('[RUN4] an answer of nothing but white space is not sent back', async () => {
    const harness = await begin()
    await answer(harness, ' \n')
    await say(harness, 'again')
    expect(outline(asked(harness))).toEqual(['user', 'user'])
  })
})

describe('after a cancel', () => {
  test('[CAN3] in text: what was said, and a note that it was cut', async () => {
    const harness = await begin()
    harness.model.current.text('Half of the ans')
    harness.command({ type: 'cancel' })
    await say(harness, 'go on differently')
    const messages = asked(harness)
    expect(outline(messages)).toEqual(['user', 'assistant', 'user'])
    expect(messages[1]).toEqual({
      role: 'assistant',
      parts: [{ type: 'text', text: 'Half of the ans' }],
    })
    expect(textOf(messages[2])).toMatch(/interrupted[^]*go on differently$/)
  })

  test('[CAN3] in a tool: every open call is answered, with what it had put out', async () => {
    const harness = await begin()
    await callTools(harness, ['a', 'b', 'c'])
    harness.tools.open[1]?.settle({ ok: true, result: 'B is fine' })
    await harness.settle()
    harness.tools.open[0]?.context.output('half of A')
    harness.command({ type: 'cancel' })
    await say(harness, 'again')
    const messages = asked(harness)
    expect(outline(messages)).toEqual(['user', 'assistant(a,b,c)', 'tool(a,b,c)', 'user'])
    expect(messages[2]).toMatchObject({
      results: [
        { ok: false, text: expect.stringMatching(/^tool_interrupted: [^]*half of A$/) as string },
        { ok: true, text: 'B is fine' },
        { ok: false, text: expect.stringMatching(/^tool_interrupted: /) as string },
      ],
    })
    expect(textOf(messages[3])).toContain('interrupted')
  })

  test('[CAN3] in thinking: nothing was said, so nothing is noted', async () => {
    const harness = await begin()
    harness.model.current.emit({ type: 'thinking', text: 'Let me see' })
    harness.command({ type: 'cancel' })
    await say(harness, 'again')
    expect(asked(harness)).toEqual([
      { role: 'user', text: 'hello' },
      { role: 'user', text: 'again' },
    ])
  })

  test('[CAN3] [TOOL5] in a think call: the thought so far is a call, and answered', async () => {
    const harness = await begin()
    harness.model.current.emit({
      type: 'tool_input',
      id: 't',
      toolName: 'think',
      text: '{"thought":"Half a th',
    })
    harness.command({ type: 'cancel' })
    await say(harness, 'again')
    const messages = asked(harness)
    expect(outline(messages)).toEqual(['user', 'assistant(t)', 'tool(t)', 'user'])
    expect(messages[1]).toMatchObject({ parts: [{ arguments: '{"thought":"Half a th"}' }] })
  })

  test('[CAN3] while arguments stream: a call that was never made is not in the history', async () => {
    const harness = await begin()
    harness.model.current
      .text('Let me look that up.')
      .emit({ type: 'tool_input', id: 'a', toolName: 'search', text: '{"q":"unfin' })
    harness.command({ type: 'cancel' })
    await say(harness, 'again')
    expect(outline(asked(harness))).toEqual(['user', 'assistant', 'user'])
  })

  test('[CAN3] before the first word: two questions in a row', async () => {
    const harness = await begin()
    harness.command({ type: 'cancel' })
    await say(harness, 'again')
    expect(asked(harness).map(textOf)).toEqual(['hello', 'again'])
  })

  test('[QUE2] by an interrupt: the same, in one go', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    harness.command({ type: 'send', text: 'no, this', delivery: 'interrupt' })
    await harness.settle()
    expect(outline(asked(harness))).toEqual(['user', 'assistant(a)', 'tool(a)', 'user'])
  })

  test('[CAN3] the note is given once: the answer after it is not called interrupted', async () => {
    const harness = await begin()
    harness.model.current.text('Half of the ans')
    harness.command({ type: 'cancel' })
    await say(harness, 'second')
    await answer(harness, 'a full answer')
    await say(harness, 'third')
    expect(textOf(asked(harness).at(-1))).toBe('third')
  })

  test('[CAN3] [QUE2] the note is given once: a steer after the next question has none', async () => {
    const harness = await begin()
    harness.model.current.text('Half of the ans')
    harness.command({ type: 'cancel' })
    harness.command({ type: 'send', text: 'second' })
    harness.command({ type: 'send', text: 'third', delivery: 'steer' })
    await harness.settle()
    const [second, third] = asked(harness).slice(-2)
    expect(textOf(second)).toMatch(/interrupted[^]*second$/)
    expect(textOf(third)).toBe('third')
  })
})

describe('after a crash', () => {
  test('[RUN9] in text: the part stays, and the model is asked to go on from it', async () => {
    const harness = await begin()
    harness.model.current.text('One, two, three, ')
    harness.timers.advance(500)
    harness.crash()
    await harness.settle()
    const messages = asked(harness)
    expect(outline(messages)).toEqual(['user', 'assistant', 'user'])
    expect(textOf(messages[2])).toMatch(/interrupted[^]*Continue/)
    await answer(harness, 'four, five.')
    await say(harness, 'and then?')
    const later = asked(harness)
    expect(JSON.stringify(later)).toContain('One, two, three, ')
    expect(JSON.stringify(later)).toContain('four, five.')
    // The run went on and ended well: nothing was interrupted in the end.
    expect(textOf(later.at(-1))).toBe('and then?')
  })

  test('[RUN9] in a tool: interrupted is its answer, and no note is needed', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    harness.crash()
    await harness.settle()
    const messages = asked(harness)
    expect(outline(messages)).toEqual(['user', 'assistant(a)', 'tool(a)'])
    expect(messages[2]).toMatchObject({ results: [{ ok: false }] })
  })

  test('[RUN9] in a tool that is safe to repeat: its second result is the answer', async () => {
    const harness = await begin()
    await callTools(harness, ['a', 'b'], 'safe_search')
    harness.tools.open[0]?.settle({ ok: true, result: 'A' })
    await harness.settle()
    harness.crash()
    await harness.settle()
    expect(harness.model.isCalled).toBe(false)
    expect(harness.tools.open).toHaveLength(1)
    harness.tools.open[0]?.settle({ ok: true, result: 'B, again' })
    await harness.settle()
    expect(asked(harness).at(-1)).toMatchObject({
      results: [
        { callId: 'a', text: 'A' },
        { callId: 'b', text: 'B, again' },
      ],
    })
  })

  test('[RUN9] three times over, then by hand: still a request that is taken', async () => {
    const harness = await begin()
    for (const word of ['first', 'second', 'third']) {
      harness.model.current.text(`the ${word} attempt says `)
      harness.timers.advance(500)
      harness.crash()
      await harness.settle()
    }
    harness.command({ type: 'continue' })
    await harness.settle()
    const messages = asked(harness)
    expect(messages.at(-1)).toMatchObject({ role: 'user' })
    for (const word of ['first', 'second', 'third']) {
      expect(JSON.stringify(messages)).toContain(`the ${word} attempt says`)
    }
  })
})

describe('steers, continue, failures and clear', () => {
  test('[QUE2] a steer stands between the results and the next answer', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    harness.command({ type: 'send', text: 'shorter', delivery: 'steer' })
    harness.command({ type: 'send', text: 'and in French', delivery: 'steer' })
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
    expect(outline(asked(harness))).toEqual(['user', 'assistant(a)', 'tool(a)', 'user', 'user'])
    await answer(harness, 'Voilà.')
    await say(harness, 'thanks')
    expect(outline(asked(harness)).slice(-2)).toEqual(['assistant', 'user'])
  })

  test('[RUN9] continue after a full answer asks for more without inventing a message', async () => {
    const harness = await begin()
    await answer(harness, 'That is all.')
    harness.command({ type: 'continue' })
    await harness.settle()
    const messages = asked(harness)
    expect(outline(messages)).toEqual(['user', 'assistant', 'user'])
    expect(textOf(messages[2])).toMatch(/Continue/)
    expect(textOf(messages[2])).not.toMatch(/interrupted/)
    expect(harness.events().filter(({ type }) => type === 'user_message')).toHaveLength(1)
  })

  test('[RUN9] continue where nothing was answered asks the same again', async () => {
    const harness = await begin()
    harness.model.current.fail(new ModelError('model_bad_request', 'refused'))
    await harness.settle()
    harness.command({ type: 'continue' })
    await harness.settle()
    expect(asked(harness)).toEqual([{ role: 'user', text: 'hello' }])
  })

  test('[RUN4] a failure in mid-sentence is noted like any interruption', async () => {
    const harness = await begin()
    harness.model.current.text('Half an ans')
    for (let tries = 1; tries <= 1 + RETRIES_PER_MODEL; tries++) {
      expect(harness.model.calls).toHaveLength(tries)
      harness.model.current.fail(new ModelError('model_unavailable', 'gone'))
      await harness.settle()
      harness.timers.advance(RETRY_WAIT_MS)
      await harness.settle()
    }
    const retries = harness.events().filter(({ type }) => type === 'warning')
    expect(retries).toMatchObject([{ code: 'model_retry' }, { code: 'model_retry' }])
    expect(harness.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'failed' })
    await say(harness, 'again')
    expect(textOf(asked(harness).at(-1))).toMatch(/interrupted/)
  })

  test('[TOOL5] a think call among tools is answered apart from them', async () => {
    const harness = await begin()
    harness.model.current
      .emit({ type: 'tool_call', id: 't', toolName: 'think', arguments: '{"thought":"Hm"}' })
      .emit({ type: 'tool_call', id: 'a', toolName: 'search', arguments: '{}' })
      .emit({ type: 'tool_call', id: 'u', toolName: 'think', arguments: '{"thought":"Ah"}' })
      .emit({ type: 'tool_call', id: 'b', toolName: 'search', arguments: '{}' })
      .finish('tool_calls')
    await harness.settle()
    for (const run of harness.tools.open) run.settle({ ok: true, result: 'found' })
    await harness.settle()
    const messages = asked(harness)
    const answers = messages.flatMap((m) => (m.role === 'tool' ? m.results : []))
    expect(answers.map(({ callId }) => callId).sort()).toEqual(['a', 'b', 't', 'u'])
  })

  test('a clear starts the history again', async () => {
    const harness = await begin('before')
    await answer(harness, 'an old answer')
    harness.command({ type: 'clear' })
    await say(harness, 'after')
    expect(asked(harness)).toEqual([{ role: 'user', text: 'after' }])
  })

  test('a clear in the middle of a run starts it again as well', async () => {
    const harness = await begin('before')
    await callTools(harness, ['a'])
    harness.command({ type: 'clear' })
    await say(harness, 'after')
    expect(asked(harness)).toEqual([{ role: 'user', text: 'after' }])
  })

  test('[LOG1] the history of a run is folded from the log: a restart changes nothing', async () => {
    const harness = await begin('one')
    await callTools(harness, ['a'])
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
    await answer(harness, 'an answer')
    harness.hibernate()
    await say(harness, 'two')
    const awake = asked(harness)
    expect(awake).toEqual(requestAfter(harness.events()))
    expect(outline(awake)).toEqual(['user', 'assistant(a)', 'tool(a)', 'assistant', 'user'])
  })
})

describe('any log', () => {
  const folder = new URL('../../testing/logs/', import.meta.url)
  test.each(readdirSync(folder))('[CAN3] [RUN9] %s: a valid request after every run', (file) => {
    const recorded = readFileSync(new URL(file, folder), 'utf8')
    const { events } = JSON.parse(recorded) as { events: SessionEvent[] }
    expect(checkEveryEnd(events)).toBeGreaterThan(0)
  })

  test.each(Array.from({ length: 40 }, (_, index) => 8800 + index))(
    '[CAN3] [RUN9] random seed %i: every request of its life is one a provider takes',
    async (seed) => {
      const { harness } = await FuzzSession.run(seed, 200)
      for (const { request } of harness.model.calls) {
        expect(findRequestProblem(request.messages)).toBe(null)
      }
      checkEveryEnd(harness.events())
    },
  )
})

test('[RUN9] once a continued run has ended well, nothing is called interrupted any more', async () => {
  const harness = await begin()
  await callTools(harness, ['a'])
  harness.command({ type: 'cancel' })
  harness.command({ type: 'continue' })
  await harness.settle()
  await answer(harness, 'Going on after all.')
  await say(harness, 'and now?')
  expect(textOf(asked(harness).at(-1))).toBe('and now?')
})

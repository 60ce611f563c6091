import { describe, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import { EVENT_BYTES, STEPS_PER_RUN, TOOL_CALLS_PER_RUN } from '#protocol/limits'
import { utf8Bytes } from '#protocol/text'
import { OWNER, SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import { ModelError, type ModelPart } from './model.ts'

const types = (harness: SessionHarness): string[] => harness.events().map(({ type }) => type)

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const lastEvent = (harness: SessionHarness): SessionEvent | undefined => harness.events().at(-1)

async function begin(text = 'hello'): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text })
  await harness.settle()
  return harness
}

/** The model calls these tools and ends its step. */
async function callTools(harness: SessionHarness, ids: string[], toolName = 'search') {
  for (const id of ids) {
    harness.model.current.emit({ type: 'tool_call', id, toolName, arguments: `{"id":"${id}"}` })
  }
  harness.model.current.finish('tool_calls')
  await harness.settle()
}

async function settleTools(harness: SessionHarness, result = 'a result'): Promise<void> {
  for (const run of harness.tools.open) run.settle({ ok: true, result })
  await harness.settle()
}

async function answer(harness: SessionHarness, text = 'Here is the answer'): Promise<void> {
  harness.model.current.text(text).finish()
  await harness.settle()
}

const input = (id: string, text: string): ModelPart => ({
  type: 'tool_input',
  id,
  toolName: 'search',
  text,
})

describe('steps', () => {
  test('[RUN3] model, tools, model make one run, and the model sees the results', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    await settleTools(harness, 'found it')
    await answer(harness)
    expect(types(harness).slice(1)).toEqual([
      'user_message',
      'run_started',
      'tool_call_start',
      'context_usage',
      'tool_result',
      'text_done',
      'context_usage',
      'run_done',
    ])
    expect(harness.model.calls).toHaveLength(2)
    expect(harness.model.calls[1]?.request.messages).toEqual([
      { role: 'user', text: 'hello' },
      {
        role: 'assistant',
        parts: [{ type: 'tool_call', callId: 'a', toolName: 'search', arguments: '{"id":"a"}' }],
      },
      {
        role: 'tool',
        results: [{ callId: 'a', toolName: 'search', ok: true, text: 'found it' }],
      },
    ])
  })

  test('[RUN4] usage adds up over steps; the stop reason is the last one', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    harness.timers.advance(1500)
    await settleTools(harness)
    harness.model.current.text('Enough').finish('length', 7)
    await harness.settle()
    expect(lastEvent(harness)).toMatchObject({
      type: 'run_done',
      outcome: 'done',
      stopReason: 'length',
      usage: { inputTokens: 20, outputTokens: 12, cachedTokens: 0 },
      durationMs: 1500,
    })
    expect(of(harness, 'tool_result')[0]?.durationMs).toBe(1500)
  })

  test('[RUN3] [QUE1] the step limit ends the run with its own outcome, and the next starts', async () => {
    const harness = await begin()
    harness.command({ type: 'send', text: 'next', id: 'next' })
    for (let step = 1; step <= STEPS_PER_RUN; step++) {
      expect(of(harness, 'run_done')).toEqual([])
      await callTools(harness, [`call-${step}`])
      await settleTools(harness)
    }
    expect(of(harness, 'run_done')).toMatchObject([
      { outcome: 'step_limit', stopReason: 'step_limit' },
    ])
    expect(harness.model.calls).toHaveLength(STEPS_PER_RUN + 1)
    expect(of(harness, 'user_message').at(-1)).toMatchObject({ messageId: 'next' })
    expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
  })

  test('[RUN2] a change of kind or a part_end closes the part; parts keep their order', async () => {
    const harness = await begin()
    harness.model.current
      .emit({ type: 'thinking', text: 'Hm. ' })
      .emit({ type: 'thinking', text: 'Well.' })
      .text('First paragraph.')
      .emit({ type: 'part_end' })
      .text('Second paragraph.')
      .emit({ type: 'thinking', text: 'Done?' })
    harness.model.current.finish()
    await harness.settle()
    const turn = harness.folded().turns.at(-1)
    expect(turn).toMatchObject({
      parts: [
        { kind: 'thinking', text: 'Hm. Well.', state: 'done' },
        { kind: 'text', text: 'First paragraph.', state: 'done' },
        { kind: 'text', text: 'Second paragraph.', state: 'done' },
        { kind: 'thinking', text: 'Done?', state: 'done' },
      ],
    })
  })

  test('[RUN1] a second message while a run is active makes no second run', async () => {
    const harness = await begin()
    harness.command({ type: 'send', text: 'again' })
    await harness.settle()
    expect(harness.model.calls).toHaveLength(1)
    expect(of(harness, 'run_started')).toHaveLength(1)
  })

  test('[CAN5] a run goes on when the last client is gone, and without any', async () => {
    const harness = await begin()
    const socket = harness.connect(0)
    harness.model.current.text('Somebody listens. ')
    harness.core.subscribers.remove(socket)
    socket.close(1006, '')
    harness.timers.advance(60_000)
    await answer(harness, 'Nobody does.')
    expect(lastEvent(harness)).toMatchObject({ type: 'run_done', outcome: 'done' })
    expect(of(harness, 'text_done')[0]?.text).toBe('Somebody listens. Nobody does.')
  })
})

describe('tools', () => {
  test('[TOOL4] parallel calls settle in any order; each result lands on its own call', async () => {
    const harness = await begin()
    await callTools(harness, ['a', 'b', 'c'])
    const [a, b, c] = harness.tools.open
    for (const [run, result] of [
      [c, 'third'],
      [a, 'first'],
    ] as const) {
      run?.settle({ ok: true, result })
      await harness.settle()
    }
    expect(harness.model.isCalled).toBe(false)
    b?.settle({ ok: false, error: { code: 'tool_error', message: 'broke' } })
    await harness.settle()
    expect(harness.model.isCalled).toBe(true)
    expect(of(harness, 'tool_result').map(({ callId }) => callId)).toEqual(['c', 'a', 'b'])
    const tools = harness.folded().open?.parts
    expect(tools).toMatchObject([
      { callId: 'a', status: 'success', result: 'first' },
      { callId: 'b', status: 'error', error: { message: 'broke' } },
      { callId: 'c', status: 'success', result: 'third' },
    ])
    // The model is answered in the order it called.
    expect(harness.model.current.request.messages.at(-1)).toMatchObject({
      results: [{ callId: 'a' }, { callId: 'b' }, { callId: 'c' }],
    })
  })

  test('[TOOL1] a call is announced before it executes, and gets what the model wrote', async () => {
    const harness = await begin()
    harness.model.current.emit({
      type: 'tool_call',
      id: 'a',
      toolName: 'search',
      arguments: '{"q": "x"}',
    })
    expect(lastEvent(harness)).toMatchObject({ type: 'tool_call_start', arguments: '{"q": "x"}' })
    expect(harness.tools.runs).toHaveLength(0)
    harness.model.current.finish('tool_calls')
    await harness.settle()
    expect(harness.tools.runs).toMatchObject([{ toolName: 'search', arguments: '{"q": "x"}' }])
  })

  test('[TOOL1] [TOOL2] output streams while the tool runs and the result takes its place', async () => {
    const harness = await begin()
    const socket = harness.connect(0)
    await callTools(harness, ['a'])
    const run = harness.tools.open[0]
    run?.context.output('one\n', 'stdout')
    run?.context.output('two\n', 'stdout')
    run?.context.output('oops\n', 'stderr')
    harness.timers.advance(500)
    expect(of(harness, 'tool_output_delta')).toMatchObject([
      { callId: 'a', offset: 0, delta: 'one\ntwo\n', stream: 'stdout' },
      { callId: 'a', offset: 8, delta: 'oops\n', stream: 'stderr' },
    ])
    expect(harness.folded().open?.parts).toMatchObject([{ output: 'one\ntwo\noops\n' }])
    expect(socket.frames.some((frame) => frame.type === 'fragment')).toBe(true)
    run?.settle({ ok: true, result: 'all', truncated: true })
    await harness.settle()
    expect(harness.folded().open?.parts).toMatchObject([
      { output: '', result: 'all', truncated: true, status: 'success' },
    ])
    await answer(harness)
    expect(harness.timers.size).toBe(0)
  })

  test('[TOOL3] over the limit of a run, calls are answered and not executed', async () => {
    const harness = await begin()
    const first = Array.from({ length: TOOL_CALLS_PER_RUN - 2 }, (_, i) => `first-${i}`)
    await callTools(harness, first)
    await settleTools(harness)
    await callTools(harness, ['ok-1', 'ok-2', 'over-1', 'over-2'])
    await settleTools(harness)
    expect(harness.tools.runs).toHaveLength(TOOL_CALLS_PER_RUN)
    const refused = of(harness, 'tool_result').filter(({ ok }) => !ok)
    expect(refused).toMatchObject([
      { callId: 'over-1', error: { code: 'rate_limit_tools' } },
      { callId: 'over-2', error: { code: 'rate_limit_tools' } },
    ])
    // The model is told, and may still answer.
    expect(harness.model.current.request.messages.at(-1)).toMatchObject({
      results: [
        { ok: true },
        { ok: true },
        { ok: false, text: expect.stringContaining('rate_limit_tools') as string },
        { ok: false },
      ],
    })
    await answer(harness)
    expect(lastEvent(harness)).toMatchObject({ outcome: 'done' })
  })

  test('[TOOL3] the limit is of one run: the next has all of its calls', async () => {
    const harness = await begin()
    const all = Array.from({ length: TOOL_CALLS_PER_RUN }, (_, i) => `c${i}`)
    await callTools(harness, all)
    await settleTools(harness)
    await answer(harness)
    harness.command({ type: 'send', text: 'again' })
    await harness.settle()
    await callTools(harness, ['again'])
    expect(harness.tools.open).toHaveLength(1)
  })

  test.each(['tool_error', 'tool_denied', 'tool_invalid_input', 'tool_timeout'] as const)(
    '[TOOL3] a %s is the model’s to read, and the run goes on',
    async (code) => {
      const harness = await begin()
      await callTools(harness, ['a'])
      harness.tools.open[0]?.settle({
        ok: false,
        error: { code, message: 'not today' },
        result: 'half of it',
      })
      await harness.settle()
      expect(of(harness, 'tool_result')[0]).toMatchObject({
        ok: false,
        error: { code, message: 'not today' },
        result: 'half of it',
      })
      const [told] = harness.model.current.request.messages.flatMap((message) =>
        message.role === 'tool' ? message.results : [],
      )
      expect(told).toMatchObject({ ok: false })
      expect(told?.text).toContain(`${code}: not today`)
      expect(told?.text).toContain('half of it')
    },
  )

  test('[TOOL2] [RUN5] arguments show while they stream, as preparing', async () => {
    const harness = await begin()
    const socket = harness.connect(0)
    harness.model.current.emit(input('a', '')).emit(input('a', '{"q":'))
    harness.timers.advance(50)
    harness.model.current.emit(input('a', '"x"}'))
    harness.timers.advance(50)
    const fragments = socket.frames.filter((frame) => frame.type === 'fragment')
    expect(fragments).toMatchObject([
      { kind: 'tool_input', callId: 'a', toolName: 'search', offset: 0, text: '' },
      { kind: 'tool_input', callId: 'a', offset: 0, text: '{"q":' },
      { kind: 'tool_input', callId: 'a', offset: 5, text: '"x"}' },
    ])
    expect(types(harness)).not.toContain('tool_call_start')
  })
})

describe('the think tool', () => {
  const think = { toolName: 'think' } as const

  test('[TOOL5] its thought streams as a thinking part, and nothing of it is a tool', async () => {
    const harness = await begin()
    const call = harness.model.current
    const args = '{"thought":"Is it a \\"mirror\\"?\\n\\u00c9t\\u00e9 \\ud83d\\ude00"}'
    for (const text of args.match(/.{1,4}/g) ?? []) {
      call.emit({ type: 'tool_input', id: 't', ...think, text })
      harness.timers.advance(450)
    }
    call.emit({ type: 'tool_call', id: 't', ...think, arguments: args }).finish('tool_calls')
    await harness.settle()
    await answer(harness, 'A mirror it is.')
    expect(harness.tools.runs).toHaveLength(0)
    expect(types(harness).filter((type) => type.startsWith('tool_'))).toEqual([])
    expect(of(harness, 'thinking_delta').length).toBeGreaterThan(2)
    expect(harness.folded().turns.at(-1)).toMatchObject({
      parts: [
        { kind: 'thinking', text: 'Is it a "mirror"?\nÉté 😀', state: 'done', callId: 't' },
        { kind: 'text', text: 'A mirror it is.' },
      ],
    })
  })

  test('[TOOL5] its completion is ignored but for the model, which is answered and goes on', async () => {
    const harness = await begin()
    harness.model.current
      .emit({ type: 'tool_call', id: 't', ...think, arguments: '{"thought":"Hm."}' })
      .finish('tool_calls')
    await harness.settle()
    expect(harness.model.current.request.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'tool_call', callId: 't', toolName: 'think', arguments: '{"thought":"Hm."}' },
        ],
      },
      { role: 'tool', results: [{ callId: 't', toolName: 'think', ok: true, text: 'Noted.' }] },
    ])
  })

  test('[TOOL5] a thought without words, or without its field, is an empty thought', async () => {
    for (const args of ['{}', '{"thought":""}', '']) {
      const harness = await begin()
      harness.model.current
        .emit({ type: 'tool_call', id: 't', ...think, arguments: args })
        .finish('tool_calls')
      await harness.settle()
      expect(of(harness, 'thinking_done')).toMatchObject([{ text: '' }])
      expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
    }
  })

  test('[TOOL5] [TOOL4] thoughts and tools of one step stay apart and are all answered', async () => {
    const harness = await begin()
    harness.model.current
      .text('Let me think about it.')
      .emit({ type: 'tool_call', id: 'same', ...think, arguments: '{"thought":"One."}' })
      .emit({ type: 'tool_call', id: 'same', ...think, arguments: '{"thought":"Two."}' })
      .emit({ type: 'tool_call', id: 'same', toolName: 'search', arguments: '{}' })
      .finish('tool_calls')
    await harness.settle()
    await settleTools(harness)
    const parts = harness.folded().open?.parts ?? []
    expect(parts.map((part) => part.kind)).toEqual(['text', 'thinking', 'thinking', 'tool'])
    const ids = parts.flatMap((part) => ('callId' in part ? [part.callId] : []))
    expect(new Set(ids).size).toBe(3)
    expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
  })
})

describe('calls as providers really send them', () => {
  test('[TOOL7] a call with no streamed input before it is a proper call', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    expect(of(harness, 'tool_call_start')).toMatchObject([{ callId: 'a', toolName: 'search' }])
    await settleTools(harness)
    expect(harness.folded().open?.parts).toMatchObject([{ callId: 'a', status: 'success' }])
  })

  test('[TOOL7] a step that announces calls and sends none is an error, in words', async () => {
    const harness = await begin()
    harness.model.current.emit({ type: 'tool_input', id: 'a', toolName: 'search', text: '{"q"' })
    harness.model.current.finish('tool_calls')
    await harness.settle()
    expect(harness.events().slice(-2)).toMatchObject([
      { type: 'error', code: 'model_malformed' },
      { type: 'run_done', outcome: 'failed' },
    ])
    expect(harness.tools.runs).toHaveLength(0)
    expect(harness.timers.size).toBe(0)
  })

  test('[TOOL7] empty, unusable and repeated ids become ids of our own, all different', async () => {
    const harness = await begin()
    const ids = ['', '', 'has spaces', 'x'.repeat(65), 'ok', 'ok', '0']
    await callTools(harness, ids)
    const callIds = of(harness, 'tool_call_start').map(({ callId }) => callId)
    expect(new Set(callIds).size).toBe(ids.length)
    expect(callIds.filter((id) => id === 'ok' || id === '0')).toHaveLength(2)
    for (const id of callIds) expect(id).toMatch(/^[A-Za-z0-9_-]{1,64}$/)
    await settleTools(harness)
    expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
  })

  test('[TOOL7] an id that an earlier step, run or attempt used is not used again', async () => {
    const harness = await begin()
    await callTools(harness, ['0'])
    await settleTools(harness)
    await callTools(harness, ['0'])
    await settleTools(harness)
    harness.crash()
    await harness.settle()
    await callTools(harness, ['0'])
    await settleTools(harness)
    await answer(harness)
    harness.command({ type: 'send', text: 'again' })
    await harness.settle()
    await callTools(harness, ['0'])
    const callIds = of(harness, 'tool_call_start').map(({ callId }) => callId)
    expect(new Set(callIds).size).toBe(4)
  })

  test('[TOOL3] [SAF2] a call too large for an event is answered, not run', async () => {
    const harness = await begin()
    const args = JSON.stringify({ q: 'x'.repeat(EVENT_BYTES) })
    harness.model.current
      .emit(input('a', args))
      .emit({ type: 'tool_call', id: 'a', toolName: 'search', arguments: args })
      .emit({ type: 'tool_call', id: 'b', toolName: 'y'.repeat(EVENT_BYTES), arguments: '{}' })
      .finish('tool_calls')
    await harness.settle()
    expect(harness.tools.runs).toHaveLength(1)
    await settleTools(harness)
    expect(of(harness, 'tool_result')[0]).toMatchObject({
      callId: 'a',
      error: { code: 'tool_invalid_input' },
    })
    for (const event of harness.events()) {
      expect(utf8Bytes(JSON.stringify(event))).toBeLessThan(EVENT_BYTES)
    }
  })

  test('[TOOL7] input and call of one id are one call, also when two interleave', async () => {
    const harness = await begin()
    harness.model.current
      .emit(input('a', '{"n":'))
      .emit(input('b', '{"n":'))
      .emit(input('a', '1}'))
      .emit(input('b', '2}'))
      .emit({ type: 'tool_call', id: 'b', toolName: 'search', arguments: '{"n":2}' })
      .emit({ type: 'tool_call', id: 'a', toolName: 'search', arguments: '{"n":1}' })
      .finish('tool_calls')
    await harness.settle()
    expect(of(harness, 'tool_call_start')).toMatchObject([
      { callId: 'b', arguments: '{"n":2}' },
      { callId: 'a', arguments: '{"n":1}' },
    ])
  })
})

describe('failures', () => {
  test('[RUN4] a provider that fails in the middle: the text stays, the words are shown', async () => {
    const harness = await begin()
    harness.model.current.text('Half an answer')
    const failure = new ModelError('model_rate_limited', 'Too many requests.')
    for (const waitMs of [300, 1200]) {
      harness.model.current.fail(failure)
      await harness.settle()
      harness.timers.advance(waitMs - 1)
      await harness.settle()
      expect(harness.model.isCalled).toBe(false)
      harness.timers.advance(1)
      await harness.settle()
    }
    harness.model.current.fail(failure)
    await harness.settle()
    expect(harness.model.calls).toHaveLength(3)
    expect(harness.folded().turns.at(-1)).toMatchObject({
      parts: [
        { kind: 'text', text: 'Half an answer', state: 'interrupted' },
        { kind: 'notice', level: 'warning', code: 'model_retry' },
        { kind: 'notice', level: 'warning', code: 'model_retry' },
        {
          kind: 'notice',
          level: 'error',
          code: 'model_rate_limited',
          message: 'Too many requests.',
        },
      ],
      end: { outcome: 'failed' },
    })
    expect(harness.timers.size).toBe(0)
  })

  test('[SAF3] anything else that breaks is said to have broken, and no more', async () => {
    const harness = await begin()
    harness.model.current.fail(new TypeError('secret sk-123 at /src/inside.ts:7'))
    await harness.settle()
    const [error] = of(harness, 'error')
    expect(error).toMatchObject({ code: 'internal' })
    expect(JSON.stringify(harness.events())).not.toContain('sk-123')
  })

  test('[RUN4] a model that is configured but not there fails the run with its name', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'configure', model: 'other' })
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    expect(of(harness, 'error')).toMatchObject([
      { code: 'model_not_found', message: expect.stringContaining('other') as string },
    ])
    expect(harness.core.folded.run).toEqual({ status: 'idle' })
  })
})

describe('what comes after a cancel', () => {
  test('[CAN2] [CAN3] a tool that ignores the signal: result and output are fenced off', async () => {
    const harness = await begin()
    await callTools(harness, ['a', 'b'])
    const [a, b] = harness.tools.open
    const { seq } = harness.command({ type: 'cancel' })
    expect(a?.context.signal.aborted).toBe(true)
    a?.context.output('late output')
    a?.settle({ ok: true, result: 'late result' })
    b?.settle({ ok: false, error: { code: 'tool_error', message: 'late' } })
    await harness.settle()
    harness.timers.advance(60_000)
    expect(lastEvent(harness)).toMatchObject({ type: 'run_done', seq })
    expect(of(harness, 'tool_result')).toMatchObject([
      { callId: 'a', error: { code: 'tool_interrupted' } },
      { callId: 'b', error: { code: 'tool_interrupted' } },
    ])
    expect(harness.timers.size).toBe(0)
  })

  test('[CAN2] a model that goes on talking: no word, call or thought of it is heard', async () => {
    const harness = await begin()
    const socket = harness.connect(0)
    const call = harness.model.current
    call.text('A good beginning')
    const { seq } = harness.command({ type: 'cancel' })
    const frames = socket.frames.length
    call.emitLate({ type: 'text', text: ' and a late word' })
    call.emitLate({ type: 'thinking', text: 'late thought' })
    call.emitLate({ type: 'tool_input', id: 'x', toolName: 'search', text: '{' })
    call.emitLate({ type: 'tool_call', id: 'x', toolName: 'search', arguments: '{}' })
    call.emitLate({ type: 'tool_call', id: 'y', toolName: 'think', arguments: '{"thought":"z"}' })
    await harness.settle()
    harness.timers.advance(60_000)
    expect(lastEvent(harness)).toMatchObject({ type: 'run_done', seq })
    expect(socket.frames).toHaveLength(frames)
    expect(harness.tools.runs).toHaveLength(0)
    expect(harness.timers.size).toBe(0)
  })

  test('[CAN2] late words of a cancelled run do not reach the run that followed', async () => {
    const harness = await begin()
    const late = harness.model.current
    late.text('The old answer')
    harness.command({ type: 'send', text: 'new question', delivery: 'interrupt' })
    await harness.settle()
    late.emitLate({ type: 'text', text: ' goes on' })
    harness.model.current.text('The new answer')
    late.emitLate({ type: 'tool_call', id: 'x', toolName: 'search', arguments: '{}' })
    harness.model.current.finish()
    await harness.settle()
    expect(of(harness, 'text_done').map(({ text }) => text)).toEqual([
      'The old answer',
      'The new answer',
    ])
    expect(of(harness, 'tool_call_start')).toEqual([])
  })

  test('[CAN1] [CAN2] a cancel between two steps: the next provider call never happens', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    harness.tools.open[0]?.settle({ ok: true, result: 'done' })
    // The result is on its way; nobody has called the model yet.
    harness.command({ type: 'cancel' })
    await harness.settle()
    expect(harness.model.calls).toHaveLength(1)
    expect(lastEvent(harness)).toMatchObject({ type: 'run_done', outcome: 'cancelled' })
  })

  test('[CAN1] a cancel before the first provider call: there is none', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    harness.command({ type: 'cancel' })
    await harness.settle()
    expect(harness.model.calls).toHaveLength(0)
    expect(lastEvent(harness)).toMatchObject({ outcome: 'cancelled' })
  })

  test('[CAN1] a program cancels over HTTP like a person at the page', async () => {
    const harness = await begin()
    const runId = of(harness, 'run_started')[0]?.runId ?? ''
    const result = harness.core.command(OWNER, { type: 'cancel', id: 'x', runId }, 'api')
    expect(result).toMatchObject({ ok: true, value: { seq: lastEvent(harness)?.seq } })
    expect(of(harness, 'output_cancelled')).toMatchObject([{ by: OWNER, reason: 'api' }])
    expect(harness.model.calls[0]?.signal.aborted).toBe(true)
  })
})

describe('steers and the loop', () => {
  test('[QUE2] a steer enters before the next provider call, and the model sees it', async () => {
    const harness = await begin()
    await callTools(harness, ['a'])
    harness.command({ type: 'send', text: 'make it short', delivery: 'steer' })
    harness.command({ type: 'send', text: 'afterwards', id: 'later' })
    await settleTools(harness)
    expect(harness.model.current.request.messages.at(-1)).toEqual({
      role: 'user',
      text: 'make it short',
    })
    expect(harness.folded().queue.items.map(({ itemId }) => itemId)).toEqual(['later'])
    await answer(harness)
    expect(harness.folded().turns.map((turn) => turn.kind)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
      'user',
    ])
  })

  test('[QUE2] a steer that comes during the last step starts the next run', async () => {
    const harness = await begin()
    harness.command({ type: 'send', text: 'one more thing', delivery: 'steer' })
    await answer(harness)
    expect(of(harness, 'run_done')).toHaveLength(1)
    expect(of(harness, 'run_started')).toHaveLength(2)
    expect(harness.model.current.request.messages).toMatchObject([
      { role: 'user', text: 'hello' },
      { role: 'assistant' },
      { role: 'user', text: 'one more thing' },
    ])
  })

  test('[QUE1] history order stays A, answer A, B, answer B', async () => {
    const harness = await begin('A')
    harness.command({ type: 'send', text: 'B' })
    await answer(harness, 'answer to A')
    await answer(harness, 'answer to B')
    const spoken = harness.folded().turns.map((turn) => {
      if (turn.kind === 'user') return turn.text
      return turn.kind === 'assistant' && turn.parts[0]?.kind === 'text' ? turn.parts[0].text : ''
    })
    expect(spoken).toEqual(['A', 'answer to A', 'B', 'answer to B'])
  })
})

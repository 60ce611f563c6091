import { describe, expect, test } from 'vitest'
import type { EventBody, SessionEvent } from './events.ts'
import type { Fragment, FragmentKind } from './frames.ts'
import {
  agentStatus,
  applyFragment,
  deltaPartOf,
  EMPTY_TAIL,
  openPartIds,
  trimTail,
  viewOpen,
  type Tail,
} from './live.ts'
import { applyEvent, fold } from './reduce.ts'
import { EMPTY_STATE, type SessionState } from './state.ts'
import type { Part, Response } from './turns.ts'

const RUN = 'session-0123456789.3'
const RESPONSE = `${RUN}.1`

const fragment = (kind: FragmentKind, id: string, offset: number, text: string): Fragment => ({
  responseId: RESPONSE,
  kind,
  ...(kind === 'text' || kind === 'thinking' ? { partId: id } : { callId: id, toolName: 'search' }),
  offset,
  text,
})
const tailOf = (...fragments: Fragment[]): Tail => fragments.reduce(applyFragment, EMPTY_TAIL)
const textsOf = (tail: Tail): [number, string][] =>
  [...tail.values()].map(({ offset, text }) => [offset, text])

const toEvent = (body: EventBody, seq = 100): SessionEvent => ({ seq, at: seq, ...body })

const RUNNING: SessionState = fold([
  toEvent(
    { type: 'run_started', runId: RUN, responseId: RESPONSE, model: 'm', agent: 'a', attempt: 1 },
    3,
  ),
])

const withParts = (...parts: Part[]): SessionState => ({
  ...RUNNING,
  open: { ...(RUNNING.open as Response), parts },
})
const text = (value: string, state: 'open' | 'done' | 'interrupted' = 'open'): Part => ({
  kind: 'text',
  partId: 'p1',
  text: value,
  state,
})
const thinking = (value: string, state: 'open' | 'done' = 'open'): Part => ({
  kind: 'thinking',
  partId: 't1',
  text: value,
  state,
})
const tool = (status: 'preparing' | 'pending' | 'success', output = '', callId = 'c1'): Part => ({
  kind: 'tool',
  callId,
  toolName: 'search',
  arguments: '{}',
  status,
  startedAt: 0,
  output,
})
const statusOf = (state: SessionState, tail: Tail = EMPTY_TAIL) =>
  agentStatus(state.run, viewOpen(state, tail))
const partsOf = (view: Response | null): readonly Part[] => view?.parts ?? []

describe('a tail of fragments', () => {
  test('[RUN2] joins what follows on', () => {
    const tail = tailOf(fragment('text', 'p1', 4, 'Hello'), fragment('text', 'p1', 9, ', you'))
    expect(textsOf(tail)).toEqual([[4, 'Hello, you']])
  })

  test('[RUN2] offset 0 is an offset: it replaces all that is held', () => {
    const tail = tailOf(fragment('text', 'p1', 0, 'Hello'), fragment('text', 'p1', 0, 'Bye'))
    expect(textsOf(tail)).toEqual([[0, 'Bye']])
  })

  test('[RUN2] an overlap replaces what stood there', () => {
    const tail = tailOf(fragment('text', 'p1', 2, 'abcdef'), fragment('text', 'p1', 4, 'XY'))
    expect(textsOf(tail)).toEqual([[2, 'abXY']])
  })

  test('[RUN2] a duplicate changes nothing', () => {
    const once = tailOf(fragment('text', 'p1', 0, 'abc'), fragment('text', 'p1', 3, 'def'))
    expect(applyFragment(once, fragment('text', 'p1', 3, 'def'))).toEqual(once)
  })

  test('[LOG4] after a gap it keeps what is known to be right', () => {
    const tail = tailOf(fragment('text', 'p1', 0, 'abc'), fragment('text', 'p1', 9, 'later'))
    expect(textsOf(tail)).toEqual([[0, 'abc']])
  })

  test('[RUN2] a fragment from further back takes the place of what is held', () => {
    const tail = tailOf(fragment('text', 'p1', 9, 'later'), fragment('text', 'p1', 3, 'from here'))
    expect(textsOf(tail)).toEqual([[3, 'from here']])
  })

  test('[RUN2] offsets count UTF-16 units, so an emoji takes two', () => {
    const tail = tailOf(fragment('text', 'p1', 0, 'a😀'), fragment('text', 'p1', 3, 'b'))
    expect(textsOf(tail)).toEqual([[0, 'a😀b']])
    const view = viewOpen(withParts(text('😀')), tailOf(fragment('text', 'p1', 2, '😀')))
    expect(partsOf(view)).toMatchObject([{ text: '😀😀' }])
  })

  test('[RUN2] parts and kinds stay apart, also under the same id', () => {
    const tail = tailOf(
      fragment('text', 'x', 0, 'text'),
      fragment('thinking', 'x', 0, 'thought'),
      fragment('tool_input', 'x', 0, '{'),
      fragment('tool_output', 'x', 0, 'out'),
      fragment('text', 'y', 0, 'other'),
    )
    expect(textsOf(tail).map(([, value]) => value)).toEqual([
      'text',
      'thought',
      '{',
      'out',
      'other',
    ])
  })

  test('[LOG2] never changes the tail it was given', () => {
    const held = tailOf(fragment('text', 'p1', 0, 'abc'))
    applyFragment(held, fragment('text', 'p1', 3, 'def'))
    expect(textsOf(held)).toEqual([[0, 'abc']])
  })
})

describe('a row over the tail', () => {
  const full = tailOf(
    fragment('text', 'p1', 0, 'text'),
    fragment('thinking', 't1', 0, 'thought'),
    fragment('tool_input', 'c1', 0, '{'),
    fragment('tool_output', 'c1', 0, 'out'),
  )
  const part = { responseId: RESPONSE, partId: 'p1' }
  const thought = { responseId: RESPONSE, partId: 't1' }
  const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }

  test.each<[EventBody, FragmentKind]>([
    [{ type: 'text_delta', ...part, offset: 0, delta: 'text' }, 'text'],
    [{ type: 'text_done', ...part, text: 'text' }, 'text'],
    [{ type: 'thinking_delta', ...thought, offset: 0, delta: 'thought' }, 'thinking'],
    [{ type: 'thinking_done', ...thought, text: 'thought' }, 'thinking'],
    [
      {
        type: 'tool_call_start',
        responseId: RESPONSE,
        callId: 'c1',
        toolName: 'search',
        arguments: '{}',
      },
      'tool_input',
    ],
    [{ type: 'tool_output_delta', callId: 'c1', offset: 0, delta: 'out' }, 'tool_output'],
    [
      { type: 'tool_result', callId: 'c1', toolName: 'search', ok: true, durationMs: 1 },
      'tool_output',
    ],
  ])('[LOG4] %j supersedes the live %s of its part alone', (body, kind) => {
    const kinds = [...trimTail(full, toEvent(body)).values()].map((one) => one.kind)
    expect(kinds).toHaveLength(3)
    expect(kinds).not.toContain(kind)
  })

  test.each<EventBody>([
    { type: 'run_started', runId: RUN, responseId: RESPONSE, model: 'm', agent: 'a', attempt: 2 },
    { type: 'run_done', runId: RUN, outcome: 'done', stopReason: 'stop', usage, durationMs: 1 },
    { type: 'session_cleared', by: 'owner' },
  ])('[LOG4] $type supersedes all live text', (body) => {
    expect(trimTail(full, toEvent(body)).size).toBe(0)
  })

  test('[LOG2] what it does not concern keeps its identity', () => {
    expect(trimTail(full, toEvent({ type: 'queue_updated', items: [], held: false }))).toBe(full)
    const other = { responseId: RESPONSE, partId: 'elsewhere', text: '' }
    expect(trimTail(full, toEvent({ type: 'text_done', ...other }))).toBe(full)
    expect(trimTail(EMPTY_TAIL, toEvent({ type: 'text_done', ...other }))).toBe(EMPTY_TAIL)
  })
})

describe('the view of the open response', () => {
  test('[RUN2] without live text it is the open response itself', () => {
    const state = withParts(text('Hello'))
    expect(viewOpen(state, EMPTY_TAIL)).toBe(state.open)
    expect(viewOpen(EMPTY_STATE, EMPTY_TAIL)).toBe(null)
  })

  test.each<[FragmentKind, string, Part, object]>([
    ['text', 'p1', text('Hello'), { kind: 'text', text: 'Hello you' }],
    ['thinking', 't1', thinking('Hello'), { kind: 'thinking', text: 'Hello you' }],
    ['tool_output', 'c1', tool('pending', 'Hello'), { kind: 'tool', output: 'Hello you' }],
  ])('[RUN2] live %s lies over its part', (kind, id, part, expected) => {
    const tail = tailOf(fragment(kind, id, 5, ' you'))
    expect(partsOf(viewOpen(withParts(part), tail))).toMatchObject([expected])
  })

  test('[RUN2] parts without live text keep their identity', () => {
    const state = withParts(tool('success'), text('Hello'))
    const view = viewOpen(state, tailOf(fragment('text', 'p1', 5, '!')))
    expect(partsOf(view)[0]).toBe(state.open?.parts[0])
    expect(state.open?.parts[1]).toMatchObject({ text: 'Hello' })
  })

  test('[RUN2] [TOOL2] a part nobody has seen yet is shown from its first fragment on', () => {
    expect(partsOf(viewOpen(RUNNING, tailOf(fragment('text', 'p1', 0, 'Hi'))))).toEqual([
      { kind: 'text', partId: 'p1', text: 'Hi', state: 'open' },
    ])
    expect(
      partsOf(viewOpen(RUNNING, tailOf(fragment('tool_input', 'c1', 0, '{"q')))),
    ).toMatchObject([
      { kind: 'tool', callId: 'c1', toolName: 'search', arguments: '{"q', status: 'preparing' },
    ])
  })

  test('[TOOL2] a call is preparing from its name on, before any argument', () => {
    const view = viewOpen(RUNNING, tailOf(fragment('tool_input', 'c1', 0, '')))
    expect(partsOf(view)).toMatchObject([{ status: 'preparing', arguments: '' }])
  })

  test('[LOG4] a fragment that does not reach what is held is not shown', () => {
    expect(partsOf(viewOpen(RUNNING, tailOf(fragment('text', 'p1', 3, 'tail'))))).toEqual([])
    const state = withParts(text('abc'))
    expect(viewOpen(state, tailOf(fragment('text', 'p1', 9, 'tail')))).toBe(state.open)
    const running = withParts(tool('pending', 'abc'))
    expect(viewOpen(running, tailOf(fragment('tool_output', 'c1', 9, 'x')))).toBe(running.open)
    expect(partsOf(viewOpen(RUNNING, tailOf(fragment('tool_output', 'c1', 0, 'x'))))).toEqual([])
  })

  test('[CAN3] a settled part is not written over', () => {
    for (const state of ['done', 'interrupted'] as const) {
      const settled = withParts(text('final', state))
      expect(viewOpen(settled, tailOf(fragment('text', 'p1', 0, 'late')))).toBe(settled.open)
    }
  })

  test('[CAN2] live text of another response is not shown in this one', () => {
    const late = { ...fragment('text', 'p9', 0, 'late'), responseId: 'session-0123456789.9.1' }
    expect(viewOpen(RUNNING, tailOf(late))).toBe(RUNNING.open)
  })

  test('[RUN2] live text may come before the row that opens its response', () => {
    const idle = viewOpen({ ...RUNNING, open: null }, tailOf(fragment('text', 'p1', 0, 'Hi')))
    expect(idle).toMatchObject({ responseId: RESPONSE, runId: RUN, model: 'm', agent: 'a' })
    expect(partsOf(idle)).toMatchObject([{ text: 'Hi' }])
  })

  test('[RUN2] live text and then its row show the same', () => {
    const live = viewOpen(RUNNING, tailOf(fragment('text', 'p1', 0, 'Hello')))
    const row = toEvent({
      type: 'text_delta',
      responseId: RESPONSE,
      partId: 'p1',
      offset: 0,
      delta: 'Hello',
    })
    const tail = trimTail(tailOf(fragment('text', 'p1', 0, 'Hello')), row)
    expect(viewOpen(applyEvent(RUNNING, row), tail)).toEqual(live)
  })
})

describe('the status of the agent', () => {
  test('[RUN5] is idle without a run, whatever was said', () => {
    expect(statusOf(EMPTY_STATE)).toBe('idle')
    expect(statusOf({ ...withParts(text('still here')), run: { status: 'idle' } })).toBe('idle')
  })

  test('[RUN5] is model_loading from the step to its first byte', () => {
    expect(statusOf(RUNNING)).toBe('model_loading')
    expect(statusOf({ ...RUNNING, open: null })).toBe('model_loading')
    expect(statusOf(withParts(tool('success')))).toBe('model_loading')
    expect(statusOf(withParts(text('cut', 'interrupted')))).toBe('model_loading')
  })

  test('[RUN5] keeps the phase of a settled part until the next one begins', () => {
    expect(statusOf(withParts(thinking('done', 'done')))).toBe('thinking')
    expect(statusOf(withParts(text('done', 'done')))).toBe('working')
    const thought = { ...thinking('done', 'done'), callId: 'c1' }
    expect(statusOf(withParts(thought))).toBe('model_loading')
  })

  test('[RUN5] is thinking in a thinking part', () => {
    expect(statusOf(withParts(thinking('hm')))).toBe('thinking')
    expect(statusOf(RUNNING, tailOf(fragment('thinking', 't1', 0, 'hm')))).toBe('thinking')
  })

  test('[RUN5] is calling_tool from the first argument until the tool runs', () => {
    const preparing = tailOf(fragment('tool_input', 'c1', 0, '{'))
    expect(statusOf(RUNNING, preparing)).toBe('calling_tool')
    expect(statusOf(withParts(text('Let me look', 'done')), preparing)).toBe('calling_tool')
  })

  test('[RUN5] is working while a tool runs or text streams', () => {
    expect(statusOf(withParts(tool('pending')))).toBe('working')
    expect(statusOf(withParts(text('Hello')))).toBe('working')
    expect(statusOf(withParts(tool('pending'), tool('success', '', 'c2')))).toBe('working')
  })

  test('[RUN5] a call in preparation comes before one that runs', () => {
    const state = withParts(tool('pending'))
    expect(statusOf(state, tailOf(fragment('tool_input', 'c2', 0, '{')))).toBe('calling_tool')
  })

  test('[RUN5] passes model_loading, thinking, calling_tool, working, idle, in that order', () => {
    const seen: string[] = [statusOf(RUNNING)]
    let state = RUNNING
    let tail = EMPTY_TAIL
    const row = (body: EventBody): void => {
      const event = toEvent(body, state.seq + 1)
      state = applyEvent(state, event)
      tail = trimTail(tail, event)
      seen.push(statusOf(state, tail))
    }
    const call = { responseId: RESPONSE, callId: 'c1', toolName: 'search' }
    row({ type: 'thinking_start', responseId: RESPONSE, partId: 't1' })
    row({ type: 'thinking_done', responseId: RESPONSE, partId: 't1', text: 'hm' })
    tail = applyFragment(tail, fragment('tool_input', 'c1', 0, '{'))
    seen.push(statusOf(state, tail))
    row({ type: 'tool_call_start', ...call, arguments: '{}' })
    row({ type: 'tool_result', callId: 'c1', toolName: 'search', ok: true, durationMs: 1 })
    row({ type: 'text_delta', responseId: RESPONSE, partId: 'p1', offset: 0, delta: 'Hello' })
    const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0 }
    row({ type: 'run_done', runId: RUN, outcome: 'done', stopReason: 'stop', usage, durationMs: 1 })
    expect(seen).toEqual([
      'model_loading',
      'thinking',
      'thinking',
      'calling_tool',
      'working',
      'model_loading',
      'working',
      'idle',
    ])
  })
})

describe('what a replay may leave out', () => {
  test('[LOG3] the deltas of settled parts; open ones are named', () => {
    expect(openPartIds(null)).toEqual([])
    const parts = [
      text('done', 'done'),
      thinking('hm'),
      tool('success', '', 'c0'),
      tool('pending', '', 'c1'),
    ]
    expect(openPartIds(withParts(...parts).open)).toEqual(['t1', 'c1'])
  })

  test('[LOG3] deltas alone: everything else belongs to no part', () => {
    const part = { responseId: RESPONSE, partId: 'p1' }
    expect(deltaPartOf({ type: 'text_delta', ...part, offset: 0, delta: '' })).toBe('p1')
    expect(deltaPartOf({ type: 'thinking_delta', ...part, offset: 0, delta: '' })).toBe('p1')
    expect(deltaPartOf({ type: 'tool_output_delta', callId: 'c1', offset: 0, delta: '' })).toBe(
      'c1',
    )
    expect(deltaPartOf({ type: 'text_done', ...part, text: '' })).toBe(null)
    expect(deltaPartOf({ type: 'thinking_start', ...part })).toBe(null)
  })
})

// The testing checklist of the document that chat and tools come from, point by point, on the
// side of the server and the reducer. What the page makes of it is proved in a browser.

import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import {
  agentStatus,
  applyFragment,
  EMPTY_TAIL,
  trimTail,
  viewOpen,
  type AgentStatus,
  type Tail,
} from '#protocol/live'
import { applyEvent, fold } from '#protocol/reduce'
import { EMPTY_STATE, type SessionState } from '#protocol/state'
import type { AssistantTurn } from '#protocol/turns'
import { SessionHarness, type TestSocket } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'

/** A page: folds what arrives on its socket and notes every status it shows. */
class Page {
  state: SessionState = EMPTY_STATE
  tail: Tail = EMPTY_TAIL
  readonly statuses: AgentStatus[] = []
  private read = 0
  private readonly socket: TestSocket

  constructor(socket: TestSocket) {
    this.socket = socket
    this.update()
  }

  update(): this {
    for (const frame of this.socket.frames.slice(this.read)) {
      if (frame.type === 'events') frame.events.forEach((event) => this.apply(event))
      if (frame.type === 'ready') this.tail = frame.fragments.reduce(applyFragment, EMPTY_TAIL)
      if (frame.type === 'fragment') this.tail = applyFragment(this.tail, frame)
      if (frame.type === 'fragments') this.tail = frame.fragments.reduce(applyFragment, this.tail)
      this.note()
    }
    this.read = this.socket.frames.length
    return this
  }

  get status(): AgentStatus {
    return agentStatus(this.state.run, viewOpen(this.state, this.tail))
  }
  get answer(): AssistantTurn {
    const turn = this.state.turns.findLast(({ kind }) => kind === 'assistant')
    if (turn?.kind !== 'assistant') throw new Error('no answer')
    return turn
  }

  private apply(event: SessionEvent): void {
    this.state = applyEvent(this.state, event)
    this.tail = trimTail(this.tail, event)
    this.note()
  }

  private note(): void {
    if (this.statuses.at(-1) !== this.status) this.statuses.push(this.status)
  }
}

async function ask(text = 'hello'): Promise<{ harness: SessionHarness; page: Page }> {
  const harness = await SessionHarness.create()
  const page = new Page(harness.connect(0))
  harness.command({ type: 'send', text })
  await harness.settle()
  return { harness, page }
}

async function callTools(harness: SessionHarness, ids: string[]): Promise<void> {
  for (const id of ids) {
    const call = { id, toolName: 'search' }
    harness.model.current.emit({ type: 'tool_input', ...call, text: '{"q":' })
    harness.timers.advance(50)
    harness.model.current.emit({ type: 'tool_call', ...call, arguments: '{"q":"x"}' })
  }
  harness.model.current.finish('tool_calls')
  await harness.settle()
}

/** Next month, on another device. */
function reload(harness: SessionHarness): Page {
  harness.hibernate()
  return new Page(harness.connect(0))
}

/** Cancelled with text said, one tool done and one open. */
async function cancelledInTool(): Promise<{ harness: SessionHarness; page: Page }> {
  const { harness, page } = await ask()
  harness.model.current.text('Let me look twice.')
  await callTools(harness, ['a', 'b'])
  harness.tools.open[0]?.settle({ ok: true, result: 'found' })
  await harness.settle()
  harness.command({ type: 'cancel' })
  await harness.settle()
  return { harness, page: page.update() }
}

describe('real-time behaviour', () => {
  test('[checklist 1] [RUN2] [TOOL2] normal flow: message, tool calls, response', async () => {
    const { harness, page } = await ask('what is up?')
    harness.model.current.text('Let me look.')
    await callTools(harness, ['a'])
    expect(page.update().state.open?.parts).toMatchObject([
      { kind: 'text', text: 'Let me look.', state: 'done' },
      { kind: 'tool', callId: 'a', status: 'pending' },
    ])
    harness.tools.open[0]?.settle({ ok: true, result: 'all is well' })
    await harness.settle()
    harness.model.current.text('All is well.').finish()
    await harness.settle()
    page.update()
    expect(page.state.turns).toMatchObject([
      { kind: 'user', text: 'what is up?' },
      {
        kind: 'assistant',
        parts: [
          { kind: 'text', text: 'Let me look.' },
          { kind: 'tool', status: 'success', result: 'all is well' },
          { kind: 'text', text: 'All is well.' },
        ],
        end: { outcome: 'done' },
      },
    ])
  })

  test('[checklist 2] [CAN3] cancel during text: partial text preserved, interrupted shown', async () => {
    const { harness, page } = await ask()
    harness.model.current.text('The part that was said before ')
    harness.timers.advance(500)
    harness.model.current.text('the person str')
    harness.command({ type: 'cancel' })
    await harness.settle()
    expect(page.update().answer).toMatchObject({
      parts: [
        {
          kind: 'text',
          text: 'The part that was said before the person str',
          state: 'interrupted',
        },
      ],
      end: { outcome: 'cancelled', by: 'owner', reason: 'user' },
    })
    expect(page.tail.size).toBe(0)
  })

  test('[checklist 3] [CAN3] cancel during tool: the block is interrupted, and no provider complains', async () => {
    const { harness, page } = await cancelledInTool()
    expect(page.answer.parts).toMatchObject([
      { kind: 'text', text: 'Let me look twice.', state: 'done' },
      { kind: 'tool', callId: 'a', status: 'success' },
      { kind: 'tool', callId: 'b', status: 'interrupted', error: { code: 'tool_interrupted' } },
    ])
    harness.command({ type: 'send', text: 'go on' })
    await harness.settle()
    expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
    harness.model.current.text('Of course.').finish()
    await harness.settle()
    expect(page.update().answer).toMatchObject({ end: { outcome: 'done' } })
  })

  test('[checklist 4] [RUN5] typing indicator: there through thinking and tools, gone with the answer', async () => {
    const { harness, page } = await ask()
    page.update()
    harness.model.current.emit({ type: 'thinking', text: 'Hm.' })
    page.update()
    await callTools(harness, ['a'])
    page.update()
    harness.tools.open[0]?.settle({ ok: true, result: 'found' })
    await harness.settle()
    page.update()
    harness.model.current.text('Here it is, the answer.')
    page.update()
    harness.model.current.finish()
    await harness.settle()
    page.update()
    expect(page.statuses).toEqual([
      'idle',
      'model_loading',
      'thinking',
      'calling_tool',
      'working',
      'model_loading',
      'working',
      'idle',
    ])
  })

  test.each(['thinking', 'text', 'tool_input', 'tool'] as const)(
    '[checklist 4] [RUN5] [CAN1] typing indicator: gone with a cancel during %s',
    async (during) => {
      const { harness, page } = await ask()
      const { current } = harness.model
      if (during === 'thinking') current.emit({ type: 'thinking', text: 'Hm.' })
      if (during === 'text') current.text('Here it is, the answer.')
      if (during === 'tool_input') {
        current.emit({ type: 'tool_input', id: 'a', toolName: 'search', text: '{' })
      }
      if (during === 'tool') await callTools(harness, ['a'])
      expect(page.update().status).not.toBe('idle')
      harness.command({ type: 'cancel' })
      expect(page.update().status).toBe('idle')
      expect(viewOpen(page.state, page.tail)).toBe(null)
    },
  )
})

describe('reconstruction', () => {
  test('[checklist 7] [CAN3] [RUN2] reload after cancel: text before tools, as it was live', async () => {
    const { harness, page } = await cancelledInTool()
    const again = reload(harness)
    expect(again.answer.parts.map(({ kind }) => kind)).toEqual(['text', 'tool', 'tool'])
    expect(again.state).toEqual(page.state)
    // All of it happened within the same millisecond: seq is the order, time is not.
    const ends = harness.events().slice(-4)
    expect(new Set(ends.map(({ at }) => at)).size).toBe(1)
  })

  test('[checklist 8] [CAN3] interrupted text: marked after a reload as it was live', async () => {
    const { harness, page } = await ask()
    harness.model.current.text('Half of the answer')
    harness.command({ type: 'cancel' })
    await harness.settle()
    const again = reload(harness)
    expect(again.answer).toMatchObject({
      parts: [{ text: 'Half of the answer', state: 'interrupted' }],
      end: { outcome: 'cancelled' },
    })
    expect(again.state).toEqual(page.update().state)
  })

  test('[checklist 8] [CAN3] a response cancelled before its first word keeps its mark', async () => {
    const { harness } = await ask()
    harness.command({ type: 'cancel' })
    await harness.settle()
    expect(reload(harness).answer).toMatchObject({ parts: [], end: { outcome: 'cancelled' } })
  })

  test('[checklist 9] [TOOL2] interrupted tools: interrupted after a reload', async () => {
    const { harness } = await cancelledInTool()
    expect(reload(harness).answer.parts.slice(1)).toMatchObject([
      { callId: 'a', status: 'success' },
      { callId: 'b', status: 'interrupted' },
    ])
  })

  test('[checklist 10] [TOOL4] tool blocks stand inside the answer that called them', async () => {
    const { harness, page } = await ask('first')
    await callTools(harness, ['a'])
    harness.tools.open[0]?.settle({ ok: true, result: 'one' })
    await harness.settle()
    harness.command({ type: 'send', text: 'a steer', delivery: 'steer' })
    await callTools(harness, ['b'])
    harness.tools.open[0]?.settle({ ok: true, result: 'two' })
    await harness.settle()
    await callTools(harness, ['c'])
    harness.tools.open[0]?.settle({ ok: true, result: 'three' })
    await harness.settle()
    harness.model.current.text('Done with all of it.').finish()
    await harness.settle()
    const again = reload(harness)
    const blocks = again.state.turns.map((turn) =>
      turn.kind === 'assistant'
        ? turn.parts.flatMap((part) => (part.kind === 'tool' ? [part.callId] : []))
        : turn.kind,
    )
    expect(blocks).toEqual(['user', ['a', 'b'], 'user', ['c']])
    expect(again.state).toEqual(page.update().state)
    expect(fold(harness.events())).toEqual(page.state)
  })
})

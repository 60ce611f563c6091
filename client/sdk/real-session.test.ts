// The model against the real session, in Node: what one writes the other must read.

import { expect, test } from 'vitest'
import type { ClientFrame } from '#protocol/frames'
import { fold } from '#protocol/reduce'
import {
  OWNER,
  SessionHarness,
  type TestSocket,
} from '../../worker/testing/node/session-harness.ts'
import { SessionModel } from './session-model.ts'
import { createRandom, type Random } from './testing/random-log.ts'

const SEEDS = 40

/** A model on a socket of the session; frames arrive when the test lets them. */
class RealClient {
  readonly model: SessionModel
  readonly #harness: SessionHarness
  #socket: TestSocket | null = null
  #read = 0

  constructor(harness: SessionHarness, tail?: number) {
    this.#harness = harness
    this.model = new SessionModel('s', tail)
  }

  connect(): void {
    const hello = this.model.hello()
    this.#socket = this.#harness.connect(hello.after, hello.tail)
    this.#read = 0
    for (const command of this.model.waiting()) this.say(command)
  }

  say(frame: ClientFrame): void {
    if (this.#socket === null) return
    this.#harness.receiver.receive(this.#socket, OWNER, JSON.stringify(frame))
  }

  send(id: string): void {
    const command = { type: 'send', id, text: id } as const
    this.model.submit(command)
    this.say(command)
  }

  /** Take in what has arrived, or the first few frames of it. */
  read(most = Number.POSITIVE_INFINITY): void {
    const frames = this.#socket?.frames.slice(this.#read, this.#read + most) ?? []
    this.#read += frames.length
    for (const frame of frames) this.model.receive(frame)
  }

  /** What had not been read is lost. */
  drop(): void {
    if (this.#socket !== null) this.#harness.core.subscribers.remove(this.#socket)
    this.#socket = null
  }

  loadAll(limit: number): void {
    for (let before = this.model.olderBefore; before !== null; before = this.model.olderBefore) {
      const page = this.#harness.core.views.events(OWNER, { before, limit, deltas: false })
      if (!page.ok) throw new Error(page.rejection.message)
      this.model.prepend(before, page.value)
    }
  }
}

async function act(harness: SessionHarness, random: Random): Promise<void> {
  const { model, tools, timers } = harness
  if (random.chance(0.5)) timers.advance(random.below(600))
  const [tool] = tools.open
  if (tool !== undefined && random.chance(0.5)) tool.settle({ ok: true, result: 'done' })
  else if (model.isCalled) {
    const call = model.current
    const id = `call${random.below(1e9)}`
    const choice = random.below(10)
    if (choice < 6) call.text(`${random.word()}words enough for the gate `)
    else if (choice < 8) call.emit({ type: 'thinking', text: random.word() })
    else if (choice < 9) {
      call.emit({ type: 'tool_call', id, toolName: 'safe_tool', arguments: '{}' })
      call.finish('tool_calls')
    } else call.finish()
  }
  await harness.settle()
}

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  '[LOG2] [LOG3] [LOG5] [LOG7] client and session end equal through drops and crashes (seed %i)',
  async (seed) => {
    const random = createRandom(seed)
    const harness = await SessionHarness.create()
    const client = new RealClient(harness, 1 + random.below(30))
    const sent: string[] = []
    for (let step = 0; step < 120; step++) {
      if (random.chance(0.08)) client.send(sent[sent.push(`message-${sent.length}`) - 1]!)
      if (random.chance(0.1)) client.drop()
      if (random.chance(0.02)) {
        client.drop()
        await harness.settle()
        harness.crash()
        await harness.settle()
      }
      if (random.chance(0.15)) client.connect()
      if (random.chance(0.5)) client.read(1 + random.below(6))
      await act(harness, random)
    }
    client.drop()
    client.connect()
    client.read()
    expect(client.model.waiting()).toEqual([])
    expect(client.model.view.pending).toEqual([])
    const whole = fold(harness.events())
    expect({ ...client.model.view.state, turns: [] }).toEqual({ ...whole, turns: [] })
    client.loadAll(7 + random.below(50))
    expect(client.model.view.state).toEqual(whole)
    const known = whole.turns.flatMap((t) => (t.kind === 'user' ? [t.messageId] : []))
    const queued = whole.queue.items.map(({ itemId }) => itemId)
    expect([...known, ...queued].sort()).toEqual([...sent].sort())
  },
)

test('[LOG7] a client that opens in the middle of a very long part has all of it', async () => {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text: 'tell me everything' })
  await harness.settle()
  for (let i = 0; i < 700; i++) {
    harness.model.current.text(`sentence number ${i}. `)
    harness.timers.advance(500)
  }
  const client = new RealClient(harness, 50)
  client.connect()
  client.read()
  expect(harness.folded().seq).toBeGreaterThan(600)
  expect(client.model.view.open).toEqual(harness.folded().open)
})

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { STEP_OUTPUT_CHARS } from '#protocol/limits'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { findRequestProblem } from '../../testing/node/valid-request.ts'
import type { ModelCall } from '../../testing/node/scripted-model.ts'
import type { ModelPart } from './model.ts'

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const CHUNK = 'again and '.repeat(1000)
const ENOUGH = Math.ceil(STEP_OUTPUT_CHARS / CHUNK.length)

/** A model that never ends: it says this until it is told to stop, and a little more. */
async function goOnForEver(part: ModelPart): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text: 'hello' })
  await harness.settle()
  await repeat(harness.model.current, part)
  await harness.settle()
  return harness
}

async function repeat(call: ModelCall, part: ModelPart): Promise<void> {
  for (let said = 0; said < 2 * ENOUGH; said++) {
    if (call.signal.aborted) return call.emitLate({ type: 'text', text: 'and then some' })
    call.emit(part)
  }
  throw new Error('nobody stopped it')
}

const PARTS: Record<string, ModelPart> = {
  text: { type: 'text', text: CHUNK },
  thinking: { type: 'thinking', text: CHUNK },
  arguments: { type: 'tool_input', id: 'a', toolName: 'look', text: CHUNK },
  'the arguments of a thought': { type: 'tool_input', id: 'a', toolName: 'think', text: CHUNK },
}

describe('[RUN3] [SAF2] an answer that does not end', () => {
  for (const [name, part] of Object.entries(PARTS)) {
    test(`${name}: is cut, as at the model’s own limit, and the next message is answered`, async () => {
      const harness = await goOnForEver(part)
      expect(harness.model.calls).toHaveLength(1)
      expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'done', stopReason: 'length' }])
      expect(harness.folded().open).toBe(null)
      const said = [...of(harness, 'text_done'), ...of(harness, 'thinking_done')]
      const length = said.reduce((sum, { text }) => sum + text.length, 0)
      expect(length).toBeLessThanOrEqual(STEP_OUTPUT_CHARS + CHUNK.length)
      if (part.type !== 'tool_input') expect(length).toBeGreaterThan(STEP_OUTPUT_CHARS)
      expect(JSON.stringify(harness.events())).not.toContain('and then some')
      harness.command({ type: 'send', text: 'and now?' })
      await harness.settle()
      expect(findRequestProblem(harness.model.current.request.messages)).toBe(null)
      harness.model.current.text('Now it is short.').finish()
      await harness.settle()
      expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done', stopReason: 'stop' })
    })
  }

  test('one that is just as long as may be is whole', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.model.current.text('x'.repeat(STEP_OUTPUT_CHARS)).finish()
    await harness.settle()
    expect(of(harness, 'run_done')).toMatchObject([{ stopReason: 'stop' }])
  })

  test('[RUN8] a summary that does not end is cut, and is a summary', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.model.current.text('A good answer').finish()
    await harness.settle()
    harness.command({ type: 'compact' })
    await harness.settle()
    await repeat(harness.model.current, { type: 'text', text: CHUNK })
    await harness.settle()
    expect(of(harness, 'compacted')).toHaveLength(1)
    expect(of(harness, 'compacted')[0]?.summary.length).toBeLessThan(20_000)
    expect(of(harness, 'run_done').at(-1)).toMatchObject({ outcome: 'done' })
  })
})

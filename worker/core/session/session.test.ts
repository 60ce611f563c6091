import { describe, expect, test } from 'vitest'
import { hot } from '#protocol/state'
import { SessionHarness, SESSION_ID } from '../../testing/node/session-harness.ts'
import { ModelError } from './model.ts'

const types = (harness: SessionHarness): string[] => harness.events().map((event) => event.type)

describe('a run', () => {
  test('[RUN1] [LOG1] logs message, run and answer in order, with no hole in seq', async () => {
    const harness = await SessionHarness.create()
    const ack = harness.command({ type: 'send', text: 'hello', id: 'm1' })
    await harness.settle()
    harness.model.current.text('Hello there, friend').finish()
    await harness.settle()
    expect(types(harness)).toEqual([
      'session_created',
      'user_message',
      'run_started',
      'text_done',
      'context_usage',
      'run_done',
    ])
    expect(harness.events().map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(ack).toEqual({ seq: 2, queued: false, runId: `${SESSION_ID}.3` })
    expect(harness.core.folded.run).toEqual({ status: 'idle' })
    expect(harness.timers.size).toBe(0)
  })

  test('[CAN2] [CAN3] cancel keeps the partial text, ends the run, and nothing follows', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    const call = harness.model.current
    call.text('A long answer that will be cu')
    const ack = harness.command({ type: 'cancel' })
    call.text('t short')
    call.finish()
    await harness.settle()
    harness.timers.advance(10_000)
    const events = harness.events()
    expect(events.at(-1)).toMatchObject({ type: 'run_done', outcome: 'cancelled', seq: ack.seq })
    expect(events.find((event) => event.type === 'text_done')).toMatchObject({
      text: 'A long answer that will be cu',
      interrupted: true,
    })
    expect(call.signal.aborted).toBe(true)
  })

  test('[RUN9] a run in flight is continued twice, then stops as interrupted', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    for (const attempt of [1, 2, 3]) {
      await harness.settle()
      expect(harness.core.folded.run).toMatchObject({ status: 'running', attempt })
      harness.model.current.text(`attempt number ${attempt} says `)
      harness.timers.advance(500)
      harness.crash()
    }
    await harness.settle()
    expect(harness.model.calls).toHaveLength(3)
    expect(harness.events().at(-1)).toMatchObject({ type: 'run_done', outcome: 'interrupted' })
    expect(hot(harness.core.folded)).toEqual(hot(harness.folded()))
  })

  test('a provider failure ends the run as failed, with words', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'hello' })
    await harness.settle()
    harness.model.current.fail(new ModelError('model_unauthorized', 'The key was refused.'))
    await harness.settle()
    expect(harness.events().slice(-2)).toMatchObject([
      { type: 'error', code: 'model_unauthorized' },
      { type: 'run_done', outcome: 'failed' },
    ])
  })
})

import { describe, expect, test } from 'vitest'
import type { EventOf, EventType } from '#protocol/events'
import { RETRIES_PER_RUN, STEPS_PER_RUN, TOOL_CALLS_PER_RUN } from '#protocol/limits'
import { ScriptedModel, type ModelCall } from '../../testing/node/scripted-model.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'
import { ModelError } from './model.ts'

const of = <T extends EventType>(harness: SessionHarness, type: T): EventOf<T>[] =>
  harness.events().filter((event) => event.type === type) as unknown as EventOf<T>[]

const isSummary = ({ request }: ModelCall): boolean =>
  request.system === 'You summarise conversations.'

/** Steps after which the object dies: as often as a run is taken up again by itself. */
const DEATHS = [30, 45]
const LONG_RESULT = 'word '.repeat(300)

/** A run that never ends by itself, in a small window, with deaths between its steps. */
async function goOnForEver(
  window: number,
  step: (call: ModelCall, at: number) => void,
): Promise<{ harness: SessionHarness; steps: number }> {
  const harness = await SessionHarness.create()
  harness.model = new ScriptedModel('scripted', { window })
  harness.command({ type: 'send', text: 'go on for long' })
  await harness.settle()
  let steps = 0
  while (harness.core.folded.run.status === 'running') {
    if (steps > 3 * STEPS_PER_RUN) throw new Error('it does not end')
    const { current } = harness.model
    if (isSummary(current)) current.text('what was said').finishWith(null)
    else step(current, ++steps)
    await harness.settle()
    for (const run of harness.tools.open) run.settle({ ok: true, result: LONG_RESULT })
    await harness.settle()
    if (!DEATHS.includes(steps)) continue
    if (of(harness, 'run_started').length > DEATHS.indexOf(steps) + 1) continue
    harness.crash()
    await harness.settle()
  }
  expect(of(harness, 'run_started')).toHaveLength(1 + DEATHS.length)
  return { harness, steps }
}

const callTools = (call: ModelCall, ids: readonly string[]): void => {
  for (const id of ids) call.emit({ type: 'tool_call', id, toolName: 'look', arguments: '{}' })
  call.finishWith(null, 'tool_calls')
}

const six = (at: number): string[] => Array.from({ length: 6 }, (_, i) => `t${at}-${i}`)

const think = (call: ModelCall, at: number): void => {
  const args = '{"thought":"Hm."}'
  call.emit({ type: 'tool_input', id: `t${at}`, toolName: 'think', text: args })
  call.emit({ type: 'tool_call', id: `t${at}`, toolName: 'think', arguments: args })
  call.finishWith(null, 'tool_calls')
}

describe('[RUN3] [RUN8] [RUN9] the limits of a run, whatever comes between its steps', () => {
  test('steps with summaries and crashes between them end at the limit', async () => {
    const { harness, steps } = await goOnForEver(3000, (call, at) => callTools(call, [`t${at}`]))
    expect(of(harness, 'compacted').length).toBeGreaterThan(5)
    expect(steps).toBe(STEPS_PER_RUN)
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'step_limit' }])
  })

  test('steps that only think are steps', async () => {
    const { harness, steps } = await goOnForEver(1_000_000, think)
    expect(steps).toBe(STEPS_PER_RUN)
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'step_limit' }])
  })

  test('[TOOL3] calls that a summary has swallowed have been made all the same', async () => {
    const { harness } = await goOnForEver(12_000, (call, at) => callTools(call, six(at)))
    expect(of(harness, 'compacted').length).toBeGreaterThan(5)
    expect(harness.tools.runs).toHaveLength(TOOL_CALLS_PER_RUN)
    expect(of(harness, 'tool_result').filter(({ ok }) => ok)).toHaveLength(TOOL_CALLS_PER_RUN)
  })

  test('[DEC4] a yes after a summary does not start the count again', async () => {
    const harness = await SessionHarness.create()
    harness.model = new ScriptedModel('scripted', { window: 3000 })
    harness.tools.questions.set('ask', [{ id: 'on', text: 'Go on?', free: true }])
    harness.command({ type: 'send', text: 'go on for long' })
    await harness.settle()
    let steps = 0
    while (harness.core.folded.run.status === 'running' && steps < 3 * STEPS_PER_RUN) {
      const { current } = harness.model
      if (isSummary(current)) current.text('what was said').finishWith(null)
      else {
        const toolName = ++steps % 10 === 0 ? 'ask' : 'look'
        current.emit({ type: 'tool_call', id: `t${steps}`, toolName, arguments: '{}' })
        current.finishWith(null, 'tool_calls')
      }
      await harness.settle()
      for (const run of harness.tools.open) run.settle({ ok: true, result: LONG_RESULT })
      await harness.settle()
      const asked = of(harness, 'ask_user').at(-1)
      if (harness.core.folded.run.status !== 'running' || harness.model.isCalled) continue
      harness.command({ type: 'answer', questionId: asked?.questionId, answers: { on: 'yes' } })
      await harness.settle()
    }
    expect(steps).toBe(STEPS_PER_RUN)
  })

  test('[RUN7] retries of the whole run are counted through its crashes', async () => {
    const harness = await SessionHarness.create()
    harness.command({ type: 'send', text: 'go on for long' })
    await harness.settle()
    for (let failures = 0; failures <= RETRIES_PER_RUN; failures++) {
      expect(harness.core.folded.run.status).toBe('running')
      // Each step fails once, and then goes through.
      harness.model.current.fail(new ModelError('model_unavailable', 'away'))
      await harness.settle()
      if (failures === RETRIES_PER_RUN) break
      harness.timers.advance(10_000)
      await harness.settle()
      callTools(harness.model.current, [`t${failures}`])
      await harness.settle()
      for (const run of harness.tools.open) run.settle({ ok: true, result: 'seen' })
      await harness.settle()
      if (failures === 4 || failures === 8) harness.crash()
      await harness.settle()
    }
    const retries = of(harness, 'warning').filter(({ code }) => code === 'model_retry')
    expect(retries).toHaveLength(RETRIES_PER_RUN)
    expect(of(harness, 'run_done')).toMatchObject([{ outcome: 'failed' }])
  })
})

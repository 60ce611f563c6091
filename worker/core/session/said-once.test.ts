import { expect, test } from 'vitest'
import { ScriptedModel } from '../../testing/node/scripted-model.ts'
import { SessionHarness } from '../../testing/node/session-harness.ts'

const TOOL = { name: 'tool', description: 'A tool.', inputSchema: { type: 'object' } }

async function ask(harness: SessionHarness, text: string): Promise<void> {
  harness.command({ type: 'send', text })
  await harness.settle()
  harness.model.current.text('An answer.').finish()
  await harness.settle()
}

const warnings = (harness: SessionHarness) =>
  harness.events().filter((event) => event.type === 'warning')

test('[RUN10] that a model cannot use tools is said once, not with every answer', async () => {
  const harness = await SessionHarness.create()
  harness.model = new ScriptedModel('scripted', { tools: false })
  harness.tools.offered = [TOOL]
  await ask(harness, 'one')
  await ask(harness, 'two')
  harness.die()
  harness.wake()
  await ask(harness, 'three')
  expect(warnings(harness)).toMatchObject([{ code: 'no_tool_support' }])
  expect(harness.model.calls.map(({ request }) => request.tools)).toEqual([[], [], []])
  // Who begins afresh has not read it.
  harness.command({ type: 'clear' })
  await ask(harness, 'four')
  expect(warnings(harness)).toHaveLength(2)
})

test('[RUN10] what a model’s server says of it is said once, as soon as it is known', async () => {
  const harness = await SessionHarness.create()
  await ask(harness, 'one')
  expect(warnings(harness)).toEqual([])
  harness.model.notice = { code: 'small_window', message: 'It reads little.' }
  await ask(harness, 'two')
  await ask(harness, 'three')
  expect(warnings(harness)).toMatchObject([{ code: 'small_window', message: 'It reads little.' }])
})

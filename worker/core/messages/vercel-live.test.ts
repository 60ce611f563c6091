import { expect, test } from 'vitest'
import { OWNER, SessionHarness } from '../../testing/node/session-harness.ts'
import type { VercelMessage } from './vercel.ts'

type Answer = Extract<VercelMessage, { role: 'assistant' }>

function answersOf({ core }: SessionHarness): Answer[] {
  const page = core.views.messages(OWNER, { format: 'vercel', limit: 10 })
  if (!page.ok) throw new Error(page.rejection.message)
  return (page.value.messages as VercelMessage[]).filter(
    ({ role }) => role === 'assistant',
  ) as Answer[]
}

/** A provider that says something, calls, and goes on talking in the same answer. */
async function talking(): Promise<SessionHarness> {
  const harness = await SessionHarness.create()
  harness.command({ type: 'send', text: 'What is the weather?' })
  await harness.settle()
  const { current } = harness.model
  current.text('Let me look it up for you.')
  current.emit({ type: 'tool_call', id: 'a', toolName: 'weather', arguments: '{}' })
  current.text('One moment, please.')
  current.finish('tool_calls')
  await harness.settle()
  return harness
}

const shown = (harness: SessionHarness) =>
  answersOf(harness).map(({ content, parts }) => [content, parts.length])

test('[API2] words after a call never come to be the answer: while it runs, when it is settled, at the end', async () => {
  const harness = await talking()
  expect(shown(harness)).toEqual([['', 3]])
  harness.tools.open[0]!.settle({ ok: true, result: 'rain' })
  await harness.settle()
  expect(shown(harness)).toEqual([['', 3]])
  harness.timers.advance(60_000)
  harness.model.current.text('It rains in Paris.').finish()
  await harness.settle()
  expect(shown(harness)).toEqual([['It rains in Paris.', 4]])
})

test('[API2] [CAN3] stopped after the result, all of it is a dummy with the id of the response', async () => {
  const harness = await talking()
  harness.tools.open[0]!.settle({ ok: true, result: 'rain' })
  await harness.settle()
  harness.command({ type: 'cancel' })
  await harness.settle()
  const [answer, ...others] = answersOf(harness)
  expect(others).toEqual([])
  expect(answer).toMatchObject({
    content: '',
    annotations: [{ toolCallId: 'a', isComplete: true }],
  })
  expect(
    harness.events().some((event) => 'responseId' in event && event.responseId === answer?.id),
  ).toBe(true)
})

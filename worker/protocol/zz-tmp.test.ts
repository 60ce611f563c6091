import { expect, test } from 'vitest'
import { SessionHarness } from '../testing/node/session-harness.ts'
import { fold } from './reduce.ts'
import { deltaPartOf, openPartIds } from './live.ts'
test('steer seq', async () => {
  const h = await SessionHarness.create()
  h.command({ type: 'send', text: 'a' })
  await h.settle()
  h.model.current.emit({ type: 'tool_call', id: 'x', toolName: 't', arguments: '{}' })
  h.model.current.finish('tool_calls')
  await h.settle()
  h.command({ type: 'send', text: 'steer', delivery: 'steer' })
  h.tools.open[0]!.settle({ ok: true, result: 'r' })
  await h.settle()
  h.model.current.text('Here comes text')
  h.timers.advance(500)
  h.model.current.text(' and more')
  h.model.current.finish()
  await h.settle()
  const events = h.events()
  console.log(events.map((e) => e.seq + ' ' + e.type).join('\n'))
  const open = new Set(openPartIds(fold(events).open))
  const kept = events.filter((e) => deltaPartOf(e) === null || open.has(deltaPartOf(e)!))
  expect(fold(kept)).toEqual(fold(events))
})

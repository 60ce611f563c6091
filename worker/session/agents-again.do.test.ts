// A session that comes back under its id, and requests that no sane program makes.

import { runDurableObjectAlarm, runInDurableObject, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { callAll, message, say } from '../testing/agent-script.ts'
import { api, LiveSession, model, postJson, script } from '../testing/live-session.ts'

test('[AGT2][SES2] an agent’s session that was deleted and erased is made again and answers', async () => {
  const ask = script(
    callAll(message('researcher', script(say('Answer.')), { timeoutSeconds: 5 })),
    say('Thanks.'),
  )
  const { session, socket } = await LiveSession.begin(ask)
  await socket.untilType('run_done')
  const { toSessionId } = (await session.eventsOf('exchange_started'))[0]!
  expect((await api(`/sessions/${toSessionId}`, { method: 'DELETE' })).status).toBe(200)
  const stub = env.SESSION.getByName(toSessionId)
  // The ten seconds are over.
  await runInDurableObject(stub, (object) => {
    const core = (object as unknown as { core: { loaded: { eraseAt: number | null } } }).core
    core.loaded.eraseAt = 1
  })
  await runDurableObjectAlarm(stub)
  expect((await api(`/sessions/${toSessionId}`)).status).toBe(404)
  await session.command({ type: 'send', text: ask })
  await socket.untilEvent(
    (event) =>
      event.type === 'run_done' &&
      socket.events.filter(({ type }) => type === 'run_done').length === 2,
  )
  expect(
    (await session.eventsOf('agent_callback_result')).map(({ ok, result }) => [ok, result]),
  ).toEqual([
    [true, 'Answer.'],
    [true, 'Answer.'],
  ])
})

const asks = (gate: string, to: string) =>
  script([{ gate }, ...callAll(message(to, script(say('Asked.'))))], say(`From ${gate}.`))

test('[AGT4] two objects whose agents would wait for each other: one of them is told, and all end', async () => {
  const gates = ['across-one', 'across-two'] as const
  const { session, socket } = await LiveSession.begin(
    script(
      callAll(
        message('researcher', asks(gates[0], 'coder')),
        message('coder', asks(gates[1], 'researcher')),
      ),
      say('Both.'),
    ),
  )
  await Promise.all(gates.map((gate) => model.reached(gate)))
  await Promise.all(gates.map((gate) => model.release(gate)))
  await socket.untilType('run_done')
  const results = (await session.eventsOf('tool_result')).map(({ ok, result }) => ok && result)
  expect(new Set(results)).toEqual(new Set(gates.map((gate) => `From ${gate}.`)))
  const asked = await session.eventsOf('exchange_started')
  const told = await Promise.all(
    asked.map(async ({ toSessionId }) => {
      const body = await (
        await api(`/sessions/${toSessionId}/events`)
      ).json<{
        events: SessionEvent[]
      }>()
      return body.events.flatMap((event) => (event.type === 'tool_result' ? [event] : []))
    }),
  )
  const [refused, answered] = told.flat().toSorted((a, b) => Number(a.ok) - Number(b.ok))
  expect(told.map(({ length }) => length)).toEqual([1, 1])
  expect(refused!.error!.message).toContain('waits for you')
  expect(answered).toMatchObject({ ok: true, result: 'Asked.' })
})

test('[SAF2] odd input about runs, missions and overrides is refused, and never fails', async () => {
  const session = await LiveSession.create()
  const odd = ['%00', '%F0%9F%98%80', 'a'.repeat(5000), '%ED%A0%80', '..', '']
  const statuses: string[] = []
  for (const text of odd) {
    for (const path of [
      `/agent-children?run_id=${text}`,
      `/agent-children?run_id=${session.id}.${text}`,
      `/agent-children?run_id=${session.id}.999999999999999`,
      `/agent-context?run_id=${text}`,
      `/agent-runs?session_id=${text}`,
      `/mission?session_id=${text}`,
      `/mission?agent_id=${text}`,
      `/missions?agent_id=${text}`,
      `/missions?session_id=${text}`,
      `/agent-override?session_id=${session.id}&agent_id=${text}`,
      `/events?session_id=${text}`,
      `/events?session_id=${session.id}&after=${text === '' ? 'x' : text}`,
    ]) {
      const response = await api(path)
      if (response.status >= 500) statuses.push(`${path.slice(0, 80)} ${response.status}`)
      await response.body?.cancel()
    }
  }
  const bodies: unknown[] = [
    null,
    1,
    [],
    'x',
    {},
    { session_id: session.id, text: 1 },
    { session_id: session.id, text: '\ud800' },
    { session_id: session.id, text: '   ' },
    { session_id: session.id, text: 'x', every_minutes: 1e308 },
    { session_id: session.id, text: 'x', every_minutes: 0.5 },
    { session_id: session.id, text: 'x'.repeat(9000) },
    { session_id: 5, text: 'x' },
    { agent_id: '__proto__', text: 'x' },
    { session_id: session.id, agent_id: 'constructor', override: { tools: ['__proto__'] } },
    { session_id: session.id, agent_id: 'assistant', override: { tools: 'x' } },
    { session_id: session.id, agent_id: 'assistant', override: { models: ['nobody'] } },
    { session_id: session.id, agent_id: ['assistant'], override: null },
  ]
  for (const body of bodies) {
    for (const path of ['/mission', '/agent-override', '/agent-cancel']) {
      const response = await postJson(path, body)
      if (response.status >= 500)
        statuses.push(`${path} ${JSON.stringify(body).slice(0, 80)} ${response.status}`)
      await response.body?.cancel()
    }
  }
  expect(statuses).toEqual([])
})

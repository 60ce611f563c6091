// A session that comes back under its id, and requests that no sane program makes.

import { runDurableObjectAlarm, runInDurableObject, env } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { callAll, message, say } from '../testing/agent-script.ts'
import { api, LiveSession, postJson, script } from '../testing/live-session.ts'

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

import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { api, LiveSession, postJson } from '../testing/live-session.ts'

// A mission's schedule in the real object: the one alarm, over its sleep.

const alarmOf = (session: LiveSession): Promise<number | null> =>
  runInDurableObject(session.stub, (_, state) => state.storage.getAlarm())

/** As if an hour had passed: alarms have no clock that a test could move. */
async function passTime(session: LiveSession): Promise<void> {
  await runInDurableObject(session.stub, (_, state) => {
    state.storage.sql.exec(
      `UPDATE session SET hot = json_set(hot, '$.mission.since', 1, '$.session.updatedAt', 1)`,
    )
  })
  await evictDurableObject(session.stub)
}

test('[AGT7] an object that sleeps is woken by its alarm and prompted once', async () => {
  const session = await LiveSession.create()
  const body = { session_id: session.id, text: 'Keep the list short', every_minutes: 5 }
  expect((await postJson('/mission', body)).status).toBe(201)
  const due = (await alarmOf(session)) ?? 0
  expect(due).toBeGreaterThan(Date.now() + 4 * 60_000)
  await evictDurableObject(session.stub)
  // It rang early: nothing is due, and the alarm is set again.
  expect(await runDurableObjectAlarm(session.stub)).toBe(true)
  expect((await session.events()).map(({ type }) => type)).not.toContain('idle_prompt')
  expect(await alarmOf(session)).toBe(due)
  await passTime(session)
  // What is due rings as soon as anything wakes the object: by itself, or by this.
  await runDurableObjectAlarm(session.stub)
  await session.untilDone()
  const events = await session.events()
  const prompt = events.find(({ type }) => type === 'idle_prompt')
  expect(prompt).toMatchObject({ n: 1, of: 10, text: 'Keep the list short' })
  expect(events.filter(({ type }) => type === 'idle_prompt')).toHaveLength(1)
  expect(events[prompt!.seq]).toMatchObject({ type: 'run_started' })
  const stored = await (await api(`/mission?session_id=${session.id}`)).json()
  expect(stored).toMatchObject({ mission: { prompts: 1 } })
})

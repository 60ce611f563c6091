// Agents that talk to each other with no key at all: the demo model plays every one of them.

import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import type { EventOf, EventType, SessionEvent } from '#protocol/events'
import {
  answer,
  eventually,
  expectSameAfterReload,
  sessionIdOf,
  startChat,
  untilEnded,
  untilText,
} from './browser.ts'
import { setStage } from './stage.ts'

const stage = setStage({ model: 'demo' })
let page: Page

beforeEach(async () => {
  page = await stage.open()
})

async function eventsOf<T extends EventType>(sessionId: string, type: T) {
  const { events } = await stage.api.events(sessionId, { limit: 1000 })
  return events.filter((event): event is Extract<SessionEvent, EventOf<T>> => event.type === type)
}

const outcomesOf = async (sessionId: string): Promise<string[]> =>
  (await eventsOf(sessionId, 'run_done')).map(({ outcome }) => outcome)

test('[SES4][AGT2] “Talk to another agent”: an exchange, answered with tools, seen from both sides', async () => {
  await page.getByTestId('more-scenes').click()
  await page.getByRole('button', { name: 'Talk to another agent', exact: true }).click()
  await page.waitForURL(/\/s\/./)
  await untilEnded(page, 0)
  await untilText(answer(page, 0), 'The agent researcher has answered')
  const sessionId = sessionIdOf(page)
  const [exchange] = await eventsOf(sessionId, 'exchange_started')
  expect(await eventsOf(sessionId, 'agent_callback_result')).toMatchObject([
    { from: 'researcher', ok: true, toolCalls: [{ ok: true }, { ok: true }] },
  ])
  await expectSameAfterReload(page)
  const other = await stage.openSession(exchange!.toSessionId)
  await untilEnded(other, 0)
  await untilText(answer(other, 0), 'This is asked by the agent assistant')
  expect(await answer(other, 0).innerText()).not.toContain('built-in demo model')
  expect(await answer(other, 0).locator('.tool-block.success').count()).toBe(2)
  await expectSameAfterReload(other)
})

test('[SES4][AGT2] “Ask an agent and be called back”: a second answer begins by itself', async () => {
  const sessionId = await startChat(page, 'Ask an agent and be called back')
  await untilEnded(page, 0)
  await untilEnded(page, 1)
  await untilText(answer(page, 1), 'The ferry goes at seven')
  expect(await outcomesOf(sessionId)).toEqual(['done', 'done'])
  await expectSameAfterReload(page)
})

test('[SES4][AGT5] “Start three children”: two end by themselves, one after a yes in its own chat', async () => {
  const sessionId = await startChat(page, 'Start three children')
  await eventually(async () => (await eventsOf(sessionId, 'subagent_spawned')).length).toBe(3)
  const spawned = await eventsOf(sessionId, 'subagent_spawned')
  const asking = spawned.find(({ task }) => task.includes('sensitive'))!
  const child = await stage.openSession(asking.childSessionId)
  await child.locator('[data-act=accept]').first().click()
  await untilEnded(child, 0)
  await untilEnded(page, 0)
  await untilText(answer(page, 0), 'All 3 have reported')
  expect(await outcomesOf(sessionId)).toEqual(['done'])
  for (const { childSessionId } of spawned)
    expect(await outcomesOf(childSessionId)).toEqual(['done'])
  const written = new Map(
    (await eventsOf(sessionId, 'files_changed')).flatMap(({ childRunId, files }) =>
      files.map(({ path }) => [path, childRunId] as const),
    ),
  )
  const writer = spawned.find(({ task }) => task.includes('night'))!
  expect(Object.fromEntries(written)).toEqual({
    'notes/night.md': writer.childRunId,
    '.env': asking.childRunId,
  })
  await expectSameAfterReload(page)
})

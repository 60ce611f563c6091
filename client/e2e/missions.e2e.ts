// A mission: set, prompted, paused, resumed, ended and cleared; and an agent changed for one chat.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { MissionsApi } from '../sdk/missions-api.ts'
import {
  answer,
  eventually,
  expectSameAfterReload,
  openTab,
  untilCount,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { setStage } from './stage.ts'

const stage = setStage({ model: 'demo' })
const missions = (): MissionsApi => new MissionsApi({ origin: stage.server.origin })

const bar = (page: Page) => page.getByTestId('mission')
const standing = (page: Page) => bar(page).locator('.mission-state')
const dialog = (page: Page) => page.getByTestId('mission-dialog')
const prompts = (page: Page) => page.locator('[data-part=idle-prompt]')
const action = (page: Page, name: string) => bar(page).getByRole('button', { name })

const eventsOf = async <T extends SessionEvent['type']>(sessionId: string, type: T) => {
  const { events } = await stage.api.events(sessionId, { after: 0 })
  return events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type)
}

/** A chat in which nothing was said yet. */
async function openChat(): Promise<{ page: Page; sessionId: string }> {
  const { id: sessionId } = await stage.api.createSession({ title: 'A chat' })
  const page = await stage.openSession(sessionId)
  await untilLive(page)
  return { page, sessionId }
}

async function setMission(page: Page, text: string, numbers: { prompts?: string } = {}) {
  await page.getByRole('button', { name: 'Mission', exact: true }).click()
  await dialog(page).waitFor()
  await dialog(page).getByLabel('Goal').fill(text)
  const { prompts: most } = numbers
  if (most !== undefined) await dialog(page).getByLabel('Prompts at most').fill(most)
  await dialog(page).getByRole('button', { name: /^Set/ }).click()
  await dialog(page).waitFor({ state: 'detached' })
  await bar(page).waitFor()
}

describe('a mission', () => {
  test('[AGT7][UI3] is set by keyboard alone, prompted now, and ended by the agent; the same after a reload', async () => {
    const { page, sessionId } = await openChat()
    await page.getByRole('button', { name: 'Mission', exact: true }).press('Enter')
    await dialog(page).waitFor()
    // The keyboard is in the goal already.
    await page.keyboard.type('Look after the garden')
    await page.keyboard.press('Tab')
    await page.keyboard.type('5')
    await page.keyboard.press('Enter')
    await dialog(page).waitFor({ state: 'detached' })
    await untilText(bar(page), 'Look after the garden')
    await untilText(standing(page), 'Next prompt in')
    await untilText(standing(page), '0 of 10')
    await action(page, 'Prompt now').press('Enter')
    await untilText(prompts(page), 'Mission prompt 1 of 10')
    await untilEnded(page, 0)
    await untilText(answer(page, 0), '“Look after the garden”')
    await untilText(standing(page), '1 of 10')
    await expectSameAfterReload(page)
    await untilText(bar(page), 'Look after the garden')
    await action(page, 'Prompt now').click()
    await untilEnded(page, 1)
    await untilText(standing(page), 'Done: “Look after the garden” took 2 prompts')
    await untilCount(action(page, 'Pause the mission'), 0)
    await expectSameAfterReload(page)
    await untilText(standing(page), 'Done:')
    expect((await eventsOf(sessionId, 'idle_prompt')).map(({ n }) => n)).toEqual([1, 2])
    await action(page, 'Clear the mission').click()
    await untilCount(bar(page), 0)
    await page.reload()
    await untilLive(page)
    await untilCount(prompts(page), 2)
    expect(await bar(page).count()).toBe(0)
  })

  test('[AGT7] is paused by Stop, says so in every tab, and is resumed by a button', async () => {
    const { page, sessionId } = await openChat()
    await setMission(page, 'Look after the garden')
    const { page: other } = await openTab(page.context(), page.url())
    await untilText(standing(other), 'Next prompt in')
    await action(page, 'Prompt now').click()
    await page.getByTestId('stop').click()
    await untilText(standing(page), 'Paused: its run was stopped')
    await untilText(standing(other), 'Paused: its run was stopped')
    expect(await bar(page).getAttribute('data-status')).toBe('paused')
    await page.reload()
    await untilText(standing(page), 'Paused: its run was stopped')
    await action(other, 'Resume').click()
    await untilText(standing(page), 'Next prompt in')
    await action(page, 'Pause the mission').click()
    await untilText(standing(other), 'Paused · 1 of 10')
    // The button is gone, the keyboard is not.
    await eventually(() => bar(page).locator(':focus').count()).toBe(1)
    const reasons = (await eventsOf(sessionId, 'mission_updated')).map(({ reason }) => reason)
    expect(reasons).toEqual(['set', 'stopped', 'resumed', 'paused'])
  })

  test('[AGT7] says when its prompts are used up, and what there was before', async () => {
    const { page } = await openChat()
    await setMission(page, 'Once and no more', { prompts: '1' })
    await action(page, 'Prompt now').click()
    await untilText(standing(page), 'Its prompt is used')
    await setMission(page, 'Another goal')
    await untilText(standing(page), '0 of 1')
    await bar(page).getByRole('button', { name: 'Another goal' }).click()
    const history = dialog(page).locator('.mission-history')
    await history.locator('summary').click()
    await untilText(history, 'Once and no more')
    await untilText(history, 'Prompts used up · 1 prompt')
    await dialog(page).getByLabel('Goal').fill(' ')
    await dialog(page).getByRole('button', { name: 'Set anew' }).click()
    await untilText(dialog(page).getByRole('alert'), 'Say what the mission is.')
    await dialog(page).getByRole('button', { name: 'Clear mission' }).click()
    await untilCount(bar(page), 0)
  })

  test('[AGT7] of an agent is told in every chat, and kept when the dialog is opened again', async () => {
    const { page } = await openChat()
    await page.getByRole('button', { name: 'Mission', exact: true }).click()
    await dialog(page).getByLabel('assistant, in every chat').check()
    await dialog(page).getByRole('button', { name: 'Set mission' }).waitFor()
    await dialog(page).getByLabel('Goal').fill('Mind the gap')
    await dialog(page).getByRole('button', { name: 'Set mission' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(await missions().standing({ agent_id: 'assistant' })).toMatchObject({
      text: 'Mind the gap',
      every_minutes: null,
    })
    await page.getByRole('button', { name: 'Mission', exact: true }).click()
    await dialog(page).getByLabel('assistant, in every chat').check()
    await dialog(page).getByRole('button', { name: 'Clear mission' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    expect(await missions().standing({ agent_id: 'assistant' })).toBe(null)
  })

  test('[AGT7][UI3] fits a phone, in dark too, and is set from its menu', async () => {
    const { id } = await stage.api.createSession({ title: 'On a phone' })
    const page = await stage.openSession(id, {
      viewport: { width: 360, height: 700 },
      colorScheme: 'dark',
      hasTouch: true,
    })
    await untilLive(page)
    await page.getByTestId('model').tap()
    await page.getByTestId('set-mission').tap()
    await dialog(page).getByLabel('Goal').fill('A long goal, '.repeat(20))
    await dialog(page).getByRole('button', { name: 'Set mission' }).tap()
    await bar(page).waitFor()
    const isWithin = () =>
      page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)
    expect(await isWithin()).toBe(true)
    expect(await action(page, 'Prompt now').isVisible()).toBe(true)
    expect(await action(page, 'Clear the mission').isVisible()).toBe(true)
    await bar(page).locator('.mission-text').tap()
    await dialog(page).waitFor()
    expect(await isWithin()).toBe(true)
    await page.keyboard.press('Escape')
    await dialog(page).waitFor({ state: 'detached' })
  })
})

const form = (page: Page) => page.getByTestId('override-dialog')
const openForm = async (page: Page): Promise<void> => {
  await page.getByTestId('agent').click()
  await page.getByTestId('override').click()
  await form(page).getByLabel('Instructions').waitFor()
}
const overrides = async (sessionId: string) =>
  (await eventsOf(sessionId, 'override_updated')).map(({ agentId, override }) => ({
    agentId,
    override,
  }))

describe('an agent, changed for one chat', () => {
  test('[AGT7] only what was changed is said, it is there after a reload, and is taken back', async () => {
    const { page, sessionId } = await openChat()
    await openForm(page)
    await form(page).getByLabel('Instructions').fill('Be brief.')
    await form(page).getByRole('radio', { name: 'Ask' }).check({ force: true })
    await form(page).getByRole('button', { name: 'Save' }).click()
    await form(page).waitFor({ state: 'detached' })
    const override = { instructions: 'Be brief.', mode: 'ask' }
    expect(await overrides(sessionId)).toEqual([{ agentId: 'assistant', override }])
    await untilText(page.getByTestId('mode'), 'Ask')
    await page.reload()
    await untilLive(page)
    await openForm(page)
    expect(await form(page).getByLabel('Instructions').inputValue()).toBe('Be brief.')
    await form(page).getByRole('button', { name: 'As everywhere' }).click()
    await form(page).waitFor({ state: 'detached' })
    await eventually(() => overrides(sessionId)).toHaveLength(2)
    expect((await overrides(sessionId)).at(-1)?.override).toBe(null)
  })
})

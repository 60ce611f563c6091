// The list of chats, and what goes on in a chat that nobody looks at.

import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import {
  answer,
  composer,
  eventually,
  readTranscript,
  send,
  sessionIdOf,
  startChat,
  type,
  untilCount,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { gate, newGate, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let page: Page

beforeEach(async () => {
  page = await stage.open()
})

const row = (sessionId: string) => page.locator(`.session-row[data-session="${sessionId}"]`)
const titleIn = (sessionId: string) => row(sessionId).locator('.session-title').textContent()
const newChat = () => page.getByTestId('new-chat').click()
const open = async (sessionId: string): Promise<void> => {
  await row(sessionId).locator('a').click()
  await untilLive(page)
}

test('[SES1] a chat is listed under its first message, and looking around makes no chats', async () => {
  const sessionId = await startChat(page, 'Plan a picnic by the lake')
  await untilEnded(page, 0)
  await eventually(() => titleIn(sessionId)).toBe('Plan a picnic by the lake')
  expect(await page.title()).toBe('Plan a picnic by the lake – Parley')
  const before = (await stage.api.listSessions()).sessions.length
  for (let i = 0; i < 3; i++) {
    await newChat()
    await page.getByTestId('empty-hint').waitFor()
    await open(sessionId)
    await untilEnded(page, 0)
  }
  expect((await stage.api.listSessions()).sessions).toHaveLength(before)
})

test('[SES2] a new chat uses an empty session that is there already', async () => {
  const { id } = await stage.api.createSession()
  expect((await stage.api.createSession()).id).toBe(id)
  await newChat()
  expect(await startChat(page, 'The first words in it')).toBe(id)
  await untilEnded(page, 0)
  await newChat()
  expect(await startChat(page, 'These need another one')).not.toBe(id)
  await untilEnded(page, 0)
})

test('[SES1] a chat can be renamed from the list and from its heading, for every device', async () => {
  const sessionId = await startChat(page, 'A title that will not stay')
  await untilEnded(page, 0)
  await page.locator('.header-title button').click()
  await page.getByRole('textbox', { name: 'Title' }).fill('Named in the heading')
  await page.keyboard.press('Enter')
  await eventually(() => titleIn(sessionId)).toBe('Named in the heading')
  const other = await stage.openSession(sessionId)
  await untilText(other.locator('.header-title'), 'Named in the heading')
  await row(sessionId).locator('a').press('F2')
  await page.getByRole('textbox', { name: 'Title' }).fill('Named in the list')
  await page.keyboard.press('Enter')
  await untilText(other.locator('.header-title'), 'Named in the list')
  // Escape drops what was typed.
  await row(sessionId).locator('a').press('F2')
  await page.getByRole('textbox', { name: 'Title' }).fill('Never saved')
  await page.keyboard.press('Escape')
  await page.reload()
  await eventually(() => titleIn(sessionId)).toBe('Named in the list')
})

test('[SES2] a deleted chat is gone at once, and Undo brings it back with all that was in it', async () => {
  const sessionId = await startChat(page, 'Delete me, but not for good')
  await untilEnded(page, 0)
  await row(sessionId).waitFor()
  const before = await readTranscript(page)
  await row(sessionId).hover()
  await row(sessionId)
    .getByRole('button', { name: /^Delete/ })
    .click()
  await untilCount(row(sessionId), 0)
  expect(sessionIdOf(page)).not.toBe(sessionId)
  await eventually(async () => {
    const { sessions } = await stage.api.listSessions()
    return sessions.some(({ id }) => id === sessionId)
  }).toBe(false)
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  await row(sessionId).waitFor()
  // The list may know of it, from the hub, before the answer that leads back to it.
  await eventually(() => sessionIdOf(page)).toBe(sessionId)
  await eventually(() => readTranscript(page)).toBe(before)
  await page.reload()
  await eventually(() => readTranscript(page)).toBe(before)
  await send(page, 'Still alive?')
  await untilEnded(page, 1)
})

test('[SES2] a rename that is answered after the deletion does not bring the chat back', async () => {
  const sessionId = await startChat(page, 'Renamed, then deleted')
  await untilEnded(page, 0)
  const removed = Promise.withResolvers<void>()
  page.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => {
      if (String(payload).includes('session_removed')) removed.resolve()
    }),
  )
  await page.reload()
  await row(sessionId).waitFor()
  await page.route(`**/api/sessions/${sessionId}`, async (route) => {
    if (route.request().method() !== 'PATCH') return route.continue()
    const response = await route.fetch()
    await removed.promise
    await route.fulfill({ response })
  })
  const renamed = page.waitForResponse((response) => response.request().method() === 'PATCH')
  await row(sessionId).locator('a').press('F2')
  await page.getByRole('textbox', { name: 'Title' }).fill('Too late')
  await page.keyboard.press('Enter')
  await row(sessionId).locator('a').press('Delete')
  await (await renamed).finished()
  // The toast is drawn after the answer was read, in the same turn as the row would be.
  await page.locator('.toast').waitFor()
  await untilCount(row(sessionId), 0)
  await newChat()
  expect(await row(sessionId).count()).toBe(0)
})

test('[SES2] an Undo that is quicker than its deletion still wins', async () => {
  const sessionId = await startChat(page, 'Deleted in haste')
  await untilEnded(page, 0)
  await row(sessionId).waitFor()
  const held = Promise.withResolvers<void>()
  await page.route(`**/api/sessions/${sessionId}`, async (route) => {
    await held.promise
    await route.continue()
  })
  const deleted = page.waitForResponse((response) => response.request().method() === 'DELETE')
  const restored = page.waitForResponse((response) => response.url().endsWith('/restore'))
  await row(sessionId).locator('a').press('Delete')
  await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
  held.resolve()
  expect((await deleted).status()).toBe(200)
  expect((await restored).status()).toBe(200)
  await row(sessionId).waitFor()
  expect((await stage.api.getSession(sessionId)).id).toBe(sessionId)
  await untilLive(page)
  expect(await answer(page, 0).locator('.text-part').innerText()).toContain('Deleted in haste')
})

test('[SES2] a device that has a chat open is told when it is deleted elsewhere', async () => {
  const sessionId = await startChat(page, 'Open on two devices')
  await untilEnded(page, 0)
  const other = await stage.openSession(sessionId)
  await untilLive(other)
  await row(sessionId).hover()
  await row(sessionId)
    .getByRole('button', { name: /^Delete/ })
    .click()
  await other.locator('[data-testid=connection][data-status=gone]').waitFor()
  expect(await other.getByTestId('connection').innerText()).toContain('does not exist any more')
})

test('[CAN5][SES1] a chat in the background goes on, is marked as running, then as unread, and has everything', async () => {
  const held = newGate()
  const background = await startChat(
    page,
    script([text('Begun while you were looking'), gate(held), text(', ended when not.'), stop]),
  )
  await untilText(answer(page, 0), 'Begun while you were looking')
  await newChat()
  const foreground = await startChat(page, 'Meanwhile, in another chat.')
  await untilEnded(page, 0)
  expect(await row(background).getAttribute('data-status')).toBe('running')
  expect(await row(foreground).getAttribute('data-status')).toBe('idle')
  stage.model.gate(held).release()
  await eventually(() => row(background).getAttribute('data-status')).toBe('idle')
  expect(await row(background).getAttribute('data-unread')).toBe('true')
  expect(await page.locator('.interrupted-mark').count()).toBe(0)
  await open(background)
  await untilEnded(page, 0)
  expect(await answer(page, 0).locator('.text-part').innerText()).toBe(
    'Begun while you were looking, ended when not.',
  )
  expect(await row(background).getAttribute('data-unread')).toBe('false')
})

test('[CAN5] closing the page stops nothing', async () => {
  const held = newGate()
  const sessionId = await startChat(
    page,
    script([text('Nobody is '), gate(held), text('here.'), stop]),
  )
  await stage.model.gate(held).reached
  await page.close()
  stage.model.gate(held).release()
  await eventually(async () => (await stage.api.getSession(sessionId)).status).toBe('idle')
  const later = await stage.openSession(sessionId)
  await untilEnded(later, 0)
  expect(await answer(later, 0).locator('.text-part').innerText()).toBe('Nobody is here.')
  expect(await later.locator('.interrupted-mark').count()).toBe(0)
})

test('[UI3] what was typed and not sent is there after a look at another chat, and after a reload', async () => {
  const first = await startChat(page, 'The first of two chats')
  await untilEnded(page, 0)
  await newChat()
  const second = await startChat(page, 'The second of two chats')
  await untilEnded(page, 0)
  await type(page, 'half a thought')
  await open(first)
  expect(await composer(page).inputValue()).toBe('')
  await open(second)
  expect(await composer(page).inputValue()).toBe('half a thought')
  await page.reload()
  await eventually(() => composer(page).inputValue()).toBe('half a thought')
})

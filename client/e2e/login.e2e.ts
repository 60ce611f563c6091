// A server with a token lets in who knows it, and nobody else.

import { expect, test } from 'vitest'
import { answer, startChat, untilEnded } from './browser.ts'
import { setStage } from './stage.ts'

const TOKEN = 'a-token-that-nobody-guesses'

const stage = setStage({ env: { PARLEY_TOKEN: TOKEN } })

test('[SAF1] a wrong token is refused in words, the right one opens the page, and its cookie is out of reach of scripts', async () => {
  const page = await stage.open()
  const token = page.getByLabel('Token')
  await token.waitFor()
  expect(await page.getByTestId('composer').count()).toBe(0)
  await token.fill('not the token')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('alert').filter({ hasText: 'that token is not valid' }).waitFor()
  expect(await page.context().cookies()).toEqual([])

  await token.fill(TOKEN)
  await page.keyboard.press('Enter')
  await startChat(page, 'Let me in, please.')
  await untilEnded(page, 0)
  expect(await answer(page, 0).locator('.text-part').innerText()).toContain('Let me in, please.')
  const cookies = await page.context().cookies()
  expect(cookies).toHaveLength(1)
  expect(cookies[0]).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/' })
  expect(cookies[0]!.value).not.toContain(TOKEN)
  expect(await page.evaluate(() => document.cookie)).toBe('')
  const stored = await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))
  expect(stored).not.toContain(TOKEN)
  await page.reload()
  await untilEnded(page, 0)
})

test('[SAF1] without the cookie neither the address of a chat nor the API says anything', async () => {
  const owner = await stage.open()
  await owner.getByLabel('Token').fill(TOKEN)
  await owner.keyboard.press('Enter')
  const sessionId = await startChat(owner, 'A private matter.')
  await untilEnded(owner, 0)
  const stranger = await stage.openSession(sessionId)
  await stranger.getByLabel('Token').waitFor()
  expect(await stranger.locator('body').innerText()).not.toContain('A private matter.')
  for (const path of ['', '/events', '/messages', '/stream']) {
    const response = await stranger.request.get(
      `${stage.server.origin}/api/sessions/${sessionId}${path}`,
    )
    expect(response.status()).toBe(401)
    expect(await response.text()).not.toContain('private')
  }
})

test('[SAF1] a cookie that is no longer good leads to the login page, and back to the same chat', async () => {
  const page = await stage.open()
  await page.getByLabel('Token').fill(TOKEN)
  await page.keyboard.press('Enter')
  const sessionId = await startChat(page, 'Remember where I was.')
  await untilEnded(page, 0)
  await page.context().clearCookies()
  await page.reload()
  await page.getByLabel('Token').fill(TOKEN)
  await page.keyboard.press('Enter')
  await untilEnded(page, 0)
  expect(new URL(page.url()).pathname).toBe(`/s/${sessionId}`)
})

test('[SAF1] signing out takes the cookie away and leaves nothing on the screen', async () => {
  const page = await stage.open()
  await page.getByLabel('Token').fill(TOKEN)
  await page.keyboard.press('Enter')
  await startChat(page, 'For my eyes only.')
  await untilEnded(page, 0)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Token').waitFor()
  expect(await page.locator('body').innerText()).not.toContain('For my eyes only.')
  expect(await page.context().cookies()).toEqual([])
  await page.reload()
  await page.getByLabel('Token').waitFor()
})

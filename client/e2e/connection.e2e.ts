// A network that goes away and comes back: nothing is lost, nothing is doubled, nobody has to reload.

import type { Page } from 'playwright-core'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  answer,
  answers,
  composer,
  eventually,
  expectSameAfterReload,
  messages,
  readTranscript,
  send,
  sessionIdOf,
  startChat,
  tool,
  untilCount,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { call, callTools, gate, newGate, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'
import { Wire } from './wire.ts'

/** After a wake-up a person should not notice that the connection had to be made again. */
const RECONNECT_MS = 1000

const stage = setStage()
let wire: Wire
let page: Page

beforeEach(async () => {
  wire = await Wire.to(stage.server.port)
  page = await stage.open('/', { origin: wire.origin })
})
afterEach(() => wire.close())

const banner = () => page.getByTestId('connection')
const textOf = (index: number) => answer(page, index).locator('.text-part').allInnerTexts()

async function goOffline(): Promise<void> {
  await page.context().setOffline(true)
  wire.cut()
  await page.locator('[data-testid=connection][data-status=offline]').waitFor()
}

/** The time from `event`, which wakes the page up, until it is live; in the page's own clock. */
async function startClock(
  event: 'online' | 'visibilitychange' | 'click',
): Promise<() => Promise<number>> {
  const clock = await page.evaluateHandle((event) => {
    const times = { wokenAt: Number.NaN, liveAt: Number.NaN }
    const target = event === 'online' ? window : document
    target.addEventListener(event, () => (times.wokenAt = performance.now()), {
      once: true,
      capture: true,
    })
    const observer = new MutationObserver(() => {
      const status = document.querySelector('[data-testid=connection]')?.getAttribute('data-status')
      if (status !== 'live' || !(times.wokenAt > 0)) return
      times.liveAt = performance.now()
      observer.disconnect()
    })
    observer.observe(document.body, { subtree: true, childList: true, attributes: true })
    return times
  }, event)
  return async () => {
    await untilLive(page)
    const { wokenAt, liveAt } = await clock.jsonValue()
    return liveAt - wokenAt
  }
}

describe('sending', () => {
  test('[UI3][LOG5] a message typed while offline says that it waits, and is sent once when the network is back', async () => {
    await startChat(page, 'Hello there, server.')
    await untilEnded(page, 0)
    await goOffline()
    expect(await banner().innerText()).toContain('You are offline.')
    await send(page, 'Written in a tunnel.')
    const waiting = page.locator('.pending-send')
    await untilText(waiting, 'Written in a tunnel.')
    expect(await waiting.locator('.delivery-badge').innerText()).toBe('Waits for the connection')
    expect(await composer(page).inputValue()).toBe('')

    wire.restore()
    await page.context().setOffline(false)
    await untilEnded(page, 1)
    expect(await waiting.count()).toBe(0)
    expect(await messages(page).locator('.bubble').allInnerTexts()).toEqual([
      'Hello there, server.',
      'Written in a tunnel.',
    ])
    expect(await banner().isVisible()).toBe(false)
    await expectSameAfterReload(page)
  })

  test('[LOG5] a message whose answer got lost on the way is sent again and has no second effect', async () => {
    await startChat(page, 'Hello there, server.')
    await untilEnded(page, 0)
    const sessionId = sessionIdOf(page)
    wire.swallowAnswers()
    await send(page, 'Did this arrive?')
    await eventually(async () => {
      const { events } = await stage.api.events(sessionId)
      return events.filter((event) => event.type === 'user_message').length
    }).toBe(2)
    expect(await messages(page).count()).toBe(1)
    wire.cut()
    wire.restore()
    await untilEnded(page, 1)
    await untilCount(page.locator('[data-pending]'), 0)
    const { events } = await stage.api.events(sessionId)
    expect(events.filter((event) => event.type === 'user_message')).toHaveLength(2)
    expect(await messages(page).count()).toBe(2)
    await expectSameAfterReload(page)
  })
})

describe('reading', () => {
  test('[LOG3] cut in the middle of a word, the page has every word once when it is back', async () => {
    const gates = Array.from({ length: 3 }, newGate)
    await startChat(
      page,
      script([
        text('Before the cut there is a half-fin'),
        gate(gates[0]!),
        text('ished word. Behind it something that nobody was there to see. '),
        gate(gates[1]!),
        text('And then the rest'),
        gate(gates[2]!),
        text(' of it.'),
        stop,
      ]),
    )
    await untilText(answer(page, 0), 'a half-fin')
    wire.cut()
    await untilText(banner(), 'Connection lost. Reconnecting…')
    stage.model.gate(gates[0]!).release()
    await stage.model.gate(gates[1]!).reached
    expect(await textOf(0)).toEqual(['Before the cut there is a half-fin'])
    wire.restore()
    await untilText(answer(page, 0), 'that nobody was there to see.')
    await banner().waitFor({ state: 'hidden' })
    stage.model.gate(gates[1]!).release()
    await untilText(answer(page, 0), 'And then the rest')
    wire.cut()
    wire.restore()
    stage.model.gate(gates[2]!).release()
    await untilEnded(page, 0)
    expect(await textOf(0)).toEqual([
      'Before the cut there is a half-finished word. Behind it something that nobody was there to ' +
        'see. And then the rest of it.',
    ])
    await expectSameAfterReload(page)
  })

  test('[LOG3][CAN5] whole turns, tools and a stop that happened meanwhile arrive, in order', async () => {
    const held = newGate()
    const sessionId = await startChat(page, script([text('The run goes on'), gate(held), stop]))
    await untilText(answer(page, 0), 'The run goes on')
    wire.cut()
    const other = await stage.openSession(sessionId)
    stage.model.gate(held).release()
    await untilEnded(other, 0)
    await send(
      other,
      script([text('Counting meanwhile.'), call('count', 'countdown', { from: 60 }), callTools]),
    )
    await other.locator('.tool-block.pending .tool-live').waitFor()
    await other.keyboard.press('Escape')
    await untilEnded(other, 1)
    await send(other, 'One more, then.')
    await untilEnded(other, 2)
    expect(await answers(page).count()).toBe(1)
    wire.restore()
    await untilEnded(page, 2)
    expect(await tool(page, 'count').getAttribute('class')).toBe('tool-block interrupted')
    expect(await readTranscript(page)).toBe(await readTranscript(other))
    await expectSameAfterReload(page)
  })

  test('[LOG3] a connection that died without a word is noticed when the page is looked at again', async () => {
    const held = newGate()
    await startChat(
      page,
      script([text('Said before the silence.'), gate(held), text(' After.'), stop]),
    )
    await untilText(answer(page, 0), 'Said before the silence.')
    wire.swallow()
    stage.model.gate(held).release()
    // The page still believes that it is connected; only asking can tell.
    expect(await banner().getAttribute('data-status')).toBe('live')
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    await untilEnded(page, 0)
    expect(await textOf(0)).toEqual(['Said before the silence. After.'])
    await expectSameAfterReload(page)
  })
})

describe('coming back', () => {
  test('[LOG3] with the network, the connection is back within a second', async () => {
    await startChat(page, 'Hello there, server.')
    await untilEnded(page, 0)
    wire.cut()
    // After the fourth the next attempt is at least 1.2 s away.
    await wire.untilRefused(4)
    await goOffline()
    const readTime = await startClock('online')
    wire.restore()
    await page.context().setOffline(false)
    expect(await readTime()).toBeLessThan(RECONNECT_MS)
  })

  test('[LOG3] looking at the page again does not wait for the next attempt', async () => {
    await startChat(page, 'Hello there, server.')
    await untilEnded(page, 0)
    wire.cut()
    // After the fourth the next attempt is at least 1.2 s away.
    await wire.untilRefused(4)
    await untilText(banner(), 'Connection lost. Reconnecting…')
    const readTime = await startClock('visibilitychange')
    wire.restore()
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')))
    expect(await readTime()).toBeLessThan(RECONNECT_MS)
  })

  test('[UI2] the banner offers to try now', async () => {
    await startChat(page, 'Hello there, server.')
    await untilEnded(page, 0)
    wire.cut()
    await wire.untilRefused(4)
    const tryNow = banner().getByRole('button', { name: 'Try now' })
    await tryNow.waitFor()
    const readTime = await startClock('click')
    wire.restore()
    await tryNow.click()
    expect(await readTime()).toBeLessThan(RECONNECT_MS)
    expect(await banner().isVisible()).toBe(false)
  })
})

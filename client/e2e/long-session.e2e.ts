// A session of two thousand events: it opens at its end, and everything else comes when asked for.

import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { TAIL_ALIGN_EVENTS, TAIL_EVENTS } from '#protocol/limits'
import type { Api } from '../sdk/api.ts'
import {
  answers,
  eventually,
  messages,
  readTranscript,
  untilLive,
  untilText,
  visit,
} from './browser.ts'
import { call, callTools, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const EVENTS = 2000
/** As many as the queue takes at once, with room to spare. */
const BATCH = 50
const AT_ONCE = 10

const stage = setStage()
let sessionId: string
let turns = 0
/** Was there from the first event on, and holds all of them. */
let witness: Page

/** Short turns of every kind; the number makes each one tell itself from the others. */
function turn(n: number): string {
  if (n % 3 === 0) {
    const calls = Array.from({ length: 12 }, (_, i) =>
      call(`call-${n}-${i}`, 'calculate', { expression: `${n} * ${i}` }),
    )
    return `Number ${n} ${script([text(`A dozen sums for ${n}.`), ...calls, callTools], [text(`Done with ${n}.`), stop])}`
  }
  if (n % 7 === 0) {
    return `Number ${n} ${script([{ reasoning: `On ${n}.` }, text(`Thought about ${n}.`), stop])}`
  }
  return `Number ${n}`
}

/** Fills the queue, a few at a time, and waits until all of it has been answered. */
async function seed(api: Api): Promise<void> {
  let seq = 0
  while (seq < EVENTS) {
    for (const end = turns + BATCH; turns < end; turns += AT_ONCE) {
      const numbers = Array.from({ length: AT_ONCE }, (_, i) => turns + i + 1)
      await Promise.all(
        numbers.map((n) =>
          api.command(sessionId, { type: 'send', id: `turn-${n}`, text: turn(n) }),
        ),
      )
    }
    await witness.waitForFunction(
      (turns) => document.querySelectorAll('.turn.assistant > .turn-foot').length === turns,
      turns,
    )
    ;({ seq } = await api.getSession(sessionId))
  }
}

beforeAll(async () => {
  const { api } = stage
  sessionId = (await api.createSession({ title: 'A long one' })).id
  ;({ page: witness } = await visit(stage.browser, `${stage.server.origin}/s/${sessionId}`))
  await untilLive(witness)
  await seed(api)
})

const scroller = (page: Page) => page.getByRole('region', { name: 'Conversation' })

const readPlace = (page: Page) =>
  scroller(page).evaluate((element) => ({
    top: element.scrollTop,
    gap: element.scrollHeight - element.clientHeight - element.scrollTop,
    first: element.querySelector('[data-turn]')!.getAttribute('data-turn')!,
  }))

/** How far the turn is from the top of the window, in pixels. */
const readOffset = (page: Page, seq: string, { scroll = false } = {}) =>
  scroller(page).evaluate(
    (element, { seq, scroll }) => {
      // In one go: between the two, the next page could already arrive.
      if (scroll) element.scrollTop = 0
      return element.querySelector(`[data-turn="${seq}"]`)!.getBoundingClientRect().top
    },
    { seq, scroll },
  )

test('[LOG7] it opens at its end with the last turns alone, pages backwards in place, and ends up equal to a client that held everything', async () => {
  const page = await stage.openSession(sessionId)
  await untilText(messages(page), `Number ${turns}`)
  const opened = await readPlace(page)
  expect(opened.gap).toBeLessThan(2)
  // The cost of opening is that of the tail, whatever lies before it.
  expect(await messages(page).count()).toBeLessThan((TAIL_EVENTS + TAIL_ALIGN_EVENTS) / 4)
  expect(await page.locator('.older').count()).toBe(1)

  let pages = 0
  for (let { first } = opened; (await page.locator('.older').count()) > 0; pages++) {
    const before = await readOffset(page, first, { scroll: true })
    await page.waitForFunction(
      (first) =>
        document.querySelector('.older') === null ||
        document.querySelector('[data-turn]')!.getAttribute('data-turn') !== first,
      first,
    )
    // The turn that was read stays where it was, whatever appears above it.
    await eventually(async () => Math.abs((await readOffset(page, first)) - before)).toBeLessThan(2)
    ;({ first } = await readPlace(page))
  }
  expect(pages).toBeGreaterThan(3)
  expect(await messages(page).count()).toBe(turns)
  expect(await answers(page).count()).toBe(turns)
  expect(await readTranscript(page)).toBe(await readTranscript(witness))
})

test('[LOG8] a link to an early event opens the session there', async () => {
  const { events } = await stage.api.events(sessionId, { after: 0, limit: 200 })
  const target = events.find((event) => event.type === 'user_message' && event.text === 'Number 4')!
  const page = await stage.open(`/s/${sessionId}#${target.seq}`)
  const sought = page.locator(`[data-turn="${target.seq}"]`)
  await sought.waitFor()
  await eventually(() =>
    sought.evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      return top >= 0 && bottom <= window.innerHeight
    }),
  ).toBe(true)
})

test('[UI1] scrolled up, a person is left alone while text arrives, and can jump to the latest', async () => {
  const page = await stage.openSession(sessionId)
  await untilText(messages(page), `Number ${turns}`)
  await scroller(page).evaluate((element) => (element.scrollTop -= 600))
  const jump = page.getByRole('button', { name: 'Jump to latest' })
  await jump.waitFor()
  const { top } = await readPlace(page)
  const long = Array.from({ length: 30 }, (_, i) => `Paragraph ${i} of a long answer.`).join('\n\n')
  await stage.api.command(sessionId, {
    type: 'send',
    id: 'while-reading',
    text: script([text(long), stop]),
  })
  await untilText(answers(page), 'Paragraph 29 of a long answer.')
  expect((await readPlace(page)).top).toBe(top)
  await jump.click()
  await eventually(async () => (await readPlace(page)).gap).toBeLessThan(2)
  expect(await jump.count()).toBe(0)
})

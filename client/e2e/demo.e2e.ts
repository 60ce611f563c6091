// With no key at all: the demo model, and the cards of an empty chat that show what there is.

import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { answer, expectSameAfterReload, partsOf, untilEnded, untilText } from './browser.ts'
import { setStage } from './stage.ts'

const stage = setStage({ model: 'demo' })
let page: Page

beforeEach(async () => {
  page = await stage.open()
})

const card = (prompt: string) => page.locator('.try-card').filter({ hasText: prompt })

async function take(prompt: string): Promise<void> {
  await card(prompt).click()
  await page.waitForURL(/\/s\/./)
  await untilText(page.locator('.turn.user .bubble'), prompt)
}

test('[SES4][UI1] page and model say that this is a demo; “Show me thinking”: thoughts stream, then fold away', async () => {
  await untilText(page.getByTestId('model'), 'Demo model')
  expect(await page.locator('.try-card').count()).toBe(6)
  await take('Show me thinking')
  const thinking = answer(page, 0).locator('details.thinking')
  await thinking.and(page.locator('[open]')).waitFor()
  await untilEnded(page, 0)
  expect(await thinking.getAttribute('open')).toBeNull()
  expect(await partsOf(answer(page, 0))).toEqual(['thinking', 'text'])
  expect(await answer(page, 0).innerText()).toContain(
    "I'm Parley's built-in demo model, not a real language model",
  )
  await expectSameAfterReload(page)
})

test('[SES4][TOOL4] “Run tools in parallel”: several calls, each with its own result, and a table of them', async () => {
  await take('Run tools in parallel')
  await untilEnded(page, 0)
  expect(await answer(page, 0).locator('.tool-block.success').count()).toBe(4)
  expect(await answer(page, 0).locator('tbody tr').count()).toBe(4)
  expect(await answer(page, 0).locator('table').innerText()).toContain('105')
  await expectSameAfterReload(page)
})

test('[SES4][TOOL3] “Show a failing tool”: an error, and what comes after it', async () => {
  await take('Show a failing tool')
  await untilEnded(page, 0)
  expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool', 'text', 'tool', 'text'])
  expect(await answer(page, 0).locator('.tool-block.error').count()).toBe(1)
  expect(await answer(page, 0).locator('.tool-block.success').count()).toBe(1)
  await expectSameAfterReload(page)
})

test('[SES4][CAN1] “Count down slowly”: a tool that streams and can be stopped', async () => {
  await take('Count down slowly')
  await untilText(page.locator('.tool-block.pending .tool-live'), 'Lift-off in: 9')
  await page.getByTestId('stop').click()
  await answer(page, 0).locator('.interrupted-mark').waitFor()
  expect(await answer(page, 0).locator('.tool-block.interrupted').count()).toBe(1)
  await expectSameAfterReload(page)
})

test('[SES4][CAN3] “Write a long answer I can interrupt”: Escape, and nothing is lost; Continue goes on from there', async () => {
  await take('Write a long answer I can interrupt')
  await untilText(answer(page, 0), 'Twenty-four hours at a lighthouse')
  await answer(page, 0).locator('h2').first().waitFor()
  await page.keyboard.press('Escape')
  await answer(page, 0).locator('.interrupted-mark').waitFor()
  const read = await answer(page, 0).locator('.text-part').innerText()
  await expectSameAfterReload(page)
  expect(await answer(page, 0).locator('.text-part').innerText()).toBe(read)
  await page.getByTestId('continue').click()
  await answer(page, 1).locator('.text-part').waitFor()
  await page.keyboard.press('Escape')
  await untilEnded(page, 1)
  // It goes on where it was cut, and does not begin again.
  expect(await answer(page, 1).innerText()).not.toContain('Twenty-four hours at a lighthouse')
})

test('[SES4][MED3] “Show me markdown”: tables, code, lists and links', async () => {
  await take('Show me markdown')
  await untilEnded(page, 0)
  const text = answer(page, 0).locator('.text-part')
  for (const part of ['h2', 'h3', 'table', '.code-block', 'ol > li', 'blockquote', 'a[href]']) {
    expect(await text.locator(part).count(), part).toBeGreaterThan(0)
  }
  expect(await text.innerText()).not.toMatch(/\*\*|```|\]\(/)
  await expectSameAfterReload(page)
})

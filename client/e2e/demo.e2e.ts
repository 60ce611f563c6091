// With no key at all: the demo model, and the cards of an empty chat that show what there is.

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readAll } from 'node:stream/consumers'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { MissionsApi } from '../sdk/missions-api.ts'
import {
  answer,
  answers,
  eventually,
  expectSameAfterReload,
  partsOf,
  send,
  untilCount,
  untilEnded,
  untilText,
} from './browser.ts'
import { setStage } from './stage.ts'

/** A provider that is silent for this long has failed; nobody should have to wait for a minute. */
const STALL = { PARLEY_STALL_SECONDS: '2' }
/** Four times its own pace: what is seen midway here lasts, or is waited for by its words. */
const PACE = { PARLEY_DEMO_RATE: '240' }
/** The hook of these tests is on this machine. */
const PRIVATE = { PARLEY_WEB_PRIVATE: '1' }

const stage = setStage({ model: 'demo', env: { ...STALL, ...PACE, ...PRIVATE } })
const hook = await startHook()
afterAll(() => hook.close())
let page: Page

/** Set before anything else, and looked at last: its minute passes while the rest is tested. */
let scheduled = ''
beforeAll(async () => {
  scheduled = (await stage.api.createSession({ title: 'Scheduled' })).id
  const missions = new MissionsApi({ origin: stage.server.origin })
  await missions.set({ session_id: scheduled }, { text: 'Every minute', every_minutes: 1 })
})

beforeEach(async () => {
  hook.received.length = 0
  page = await stage.open()
})

/** Somebody who takes what is posted, and an address where nobody does. */
async function startHook() {
  const received: string[] = []
  const server = createServer((request, response) => {
    void readAll(request).then((body) => {
      received.push(`${request.method} ${body}`)
      response.writeHead(202, { 'content-type': 'text/plain' }).end('taken')
    })
  })
  const origin = await listen(server)
  const gone = createServer()
  const deadUrl = `${await listen(gone)}/hook`
  gone.close()
  await once(gone, 'close')
  return { received, url: `${origin}/hook`, deadUrl, close: () => server.close() }
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const card = (prompt: string) => page.locator('.try-card').filter({ hasText: prompt })

async function take(prompt: string): Promise<void> {
  await card(prompt).click()
  await page.waitForURL(/\/s\/./)
  await untilText(page.locator('.turn.user .bubble'), prompt)
}

/** From the list behind “More…”. */
async function takeScene(prompt: string): Promise<void> {
  await page.getByTestId('more-scenes').click()
  await page.getByRole('button', { name: prompt, exact: true }).click()
  await page.waitForURL(/\/s\/./)
  await untilText(page.locator('.turn.user .bubble'), prompt)
}

const note = (code: string) => page.locator(`[data-part=notice][data-code=${code}]`)
const meter = () => page.getByTestId('context-meter')
const words = () => page.locator('.typing-words').textContent()

test('[SES4][UI1] page and model say that this is a demo; “Show me thinking”: thoughts stream, then fold away', async () => {
  await untilText(page.getByTestId('model'), 'Demo model')
  await untilCount(page.locator('.try-card'), 6)
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

describe('“More…”', () => {
  test('[SES4][UI2] is tidy: groups with names, closed until asked for', async () => {
    await untilCount(page.locator('.try-card'), 6)
    expect(await page.locator('.scene').count()).toBe(0)
    await page.getByTestId('more-scenes').press('Enter')
    const groups = page.locator('.scene-group')
    expect(await groups.locator('h3').allInnerTexts()).toEqual([
      'When a provider fails',
      'Tools',
      'You decide',
      'On its own',
      'Agents',
      'Context',
    ])
    await page.getByTestId('more-scenes').press('Enter')
    expect(await groups.count()).toBe(0)
  })

  test('[SES4][RUN7] “Hit a rate limit and retry”: it says that it tries again, and nothing twice', async () => {
    await takeScene('Hit a rate limit and retry')
    await eventually(words).toBe('Trying again…')
    await untilEnded(page, 0)
    await untilCount(note('model_retry'), 2)
    const text = (await answer(page, 0).locator('.text-part').allInnerTexts()).join(' ')
    for (const attempt of ['The first try', 'The second try', 'The third try']) {
      expect(text.split(attempt)).toHaveLength(2)
    }
    await expectSameAfterReload(page)
  })

  test('[SES4][UI1] “Do a long run with many tools”: each stretch of work folds when text follows', async () => {
    await takeScene('Do a long run with many tools')
    const summaries = answer(page, 0).locator('.work-summary')
    // The first has folded while the second is at work.
    await untilText(page.locator('.tool-live'), 'Nearly there')
    expect(await summaries.count()).toBe(1)
    expect(await summaries.innerText()).toMatch(/^Used 6 tools, 3\.\d s$/)
    await untilEnded(page, 0)
    expect(await summaries.nth(1).innerText()).toMatch(/^Used 3 tools, 1 failed, 2\.\d s$/)
    await expectSameAfterReload(page)
  })

  test('[SES4][TOOL5] “Use the think tool”: a thought, and no tool', async () => {
    await takeScene('Use the think tool')
    await untilEnded(page, 0)
    expect(await partsOf(answer(page, 0))).toEqual(['text', 'thinking', 'text'])
    expect(await page.locator('.tool-block').count()).toBe(0)
  })

  test('[SES4][RUN10] “Use a model without tools”: a warning, and an answer', async () => {
    await takeScene('Use a model without tools')
    await untilEnded(page, 0)
    expect(await note('no_tool_support').innerText()).toContain('demo cannot use tools')
    expect(await answer(page, 0).locator('.text-part').innerText()).toContain('without any tools')
  })

  test('[SES4][TOOL3] “Send invalid arguments”: refused, read and repaired', async () => {
    await takeScene('Send invalid arguments')
    await untilEnded(page, 0)
    expect(await answer(page, 0).locator('.tool-block.error').count()).toBe(1)
    expect(await answer(page, 0).innerText()).toContain('gives: 4')
  })

  test('[SES4][QUE2] “Let me steer you within 10 seconds”: a message reaches the run at its next step', async () => {
    await takeScene('Let me steer you within 10 seconds')
    await untilText(page.locator('.tool-live'), 'Waiting for you')
    await send(page, 'Here I am', 'Control+Enter')
    await untilEnded(page, 1)
    expect(await answer(page, 1).innerText()).toContain('That is steering')
  })

  test('[SES4][RUN8] “Fill the context”: the meter rises, and the next message makes room', async () => {
    await takeScene('Fill the context')
    await untilText(meter(), 'nearly full')
    await send(page, 'Show me thinking')
    await untilEnded(page, 1)
    await note('compacted').waitFor()
    await eventually(() => meter().getAttribute('data-level')).toBe('calm')
    await expectSameAfterReload(page)
  })

  test('[SES4][RUN8] “Overflow the context”: refused for its length, shortened and gone on with, in one run', async () => {
    await takeScene('Overflow the context')
    await untilEnded(page, 0)
    expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool', 'notice', 'text'])
    await note('compacted').waitFor()
    expect(await answer(page, 0).innerText()).toContain('reached me as a summary')
    await expectSameAfterReload(page)
  })

  test('[SES4][RUN3] “Run into the step limit”: it ends by itself and can be gone on with', async () => {
    await takeScene('Run into the step limit')
    await answer(page, 0).locator('.limit-mark').waitFor({ timeout: 90_000 })
    expect(await answer(page, 0).locator('.tool-block').count()).toBe(50)
    await page.getByTestId('continue').waitFor()
    await expectSameAfterReload(page)
  })

  test('[SES4][RUN7] “Stall in the middle of a word”: the silence is noticed, and the answer goes on', async () => {
    await takeScene('Stall in the middle of a word')
    await untilEnded(page, 0)
    expect(await note('model_retry').count()).toBe(1)
    expect(await answer(page, 0).locator('.text-part').last().innerText()).toContain(
      'The silence was ended from outside',
    )
  })

  test('[SES4][RUN9] “Survive a crash of the server”: says how to cause one, and counts meanwhile', async () => {
    await takeScene('Survive a crash of the server')
    await untilText(answer(page, 0), 'kill -9')
    await untilText(answer(page, 0), 'Line 2 of 40')
    await page.keyboard.press('Escape')
    await untilEnded(page, 0)
  })

  // The last ones: a demo model that failed for good is left alone for a minute.
  test('[SES4][RUN7] “Fall back to another model”: one begins the sentence, the other ends it', async () => {
    await takeScene('Fall back to another model')
    await untilEnded(page, 0)
    expect(await note('model_fallback').locator('b').innerText()).toBe('demo → demo-backup')
    expect(await note('model_retry').innerText()).toBe('Tried again 2 times')
    expect(await answer(page, 0).locator('.turn-facts').innerText()).toMatch(/^demo-backup · /)
    await expectSameAfterReload(page)
  })

  test('[SES4][UI2] “Make the provider unreachable”: what failed, what to do, and Continue', async () => {
    await takeScene('Make the provider unreachable')
    await untilText(answer(page, 0).locator('.failed-mark'), 'Provider unreachable.')
    expect(await answer(page, 0).locator('.failed-mark').innerText()).toContain('Try again')
    await expectSameAfterReload(page)
    await page.getByTestId('continue').click()
    await untilCount(answers(page), 2)
  })
})

const cards = () => page.locator('.wait-card')

describe('[SES4] the demo model lets the person decide', () => {
  test('[DEC1][DEC2] “Ask before running a command”: one is accepted, one rejected, and both are told', async () => {
    await takeScene('Ask before running a command')
    await untilCount(cards(), 2)
    await cards().first().locator('[data-act=accept]').click()
    await cards().first().locator('[data-act=reject]').click()
    await page.getByLabel('Why?').fill('I need that folder')
    await page.keyboard.press('Enter')
    await untilEnded(page, 0)
    const told = await answer(page, 0).locator('.text-part').last().innerText()
    expect(told).toContain('rm -rf build was not done')
    expect(told).toContain('I need that folder')
    await expectSameAfterReload(page)
  })

  test('[DEC1] “Edit a sensitive file”: first the whole file, then what changes in it', async () => {
    await takeScene('Edit a sensitive file')
    await cards().locator('[data-act=accept]').click()
    await untilText(cards().locator('.card-diff-line.removed'), 'LOG=quiet')
    await cards().locator('[data-act=accept]').click()
    await untilEnded(page, 0)
    await expectSameAfterReload(page)
  })

  test('[DEC1][DEC2] “Post something to the web”: a form, changed and accepted, and what was sent is what it says', async () => {
    await takeScene('Post something to the web')
    await untilText(cards(), 'Call web_post?')
    const field = (name: string) => cards().getByRole('textbox', { name, exact: true })
    expect(await field('url').inputValue()).toBe('https://example.com/hook')
    expect(await field('method').inputValue()).toBe('POST')
    // Wrong, it is said and still waits; nothing has left.
    await field('body').fill('{"lamp": ')
    await cards().locator('[data-act=accept]').click()
    await untilText(cards().getByRole('alert'), 'it is not valid JSON')
    await field('url').fill(hook.url)
    await field('body').fill('{"lamp": "out"}')
    expect(hook.received).toEqual([])
    await cards().locator('[data-act=accept]').click()
    await untilEnded(page, 0)
    expect(hook.received).toEqual(['POST {"lamp": "out"}'])
    expect(await answer(page, 0).locator('.tool-block.success').innerText()).toContain(
      `Posted to ${new URL(hook.url).host}`,
    )
    const told = await answer(page, 0).locator('.text-part').last().innerText()
    expect(told).toContain('was changed first to')
    expect(told).toContain('was answered with status 202')
    await expectSameAfterReload(page)
  })

  test('[DEC1][DEC2] “Post something to the web”: rejected with a reason, nothing leaves; with nobody there it says so', async () => {
    await takeScene('Post something to the web')
    await cards().locator('[data-act=reject]').click()
    await page.getByLabel('Why?').fill('Nobody has to know')
    await page.keyboard.press('Enter')
    await untilEnded(page, 0)
    const rejected = await answer(page, 0).locator('.text-part').last().innerText()
    expect(rejected).toContain('Nobody has to know')
    expect(rejected).toContain('Nothing has left this machine.')
    expect(await answer(page, 0).locator('.tool-block.denied').count()).toBe(1)
    await send(page, 'post it then')
    await cards().getByRole('textbox', { name: 'url', exact: true }).fill(hook.deadUrl)
    await cards().locator('[data-act=accept]').click()
    await untilEnded(page, 1)
    const failed = await answer(page, 1).locator('.text-part').last().innerText()
    expect(failed).toContain('gave no answer')
    expect(failed).toContain('I do not try again by myself')
    expect(hook.received).toEqual([])
    await expectSameAfterReload(page)
  })

  test('[DEC5] “Ask me some questions”: the answers come back in words', async () => {
    await takeScene('Ask me some questions')
    await page.getByRole('radio', { name: 'white' }).check()
    await page.getByRole('checkbox', { name: 'the door' }).check()
    await page.getByRole('textbox', { name: 'And why now?' }).fill('It is spring')
    await page.keyboard.press('Control+Enter')
    await untilEnded(page, 0)
    expect(await answer(page, 0).locator('blockquote').innerText()).toContain('→ It is spring')
    await expectSameAfterReload(page)
  })

  test('[DEC5][DEC7][UI2] “Make a plan first”, in the mode Plan: approved, worked on, finished', async () => {
    await page.getByTestId('mode').click()
    await page.locator('[data-option=plan]').click()
    await takeScene('Make a plan first')
    await page.getByRole('button', { name: 'Remove step 2' }).click()
    await cards().locator('[data-act=accept]').click()
    await untilText(page.getByTestId('plan-line'), 'Step 1 of 2')
    await untilEnded(page, 0)
    expect(await page.getByTestId('plan').innerText()).toContain('2 of 2 done')
    expect(await page.getByTestId('final').innerText()).toContain('Light the lamp is done')
    await expectSameAfterReload(page)
  })
})

test('[AGT7] the schedule of a mission prompts by itself, with nobody there', async () => {
  const ended = async (): Promise<number> => {
    const { events } = await stage.api.events(scheduled, { after: 0 })
    return events.filter(({ type }) => type === 'run_done').length
  }
  // A minute from the start of this file, at most: what was tested meanwhile counts.
  await expect.poll(ended, { timeout: 90_000, interval: 500 }).toBe(1)
  const chat = await stage.openSession(scheduled)
  await untilText(chat.locator('[data-part=idle-prompt]'), 'Mission prompt 1 of 10')
  await untilText(answer(chat, 0), '“Every minute”')
  await untilText(chat.locator('.mission-state'), '1 of 10')
  await send(chat, 'Thank you')
  await untilEnded(chat, 1)
})

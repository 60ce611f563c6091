// What people are asked, and what they say: in a real browser, on several devices, with the server
// killed in between; and the same after a reload each time.

import type { Locator, Page } from 'playwright-core'
import { afterAll, describe, expect, test } from 'vitest'
import { startMcpServer } from '../../worker/testing/node/mcp-server.ts'
import { ApiError } from '../sdk/errors.ts'
import {
  answer,
  eventually,
  expectSameAfterReload,
  openTab,
  record,
  send,
  sessionIdOf,
  startChat,
  tool,
  typing,
  untilCount,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { call, callTools, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'
import { Wire } from './wire.ts'

/** A tool that can change something and says no more about itself: it has to be asked about. */
const ledger = await startMcpServer()
const booked: unknown[] = []
function book(input: unknown): string {
  booked.push(input)
  return 'booked'
}
ledger.setTools([
  {
    name: 'book',
    properties: {
      entry: { type: 'string' },
      copies: { type: 'number' },
      urgent: { type: 'boolean' },
    },
    run: book,
  },
  { name: 'post', properties: { lines: { type: 'array' } }, run: book },
])
afterAll(() => ledger.close())

const env = { PARLEY_MCP_SERVERS: JSON.stringify({ ledger: { url: ledger.url } }) }
const stage = setStage({ env })

const cards = (page: Page): Locator => page.locator('.wait-card')
const card = (page: Page, callId: string): Locator =>
  page.locator(`.wait-card[data-call-id="${callId}"]`)
const press = (page: Page, callId: string, act: string): Promise<void> =>
  card(page, callId).locator(`[data-act=${act}]`).click()
const note = (page: Page, callId: string): Locator => tool(page, callId).locator('.decision-note')
const bar = (page: Page): Locator => page.getByTestId('wait-bar')

const DONE = [text('All of it is done.'), stop]
const command = (callId: string, line: string) => call(callId, 'bash', { command: line })

/** A chat whose model calls these, and says a word when they are over. */
async function begin(...calls: ReturnType<typeof call>[]): Promise<Page> {
  const page = await stage.open()
  await startChat(page, script([...calls, callTools], DONE))
  return page
}

const eventsOf = async (page: Page, type: string) =>
  (await stage.api.events(sessionIdOf(page), { limit: 1000 })).events.filter(
    (event) => event.type === type,
  )

/** As it is shown once everything is there that is loaded when it is first needed. */
async function expectSame(page: Page): Promise<void> {
  const changes = await eventsOf(page, 'files_changed')
  if (changes.length > 0) await page.locator('[data-part=changes]').first().waitFor()
  await expectSameAfterReload(page)
}

/** The answer has ended, nothing waits, and a reload shows the same. */
async function expectOver(page: Page, index = 0): Promise<void> {
  await untilEnded(page, index)
  expect(await cards(page).count()).toBe(0)
  expect(await bar(page).count()).toBe(0)
  await expectSame(page)
}

describe('a command', () => {
  test('[DEC1] [UI2] is shown with its place, its risk in words and why; accepted, it runs', async () => {
    const page = await begin(command('c1', 'touch a.txt'))
    await card(page, 'c1').waitFor()
    expect(await card(page, 'c1').getByLabel('Command').inputValue()).toBe('touch a.txt')
    expect(await card(page, 'c1').locator('.severity').innerText()).toBe('Medium risk')
    expect(await card(page, 'c1').locator('.card-place').innerText()).toMatch(/^in\s+\/workspace$/)
    expect(await card(page, 'c1').locator('.card-reason').innerText()).not.toBe('')
    await untilText(typing(page), 'Waiting for you')
    expect(await bar(page).innerText()).toContain('1 decision waits')
    await press(page, 'c1', 'accept')
    await expectOver(page)
    expect(await note(page, 'c1').innerText()).toMatch(/^Accepted by you, \d\d:\d\d$/)
    expect(await tool(page, 'c1').getAttribute('class')).toContain('success')
  })

  test('[DEC2] is changed first: what runs is what was changed, and the note says so', async () => {
    const page = await begin(command('c1', 'touch a.txt'))
    await card(page, 'c1').getByLabel('Command').fill('rm -rf /workspace')
    const severity = card(page, 'c1').locator('.severity')
    expect(await severity.innerText()).not.toBe('Medium risk')
    // The server says what it makes of it, and decides nothing.
    await untilText(severity, 'Critical')
    await untilText(card(page, 'c1').locator('.card-reason'), 'rm -rf /workspace')
    expect(await card(page, 'c1').getAttribute('data-severity')).toBe('critical')
    await card(page, 'c1').getByRole('button', { name: 'Undo my changes' }).click()
    expect(await severity.innerText()).toBe('Medium risk')
    await card(page, 'c1').getByLabel('Command').fill('touch b.txt')
    expect(await card(page, 'c1').locator('[data-act=accept]').innerText()).toBe(
      'Accept with changes',
    )
    await press(page, 'c1', 'accept')
    await expectOver(page)
    expect(await note(page, 'c1').innerText()).toMatch(/with changes\s+touch b\.txt$/)
    expect(await eventsOf(page, 'tool_result')).toMatchObject([
      { ok: true, result: expect.stringContaining('created b.txt') },
    ])
  })

  test('[DEC2] is rejected with a reason that the agent is told', async () => {
    const page = await begin(command('c1', 'rm -rf build'))
    await press(page, 'c1', 'reject')
    await card(page, 'c1').getByLabel('Why?').fill('Not on a Friday')
    await card(page, 'c1').getByLabel('Why?').press('Enter')
    await expectOver(page)
    expect(await note(page, 'c1').innerText()).toMatch(/^Rejected by you, .*Not on a Friday/)
    expect(await tool(page, 'c1').getAttribute('class')).toContain('denied')
    expect(await eventsOf(page, 'tool_result')).toMatchObject([
      { error: { code: 'tool_denied', message: expect.stringContaining('Not on a Friday') } },
    ])
  })

  test('[DEC2] [DEC3] is accepted for the chat: the next one like it is not asked about, and says so', async () => {
    const page = await begin(command('c1', 'touch a.txt'))
    await press(page, 'c1', 'always')
    const choice = card(page, 'c1').locator('[data-scope=session]')
    expect(await choice.innerText()).toContain('every command that begins with touch')
    await choice.click()
    await untilEnded(page, 0)
    await send(page, script([command('c2', 'touch other.txt'), callTools], DONE))
    await untilText(note(page, 'c2'), 'Approved by your setting or rule')
    await expectOver(page, 1)
    await openApprovals(page)
    const rules = page.getByRole('region', { name: 'Rules of this chat' }).locator('[data-rule]')
    expect(await rules.innerText()).toContain('Accept every command that begins with touch')
    await rules.getByRole('button').click()
    await untilCount(rules, 0)
    await closeApprovals(page)
    await send(page, script([command('c3', 'touch third.txt'), callTools], DONE))
    await press(page, 'c3', 'accept')
    await expectOver(page, 2)
  })
})

async function openApprovals(page: Page): Promise<void> {
  await page.getByTestId('mode').click()
  await page.getByTestId('approvals').click()
  await page.getByTestId('approvals-dialog').waitFor()
}

/** The keyboard is back where it was: a key that follows at once must not go elsewhere. */
async function closeApprovals(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await untilCount(page.getByTestId('approvals-dialog'), 0)
}

describe('what needs approval', () => {
  test('[DEC3] a setting stands in for the person, and the patterns of the chat count', async () => {
    const page = await stage.open()
    await startChat(page, 'hello')
    await untilEnded(page, 0)
    await openApprovals(page)
    await page.locator('[data-setting=commands]').check()
    await page.getByLabel('Sensitive files of this chat').fill('secret/*\n')
    await page.locator('[data-act=save-patterns]').click()
    await untilText(page.locator('[data-act=save-patterns]'), 'Saved')
    await closeApprovals(page)
    const write = { path: 'secret/plan.txt', content: 'hush' }
    const steps = [command('c1', 'touch a.txt'), call('w1', 'write_file', write), callTools]
    await send(page, script(steps, DONE))
    await card(page, 'w1').waitFor()
    expect(await cards(page).count()).toBe(1)
    await press(page, 'w1', 'accept')
    await expectOver(page, 1)
    expect(await note(page, 'c1').innerText()).toMatch(/^Approved by your setting or rule/)
    await openApprovals(page)
    expect(await page.locator('[data-setting=commands]').isChecked()).toBe(true)
    expect(await page.locator('[data-setting=edits]').isChecked()).toBe(false)
  })

  test('[DEC2] [DEC3] "always" holds in another chat, until it is taken back there', async () => {
    const first = await begin(command('c1', 'mkdir -p docs'))
    await press(first, 'c1', 'always')
    await card(first, 'c1').locator('[data-scope=always]').click()
    await expectOver(first)
    const second = await begin(command('c2', 'mkdir -p other'))
    await untilText(note(second, 'c2'), 'Approved by your setting or rule')
    await expectOver(second)
    await openApprovals(second)
    const rules = second.getByRole('region', { name: 'Rules of all your chats' })
    await rules.locator('[data-rule]').getByRole('button').click()
    await untilText(rules, 'None')
    await closeApprovals(second)
    await send(second, script([command('c3', 'mkdir -p third'), callTools], DONE))
    await press(second, 'c3', 'accept')
    await expectOver(second, 1)
  })
})

describe('a change of a file, and other tools', () => {
  test('[DEC1] a sensitive edit shows its path and what it changes', async () => {
    const page = await begin(call('w1', 'write_file', { path: '.env', content: 'A=1\nB=2\n' }))
    const shown = card(page, 'w1')
    expect(await shown.locator('.card-path').innerText()).toBe('.env')
    expect(await shown.locator('.severity').innerText()).toBe('High risk')
    const added = await shown.locator('.card-diff-line.added').allInnerTexts()
    expect(added.map((line) => line.trim())).toEqual(['+A=1', '+B=2'])
    await press(page, 'w1', 'accept')
    await expectOver(page)
  })

  test('[DEC2] an edit that does not fit is refused at its field, and the decision stays open', async () => {
    const page = await begin(call('w1', 'write_file', { path: '.env', content: 'A=1\n' }))
    await card(page, 'w1').getByRole('button', { name: 'Edit before accepting' }).click()
    await card(page, 'w1').getByRole('button', { name: 'Edit as JSON' }).click()
    const json = card(page, 'w1').getByLabel('Arguments as JSON')
    await json.fill('{"path": ')
    await press(page, 'w1', 'accept')
    await untilText(card(page, 'w1').getByRole('alert'), 'This is not JSON')
    await json.fill('{"content": "A=2\\n"}')
    await press(page, 'w1', 'accept')
    await untilText(card(page, 'w1').getByRole('alert'), 'path')
    expect(await json.getAttribute('aria-invalid')).toBe('true')
    expect(await eventsOf(page, 'decision_resolved')).toEqual([])
    await json.fill('{"path": ".env", "content": "A=2\\n"}')
    await press(page, 'w1', 'accept')
    await expectOver(page)
    expect(await note(page, 'w1').innerText()).toContain('with changes')
  })

  test('[DEC1] [DEC2] plain arguments are a form, and go out as they were filled in', async () => {
    booked.length = 0
    const page = await begin(
      call('b1', 'ledger__book', { entry: 'rent', copies: 2, urgent: false }),
      call('b2', 'ledger__post', { lines: [1, 2] }),
    )
    const form = card(page, 'b1')
    await form.getByRole('textbox', { name: 'entry' }).fill('rent of May')
    await form.getByRole('textbox', { name: 'copies' }).fill('three')
    await form.getByRole('checkbox', { name: 'urgent' }).check()
    await press(page, 'b1', 'accept')
    await untilText(form.getByRole('alert'), 'This is not a number')
    await form.getByRole('textbox', { name: 'copies' }).fill('3')
    await press(page, 'b1', 'accept')
    expect(await card(page, 'b2').getByLabel('Arguments as JSON').inputValue()).toContain('"lines"')
    await press(page, 'b2', 'accept')
    await expectOver(page)
    expect(booked).toEqual([{ entry: 'rent of May', copies: 3, urgent: true }, { lines: [1, 2] }])
  })
})

const QUESTIONS = [
  { id: 'colour', text: 'Which colour?', options: ['red', 'blue'] },
  { id: 'rooms', text: 'Which rooms?', options: ['hall', 'attic', 'cellar'], multi: true },
  { id: 'why', text: 'Why at all?', free: true },
]

const planOfTwo = (callId: string, first: string) =>
  call(callId, 'update_plan', {
    title: 'Two things',
    steps: [
      { text: 'One', status: first },
      { text: 'Two', status: 'active' },
    ],
  })

describe('questions and plans', () => {
  test('[DEC5] [UI2] several questions are answered at once; what is missing is said', async () => {
    const page = await begin(call('q1', 'ask_user', { questions: QUESTIONS }))
    await card(page, 'q1').waitFor()
    await untilText(bar(page), '1 question waits')
    await press(page, 'q1', 'answer')
    await untilCount(card(page, 'q1').getByRole('alert').filter({ hasText: /\w/ }), 3)
    await card(page, 'q1').getByRole('radio', { name: 'blue' }).check()
    await card(page, 'q1').getByRole('checkbox', { name: 'hall' }).check()
    await card(page, 'q1').getByRole('checkbox', { name: 'cellar' }).check()
    await card(page, 'q1').getByRole('textbox', { name: 'Why at all?' }).fill('It is grey.')
    await page.keyboard.press('Control+Enter')
    await expectOver(page)
    expect(await note(page, 'q1').locator('dd').allInnerTexts()).toEqual([
      'blue',
      'hall, cellar',
      'It is grey.',
    ])
    expect(await eventsOf(page, 'ask_user_answered')).toMatchObject([
      { answers: { colour: 'blue', rooms: ['hall', 'cellar'], why: 'It is grey.' } },
    ])
  })

  test('[DEC5] [DEC7] a plan is changed and approved; the same run may act then', async () => {
    const page = await stage.open()
    await startChat(page, 'hello')
    await untilEnded(page, 0)
    await stage.api.patchSession(sessionIdOf(page), { mode: 'plan' })
    const steps = ['Buy paint', 'Paint', 'Wait'].map((words) => ({ text: words }))
    const plan = call('p1', 'update_plan', { title: 'Paint the hall', steps })
    await send(page, script([plan, callTools], [command('c1', 'touch a.txt'), callTools], DONE))
    await card(page, 'p1').waitFor()
    await card(page, 'p1').getByLabel('Step 1', { exact: true }).fill('Buy red paint')
    await card(page, 'p1').getByRole('button', { name: 'Move step 3 up' }).click()
    await card(page, 'p1').getByRole('button', { name: 'Remove step 3' }).click()
    await card(page, 'p1').getByRole('button', { name: 'Add a step' }).click()
    await press(page, 'p1', 'accept')
    await untilText(card(page, 'p1').getByRole('alert'), 'Step 3 is empty')
    await card(page, 'p1').getByLabel('Step 3', { exact: true }).fill('Clean up')
    await press(page, 'p1', 'accept')
    await press(page, 'c1', 'accept')
    await expectOver(page, 1)
    expect(await page.getByTestId('plan').locator('.plan-text').allInnerTexts()).toEqual([
      'Buy red paint',
      'Wait',
      'Clean up',
    ])
    expect(await note(page, 'p1').innerText()).toContain('with changes')
    expect((await stage.api.getSession(sessionIdOf(page))).mode).toBe('agent')
  })

  test('[UI2] the plan stands where it was updated last, and the end of the task says how it went', async () => {
    const page = await stage.open()
    const final = { summary: 'Did **one** thing.', outcome: 'partly', open: ['The other thing'] }
    await startChat(
      page,
      script(
        [planOfTwo('p1', 'active'), callTools],
        [
          planOfTwo('p2', 'done'),
          call('q1', 'ask_user', { questions: [{ text: 'On?' }] }),
          callTools,
        ],
        [call('f1', 'finalize_task', final), callTools],
        DONE,
      ),
    )
    await card(page, 'q1').waitFor()
    await untilText(page.getByTestId('plan-line'), 'Step 2 of 2')
    expect(await tool(page, 'p1').getByTestId('plan').count()).toBe(0)
    expect(await tool(page, 'p2').getByTestId('plan').innerText()).toContain('1 of 2 done')
    await card(page, 'q1').getByRole('textbox').fill('Go on')
    await press(page, 'q1', 'answer')
    await expectOver(page)
    expect(await page.getByTestId('final').innerText()).toMatch(
      /Task partly done[\s\S]*Did one thing\.[\s\S]*The other thing/,
    )
    expect(await page.getByTestId('plan-line').count()).toBe(0)
  })
})

/** Without waiting for the button to hold still: as quick as a page can be. */
const acceptAtOnce = (page: Page): Promise<void> =>
  page.evaluate(() => document.querySelector<HTMLElement>('[data-act=accept]')?.click())

describe('several places, and what goes wrong', () => {
  test('[DEC4] two tabs and the API answer at once: one wins, the card closes everywhere', async () => {
    const here = await begin(command('c1', 'touch a.txt'))
    await card(here, 'c1').waitFor()
    const sessionId = sessionIdOf(here)
    const { page: there, problems } = await openTab(here.context(), here.url())
    await card(there, 'c1').waitFor()
    const [asked] = await eventsOf(here, 'decision_requested')
    const { decisionId } = asked as unknown as { decisionId: string }
    const viaApi = stage.api
      .command(sessionId, { type: 'decide', id: 'from-the-api', decisionId, verdict: 'reject' })
      .then(
        () => 'won',
        (error: unknown) => (error instanceof ApiError ? error.code : String(error)),
      )
    await Promise.all([acceptAtOnce(here), acceptAtOnce(there)])
    const api = await viaApi
    const [resolved, ...more] = await eventsOf(here, 'decision_resolved')
    expect(more).toEqual([])
    const isRejected = (resolved as unknown as { status: string }).status === 'rejected'
    expect(api).toBe(isRejected ? 'won' : 'already_decided')
    for (const page of [here, there]) {
      await untilEnded(page, 0)
      expect(await cards(page).count()).toBe(0)
      await untilText(note(page, 'c1'), isRejected ? 'Rejected by you' : 'Accepted by you')
    }
    await expectSame(here)
    await expectSame(there)
    expect(problems).toEqual([])
  })

  test('[DEC4] whoever comes later is told, quietly, who was quicker', async () => {
    const wire = await Wire.to(stage.server.port)
    try {
      const here = await stage.open('/', { origin: wire.origin })
      await startChat(here, script([command('c1', 'touch a.txt'), callTools], DONE))
      await card(here, 'c1').waitFor()
      const there = await stage.openSession(sessionIdOf(here), { origin: wire.origin })
      await card(there, 'c1').waitFor()
      const [asked] = await eventsOf(here, 'decision_requested')
      // Both have said yes before they can hear that the API said no.
      wire.cut()
      for (const page of [here, there]) await press(page, 'c1', 'accept')
      const { decisionId } = asked as unknown as { decisionId: string }
      const no = { type: 'decide', id: 'the-quicker', decisionId, verdict: 'reject' } as const
      await stage.api.command(sessionIdOf(here), no)
      wire.restore()
      for (const page of [here, there]) {
        await untilText(page.locator('.toast'), 'Already rejected by you, in another place.')
        await untilText(note(page, 'c1'), 'Rejected by you')
        expect(await cards(page).count()).toBe(0)
        await untilEnded(page, 0)
      }
      expect(await eventsOf(here, 'decision_resolved')).toHaveLength(1)
    } finally {
      await wire.close()
    }
  })

  test('[DEC4] [CAN1] a stop while it waits closes it, and nothing runs', async () => {
    const page = await begin(command('c1', 'touch a.txt'))
    await card(page, 'c1').waitFor()
    await page.getByTestId('stop').click()
    await expectOver(page)
    expect(await note(page, 'c1').innerText()).toContain('Nobody decided')
    expect(await tool(page, 'c1').getAttribute('class')).toContain('interrupted')
  })

  test('[DEC4] a reload while it waits shows the same card, which works', async () => {
    const page = await begin(
      command('c1', 'touch a.txt'),
      call('q1', 'ask_user', { questions: QUESTIONS.slice(2) }),
    )
    await untilCount(cards(page), 2)
    await untilText(bar(page), '1 decision and 1 question wait')
    await expectSame(page)
    await card(page, 'q1').getByRole('textbox').fill('Because')
    await press(page, 'q1', 'answer')
    await untilText(bar(page), '1 decision waits')
    await press(page, 'c1', 'accept')
    await expectOver(page)
  })

  test('[DEC4] the server is killed while it waits; the answer comes later, and it goes on', async () => {
    const page = await begin(command('c1', 'echo once >> log.txt'))
    await card(page, 'c1').waitFor()
    await stage.server.kill()
    await stage.server.restart()
    await page.locator('[data-testid=connection][data-status=live]').waitFor({ state: 'attached' })
    await press(page, 'c1', 'accept')
    await expectOver(page)
    expect(await eventsOf(page, 'run_started')).toHaveLength(1)
    expect(await eventsOf(page, 'tool_result')).toHaveLength(1)
  })

  test('[DEC4] [UI3] an answer without a connection waits, and is sent once', async () => {
    const wire = await Wire.to(stage.server.port)
    try {
      const page = await stage.open('/', { origin: wire.origin })
      await startChat(page, script([command('c1', 'touch a.txt'), callTools], DONE))
      await card(page, 'c1').waitFor()
      wire.cut()
      await page.locator('[data-testid=connection]:not([data-status=live])').waitFor()
      await press(page, 'c1', 'accept')
      await untilText(card(page, 'c1'), 'Is sent when the connection is back')
      expect(await card(page, 'c1').locator('[data-act=accept]').isDisabled()).toBe(true)
      await wire.untilRefused(1)
      wire.restore()
      await untilEnded(page, 0)
      await untilLive(page)
      expect(await eventsOf(page, 'decision_resolved')).toHaveLength(1)
      await expectSame(page)
    } finally {
      await wire.close()
    }
  })
})

describe('[UI3] by keyboard alone', () => {
  test('from card to card, reject with a reason, accept, and back to the message', async () => {
    const page = await begin(command('c1', 'touch a.txt'), command('c2', 'touch b.txt'))
    await untilCount(cards(page), 2)
    const focused = (): Promise<string | null> =>
      page.evaluate(() => document.activeElement?.getAttribute('data-call-id') ?? null)
    await page.getByTestId('composer').focus()
    await page.keyboard.press('Alt+j')
    await eventually(focused).toBe('c1')
    await page.keyboard.press('Alt+j')
    await eventually(focused).toBe('c2')
    await page.keyboard.press('Alt+j')
    await eventually(focused).toBe('c1')
    await page.keyboard.press('r')
    await page.keyboard.type('not this')
    // It leaves the field; it does not stop the run.
    await page.keyboard.press('Escape')
    await eventually(focused).toBe('c1')
    await page.keyboard.press('r')
    await page.keyboard.type('not this one')
    await page.keyboard.press('Enter')
    await eventually(focused).toBe('c2')
    await page.keyboard.press('Enter')
    await eventually(() => page.evaluate(() => document.activeElement?.id ?? '')).toBe('composer')
    await expectOver(page)
    expect(await note(page, 'c1').innerText()).toContain('not this one')
    expect(await note(page, 'c2').innerText()).toMatch(/^Accepted by you/)
  })

  test('[DEC2] what a yes may mean from now on is opened, left, and chosen', async () => {
    const page = await begin(command('c1', 'touch a.txt'))
    const choice = card(page, 'c1').locator('[data-scope=session]')
    const act = (): Promise<string> =>
      page.evaluate(() => (document.activeElement as HTMLElement).dataset['scope'] ?? '')
    await card(page, 'c1').waitFor()
    await page.keyboard.press('Alt+j')
    await page.keyboard.press('w')
    await eventually(act).toBe('session')
    await page.keyboard.press('Escape')
    await untilCount(choice, 0)
    await page.keyboard.press('w')
    await choice.waitFor()
    await page.keyboard.press('Enter')
    await expectOver(page)
    expect(await eventsOf(page, 'decision_resolved')).toMatchObject([{ scope: 'session' }])
  })

  test('a screen reader is told once that something waits', async () => {
    const page = await stage.open()
    const said = await record(page, '.visually-hidden[role=status]')
    await startChat(page, script([command('c1', 'touch a.txt'), callTools], DONE))
    await card(page, 'c1').waitFor()
    await card(page, 'c1').getByLabel('Command').fill('touch b.txt')
    await press(page, 'c1', 'accept')
    await untilEnded(page, 0)
    await untilText(answer(page, 0), 'All of it is done.')
    expect((await said()).filter((words) => words === 'Waiting for you')).toHaveLength(1)
  })
})

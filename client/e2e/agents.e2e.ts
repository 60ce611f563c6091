// Agents that talk to each other and work for each other, seen from every side in a real browser; and
// the same after a reload each time.

import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Reply } from '../../worker/testing/node/strict-openai.ts'
import {
  answer,
  chips,
  composer,
  eventually,
  expectSameAfterReload,
  messages,
  readTranscript,
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
import { call, callTools, gate, newGate, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const stage = setStage()

const card = (page: Page, callId: string): Locator =>
  page.locator(`.wait-card[data-call-id="${callId}"]`)
const exchange = (page: Page): Locator => page.locator('section.exchange')
const callback = (page: Page): Locator => page.locator('.turn.agent-callback')
const tree = (page: Page): Locator => page.locator('.child-tree')
const child = (page: Page, callId: string): Locator =>
  page.locator(`.child-row[data-call="${callId}"]`)
/** What it does, or came to. */
const childLine = (page: Page, callId: string): Locator =>
  child(page, callId).locator('.child-line')
const childStatus = (page: Page, callId: string): Promise<string | null> =>
  child(page, callId).getAttribute('data-status')
const childWaits = (page: Page): Locator => page.getByTestId('child-waits').locator('.child-wait')
const row = (page: Page, sessionId: string): Locator =>
  page.locator(`.session-row[data-session="${sessionId}"]`)
const crumb = (page: Page): Locator =>
  page.getByRole('navigation', { name: 'Parent chats' }).getByRole('link')

/** Agents that are named are the built-in ones; each has the scripted model. */
const ask = (id: string, message: string, options: Record<string, unknown> = {}) =>
  call(id, 'agents_message', { to: 'researcher', message, ...options })
const spawn = (id: string, ...task: Reply[]) => call(id, 'agents_spawn', { task: script(...task) })
const command = (id: string, line: string) => call(id, 'bash', { command: line })
const say = (words: string): Reply => [text(words), stop]

/** Opens the block of a call. */
const unfold = (page: Page, callId: string): Promise<void> =>
  tool(page, callId).locator('summary').click()

/** Where the link in there leads, once it has led there. */
async function follow(page: Page, link: Locator): Promise<string> {
  const from = page.url()
  await link.click()
  await page.waitForURL((url) => url.href !== from)
  await untilLive(page)
  return sessionIdOf(page)
}

const eventsOf = async (sessionId: string, type: string) =>
  (await stage.api.events(sessionId, { limit: 1000 })).events.filter((event) => event.type === type)

/** What is loaded when it is first needed is there. */
async function expectSame(page: Page): Promise<string> {
  const changes = await eventsOf(sessionIdOf(page), 'files_changed')
  if (changes.length > 0) await page.locator('[data-part=changes]').first().waitFor()
  await untilCount(page.locator('.exchange-text:empty, [data-part=text]:empty'), 0)
  return expectSameAfterReload(page)
}

describe('an exchange', () => {
  test('[AGT3] with a tool call and an approval in the middle reads the same from both sides', async () => {
    const page = await stage.open()
    const research = script(
      [call('t1', 'current_time', {}), command('b1', 'touch tide.txt'), callTools],
      say('High tide is at noon.'),
    )
    const asking = await startChat(
      page,
      script([ask('q1', research), callTools], say('It is at noon, says the researcher.')),
    )
    await untilText(tool(page, 'q1'), 'Asking researcher')
    await untilText(tool(page, 'q1').locator('.tool-state'), 'researcher waits for you')
    await untilText(typing(page), 'Waiting for researcher')
    expect(await tool(page, 'q1').getAttribute('class')).toMatch(/pending.*agent-callback/)
    await unfold(page, 'q1')
    await untilText(tool(page, 'q1'), 'researcher has not answered yet.')

    const other = await stage.openSession(asking)
    await untilLive(other)
    await unfold(other, 'q1')
    const open = other.getByRole('link', { name: 'Open the chat of researcher' })
    const asked = await follow(other, open)
    expect(asked).not.toBe(asking)
    await card(other, 'b1').waitFor()
    await untilText(exchange(other), 'assistant asked')
    await untilText(exchange(other).locator('.exchange-head'), 'Waits for you')
    await card(other, 'b1').locator('[data-act=accept]').click()
    await untilEnded(other, 0)
    await untilText(exchange(other).locator('.exchange-head'), 'Answered')
    expect(await exchange(other).locator('.turn.assistant').count()).toBe(1)
    await expectSame(other)

    await untilEnded(page, 0)
    expect(await tool(page, 'q1').getAttribute('class')).toMatch(/success/)
    const block = tool(page, 'q1').locator('.exchange-body')
    await untilText(block, 'researcher answered')
    await untilText(block, 'High tide is at noon.')
    expect(await block.locator('.call-list li').allInnerTexts()).toEqual([
      expect.stringContaining('current_time'),
      expect.stringContaining('bash'),
    ])
    await unfold(page, 'q1')
    await expectSame(page)
    await unfold(page, 'q1')
    await untilText(tool(page, 'q1').locator('.exchange-body'), 'High tide is at noon.')
    // And back the other way, from the receiving side.
    const back = other.getByRole('link', { name: 'Open the chat of assistant' })
    expect(await follow(other, back)).toBe(asking)
  })

  test('[AGT3] [QUE1] a busy target has it in its queue, with the name of who asks', async () => {
    const busy = newGate()
    const target = await stage.open()
    const targetId = await startChat(
      target,
      script([text('One moment, please.'), gate(busy), stop]),
    )
    await untilText(answer(target, 0), 'One moment')
    const page = await stage.open()
    await startChat(
      page,
      script(
        [
          call('q1', 'agents_message', { to: targetId, message: script(say('Free now.')) }),
          callTools,
        ],
        say('It was busy.'),
      ),
    )
    await untilText(chips(target), 'assistant asks')
    await eventually(() => readTranscript(target)).not.toContain('section.exchange')
    stage.model.gate(busy).release()
    await untilText(exchange(target), 'Free now.')
    await untilEnded(target, 1)
    await untilCount(chips(target), 0)
    await expectSame(target)
    await untilEnded(page, 0)
    await expectSame(page)
  })

  test('[AGT3] fire and callback: the answer is a golden block of its own, and a run follows it', async () => {
    const held = newGate()
    const page = await stage.open()
    const research = script([text('Here it '), gate(held), text('is at last.'), stop])
    await startChat(
      page,
      script([ask('q1', research, { wait: false }), callTools], say('I asked.')),
    )
    await untilEnded(page, 0)
    await unfold(page, 'q1')
    await untilText(tool(page, 'q1'), 'The answer comes as a message of its own.')
    await unfold(page, 'q1')
    expect(await callback(page).count()).toBe(0)
    stage.model.gate(held).release()
    await untilText(callback(page), 'researcher answered')
    await untilText(callback(page), 'Here it is at last.')
    await untilEnded(page, 1)
    const gold = await callback(page).evaluate((element) => {
      const probe = document.createElement('i')
      probe.style.color = 'var(--gold)'
      document.body.append(probe)
      const [wanted, shown] = [getComputedStyle(probe).color, getComputedStyle(element)]
      probe.remove()
      return shown.borderLeftColor === wanted && shown.borderLeftWidth === '3px'
    })
    expect(gold).toBe(true)
    await expectSame(page)
    await callback(page).locator('summary').click()
    await callback(page).locator('.exchange-body').waitFor({ state: 'hidden' })
  })

  test('[AGT3] [QUE1] an answer that comes while the agent works waits in its queue, and is not edited', async () => {
    const [busy, held] = [newGate(), newGate()]
    const page = await stage.open()
    const research = script([gate(held), ...say('Sooner than thought.')])
    await startChat(
      page,
      script(
        [ask('q1', research, { wait: false }), callTools],
        [text('Meanwhile I work.'), gate(busy), stop],
      ),
    )
    await untilText(answer(page, 0), 'Meanwhile I work.')
    stage.model.gate(held).release()
    await untilText(chips(page), 'researcher answered')
    await untilText(chips(page), 'Sooner than thought.')
    expect(await chips(page).getByRole('button', { name: /^Edit/ }).count()).toBe(0)
    expect(await chips(page).getByRole('button', { name: 'Withdraw' }).count()).toBe(1)
    stage.model.gate(busy).release()
    await untilText(callback(page), 'Sooner than thought.')
    await untilEnded(page, 1)
    await untilCount(chips(page), 0)
    await expectSame(page)
  })

  test('[AGT3] [QUE1] an answer that a person takes back from the queue is shown with its words, and why', async () => {
    const [busy, held] = [newGate(), newGate()]
    const page = await stage.open()
    const research = script([gate(held), ...say('Sooner than thought.')])
    const asking = await startChat(
      page,
      script(
        [ask('q1', research, { wait: false }), callTools],
        [text('Meanwhile I work.'), gate(busy), stop],
      ),
    )
    await untilText(answer(page, 0), 'Meanwhile I work.')
    stage.model.gate(held).release()
    await untilText(chips(page), 'Sooner than thought.')
    await chips(page).getByRole('button', { name: 'Withdraw' }).click()
    const note = page.locator('.notice-answer')
    await untilText(note, 'Taken back: researcher answered')
    await untilText(note, 'Sooner than thought.')
    await note.locator('summary').click()
    await untilText(note, 'A person took the message back')
    await note.locator('summary').click()
    stage.model.gate(busy).release()
    await untilEnded(page, 0)
    await expectSame(page)
    expect(await eventsOf(asking, 'run_started')).toHaveLength(1)
  })

  test('[AGT6] [CAN4] what an ended run has asked for is taken back from the list of runs', async () => {
    const held = newGate()
    const page = await stage.open()
    const research = script([text('Looking.'), gate(held), ...say('Never heard.')])
    const asking = await startChat(
      page,
      script([ask('q1', research, { wait: false }), callTools], say('I asked.')),
    )
    await untilEnded(page, 0)
    await stage.model.gate(held).reached
    await page.getByTestId('context-meter').click()
    await page.getByTestId('open-runs').click()
    const dialog = page.getByTestId('run-tree')
    const takeBack = dialog.getByRole('button', { name: /^Take back/ })
    await takeBack.click()
    await untilCount(takeBack, 0)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await untilText(callback(page), 'Taken back: researcher did not answer')
    await expectSame(page)
    expect(await eventsOf(asking, 'run_started')).toHaveLength(1)
    stage.model.gate(held).release()
  })

  test('[AGT3] [CAN4] what comes for a run that was stopped is a quiet record, and the other side ends', async () => {
    const held = newGate()
    const page = await stage.open()
    const research = script([text('Looking for it.'), gate(held), stop])
    const asking = await startChat(
      page,
      script([ask('q1', research), callTools], say('Never said.')),
    )
    await untilText(tool(page, 'q1'), 'Waits for researcher')
    await stage.model.gate(held).reached
    await page.keyboard.press('Escape')
    await untilText(callback(page), 'nothing followed')
    expect(await callback(page).getAttribute('class')).toContain('record')
    expect(await tool(page, 'q1').getAttribute('class')).toContain('interrupted')
    await expectSame(page)
    expect(await eventsOf(asking, 'run_started')).toHaveLength(1)
    await callback(page).locator('summary').click()
    await follow(page, callback(page).getByRole('link'))
    await untilText(exchange(page).locator('.exchange-head'), 'Cancelled')
    await untilText(answer(page, 0), 'by the agent that started it')
    await expectSame(page)
    stage.model.gate(held).release()
  })
})

describe('children', () => {
  test('[AGT5] [DEC6] three work at once; one waits and is answered at the parent; the tree stays', async () => {
    const [slow, last] = [newGate(), newGate()]
    const page = await stage.open()
    const parent = await startChat(
      page,
      script(
        [
          spawn('s1', [command('b1', 'touch cups.txt'), callTools], say('Five **cups**.')),
          spawn('s2', [call('t2', 'current_time', {}), callTools], [gate(slow), ...say('Six.')]),
          spawn('s3', [gate(last), ...say('Seven bowls.')]),
          callTools,
        ],
        say('Counted all of it.'),
      ),
    )
    await untilText(tree(page), '1 waiting for you, 2 running')
    expect(await childStatus(page, 's1')).toBe('waiting')
    await untilText(childLine(page, 's2'), 'Checking the time')
    await untilText(child(page, 's2'), '1 tool')
    await untilText(typing(page), 'Waiting for you')
    const time = child(page, 's3').locator('.child-time')
    const before = await time.innerText()
    await eventually(() => time.innerText()).not.toBe(before)

    await page.reload()
    await untilText(tree(page), '1 waiting for you, 2 running')
    await untilCount(childWaits(page), 1)
    expect(await childWaits(page).innerText()).toMatch(/assistant: command[\s\S]*touch cups\.txt/)
    expect(await childWaits(page).locator('.severity').innerText()).toBe('Medium risk')
    await childWaits(page).locator('[data-act=accept]').click()
    await untilText(childLine(page, 's1'), 'Five **cups**.')
    expect(await childStatus(page, 's1')).toBe('done')
    await untilCount(childWaits(page), 0)
    stage.model.gate(slow).release()
    stage.model.gate(last).release()
    await untilEnded(page, 0)
    await untilText(tree(page), 'Started 3 children')
    await expectSame(page)
    for (const callId of ['s1', 's2', 's3']) expect(await childStatus(page, callId)).toBe('done')
    await child(page, 's1').getByRole('button', { name: 'Details of assistant' }).click()
    await child(page, 's1').locator('strong', { hasText: 'cups' }).waitFor()
    const [first] = await eventsOf(parent, 'subagent_spawned')
    expect(await follow(page, child(page, 's1').getByRole('link'))).toBe(
      (first as { childSessionId?: string }).childSessionId,
    )
    await untilText(exchange(page), 'assistant asked')
    await expectSame(page)
  })

  test('[AGT5] [DEC6] what cannot be seen whole is opened, and rejected from the parent', async () => {
    const page = await stage.open()
    const parent = await startChat(
      page,
      script(
        [
          spawn('s1', [command('b1', 'ls\ntouch a.txt'), callTools], say('Rejected, I see.')),
          spawn(
            's2',
            [call('w1', 'write_file', { path: '.env', content: 'A=1' }), callTools],
            say('Written.'),
          ),
          spawn(
            's3',
            [call('u1', 'ask_user', { questions: [{ text: 'Which?' }] }), callTools],
            say('Thanks.'),
          ),
          callTools,
        ],
        say('All are back.'),
      ),
    )
    await untilCount(childWaits(page), 3)
    expect(await childWaits(page).locator('[data-act=accept]').count()).toBe(0)
    const cut = childWaits(page).filter({ hasText: 'ls…' })
    await cut.locator('[data-act=reject]').click()
    await cut.getByLabel('Why?').fill('Not like that')
    await cut.getByLabel('Why?').press('Enter')
    await untilText(childLine(page, 's1'), 'Rejected, I see.')
    await follow(page, childWaits(page).filter({ hasText: '.env' }).locator('[data-act=open]'))
    await eventually(() => page.locator('.wait-card:focus').getAttribute('data-call-id')).toBe('w1')
    await card(page, 'w1').locator('[data-act=accept]').click()
    await untilEnded(page, 0)
    expect(await follow(page, crumb(page))).toBe(parent)
    await untilText(childLine(page, 's2'), 'Written.')
    const question = childWaits(page).filter({ hasText: 'Which?' })
    expect(await question.locator('[data-act=reject]').count()).toBe(0)
    await follow(page, question.locator('[data-act=open]'))
    await card(page, 'u1').locator('textarea, input[type=text]').first().fill('The blue one')
    await card(page, 'u1').locator('[data-act=answer]').click()
    await untilEnded(page, 0)
    await follow(page, crumb(page))
    await untilEnded(page, 0)
    await expectSame(page)
  })

  test('[AGT5] [DEC6] whatever a child asks is answered at its parent, seen whole and changed there', async () => {
    const page = await stage.open()
    const planned = { title: 'Paint it', steps: [{ text: 'Buy paint' }] }
    const colours = [{ id: 'c', text: 'Which colour?', options: ['red', 'blue'], free: true }]
    const parent = await startChat(
      page,
      script(
        [
          spawn('s1', [command('b1', 'ls\ntouch a.txt'), callTools], say('Listed.')),
          spawn(
            's2',
            [call('w1', 'write_file', { path: '.env', content: 'A=1' }), callTools],
            say('Written.'),
          ),
          spawn('s3', [call('u1', 'ask_user', { questions: colours }), callTools], say('Blue.')),
          call('s4', 'agents_spawn', {
            agent: 'planner',
            task: script([call('p1', 'update_plan', planned), callTools], say('Planned.')),
          }),
          callTools,
        ],
        say('All are back.'),
      ),
    )
    await untilCount(childWaits(page), 4)
    const line = (words: string): Locator => childWaits(page).filter({ hasText: words })
    const review = (words: string): Promise<void> =>
      line(words).locator('[data-act=review]').click()
    const whole = (kind: string): Locator =>
      page.locator(`.child-review[data-kind=${kind}] .wait-card`)

    await review('ls…')
    await eventually(() => whole('command').evaluate((e) => e === document.activeElement)).toBe(
      true,
    )
    expect(await whole('command').locator('textarea').inputValue()).toBe('ls\ntouch a.txt')
    // Escape folds it; the run behind it goes on.
    await page.keyboard.press('Escape')
    await untilCount(whole('command'), 0)
    await eventually(() => page.locator('.wait-card:focus').innerText()).toContain('ls…')
    await page.keyboard.press('e')
    await whole('command').waitFor()
    await page.keyboard.press('a')
    await untilText(childLine(page, 's1'), 'Listed.')

    await review('.env')
    await untilText(whole('file_edit').locator('.card-diff'), 'A=1')
    await untilText(whole('file_edit'), 'Write this file?')
    await whole('file_edit').getByRole('button', { name: 'Edit before accepting' }).click()
    await whole('file_edit').getByLabel('content').fill('A=2')
    await whole('file_edit').locator('[data-act=accept]').click()
    await untilText(childLine(page, 's2'), 'Written.')
    const env = await fetch(`${stage.server.origin}/api/sessions/${parent}/files/.env`)
    expect(await env.text()).toBe('A=2')

    await review('Paint it')
    await whole('plan').getByLabel('Step 1', { exact: true }).fill('Buy blue paint')
    await whole('plan').locator('[data-act=accept]').click()
    await untilText(childLine(page, 's4'), 'Planned.')

    // Seen on another device, and answered there: it is gone everywhere.
    const other = await stage.openSession(parent)
    await line('Which colour?').locator('[data-act=review]').click()
    await whole('question').getByLabel('In your own words').fill('green, perh')
    await childWaits(other).locator('[data-act=review]').click()
    await other.locator('.child-review').getByLabel('blue').check()
    await other.locator('.child-review [data-act=answer]').click()
    await untilCount(childWaits(page), 0)
    await untilCount(childWaits(other), 0)
    // What is typed on goes into no shortcut.
    expect(await composer(page).evaluate((e) => e === document.activeElement)).toBe(true)
    await untilEnded(page, 0)
    await expectSame(page)
    const children = await eventsOf(parent, 'subagent_spawned')
    const { childSessionId } = children[2] as unknown as { childSessionId: string }
    expect(await eventsOf(childSessionId, 'ask_user_answered')).toMatchObject([
      { answers: { c: 'blue' } },
    ])
  })

  test('[CAN4] [AGT5] a stop at the parent ends all of them, seen from both sides', async () => {
    const held = newGate()
    const page = await stage.open()
    const parent = await startChat(
      page,
      script([
        spawn('s1', [text('Counting the cups.'), gate(held), stop]),
        spawn('s2', [command('b1', 'touch plates.txt'), callTools], say('Never.')),
        callTools,
      ]),
    )
    await untilText(tree(page), '1 waiting for you, 1 running')
    await stage.model.gate(held).reached
    const [first] = await eventsOf(parent, 'subagent_spawned')
    const { childSessionId } = first as unknown as { childSessionId: string }
    const inside = await stage.openSession(childSessionId)
    await untilText(answer(inside, 0), 'Counting the cups.')
    await page.keyboard.press('Escape')
    await untilEnded(page, 0)
    for (const callId of ['s1', 's2']) expect(await childStatus(page, callId)).toBe('cancelled')
    await untilText(tree(page), '2 cancelled')
    await untilCount(childWaits(page), 0)
    await untilText(exchange(inside).locator('.exchange-head'), 'Cancelled')
    await untilText(answer(inside, 0), 'by the agent that started it')
    await expectSame(page)
    await expectSame(inside)
    stage.model.gate(held).release()
  })

  test('[AGT5] [AGT6] the runs that work for a chat are a tree, and one of them is cancelled in it', async () => {
    const held = newGate()
    const page = await stage.open()
    await startChat(
      page,
      script(
        [
          spawn(
            's1',
            [spawn('s11', [text('Deep down.'), gate(held), stop]), callTools],
            say('Went on.'),
          ),
          callTools,
        ],
        say('All over.'),
      ),
    )
    await stage.model.gate(held).reached
    await tree(page).getByRole('button', { name: 'Runs' }).click()
    const dialog = page.getByTestId('run-tree')
    await untilCount(dialog.locator('.run-row'), 3)
    const deepest = dialog.locator('.run-row .run-row .run-row')
    await untilText(deepest, 'Running')
    await deepest.getByRole('button', { name: /^Cancel/ }).click()
    await eventually(() => deepest.getAttribute('data-status')).toBe('cancelled')
    await eventually(() => dialog.locator('.run-row').first().getAttribute('data-status')).toBe(
      'done',
    )
    await follow(page, deepest.getByRole('link'))
    await untilCount(dialog, 0)
    await untilText(exchange(page).locator('.exchange-head'), 'Cancelled')
    await untilCount(crumb(page), 2)
    stage.model.gate(held).release()
  })
})

test('[AGT6] [UI3] from the figures of a chat to its runs and back, by keyboard', async () => {
  const page = await stage.open()
  await startChat(page, script([ask('q1', script(say('Yes.'))), callTools], say('It says yes.')))
  await untilEnded(page, 0)
  await page.getByTestId('context-meter').focus()
  await page.keyboard.press('Enter')
  await page.getByTestId('open-runs').focus()
  await page.keyboard.press('Enter')
  const dialog = page.getByTestId('run-tree')
  await untilText(dialog, '2 runs')
  expect(await dialog.locator('.run-row .run-row').innerText()).toMatch(/^researcher[\s\S]*Done/)
  await page.keyboard.press('Escape')
  await untilCount(dialog, 0)
  expect(
    await page.getByTestId('context-meter').evaluate((e) => e === document.activeElement),
  ).toBe(true)
})

test('[AGT6] [UI3] an earlier run is chosen by its time, or by the answer it belongs to', async () => {
  const page = await stage.open()
  await startChat(page, script([spawn('s1', say('One.')), callTools], say('First.')))
  await untilEnded(page, 0)
  await send(page, script(say('Second.')))
  await untilEnded(page, 1)
  const dialog = page.getByTestId('run-tree')
  await page.getByTestId('context-meter').click()
  await page.getByTestId('open-runs').click()
  await untilText(dialog, 'One run')
  const choice = dialog.getByTestId('run-choice')
  expect(await choice.locator('option').count()).toBe(2)
  await choice.selectOption({ index: 1 })
  await untilText(dialog, '2 runs')
  await choice.selectOption({ index: 0 })
  await untilText(dialog, 'One run')
  await page.keyboard.press('Escape')
  await untilCount(dialog, 0)
  await tree(page).getByRole('button', { name: 'Runs' }).click()
  await untilText(dialog, '2 runs')
})

describe('several agents in one chat', () => {
  test('[AGT1] one is asked once: its answer says whose it is, and the chat keeps its own', async () => {
    const held = newGate()
    const page = await stage.open()
    const id = await startChat(page, script([text('I am at work.'), gate(held), stop]))
    await untilText(answer(page, 0), 'I am at work.')
    await page.getByTestId('agent').click()
    await page.getByLabel('Only for the next message').check()
    await page.getByRole('option', { name: /^coder/ }).click()
    await untilText(page.getByTestId('asked-once'), 'To coder, this message only')
    await page.getByTitle('The agent sees it at its next step (Ctrl Enter)').click()
    await send(page, script(say('Coded.')))
    await untilText(chips(page), 'to coder')
    await untilText(chips(page).locator('.chip-badge'), 'next')
    expect(await page.getByTestId('asked-once').count()).toBe(0)
    await expectSame(page)
    stage.model.gate(held).release()
    await untilEnded(page, 1)
    const whose = (index: number): Locator => answer(page, index).locator('.answered-by')
    await untilText(whose(1), 'coder')
    expect(await whose(0).count()).toBe(0)
    expect(await messages(page).nth(1).locator('.delivery-badge').first().innerText()).toBe(
      'To coder',
    )
    await send(page, script(say('Mine again.')))
    await untilEnded(page, 2)
    expect(await whose(2).count()).toBe(0)
    expect(await page.getByTestId('agent').innerText()).toContain('assistant')
    await expectSame(page)
    expect((await stage.api.getSession(id)).agent).toBe('assistant')
  })
})

describe('the list', () => {
  test('[SES1] [AGT5] children are nested below their parent, and neighbours only while they are seen', async () => {
    const held = newGate()
    const { id: older } = await stage.api.createSession({ title: 'An older chat' })
    const page = await stage.open()
    const many = Array.from({ length: 7 }, (_, n) => spawn(`s${n}`, say(`Number ${n}.`)))
    const parent = await startChat(
      page,
      script([...many, spawn('s7', [gate(held), ...say('Last.')]), callTools], say('All there.')),
    )
    const branch = page.locator('.session-branch').filter({ has: row(page, parent) })
    const inside = branch.locator('.session-children .session-row')
    await untilCount(inside, 5)
    expect(
      await branch.getByRole('button', { name: /^8 children/ }).getAttribute('aria-expanded'),
    ).toBe('true')
    await branch.getByRole('button', { name: '3 more' }).click()
    await untilCount(inside, 8)
    stage.model.gate(held).release()
    await untilEnded(page, 0)
    await row(page, older).locator('a').click()
    await page.waitForURL(`**/s/${older}`)
    // A choice holds; without one they fold when nothing goes on in them.
    await branch.getByRole('button', { name: /^8 children/ }).click()
    await untilCount(inside, 0)
    await page.reload()
    await row(page, parent).waitFor()
    await untilCount(inside, 0)
    await composer(page).press('Alt+ArrowUp')
    await page.waitForURL(`**/s/${parent}`)
    await untilCount(inside, 5)
    await composer(page).press('Alt+ArrowDown')
    await untilCount(crumb(page), 1)
  })

  test('[SES1] [UI3] by keyboard alone: a child that waits is answered, opened, left by its breadcrumb', async () => {
    const page = await stage.open()
    const parent = await startChat(
      page,
      script(
        [
          spawn(
            's1',
            [command('b1', 'touch a.txt'), callTools],
            [command('b2', 'rm -rf a.txt'), callTools],
            say('Gone.'),
          ),
          callTools,
        ],
        say('Good.'),
      ),
    )
    await childWaits(page).filter({ hasText: 'touch a.txt' }).waitFor()
    await page.keyboard.press('Alt+j')
    await page.keyboard.press('a')
    await childWaits(page).filter({ hasText: 'rm -rf a.txt' }).waitFor()
    await page.keyboard.press('Alt+j')
    await page.keyboard.press('o')
    await eventually(() => page.locator('.wait-card:focus').getAttribute('data-call-id')).toBe('b2')
    await page.keyboard.press('r')
    await page.keyboard.type('keep it')
    await page.keyboard.press('Enter')
    await untilEnded(page, 0)
    await crumb(page).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/s/${parent}`)
    await untilEnded(page, 0)
    const fold = tree(page).locator('.child-tree-fold')
    await fold.focus()
    await page.keyboard.press('Enter')
    await child(page, 's1').waitFor({ state: 'hidden' })
    await page.keyboard.press('Enter')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilText(child(page, 's1').locator('.child-details'), 'Gone.')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => !url.pathname.endsWith(parent))
    await untilText(exchange(page), 'Gone.')
  })

  test('[AGT3] [UI3] on a phone nothing is wider than the page', async () => {
    const page = await stage.open('/', {
      viewport: { width: 390, height: 780 },
      isMobile: true,
      hasTouch: true,
    })
    const research = script(
      [call('t1', 'current_time', {}), callTools],
      say('At noon. '.repeat(30)),
    )
    const long = 'touch '.concat('a-long-name '.repeat(12)).trim()
    await startChat(
      page,
      script(
        [
          ask('q1', research),
          spawn('s1', [command('b1', long), callTools], say('Done '.repeat(60))),
          callTools,
        ],
        say('All is done.'),
      ),
    )
    await childWaits(page).locator('[data-act=accept]').tap()
    await untilEnded(page, 0)
    await unfold(page, 'q1')
    await child(page, 's1').getByRole('button').tap()
    const isWide = (): Promise<boolean> =>
      page.evaluate(() => document.documentElement.scrollWidth > innerWidth)
    expect(await isWide()).toBe(false)
    await child(page, 's1').getByRole('link').tap()
    await untilCount(crumb(page), 1)
    await untilEnded(page, 0)
    expect(await isWide()).toBe(false)
    await send(page, 'Thanks')
    await untilEnded(page, 1)
  })
})

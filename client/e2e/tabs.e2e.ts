// Two devices in one session: what one does, the other sees.

import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  answer,
  answers,
  chips,
  eventually,
  expectSameAfterReload,
  messages,
  partsOf,
  readTranscript,
  send,
  startChat,
  tool,
  untilCount,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { call, callTools, gate, newGate, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let here: Page
let there: Page

/** A chat whose first answer waits at the gate, open on two devices. */
async function startHeld(name: string, ...first: Parameters<typeof script>): Promise<string> {
  const replies = first.length > 0 ? first : [[text('The first answer'), gate(name), stop]]
  const sessionId = await startChat(here, script(...replies))
  there = await stage.openSession(sessionId)
  await untilLive(there)
  await stage.model.gate(name).reached
  return sessionId
}

beforeEach(async () => {
  here = await stage.open()
})

const chipTexts = (page: Page) => chips(page).locator('.chip-text').allTextContents()

async function expectChips(...texts: string[]): Promise<void> {
  for (const page of [here, there]) await eventually(() => chipTexts(page)).toEqual(texts)
}

async function expectSameInBoth(): Promise<void> {
  const shown = await readTranscript(here)
  expect(shown).not.toBe('')
  await eventually(() => readTranscript(there)).toBe(shown)
}

const pressChip = (page: Page, itemText: string, label: string) =>
  chips(page)
    .filter({ hasText: itemText })
    .getByRole('button', { name: label, exact: true })
    .click()

/** What a person reads down the page: messages as they are, answers without their footers. */
const history = (page: Page) =>
  page
    .locator('.turn.user[data-turn] .bubble, .turn.assistant .text-part, .interrupted-mark')
    .allInnerTexts()

describe('two devices', () => {
  test('[LOG2][RUN2] both show the same while it streams, in the middle of a word, and at the end', async () => {
    const [first, second] = [newGate(), newGate()]
    await startHeld(first, [
      { reasoning: 'Thinking of both.' },
      text('The first half of a sent'),
      gate(first),
      text('ence goes to both'),
      gate(second),
      text(' devices.'),
      stop,
    ])
    for (const page of [here, there]) await untilText(answer(page, 0), 'The first half of a sent')
    await expectSameInBoth()
    stage.model.gate(first).release()
    for (const page of [here, there]) await untilText(answer(page, 0), 'sentence goes to both')
    await expectSameInBoth()
    stage.model.gate(second).release()
    for (const page of [here, there]) await untilEnded(page, 0)
    await expectSameInBoth()
    expect(await answer(there, 0).locator('.text-part').innerText()).toBe(
      'The first half of a sentence goes to both devices.',
    )
    await expectSameAfterReload(there)
  })

  test('[CAN1] a run is stopped from the other device, in the middle of its tool', async () => {
    await startChat(
      here,
      script([text('I am counting.'), call('count', 'countdown', { from: 60 }), callTools]),
    )
    there = await stage.openSession(new URL(here.url()).pathname.slice('/s/'.length))
    await there.locator('.tool-block.pending .tool-live').waitFor()
    await there.getByTestId('stop').click()
    for (const page of [here, there]) {
      await answer(page, 0).locator('.interrupted-mark').waitFor()
      expect(await tool(page, 'count').getAttribute('class')).toBe('tool-block interrupted')
    }
    await expectSameInBoth()
    await expectSameAfterReload(there)
  })

  test('[LOG3] a device that comes later, or sends, is seen by the first', async () => {
    const held = newGate()
    await startHeld(held)
    stage.model.gate(held).release()
    await untilEnded(here, 0)
    await send(there, 'Written over there.')
    for (const page of [here, there]) await untilEnded(page, 1)
    expect(await messages(here).nth(1).locator('.bubble').innerText()).toBe('Written over there.')
    await expectSameInBoth()
  })
})

describe('the queue', () => {
  test('[QUE1] queued messages are chips on every device, and run in order, each after the answer before it', async () => {
    const held = newGate()
    await startHeld(held)
    await send(here, 'Second message')
    await expectChips('Second message')
    await send(there, 'Third message')
    await expectChips('Second message', 'Third message')
    // Nothing queued is in the transcript before it is its turn.
    expect(await messages(here).count()).toBe(1)
    stage.model.gate(held).release()
    await untilEnded(here, 2)
    await expectChips()
    expect((await history(here)).slice(1)).toEqual([
      'The first answer',
      'Second message',
      'You said: Second message',
      'Third message',
      'You said: Third message',
    ])
    await expectSameInBoth()
    await expectSameAfterReload(here)
  })

  test('[QUE1] a chip can be edited, moved and withdrawn, from either device', async () => {
    const held = newGate()
    await startHeld(held)
    for (const name of ['One', 'Two', 'Three', 'Four']) {
      await send(here, name)
      await untilText(chips(here), name)
    }
    await expectChips('One', 'Two', 'Three', 'Four')
    await pressChip(there, 'Three', 'Withdraw')
    await expectChips('One', 'Two', 'Four')
    await pressChip(here, 'Four', 'Move up')
    await expectChips('One', 'Four', 'Two')
    await pressChip(there, 'One', 'Move down')
    await expectChips('Four', 'One', 'Two')
    await pressChip(here, 'Two', 'Edit: Two')
    await here.getByRole('textbox', { name: 'Queued message' }).fill('Two, but better')
    await here.keyboard.press('Enter')
    await expectChips('Four', 'One', 'Two, but better')
    // Escape leaves the editor and the chip as they were, and does not stop the run.
    await pressChip(there, 'One', 'Edit: One')
    await there.getByRole('textbox', { name: 'Queued message' }).fill('Never saved')
    await there.keyboard.press('Escape')
    await untilCount(there.getByRole('textbox', { name: 'Queued message' }), 0)
    await expectChips('Four', 'One', 'Two, but better')
    expect(await there.getByTestId('stop').isVisible()).toBe(true)
    await here.reload()
    await expectChips('Four', 'One', 'Two, but better')
    stage.model.gate(held).release()
    await untilEnded(there, 3)
    expect((await history(there)).slice(1)).toEqual([
      'The first answer',
      'Four',
      'You said: Four',
      'One',
      'You said: One',
      'Two, but better',
      'You said: Two, but better',
    ])
  })

  test('[QUE2] a chip that is sent now interrupts the run, and the others keep their places', async () => {
    const [held, next] = [newGate(), newGate()]
    await startHeld(held)
    await send(here, 'Waits its turn')
    await untilText(chips(here), 'Waits its turn')
    await send(here, `Urgent ${script([text('The urgent answer'), gate(next), stop])}`)
    await untilCount(chips(there), 2)
    await pressChip(there, 'Urgent', 'Send now')
    await untilText(answer(there, 1), 'The urgent answer')
    await expectChips('Waits its turn')
    expect(await answer(here, 0).locator('.interrupted-mark').innerText()).toBe(
      'Interrupted by a newer message',
    )
    stage.model.gate(next).release()
    await untilEnded(here, 2)
    expect(await answer(here, 2).locator('.text-part').innerText()).toBe('You said: Waits its turn')
    await expectSameInBoth()
    await expectSameAfterReload(here)
  })

  test('[QUE1] after a stop the queue is held, visibly, until somebody goes on', async () => {
    const held = newGate()
    await startHeld(held)
    await send(here, 'Held back')
    await expectChips('Held back')
    await there.keyboard.press('Escape')
    for (const page of [here, there]) {
      await untilText(page.locator('.queue-head.held'), 'Held – send something or Continue')
      expect(await chipTexts(page)).toEqual(['Held back'])
    }
    await here.reload()
    await untilText(here.locator('.queue-head.held'), 'Held – send something or Continue')
    await send(here, 'Something else first')
    await untilEnded(here, 2)
    const read = await history(there)
    expect(read.filter((line) => !line.startsWith('#script') && !line.includes('said:'))).toEqual([
      'The first answer',
      'Interrupted',
      'Something else first',
      'Held back',
    ])
    await expectChips()
  })
})

describe('steer and interrupt', () => {
  test('[QUE2] a steered message enters at the next step of the same run', async () => {
    const held = newGate()
    await startHeld(
      held,
      [
        text('Working on the first step.'),
        gate(held),
        call('sum', 'calculate', { expression: '2 + 2' }),
        callTools,
      ],
      [text('Without a steer.'), stop],
    )
    await send(here, script([text('I take that into account.'), stop]), 'Control+Enter')
    for (const page of [here, there]) {
      await untilText(chips(page).locator('.chip-badge'), 'steer')
    }
    stage.model.gate(held).release()
    await untilEnded(here, 1)
    expect(await answers(here).count()).toBe(2)
    expect(await partsOf(answer(here, 0))).toEqual(['text', 'tool'])
    expect(await messages(here).nth(1).locator('.delivery-badge').innerText()).toBe('Steered in')
    expect(await answer(here, 1).locator('.text-part').innerText()).toBe(
      'I take that into account.',
    )
    const order = await here
      .locator('[data-turn]')
      .evaluateAll((turns) => turns.map((turn) => turn.classList.contains('user')))
    expect(order).toEqual([true, false, true, false])
    await expectChips()
    await expectSameInBoth()
    await expectSameAfterReload(here)
  })

  test('[QUE2][CAN3] an interrupting message stops the run and is answered ahead of the queue', async () => {
    const held = newGate()
    await startHeld(held)
    await send(here, 'In the queue')
    await expectChips('In the queue')
    await send(there, 'Ahead of it', 'Control+Shift+Enter')
    await untilEnded(there, 2)
    expect((await history(there)).slice(1)).toEqual([
      'The first answer',
      'Interrupted by a newer message',
      'Ahead of it',
      'You said: [The previous answer was interrupted before it was complete.]\n\nAhead of it',
      'In the queue',
      'You said: In the queue',
    ])
    await expectSameInBoth()
    await expectSameAfterReload(there)
  })
})

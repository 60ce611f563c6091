// The server dies of SIGKILL, in the middle of whatever it does, and comes back. Nobody reloads.

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
  send,
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

const CONTINUATION = 'You said: [The previous answer was interrupted before it was complete.]'

const stage = setStage()
let page: Page

beforeEach(async () => {
  page = await stage.open()
})

const readEvents = async (sessionId: string) =>
  (await stage.api.events(sessionId, { deltas: true, limit: 1000 })).events

const attempts = async (sessionId: string): Promise<number[]> =>
  (await readEvents(sessionId)).flatMap((event) =>
    event.type === 'run_started' ? [event.attempt] : [],
  )

/** Text of the open answer that a crash cannot take any more. */
const storedText = async (sessionId: string): Promise<string> =>
  (await readEvents(sessionId))
    .flatMap((event) => (event.type === 'text_delta' ? [event.delta] : []))
    .join('')

describe('in the middle of a text', () => {
  test('[RUN9][LOG4] the run goes on by itself: what was stored stays, once; at most one flush of what was shown is gone', async () => {
    const [first, second] = [newGate(), newGate()]
    const sessionId = await startChat(
      page,
      script([
        text('This sentence is in the log. '),
        gate(first),
        text('This one was only shown.'),
        gate(second),
        stop,
      ]),
    )
    await eventually(() => storedText(sessionId)).toContain('This sentence is in the log.')
    stage.model.gate(first).release()
    await untilText(answer(page, 0), 'This one was only shown.')
    await stage.server.kill()
    await untilText(page.getByTestId('connection'), 'Connection lost. Reconnecting…')
    // What is on the screen stays there while nobody knows better.
    expect(await answer(page, 0).innerText()).toContain('This one was only shown.')
    await stage.server.restart()
    await untilEnded(page, 0)

    const [cut, continued, ...more] = await answer(page, 0).locator('.markdown').allInnerTexts()
    expect(cut).toMatch(/^This sentence is in the log\.( This one was only shown\.)?$/)
    expect(continued).toContain(CONTINUATION)
    expect(more).toEqual([])
    expect(await answers(page).count()).toBe(1)
    expect(await messages(page).count()).toBe(1)
    expect(await answer(page, 0).locator('.resumed-note').innerText()).toBe(
      'Interrupted here, then continued',
    )
    expect(await attempts(sessionId)).toEqual([1, 2])
    expect(await typing(page).count()).toBe(0)
    await expectSameAfterReload(page)
  })

  test('[RUN9] a run is continued by itself twice, then it stops with a mark and a Continue button', async () => {
    const held = newGate()
    const asked = stage.model.requests.length
    const sessionId = await startChat(page, script([gate(held), text('At last.'), stop]))
    await stage.model.gate(held).reached
    for (const expected of [
      [1, 2],
      [1, 2, 3],
    ]) {
      await stage.server.restart()
      await untilLive(page)
      await eventually(() => attempts(sessionId)).toEqual(expected)
      await eventually(() => stage.model.requests.length - asked).toBe(expected.length)
    }
    await stage.server.restart()
    await answer(page, 0).locator('.interrupted-mark').waitFor()
    expect(await answer(page, 0).innerText()).toBe('Interrupted by a restart of the server')
    await expectSameAfterReload(page)
    // Nobody has asked the model again behind the person's back.
    expect(stage.model.requests.length - asked).toBe(3)
    stage.model.gate(held).release()
    await page.getByTestId('continue').click()
    await untilText(answer(page, 1), 'At last.')
    await untilEnded(page, 1)
    expect(stage.model.requests.length - asked).toBe(4)
    await expectSameAfterReload(page)
  })
})

describe('in the middle of a tool', () => {
  test('[RUN9] a tool that is safe to repeat is run again, and is not left running for ever', async () => {
    const sessionId = await startChat(
      page,
      script(
        [text('I count to zero.'), call('count', 'countdown', { from: 2 }), callTools],
        [text('Counted after all.'), stop],
      ),
    )
    await page.locator('.tool-block.pending .tool-live').waitFor()
    await stage.server.kill()
    await stage.server.restart()
    await untilText(answer(page, 0), 'Counted after all.')
    await untilEnded(page, 0)
    expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool', 'text'])
    expect(await tool(page, 'count').getAttribute('class')).toBe('tool-block success')
    expect(await attempts(sessionId)).toEqual([1, 2])
    await expectSameAfterReload(page)
  })

  test('[RUN9][QUE1] with automatic continuation off: Interrupted, an amber tool, a held queue, and Continue', async () => {
    const { id } = await stage.api.createSession({ title: 'Does not go on by itself' })
    await stage.api.command(id, { type: 'configure', id: 'no-recovery', recovery: 'stop' })
    await page.goto(`${stage.server.origin}/s/${id}`)
    await untilLive(page)
    await send(
      page,
      script(
        [text('Counting from sixty.'), call('count', 'countdown', { from: 60 }), callTools],
        [text('Going on after the crash.'), stop],
      ),
    )
    await page.locator('.tool-block.pending .tool-live').waitFor()
    for (const name of ['Queued before the crash', 'And another one']) {
      await send(page, name)
      await untilText(chips(page), name)
    }
    await stage.server.kill()
    await stage.server.restart()
    await answer(page, 0).locator('.interrupted-mark').waitFor()
    expect(await tool(page, 'count').getAttribute('class')).toBe('tool-block interrupted')
    expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool'])
    expect(await chips(page).locator('.chip-text').allTextContents()).toEqual([
      'Queued before the crash',
      'And another one',
    ])
    await untilText(page.locator('.queue-head.held'), 'Held – send something or Continue')
    await expectSameAfterReload(page)
    expect(await chips(page).count()).toBe(2)

    await page.getByTestId('continue').click()
    await untilEnded(page, 3)
    await untilCount(chips(page), 0)
    const read = await page
      .locator('.turn.user[data-turn] .bubble, .turn.assistant .text-part')
      .allInnerTexts()
    expect(read.slice(1)).toEqual([
      'Counting from sixty.',
      'Going on after the crash.',
      'Queued before the crash',
      'You said: Queued before the crash',
      'And another one',
      'You said: And another one',
    ])
    await expectSameAfterReload(page)
  })
})

describe('between two runs', () => {
  test('[QUE1][LOG5] queued messages outlive the server and run in order; what was typed meanwhile is sent once', async () => {
    const held = newGate()
    const sessionId = await startChat(page, script([gate(held), text('The first answer.'), stop]))
    await stage.model.gate(held).reached
    await send(page, 'Queued before the crash')
    await untilText(chips(page), 'Queued before the crash')
    await stage.server.kill()
    await untilText(page.getByTestId('connection'), 'Connection lost.')
    await send(page, 'Sent to nobody')
    await untilText(page.locator('[data-pending]'), 'Sent to nobody')
    await stage.server.restart()
    await untilCount(chips(page), 2)
    stage.model.gate(held).release()
    await untilEnded(page, 2)
    expect((await messages(page).locator('.bubble').allInnerTexts()).slice(1)).toEqual([
      'Queued before the crash',
      'Sent to nobody',
    ])
    expect(await answers(page).count()).toBe(3)
    const sent = (await readEvents(sessionId)).filter((event) => event.type === 'user_message')
    expect(sent).toHaveLength(3)
    await expectSameAfterReload(page)
  })
})

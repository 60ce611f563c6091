// What the run engine does when things do not go smoothly, and what it all took: as a person sees it.

import type { Locator, Page } from 'playwright-core'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ChatBody, Reply } from '../../worker/testing/node/strict-openai.ts'
import {
  answer,
  answers,
  eventually,
  expectSameAfterReload,
  partsOf,
  record,
  send,
  startChat,
  tool,
  untilCount,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { call, callTools, gate, newGate, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const WINDOW = 8000
const PRICED = { window: WINDOW, price: { input: 3, cachedInput: 1, output: 15 } }

// A model that failed for good is left alone for a minute: each test that needs that has its own.
const stage = setStage({
  env: {
    OPENAI_MODEL: 'strict,frail,spare,plain',
    PARLEY_FALLBACK: 'spare',
    PARLEY_MODEL_INFO: JSON.stringify({
      strict: PRICED,
      frail: PRICED,
      spare: { window: WINDOW },
      plain: { window: WINDOW, tools: false },
    }),
  },
})
let page: Page

/** What each message is answered with: one reply for each call of a model, whatever its name. */
const plays = new Map<string, Reply[]>()
let summary: Reply = [text('- The person collects lighthouses.'), stop]

function reply({ messages }: ChatBody): Reply {
  const said = messages.flatMap(({ role, content }) =>
    role === 'user' && typeof content === 'string' ? [content] : [],
  )
  if (said.at(-1)?.startsWith('Summarise the conversation below')) return summary
  for (const content of said.toReversed()) {
    for (const [message, replies] of plays) {
      if (content.includes(message)) return replies.shift() ?? [text('Nothing more to say.'), stop]
    }
  }
  return [text('Nobody wrote an answer to this.'), stop]
}

beforeAll(() => {
  stage.model.setScript(reply)
})
beforeEach(async () => {
  page = await stage.open()
})

let messages = 0

/** A message of its own for every play: the provider finds its answer by it. */
function play(...replies: Reply[]): string {
  const message = `This is message ${++messages}, please.`
  plays.set(message, replies)
  return message
}

/** A chat with another model than the standard one. */
async function openChatWith(model: string): Promise<void> {
  const { id } = await stage.api.createSession({ model })
  await page.goto(`${stage.server.origin}/s/${id}`)
  await untilLive(page)
}

const words = () => page.locator('.typing-words').textContent()
const note = (code: string): Locator => page.locator(`[data-part=notice][data-code=${code}]`)
const meter = () => page.getByTestId('context-meter')
const panel = () => page.getByTestId('usage-panel')
const listen = () => record(page, '.visually-hidden[role=status]')
const textsOf = (index: number) => answer(page, index).locator('.text-part').allInnerTexts()
const percent = async () => Number(/\d+/.exec((await meter().textContent()) ?? '')?.[0])

/** The value beside a label, in the foot of an answer or in the panel. */
const figure = (within: Locator, label: string) =>
  within
    .locator('.figures > div')
    .filter({ has: page.locator('dt', { hasText: new RegExp(`^${label}$`) }) })
    .locator('dd')

const overloaded: Reply = [{ status: 503, body: { error: { message: 'Come back later.' } } }]

const stopWith = (prompt_tokens: number, completion_tokens: number, cached_tokens: number) => ({
  finish: 'stop',
  usage: { prompt_tokens, completion_tokens, prompt_tokens_details: { cached_tokens } },
})

describe('a provider that fails', () => {
  test('[RUN7][RUN10][UI2] two failed tries are what it does now, then one quiet line, and no news to a listener', async () => {
    const held = newGate()
    const said = await listen()
    await startChat(
      page,
      play(overloaded, overloaded, [gate(held), text('The third try went through.'), stop]),
    )
    await stage.model.gate(held).reached
    await eventually(words).toBe('Trying again…')
    // While it waits the reason is in view, however often it failed.
    await untilCount(note('model_retry'), 1)
    expect(await note('model_retry').innerText()).toContain('The model provider is overloaded')
    stage.model.gate(held).release()
    await untilEnded(page, 0)

    expect(await partsOf(answer(page, 0))).toEqual(['notice', 'text'])
    expect(await note('model_retry').innerText()).toBe('Tried again 2 times')
    expect(await said()).not.toContain('Trying again…')
    await expectSameAfterReload(page)
    await note('model_retry').locator('summary').click()
    const lines = (await note('model_retry').locator('.note-text').innerText()).split('\n')
    expect(lines).toHaveLength(2)
    for (const line of lines) expect(line).toContain('Come back later. Try again in a moment.')
  })

  test('[RUN7][UI2] another model takes over in mid-sentence: named, said once, and no word is doubled', async () => {
    const [breaking, taking] = [newGate(), newGate()]
    await openChatWith('frail')
    const said = await listen()
    const half = 'The harbour was quiet for most of the night, and then '
    await send(
      page,
      play(
        [text(half), gate(breaking), { error: { type: 'overloaded_error', message: 'Busy.' } }],
        overloaded,
        overloaded,
        [gate(taking), text('and then the storm came in.'), stop],
      ),
    )
    await untilText(answer(page, 0), 'The harbour was quiet')
    stage.model.gate(breaking).release()
    await stage.model.gate(taking).reached
    await eventually(words).toBe('spare takes over…')
    stage.model.gate(taking).release()
    await untilEnded(page, 0)

    expect((await textsOf(0)).map((part) => part.trim())).toEqual([
      half.trim(),
      'the storm came in.',
    ])
    const fallback = note('model_fallback')
    expect(await fallback.locator('b').innerText()).toBe('frail → spare')
    expect(await fallback.innerText()).toContain('The model provider is overloaded')
    // Whoever answered in the end is named below the answer.
    expect(await answer(page, 0).locator('.turn-facts').innerText()).toMatch(/^spare · /)
    const heard = (await said()).filter((phrase) => /takes over|Trying/.test(phrase))
    expect(heard).toEqual(['spare takes over…'])
    await expectSameAfterReload(page)
  })

  test('[RUN4][UI2] a failed run says why, once, and what to do; Continue goes on', async () => {
    const said = await listen()
    const refused: Reply = [{ status: 400, body: { error: { message: 'No such voice.' } } }]
    // Refused by the model and by the one that takes over.
    await startChat(page, play(refused, refused, [text('Now it worked, thank you.'), stop]))
    const mark = answer(page, 0).locator('.failed-mark')
    await mark.waitFor()
    expect(await mark.innerText()).toContain('No such voice.')
    expect(await mark.innerText()).toContain('Change the message, or choose another model.')
    expect(await note('model_bad_request').count()).toBe(0)
    await eventually(async () => (await said()).at(-1)).toMatch(/^The run failed\. The model/)
    expect((await said()).filter((phrase) => phrase.includes('failed'))).toHaveLength(1)
    await expectSameAfterReload(page)
    await page.getByTestId('continue').click()
    await untilCount(answers(page), 2)
    await untilEnded(page, 1)
    expect(await textsOf(1)).toEqual(['Now it worked, thank you.'])
    await untilCount(page.getByTestId('continue'), 0)
    await expectSameAfterReload(page)
  })

  test('[RUN4][UI2] an answer that was cut or withheld says so and what to do, the same after a reload', async () => {
    const cut: Reply = [text('It begins well and'), { finish: 'length' }]
    const withheld: Reply = [text('I would say'), { finish: 'content_filter' }]
    const said = await listen()
    await startChat(page, play(cut, withheld))
    await untilEnded(page, 0)
    await eventually(async () => (await said()).at(-1)).toMatch(/^Answer cut at the output limit\./)
    const mark = (index: number): Locator => answer(page, index).locator('.cut-mark')
    expect(await mark(0).innerText()).toMatch(/^Cut at the model’s output limit\. Continue/)
    await expectSameAfterReload(page)
    await page.getByTestId('continue').click()
    await untilEnded(page, 1)
    expect(await mark(1).innerText()).toMatch(/^Withheld by the provider’s filter\. Say it/)
    // The same again would be withheld again.
    await untilCount(page.getByTestId('continue'), 0)
    await expectSameAfterReload(page)
  })

  test('[UI2] a provider that cannot be reached is called that, and can be tried again', async () => {
    const cut: Reply = [{ cut: true }]
    await openChatWith('spare')
    await send(page, play(cut, cut, cut, [text('There it is again.'), stop]))
    const mark = answer(page, 0).locator('.failed-mark[data-code=model_unavailable]')
    await mark.waitFor()
    expect(await mark.locator('strong').innerText()).toBe('Provider unreachable.')
    expect(await mark.innerText()).toContain('cannot be reached')
    expect(await note('model_retry').innerText()).toBe('Tried again 2 times')
    await expectSameAfterReload(page)
    await page.getByTestId('continue').click()
    await untilText(answer(page, 1), 'There it is again.')
    await untilEnded(page, 1)
  })

  test('[RUN10][UI2] a model without tools answers, below a warning that says so', async () => {
    await openChatWith('plain')
    await send(page, play([text('Plain words, no tools.'), stop]))
    await untilEnded(page, 0)
    expect(await partsOf(answer(page, 0))).toEqual(['notice', 'text'])
    expect(await note('no_tool_support').innerText()).toContain('plain cannot use tools')
    expect(await note('no_tool_support').getAttribute('class')).toBe('notice warning')
    await expectSameAfterReload(page)
  })
})

describe('what it took', () => {
  test('[RUN4][UI2] every answer has its tokens and cost, and the chat their sum', async () => {
    await startChat(page, play([text('The first answer.'), stopWith(1184, 212, 184)]))
    await untilEnded(page, 0)
    const facts = answer(page, 0).locator('.turn-facts')
    expect(await facts.innerText()).toMatch(/^strict · .* · 1\.4k tokens · \$0\.0064$/)
    await expectSameAfterReload(page)
    await facts.press('Enter')
    const foot = answer(page, 0).locator('.turn-foot')
    await untilText(figure(foot, 'Input'), /^1,184 tokens$/)
    expect(await figure(foot, 'of it cached').innerText()).toBe('184')
    expect(await figure(foot, 'Output').innerText()).toBe('212 tokens')
    expect(await figure(foot, 'Cost').innerText()).toBe('$0.0064')
    expect(await figure(foot, 'Stop reason').innerText()).toBe('stop')

    await send(page, play([text('The second answer.'), stopWith(2000, 100, 0)]))
    await untilEnded(page, 1)
    await meter().click()
    await untilText(figure(panel(), 'Runs'), /^2$/)
    expect(await figure(panel(), 'Input').innerText()).toBe('3,184 tokens')
    expect(await figure(panel(), 'Output').innerText()).toBe('312 tokens')
    expect(await figure(panel(), 'Cost').innerText()).toBe('$0.01')
    expect(await figure(panel(), 'Messages').innerText()).toBe('4')
  })

  test('[UI2][UI3] the panel opens and closes by key, and its Escape does not stop the run behind it', async () => {
    const held = newGate()
    expect(await meter().count()).toBe(0)
    await startChat(page, play([text('Something to measure.'), stop]))
    await untilEnded(page, 0)
    await send(page, play([text('A run behind the panel'), gate(held), stop]))
    await untilText(answer(page, 1), 'A run behind the panel')
    await meter().press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Context and usage' })
    await eventually(() => dialog.evaluate((it) => it === document.activeElement)).toBe(true)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await meter().evaluate((it) => it === document.activeElement)).toBe(true)
    // From the message field as well.
    await page.keyboard.press('Enter')
    await eventually(() => dialog.evaluate((it) => it === document.activeElement)).toBe(true)
    await page.getByTestId('composer').focus()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByTestId('stop').isVisible()).toBe(true)
    // A press beside it closes it too.
    await meter().click()
    await dialog.waitFor()
    await page.locator('.header').click({ position: { x: 200, y: 2 } })
    await dialog.waitFor({ state: 'hidden' })
    stage.model.gate(held).release()
    await untilEnded(page, 1)
    expect(await page.locator('.interrupted-mark').count()).toBe(0)
  })
})

describe('a context that fills', () => {
  const LOG = 'The lamp was lit at dusk and burned until the morning came. '
  const filling = (lines: number): Reply => [
    { repeat: lines, text: LOG },
    stopWith(1400, lines * 15, 0),
  ]

  test('[RUN8][UI2] the meter says in words that it fills; Compact now makes room, or says why not', async () => {
    const held = newGate()
    summary = [gate(held), text('- The person collects lighthouses.'), stop]
    await startChat(page, play(filling(320)))
    await untilEnded(page, 0)
    await send(page, play([text('A short one after it.'), stopWith(6300, 9, 0)]))
    await untilEnded(page, 1)
    await untilText(meter(), '79 % of context, filling up')
    await meter().click()
    expect(await figure(panel(), 'Tokens').innerText()).toBe('6,309 of 8,000 (79 %)')
    expect(await figure(panel(), 'Summarised').innerText()).toBe('no')
    await page.getByTestId('compact').click()
    await stage.model.gate(held).reached
    await eventually(words).toBe('Summarising…')
    await page.getByTestId('compact').click()
    await untilText(panel(), 'Not now: a run is active.')
    stage.model.gate(held).release()
    await note('compacted').waitFor()
    await untilEnded(page, 2)
    await untilText(figure(panel(), 'Summarised'), 'yes')
    expect(await meter().getAttribute('data-level')).toBe('calm')
    expect(await percent()).toBeLessThan(60)
    await page.keyboard.press('Escape')

    // What people read is not cut, and what the model reads can be looked at.
    expect((await textsOf(0))[0]).toContain(LOG.trim())
    await expectSameAfterReload(page)
    expect(await note('compacted').locator('.note-text').isVisible()).toBe(false)
    await note('compacted').locator('summary').click()
    expect(await note('compacted').innerText()).toContain('- The person collects lighthouses.')
  })

  test('[RUN8] by itself, before the next answer, and the meter falls', async () => {
    summary = [text('- The keeper lit the lamp each night.'), stop]
    await startChat(page, play(filling(400)))
    await untilText(meter(), '93 % of context, nearly full')
    await send(page, play([text('There is room again.'), stopWith(1600, 0, 0)]))
    await untilEnded(page, 1)
    expect(await partsOf(answer(page, 1))).toEqual(['notice', 'text'])
    expect(await note('compacted').innerText()).toBe(
      'Earlier messages were summarised for the model',
    )
    await untilText(meter(), '20 % of context')
    await expectSameAfterReload(page)
  })
})

describe('progress groups', () => {
  test('[UI1] work folds by itself when text follows, in a running run; what a person opened stays open', async () => {
    const [working, writing, between] = [newGate(), newGate(), newGate()]
    await startChat(
      page,
      play(
        [
          { reasoning: 'Two sums first.' },
          gate(working),
          call('one', 'calculate', { expression: '1 + 1' }),
          call('two', 'calculate', { expression: '2 + *' }),
          callTools,
        ],
        [
          text('So much for the first part. '),
          gate(writing),
          call('three', 'text_stats', { text: 'a b' }),
          call('four', 'countdown', { from: 1 }),
          callTools,
        ],
        [gate(between), text('And that was the second part.'), stop],
      ),
    )
    const phase = () => answer(page, 0).getAttribute('data-phase')
    const summaries = answer(page, 0).locator('.work-summary')
    await untilText(answer(page, 0), 'Two sums first.')
    await eventually(phase).toBe('thinking')
    stage.model.gate(working).release()
    await untilText(answer(page, 0), 'So much for the first part.')
    expect(await phase()).toBe('streaming')
    await untilCount(summaries, 1)
    expect(await summaries.innerText()).toBe('Used 2 tools, 1 failed')
    expect(await summaries.getAttribute('aria-expanded')).toBe('false')
    expect(await tool(page, 'one').isVisible()).toBe(false)
    stage.model.gate(writing).release()

    await stage.model.gate(between).reached
    await tool(page, 'four').and(page.locator('.success')).waitFor()
    expect(await phase()).toBe('working')
    await tool(page, 'three').locator('summary').click()
    await tool(page, 'three').locator('.tool-body').waitFor()
    stage.model.gate(between).release()
    await untilEnded(page, 0)
    expect(await phase()).toBe('done')
    await untilCount(summaries, 2)
    expect(await summaries.nth(1).innerText()).toMatch(/^Used 2 tools, 1\.\d s$/)
    expect(await summaries.nth(1).getAttribute('aria-expanded')).toBe('true')
    expect(await tool(page, 'three').locator('.tool-body').isVisible()).toBe(true)

    // Closed again it is as anybody else finds it.
    await tool(page, 'three').locator('summary').click()
    await summaries.nth(1).click()
    await expectSameAfterReload(page)
    await summaries.nth(0).click()
    expect(await tool(page, 'one').isVisible()).toBe(true)
    expect(await tool(page, 'three').isVisible()).toBe(false)
  })

  test('[UI1][CAN3] work that was stopped is left in view', async () => {
    await startChat(
      page,
      play([
        call('sum', 'calculate', { expression: '1 + 1' }),
        call('count', 'countdown', { from: 60 }),
        callTools,
      ]),
    )
    await page.locator('.tool-block.pending .tool-live').waitFor()
    await page.keyboard.press('Escape')
    await answer(page, 0).locator('.interrupted-mark').waitFor()
    expect(await answer(page, 0).locator('.work-summary').count()).toBe(0)
    expect(await tool(page, 'count').isVisible()).toBe(true)
    await expectSameAfterReload(page)
  })
})

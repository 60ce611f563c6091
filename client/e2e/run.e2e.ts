// One run as a person sees it, live and after a reload: the checklist of seed 000.

import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import {
  answer,
  answers,
  composer,
  eventually,
  expectSameAfterReload,
  messages,
  partsOf,
  record,
  send,
  startChat,
  tool,
  typing,
  untilCount,
  untilEnded,
  untilText,
} from './browser.ts'
import { call, callInPieces, callTools, gate, newGate, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const stage = setStage()
let page: Page

beforeEach(async () => {
  page = await stage.open()
})

const stopButton = () => page.getByTestId('stop')
const mark = (index: number) => answer(page, index).locator('.interrupted-mark')
const words = () => page.locator('.typing-words').textContent()

describe('a normal run', () => {
  test('[RUN2][LOG2][checklist 1][checklist 10] message, tool calls, response: the same after a reload', async () => {
    const [before, after] = [newGate(), newGate()]
    await startChat(
      page,
      script(
        [
          text('Let me work that out for you.'),
          gate(before),
          call('sum', 'calculate', { expression: '6 * 7' }),
          callTools,
        ],
        [text('The answer is **forty-two**'), gate(after), text(', as *expected*.'), stop],
      ),
    )
    await untilText(answer(page, 0), 'Let me work that out for you.')
    expect(await partsOf(answer(page, 0))).toEqual(['text'])
    stage.model.gate(before).release()
    await untilText(answer(page, 0), 'The answer is forty-two')
    expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool', 'text'])
    expect(await answer(page, 0).locator('strong').textContent()).toBe('forty-two')
    stage.model.gate(after).release()
    await untilEnded(page, 0)

    expect(await messages(page).count()).toBe(1)
    expect(await answers(page).count()).toBe(1)
    expect(await answer(page, 0).locator('.text-part').last().innerText()).toBe(
      'The answer is forty-two, as expected.',
    )
    expect(await tool(page, 'sum').getAttribute('class')).toBe('tool-block success')
    expect(await tool(page, 'sum').locator('.tool-detail').textContent()).toBe('42')
    expect(await typing(page).count()).toBe(0)
    expect(await stopButton().count()).toBe(0)
    const shown = await expectSameAfterReload(page)
    expect(shown).toContain('"forty-two"')
    expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool', 'text'])
  })

  test('[RUN5][checklist 4] the typing indicator stays through every phase, says which, and goes at the end', async () => {
    const [loading, thinking, preparing, writing] = [newGate(), newGate(), newGate(), newGate()]
    const said = await record(page, '.typing-words')
    await startChat(
      page,
      script(
        [
          gate(loading),
          { reasoning: 'Counting needs a tool.' },
          gate(thinking),
          ...callInPieces('count', 'countdown', { from: 1 }, gate(preparing)),
          callTools,
        ],
        [text('That was one second.'), gate(writing), stop],
      ),
    )
    await stage.model.gate(loading).reached
    await eventually(words).toBe('Loading model…')
    stage.model.gate(loading).release()
    await eventually(words).toBe('Thinking…')
    stage.model.gate(thinking).release()
    await eventually(words).toBe('Preparing tool…')
    stage.model.gate(preparing).release()
    await page.locator('.tool-block.pending .tool-live').waitFor()
    expect(await words()).toBe('Working…')
    await untilText(answer(page, 0), 'That was one second.')
    expect(await words()).toBe('Working…')
    stage.model.gate(writing).release()
    await untilEnded(page, 0)

    expect(await typing(page).count()).toBe(0)
    // From the first word to the last it was never away, and nothing came in between.
    const phases = await said()
    const start = phases.indexOf('Loading model…')
    expect(phases.slice(start)).toEqual([
      'Loading model…',
      'Thinking…',
      'Preparing tool…',
      'Working…',
      'Loading model…',
      'Working…',
      '',
    ])
    expect(phases.slice(0, start).filter((phase) => !['', 'Sending…'].includes(phase))).toEqual([])
  })

  test('[RUN6] a text shows nothing before eight word characters, and never an open mark', async () => {
    const gates = Array.from({ length: 4 }, newGate)
    const pieces = ['**Hel', 'lo** ', 'wor', 'ld, [a link](https://exam', 'ple.com/) ends it.']
    const shown = await record(page, '.turn.assistant .text-part')
    await startChat(
      page,
      script([...pieces.flatMap((piece, i) => [text(piece), gate(gates[i] ?? 'open')]), stop]),
    )
    stage.model.gate('open').release()
    for (const name of gates.slice(0, 2)) {
      await stage.model.gate(name).reached
      stage.model.gate(name).release()
    }
    await untilText(answer(page, 0), 'Hello wor')
    stage.model.gate(gates[2]!).release()
    await untilText(answer(page, 0), 'Hello world, a link')
    stage.model.gate(gates[3]!).release()
    await untilEnded(page, 0)

    const states = (await shown()).map((state) => state.trim())
    expect(states[0]).toBe('')
    const first = states.find((state) => state !== '')!
    expect(first.match(/\p{L}|\p{N}/gu)!.length).toBeGreaterThanOrEqual(8)
    expect(states.filter((state) => /[*[\]()]|https/.test(state))).toEqual([])
    expect(states.at(-1)).toBe('Hello world, a link ends it.')
  })
})

describe('thinking', () => {
  test('[UI1][RUN2] thinking is open while it streams and folds when text follows', async () => {
    const [first, second, third] = [newGate(), newGate(), newGate()]
    await startChat(
      page,
      script([
        { reasoning: 'First I ' },
        gate(first),
        { reasoning: 'weigh it.' },
        gate(second),
        text('Then I answer.'),
        gate(third),
        stop,
      ]),
    )
    const block = answer(page, 0).locator('details.thinking')
    // Thinking is never gated: three letters are shown.
    await untilText(block, 'First I')
    expect(await block.getAttribute('open')).not.toBeNull()
    stage.model.gate(first).release()
    await untilText(block, 'First I weigh it.')
    expect(await block.locator('summary').textContent()).toBe('Thinking')
    stage.model.gate(second).release()
    await untilText(answer(page, 0), 'Then I answer.')
    expect(await block.getAttribute('open')).toBeNull()
    expect(await block.locator('summary').textContent()).toBe('Thought')
    stage.model.gate(third).release()
    await untilEnded(page, 0)
    expect(await partsOf(answer(page, 0))).toEqual(['thinking', 'text'])
    await expectSameAfterReload(page)
    await answer(page, 0).locator('details.thinking summary').click()
    expect(await answer(page, 0).locator('.thinking-text').innerText()).toBe('First I weigh it.')
  })

  test('[TOOL5] the think tool renders as thinking, never as a tool', async () => {
    const held = newGate()
    const thought = 'The question has two readings; the second is meant.'
    await startChat(
      page,
      script(
        [...callInPieces('thought', 'think', { thought }, gate(held)), callTools],
        [text('So the second reading it is.'), stop],
      ),
    )
    await untilText(answer(page, 0).locator('details.thinking[open]'), 'The question has')
    expect(await page.locator('.tool-block').count()).toBe(0)
    stage.model.gate(held).release()
    await untilEnded(page, 0)
    expect(await partsOf(answer(page, 0))).toEqual(['thinking', 'text'])
    expect(await answer(page, 0).locator('.thinking-text').textContent()).toBe(thought)
    await expectSameAfterReload(page)
    await send(page, 'Thanks, that was all.')
    await untilEnded(page, 1)
  })
})

describe('tools', () => {
  test('[TOOL4][checklist 10] parallel calls settle in any order, each on its own block', async () => {
    await startChat(
      page,
      script(
        [
          text('Three things at once, please wait.'),
          call('slow', 'countdown', { from: 1, label: 'Slow' }),
          call('sum', 'calculate', { expression: '(1 + 2) * 3' }),
          call('stats', 'text_stats', { text: 'two words' }),
          callTools,
        ],
        [text('All three are done.'), stop],
      ),
    )
    await page.locator('.tool-block.pending[data-call=slow] .tool-live').waitFor()
    await tool(page, 'sum').and(page.locator('.success')).waitFor()
    expect(await tool(page, 'slow').getAttribute('class')).toBe('tool-block pending')
    await untilEnded(page, 0)

    const blocks = answer(page, 0).locator('.tool-block')
    expect(
      await blocks.evaluateAll((all) => all.map((block) => block.getAttribute('data-call'))),
    ).toEqual(['slow', 'sum', 'stats'])
    expect(await tool(page, 'slow').locator('.tool-detail').textContent()).toContain(
      'counted down from 1 to 0',
    )
    expect(await tool(page, 'sum').locator('.tool-detail').textContent()).toBe('9')
    expect(await tool(page, 'stats').locator('.tool-detail').textContent()).toContain('words: 2')
    expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool', 'tool', 'tool', 'text'])
    // Done folds the work into a line that opens (UI1).
    const summary = answer(page, 0).locator('.work-summary')
    expect(await summary.textContent()).toMatch(/^Used 3 tools, /)
    expect(await blocks.first().isVisible()).toBe(false)
    await expectSameAfterReload(page)
    await summary.click()
    expect(await blocks.first().isVisible()).toBe(true)
  })

  test('[TOOL2][TOOL3] a failing tool shows what failed, and the model goes on from there', async () => {
    await startChat(
      page,
      script(
        [call('bad', 'calculate', { expression: '2 + * 3' }), callTools],
        [call('none', 'no_such_tool', {}), callTools],
        [text('Neither of them worked.'), stop],
      ),
    )
    await untilEnded(page, 0)
    for (const id of ['bad', 'none']) {
      expect(await tool(page, id).getAttribute('class')).toBe('tool-block error')
    }
    expect(await tool(page, 'bad').locator('.tool-message').textContent()).toContain(
      'expected a number at position 5',
    )
    expect(await tool(page, 'none').locator('.tool-message').textContent()).toContain(
      'no such tool: "no_such_tool"',
    )
    expect(await answer(page, 0).locator('.text-part').innerText()).toBe('Neither of them worked.')
    await expectSameAfterReload(page)
  })
})

describe('stopping', () => {
  test('[CAN1][CAN3][checklist 2][checklist 8] the Stop button in mid-word keeps the text and says Interrupted, also after a reload', async () => {
    const held = newGate()
    const aborted = stage.model.aborted
    const said = await record(page, '.typing-words')
    await startChat(page, script([text('This answer is cut in the mid'), gate(held), text('dle.')]))
    await untilText(answer(page, 0), 'This answer is cut in the mid')
    await stopButton().click()
    await mark(0).waitFor()
    // Stopped for real: the provider's reply was given up.
    await stage.model.untilAborted(aborted + 1)

    expect(await answer(page, 0).locator('.text-part').innerText()).toBe(
      'This answer is cut in the mid',
    )
    expect(await mark(0).innerText()).toBe('Interrupted')
    expect(await typing(page).count()).toBe(0)
    expect(await stopButton().count()).toBe(0)
    expect((await said()).at(-1)).toBe('')
    stage.model.gate(held).release()
    const shown = await expectSameAfterReload(page)
    expect(shown).toContain('"This answer is cut in the mid"')
    expect(await mark(0).innerText()).toBe('Interrupted')

    await send(page, 'And what now?')
    await untilEnded(page, 1)
    expect(await answer(page, 1).locator('.text-part').innerText()).toContain('And what now?')
  })

  test('[CAN1][checklist 2] Escape in mid-word does the same, wherever the focus is', async () => {
    for (const [index, focus] of (['composer', 'page'] as const).entries()) {
      const held = newGate()
      await (index === 0 ? startChat : send)(page, script([text('Half a sent'), gate(held)]))
      await untilText(answer(page, index), 'Half a sent')
      if (focus === 'page') await page.getByRole('region', { name: 'Conversation' }).focus()
      else await composer(page).focus()
      await page.keyboard.press('Escape')
      await mark(index).waitFor()
      expect(await answer(page, index).locator('.text-part').innerText()).toBe('Half a sent')
    }
    await expectSameAfterReload(page)
  })

  test('[UI1] stopped before the first word, an answer is its Interrupted mark and nothing else', async () => {
    const held = newGate()
    await startChat(page, script([gate(held), text('Never said.')]))
    await stage.model.gate(held).reached
    await stopButton().click()
    await mark(0).waitFor()
    expect(await answer(page, 0).innerText()).toBe('Interrupted')
    await expectSameAfterReload(page)
  })

  test('[CAN3][checklist 3][checklist 7][checklist 9] stopped during a tool: an amber block below its text, live and reloaded, and the next message works', async () => {
    await startChat(
      page,
      script([
        text('I count for you now.'),
        call('count', 'countdown', { from: 60, label: 'Left' }),
        call('sum', 'calculate', { expression: '1 + 1' }),
        callTools,
      ]),
    )
    await untilText(tool(page, 'count').locator('.tool-live'), 'Left: 60')
    await tool(page, 'sum').and(page.locator('.success')).waitFor()
    await page.keyboard.press('Escape')
    await mark(0).waitFor()

    const checkBlock = async (): Promise<void> => {
      expect(await partsOf(answer(page, 0))).toEqual(['text', 'tool', 'tool'])
      expect(await tool(page, 'count').getAttribute('class')).toBe('tool-block interrupted')
      expect(await tool(page, 'count').locator('.tool-state').innerText()).toBe('⚠ Interrupted')
      expect(await tool(page, 'sum').getAttribute('class')).toBe('tool-block success')
      expect(await readLook()).toEqual({ style: 'dashed', hue: 'amber', isVisible: true })
      expect(await mark(0).innerText()).toBe('Interrupted')
      expect(await typing(page).count()).toBe(0)
    }
    const readLook = () =>
      tool(page, 'count').evaluate((block) => {
        const { borderTopStyle: style, borderTopColor } = getComputedStyle(block)
        const [red, green, blue] = borderTopColor.match(/\d+/g)!.map(Number)
        const isAmber = red! > green! && green! > blue! * 1.5
        return {
          style,
          hue: isAmber ? 'amber' : borderTopColor,
          isVisible: block.checkVisibility(),
        }
      })
    await checkBlock()
    await expectSameAfterReload(page)
    await checkBlock()

    await send(page, 'Go on without counting.')
    await untilEnded(page, 1)
    expect(await answer(page, 1).locator('.text-part').innerText()).toContain(
      'Go on without counting.',
    )
    // The provider saw an answer to each of the two calls, or it would have refused.
    const told = JSON.stringify(stage.model.requests.at(-1)!.messages)
    expect(told).toContain('tool_interrupted')
    await expectSameAfterReload(page)
  })

  test('[CAN2] what a model says after the stop never appears', async () => {
    const held = newGate()
    await startChat(page, script([text('Only this much. '), gate(held), text('Not this.'), stop]))
    await untilText(answer(page, 0), 'Only this much.')
    await stopButton().click()
    await mark(0).waitFor()
    stage.model.gate(held).release()
    await send(page, 'A second message.')
    await untilEnded(page, 1)
    expect(await answer(page, 0).locator('.text-part').innerText()).toBe('Only this much.')
    expect(await answers(page).count()).toBe(2)
    await expectSameAfterReload(page)
  })
})

describe('a failing provider', () => {
  test('[RUN4][UI2] a run that failed says so, keeps what came, and can be continued', async () => {
    const held = newGate()
    // What the provider calls our fault is not tried again.
    const error = { message: 'That is refused.', type: 'invalid_request_error', code: '400' }
    const refusal = { raw: `data: ${JSON.stringify({ error })}\n\n` }
    await startChat(page, script([text('The beginning is here. '), gate(held), refusal]))
    await untilText(answer(page, 0), 'The beginning is here.')
    stage.model.gate(held).release()
    await answer(page, 0).locator('.failed-mark').waitFor()
    expect(await answer(page, 0).locator('.text-part').innerText()).toBe('The beginning is here.')
    await expectSameAfterReload(page)
    await page.getByTestId('continue').click()
    await untilCount(answers(page), 2)
    await untilEnded(page, 1)
    await untilCount(page.getByTestId('continue'), 0)
    await expectSameAfterReload(page)
  })
})

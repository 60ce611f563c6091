// By keyboard alone, with a screen reader, on a phone, in the dark, without motion.

import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import {
  answer,
  chips,
  composer,
  eventually,
  messages,
  record,
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

const stage = setStage()

/** Everything that is wide, long or coloured, in one answer. */
const WIDE = [
  `A ${'very'.repeat(60)} long word and https://example.com/${'path/'.repeat(40)}end of it.`,
  `| ${Array.from({ length: 12 }, (_, i) => `column ${i}`).join(' | ')} |`,
].join('\n\n')
const TABLE = `${WIDE}\n| ${'--- | '.repeat(12)}\n| ${'a cell | '.repeat(12)}\n\n`
const CODE = `\`\`\`ts\nconst line = '${'wide '.repeat(60)}' // and a comment\n\`\`\`\n\n`
const RICH = `${TABLE}${CODE}> A quotation.\n\n1. One\n2. Two with \`code\`\n`

const richScript = (): string =>
  script(
    [
      { reasoning: 'A thought that is folded away.' },
      call('sum', 'calculate', { expression: `1 + ${'1 + '.repeat(60)} 1` }),
      call('bad', 'calculate', { expression: 'not arithmetic' }),
      callTools,
    ],
    [text(RICH), stop],
  )

/** What has the focus, and whether anything shows that it does; null: nothing has it. */
function readFocus(): { name: string; isSeen: boolean } | null {
  const element = document.activeElement as HTMLElement
  if (element === document.body) return null
  const look = (): string =>
    [element, element.parentElement, element.closest('form')]
      .filter((shown) => shown !== null)
      .map((shown) => {
        const { outline, boxShadow, borderColor, backgroundColor } = getComputedStyle(shown)
        return [outline, boxShadow, borderColor, backgroundColor].join()
      })
      .join()
  const { width, height, bottom, right } = element.getBoundingClientRect()
  const isThere = width > 0 && height > 0 && bottom > 0 && right > 0
  const focused = look()
  element.blur()
  const isMarked = look() !== focused
  element.focus()
  const name = element.getAttribute('aria-label') ?? element.textContent?.trim() ?? ''
  return { name, isSeen: isThere && isMarked }
}

describe('by keyboard', () => {
  test('[UI3] every stop of the Tab key has a name and can be seen, from the skip link to the send button', async () => {
    const page = await stage.open('/', { reducedMotion: 'reduce' })
    await startChat(page, 'A chat to walk through.')
    await untilEnded(page, 0)
    await composer(page).fill('something to send')
    await page.evaluate(() => {
      // From the very top of the document.
      document.body.tabIndex = -1
      document.body.focus()
      document.body.removeAttribute('tabindex')
    })
    const stops: { name: string; isSeen: boolean }[] = []
    for (let i = 0; i < 60; i++) {
      await page.keyboard.press('Tab')
      const stopped = await page.evaluate(readFocus)
      if (stopped === null) break
      stops.push(stopped)
    }
    expect(stops[0]).toMatchObject({ name: 'Skip to the message field', isSeen: true })
    expect(stops.filter(({ name }) => name === '')).toEqual([])
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([])
    const names = stops.map(({ name }) => name)
    const order = ['New chat', 'Hide chats', 'Conversation', 'Copy answer', 'Message', 'Send']
    expect(order.map((name) => names.indexOf(name))).toEqual(
      order.map((name) => names.indexOf(name)).toSorted((a, b) => a - b),
    )
    expect(order.filter((name) => !names.includes(name))).toEqual([])
  })

  test('[UI3] the skip link leads to the message field; Shift+Enter breaks a line, Enter sends, Escape stops', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    const skip = page.getByRole('link', { name: 'Skip to the message field' })
    await skip.focus()
    expect(await skip.evaluate((link) => link.getBoundingClientRect().top >= 0)).toBe(true)
    await page.keyboard.press('Enter')
    await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe('composer')
    await page.keyboard.type('One line')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('and another')
    expect(await composer(page).inputValue()).toBe('One line\nand another')
    await page.keyboard.press('Enter')
    await untilEnded(page, 0)
    expect(await messages(page).locator('.bubble').innerText()).toBe('One line\nand another')
    expect(await composer(page).inputValue()).toBe('')
    // The keyboard stays where it was: the next message can be written at once.
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('composer')
    const held = newGate()
    await send(page, script([text('To be stopped by a key'), gate(held)]))
    await untilText(answer(page, 1), 'To be stopped by a key')
    await page.keyboard.press('Escape')
    await answer(page, 1).locator('.interrupted-mark').waitFor()
  })

  test('[UI3] an empty message is not sent', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    await composer(page).fill('  \n ')
    await page.keyboard.press('Enter')
    expect(await page.getByTestId('send').isDisabled()).toBe(true)
    await composer(page).fill('Now there is something.')
    await page.keyboard.press('Enter')
    await untilEnded(page, 0)
    expect(await messages(page).count()).toBe(1)
  })

  test('[UI3] the list of keys opens with ? and takes Escape for itself: the run behind it goes on', async () => {
    const page = await stage.open()
    const held = newGate()
    await startChat(page, script([text('Running behind a dialog'), gate(held), stop]))
    await untilText(answer(page, 0), 'Running behind a dialog')
    await page.getByRole('region', { name: 'Conversation' }).focus()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByTestId('stop').isVisible()).toBe(true)
    expect(await page.locator('.interrupted-mark').count()).toBe(0)
    stage.model.gate(held).release()
    await untilEnded(page, 0)
    expect(await page.locator('.interrupted-mark').count()).toBe(0)
  })

  test('[UI3][QUE1] a whole conversation without a pointer: queue, edit, withdraw, unfold, rename, delete, undo', async () => {
    const page = await stage.open()
    const held = newGate()
    await startChat(page, script([{ reasoning: 'Hm.' }, text('Answer one.'), gate(held), stop]))
    await untilText(answer(page, 0), 'Answer one.')
    await send(page, 'Queued by key')
    await untilText(chips(page), 'Queued by key')
    await chips(page).getByRole('button', { name: 'Edit: Queued by key' }).press('Enter')
    await page.keyboard.type(', edited')
    await page.keyboard.press('Enter')
    await untilText(chips(page), 'Queued by key, edited')
    await chips(page).getByRole('button', { name: 'Withdraw' }).press('Enter')
    await untilCount(chips(page), 0)
    stage.model.gate(held).release()
    await untilEnded(page, 0)
    await answer(page, 0).locator('.thinking summary').press('Enter')
    await page.locator('details.thinking[open]').waitFor()
    const link = page.locator('.session-link[aria-current=page]')
    await link.press('F2')
    await page.keyboard.type('Renamed by key')
    await page.keyboard.press('Enter')
    await untilText(link, 'Renamed by key')
    await link.press('Delete')
    const row = page.locator('.session-row', { hasText: 'Renamed by key' })
    await untilCount(row, 0)
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await untilCount(row, 1)
  })
})

describe('with a screen reader', () => {
  test('[UI3] the live region says each phase once and the answer at its end, not every token', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    const said = await record(page, '.visually-hidden[role=status]')
    await startChat(page, script([{ repeat: 150, text: 'token ', perSecond: 300 }, stop]))
    await untilEnded(page, 0)
    await eventually(async () => (await said()).at(-1)).toMatch(/^Answer finished\. token token/)
    const phrases = await said()
    expect(phrases).toContain('Working…')
    expect(phrases.length).toBeLessThanOrEqual(6)
    expect(new Set(phrases).size).toBe(phrases.length)
    // The transcript itself must not be read out as it grows.
    const live = await page
      .getByTestId('transcript')
      .evaluate((element) => element.closest('[aria-live], [role=log], [role=status]') !== null)
    expect(live).toBe(false)
    expect(await page.locator('[data-testid=transcript] [aria-live]').count()).toBe(0)
  })

  test('[UI3] landmarks, headings and names: nothing that can be used is without one', async () => {
    const page = await stage.open()
    const held = newGate()
    await startChat(page, richScript())
    await untilEnded(page, 0)
    await send(page, script([text('Still running here.'), gate(held), stop]))
    await untilText(answer(page, 1), 'Still running here.')
    await send(page, 'Waiting in the queue')
    await untilText(chips(page), 'Waiting in the queue')

    expect(await page.locator('html').getAttribute('lang')).toBe('en')
    for (const [role, name] of [
      ['main', undefined],
      ['navigation', 'Chats'],
      ['region', 'Conversation'],
      ['region', 'Queue'],
      ['textbox', 'Message'],
      ['button', 'Stop'],
      ['group', 'When the agent gets it'],
    ] as const) {
      const found = page.getByRole(role, name === undefined ? {} : { name, exact: true })
      expect(await found.count(), `${role} ${name}`).toBe(1)
    }
    expect(await page.getByRole('heading', { level: 1 }).count()).toBe(1)
    expect(await page.getByRole('article', { name: 'Your message' }).count()).toBe(2)
    expect(await page.getByRole('article', { name: 'Answer' }).count()).toBe(2)
    expect(await readNameless(page)).toEqual([])
    const ids = await page.locator('[id]').evaluateAll((all) => all.map(({ id }) => id))
    expect(new Set(ids).size).toBe(ids.length)
    stage.model.gate(held).release()
    await untilEnded(page, 2)
  })
})

type AxNode = { ignored?: boolean; role?: { value: string }; name?: { value: string } }

/** What the browser tells assistive technology about controls that it has no name for. */
async function readNameless(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const { nodes } = (await session.send('Accessibility.getFullAXTree')) as { nodes: AxNode[] }
  const controls = new Set(['button', 'link', 'textbox', 'radio', 'checkbox', 'dialog', 'image'])
  const used = nodes.filter((node) => !node.ignored && controls.has(node.role?.value ?? ''))
  expect(used.length).toBeGreaterThan(10)
  return used.filter((node) => !node.name?.value).map((node) => JSON.stringify(node))
}

const readOverflow = (page: Page) =>
  page.evaluate(() => {
    const scroller = document.querySelector('.scroller')!
    const wide = [...document.querySelectorAll('body *')].filter((element) => {
      const { left, right, width } = element.getBoundingClientRect()
      const isOff = width > 0 && (right > innerWidth + 1 || left < -1)
      // Wide tables and code scroll in a box of their own; the closed drawer waits outside.
      return (
        isOff &&
        element.closest('.table-wrap, pre, aside[inert], .visually-hidden, .skip-link') === null
      )
    })
    return {
      page: document.documentElement.scrollWidth - innerWidth,
      transcript: scroller.scrollWidth - scroller.clientWidth,
      wide: wide.map((element) => `${element.localName}.${element.className}`),
    }
  })

const isOnScreen = (control: Locator) =>
  control.evaluate((element) => {
    const { top, left, bottom, right, width, height } = element.getBoundingClientRect()
    const isInside = top >= 0 && left >= 0 && bottom <= innerHeight && right <= innerWidth
    return isInside && width >= 24 && height >= 24
  })

describe('on a phone', () => {
  const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

  test('[UI3] at 360 pixels nothing is wider than the screen, whatever a model writes', async () => {
    const page = await stage.open('/', PHONE)
    const fits = { page: 0, transcript: 0, wide: [] }
    await page.getByTestId('empty-hint').waitFor()
    expect(await readOverflow(page)).toEqual(fits)
    await startChat(page, richScript())
    await untilEnded(page, 0)
    expect(await readOverflow(page)).toEqual(fits)
    await answer(page, 0).locator('.work-summary').tap()
    for (const id of ['sum', 'bad']) await tool(page, id).locator('summary').tap()
    await tool(page, 'bad').locator('.tool-body').waitFor()
    expect(await readOverflow(page)).toEqual(fits)
    const held = newGate()
    await send(page, script([text('Something still runs.'), gate(held), stop]))
    await untilText(answer(page, 1), 'Something still runs.')
    await send(page, `A queued ${'message '.repeat(30)}`)
    await untilCount(chips(page), 1)
    expect(await readOverflow(page)).toEqual(fits)
    // Everything that matters is on the screen, with a finger's width to touch.
    for (const control of [composer(page), page.getByTestId('stop'), page.getByTestId('send')]) {
      expect(await isOnScreen(control)).toBe(true)
    }
    stage.model.gate(held).release()
    await untilEnded(page, 2)
  })

  test('[UI3] the chats are a drawer that opens, leads somewhere and closes', async () => {
    const page = await stage.open('/', PHONE)
    const sessionId = await startChat(page, 'Found again in the drawer')
    await untilEnded(page, 0)
    await page.getByRole('button', { name: 'New chat' }).tap()
    await page.getByTestId('empty-hint').waitFor()
    const row = page.locator(`.session-row[data-session="${sessionId}"] a`)
    expect(await row.evaluate((link) => link.closest('[inert]') !== null)).toBe(true)
    await page.getByRole('button', { name: 'Show chats' }).tap()
    await row.tap()
    await untilLive(page)
    await untilEnded(page, 0)
    await page.locator('aside[data-shown=false]').waitFor({ state: 'attached' })
    await page.getByRole('button', { name: 'Show chats' }).tap()
    await page.keyboard.press('Escape')
    await page.locator('aside[data-shown=false]').waitFor({ state: 'attached' })
  })
})

/** What of the shown text has too little contrast to its background, by WCAG 2. */
const readContrast = (page: Page) =>
  page.evaluate(() => {
    // This function is sent to the page: it takes along only what stands inside it.
    // oxlint-disable unicorn/consistent-function-scoping
    type Colour = [number, number, number, number]
    const parse = (value: string): Colour => {
      const canvas = document
        .createElement('canvas')
        .getContext('2d', { willReadFrequently: true })!
      canvas.fillStyle = value
      canvas.fillRect(0, 0, 1, 1)
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data
      return [r!, g!, b!, a! / 255]
    }
    const luminance = ([r, g, b]: Colour): number => {
      const [x, y, z] = [r, g, b].map((channel) => {
        const share = channel / 255
        return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
      })
      return 0.2126 * x! + 0.7152 * y! + 0.0722 * z!
    }
    const backgroundOf = (element: Element | null): Colour => {
      if (element === null) return parse(getComputedStyle(document.body).backgroundColor)
      const colour = parse(getComputedStyle(element).backgroundColor)
      return colour[3] === 1 ? colour : backgroundOf(element.parentElement)
    }
    const isShown = (element: Element): boolean =>
      element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
      element.closest('.visually-hidden, :disabled, .skip-link') === null
    const texts = [...document.querySelectorAll('body *')].filter(
      (element) =>
        isShown(element) &&
        [...element.childNodes].some(
          (node) => node.nodeType === Node.TEXT_NODE && node.textContent!.trim() !== '',
        ),
    )
    const measured = texts.map((element) => {
      const [a, b] = [parse(getComputedStyle(element).color), backgroundOf(element)]
        .map(luminance)
        .toSorted((x, y) => y - x)
      return {
        ratio: (a! + 0.05) / (b! + 0.05),
        what: `${element.localName}.${element.className}`,
      }
    })
    return {
      count: measured.length,
      background: luminance(parse(getComputedStyle(document.body).backgroundColor)),
      poor: measured.filter(({ ratio }) => ratio < 4.5),
    }
  })

async function showEverything(page: Page): Promise<void> {
  await startChat(page, richScript())
  await untilEnded(page, 0)
  await answer(page, 0).locator('.work-summary').click()
  await send(page, script([call('count', 'countdown', { from: 60 }), callTools]))
  await page.locator('.tool-block.pending .tool-live').waitFor()
  await send(page, 'Held in the queue')
  await untilCount(chips(page), 1)
  await page.keyboard.press('Escape')
  await answer(page, 1).locator('.interrupted-mark').waitFor()
  await untilText(page.locator('.queue-head.held'), 'Held – send something or Continue')
}

describe('colours and motion', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`[UI3] ${colorScheme}: as the system says, and every text can be read on its background`, async () => {
      const page = await stage.open('/', { colorScheme, reducedMotion: 'reduce' })
      await showEverything(page)
      const { count, background, poor } = await readContrast(page)
      expect(count).toBeGreaterThan(30)
      expect(poor).toEqual([])
      expect(background > 0.5 ? 'light' : 'dark').toBe(colorScheme)
    })
  }

  test('[UI3] a chosen scheme stays, whatever the system says', async () => {
    const page = await stage.open('/', { colorScheme: 'light' })
    await page.getByRole('button', { name: /^Colours: as the system/ }).click()
    await page.getByRole('button', { name: /^Colours: light/ }).click()
    await page.getByRole('button', { name: /^Colours: dark/ }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: /^Colours: dark/ }).waitFor()
    expect((await readContrast(page)).background).toBeLessThan(0.1)
  })

  test('[UI3] with reduced motion nothing moves, and otherwise something does', async () => {
    for (const reducedMotion of ['no-preference', 'reduce'] as const) {
      const page = await stage.open('/', { reducedMotion })
      await startChat(page, script([call('count', 'countdown', { from: 60 }), callTools]))
      await page.locator('.tool-block.pending .tool-live').waitFor()
      await typing(page).waitFor()
      const moving = await page.evaluate(() =>
        document
          .getAnimations()
          .filter(({ effect }) => Number(effect?.getComputedTiming().activeDuration) > 0)
          .map(({ effect }) => {
            const { target, pseudoElement } = effect as KeyframeEffect
            return `${target?.localName}.${target?.className} ${pseudoElement ?? ''}`
          }),
      )
      if (reducedMotion === 'reduce') expect(moving).toEqual([])
      else expect(moving.length).toBeGreaterThan(0)
      await page.keyboard.press('Escape')
      await untilEnded(page, 0)
    }
  })
})

/** A card of every kind, each with more in it than there is room for. */
async function showCards(page: Page): Promise<void> {
  const long = 'unbroken'.repeat(30)
  const options = ['One thing', `Another ${long}`]
  await startChat(
    page,
    script([
      call('c1', 'bash', { command: `rm -rf ${long}` }),
      call('w1', 'write_file', { path: `secrets/${'deep/'.repeat(20)}.env`, content: long }),
      call('q1', 'ask_user', { questions: [{ text: `Which ${long}?`, options, free: true }] }),
      callTools,
    ]),
  )
  await untilCount(page.locator('.wait-card'), 3)
  await page.locator('[data-call-id=c1] [data-act=always]').click()
  await page.locator('[data-call-id=w1] [data-act=reject]').click()
  await page.locator('[data-call-id=q1] [data-act=answer]').click()
}

describe('[UI3] [DEC1] [DEC5] cards', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${colorScheme}: everything in them has a name, and can be read on its background`, async () => {
      const page = await stage.open('/', { colorScheme, reducedMotion: 'reduce' })
      await showCards(page)
      expect(await readNameless(page)).toEqual([])
      expect((await readContrast(page)).poor).toEqual([])
      await page.getByTestId('stop').click()
      await untilCount(page.locator('.wait-card'), 0)
      expect((await readContrast(page)).poor).toEqual([])
    })
  }

  test('at 360 pixels they are not wider than the screen, and buttons have a finger’s width', async () => {
    const viewport = { width: 360, height: 740 }
    const page = await stage.open('/', { viewport, hasTouch: true, isMobile: true })
    await showCards(page)
    expect(await readOverflow(page)).toEqual({ page: 0, transcript: 0, wide: [] })
    const accept = page.locator('[data-call-id=c1] [data-act=accept]')
    await accept.scrollIntoViewIfNeeded()
    expect(await isOnScreen(accept)).toBe(true)
    await page.getByTestId('stop').tap()
    await untilCount(page.locator('.wait-card'), 0)
    expect(await readOverflow(page)).toEqual({ page: 0, transcript: 0, wide: [] })
  })
})

/** Every block around other agents, each with more in it than there is room for. */
async function showAgents(page: Page): Promise<void> {
  const long = 'unbroken'.repeat(30)
  const wide = [text(`${long} and ${'many words '.repeat(20)}`), stop]
  const asked = script(
    [call('t1', 'current_time', {}), call('x1', 'calculate', {}), callTools],
    wide,
  )
  const tasks = [
    script([call('c1', 'bash', { command: `touch ${long.slice(0, 150)}` }), callTools], wide),
    script([call('c2', 'bash', { command: `ls\nrm -rf ${long}` }), callTools], wide),
    script(wide),
  ]
  await startChat(
    page,
    script(
      [call('a1', 'agents_message', { to: 'researcher', message: asked }), callTools],
      [
        call('a2', 'agents_message', { to: 'planner', message: script(wide), wait: false }),
        ...tasks.map((task, n) => call(`s${n}`, 'agents_spawn', { task, agent: 'coder' })),
        callTools,
      ],
      wide,
    ),
  )
  await untilCount(page.locator('.child-wait'), 2)
  await untilCount(page.locator('.child-row.success'), 1)
  await page.locator('[data-call=a1] summary').click()
  await page.locator('[data-call=s2] .child-fold').click()
  await page.locator('.child-wait [data-act=reject]').first().click()
  await page.locator('.chip-sender').waitFor()
}

/** Stopped, it is as it stays; then the chats of those who were asked. */
async function stopAgents(page: Page): Promise<void> {
  await page.getByTestId('stop').click()
  await untilCount(page.locator('.child-wait'), 0)
  await page.locator('.child-row.interrupted').first().waitFor()
}

describe('[UI3] [AGT3] [AGT5] other agents', () => {
  for (const colorScheme of ['light', 'dark'] as const) {
    test(`${colorScheme}: everything about them has a name, and can be read on its background`, async () => {
      const page = await stage.open('/', { colorScheme, reducedMotion: 'reduce' })
      await showAgents(page)
      expect(await readNameless(page)).toEqual([])
      expect((await readContrast(page)).poor).toEqual([])
      await stopAgents(page)
      expect((await readContrast(page)).poor).toEqual([])
      await page.getByRole('button', { name: 'Runs' }).click()
      await untilCount(page.locator('.run-row'), 6)
      expect(
        await page
          .getByRole('dialog')
          .getByRole('link', { name: /^coder/ })
          .count(),
      ).toBe(3)
      expect((await readContrast(page)).poor).toEqual([])
      await page.keyboard.press('Escape')
      await page.locator('[data-call=a1] .exchange-link').click()
      await page.locator('section.exchange .markdown').waitFor()
      expect(await readNameless(page)).toEqual([])
      expect((await readContrast(page)).poor).toEqual([])
    })
  }

  test('at 360 pixels they are not wider than the screen', async () => {
    const viewport = { width: 360, height: 740 }
    const page = await stage.open('/', { viewport, hasTouch: true, isMobile: true })
    await showAgents(page)
    expect(await readOverflow(page)).toEqual({ page: 0, transcript: 0, wide: [] })
    await stopAgents(page)
    expect(await readOverflow(page)).toEqual({ page: 0, transcript: 0, wide: [] })
    await page.locator('.child-row .child-link').first().tap()
    await page.locator('section.exchange').waitFor()
    expect(await readOverflow(page)).toEqual({ page: 0, transcript: 0, wide: [] })
    await page.getByRole('link', { name: /^Back to/ }).tap()
    await page.locator('.child-row').first().waitFor()
  })
})

// Pictures of the main views, and the one that the README shows.
//   node client/e2e/screenshots.ts [folder]

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import type { ChatBody, Reply } from '../../worker/testing/node/strict-openai.ts'
import {
  answer,
  chips,
  launchBrowser,
  send,
  startChat,
  untilEnded,
  untilLive,
  untilText,
  visit,
} from './browser.ts'
import { call, callTools, gate, stop, text } from './script.ts'
import { TestServer } from './server.ts'

const FOLDER = process.argv[2] ?? '/tmp/e2e-shots'
const README = fileURLToPath(new URL('../../docs/screenshot.png', import.meta.url))
const TOKEN = 'a-token-for-the-picture'

const MEETING = 'When can Berlin, New York and Tokyo meet tomorrow?'
const LONG = 'Write a story about a lighthouse'
const BROKEN = 'Fetch the harbour records'
const FESTIVAL = 'Plan the harbour festival with the others'
const TIDE = 'When is high tide on Saturday, and is the pier open?'
const PROGRAMME = 'Write the programme into festival.md'
const BOATS = 'Calculate how many boats fit along the pier'
const LETTER = 'Draft the invitation to the fishing association'
const TITLES = [
  'Compare the three hosting offers',
  'Translate the release notes',
  'Why is the build slow?',
  'Plan a weekend in Lisbon',
]

const zones = ['Europe/Berlin', 'America/New_York', 'Asia/Tokyo']

const CONVERSATIONS: Record<string, Reply[]> = {
  [MEETING]: [
    [
      {
        reasoning:
          'Three zones, fourteen hours apart at the extremes: working hours do not overlap, so one ' +
          'side has to stretch. First I need the clocks as they stand today.',
      },
      { delayMs: 700 },
      ...zones.map((timezone, i) => call(`clock-${i}`, 'current_time', { timezone })),
      callTools,
    ],
    [
      { delayMs: 900 },
      text(
        'There is **no hour inside everyone’s working day**, but one comes close:\n\n' +
          '| city | local time | how it feels |\n| --- | --- | --- |\n' +
          '| New York | 07:00 | early coffee |\n| Berlin | 13:00 | after lunch |\n' +
          '| Tokyo | 21:00 | late, but possible |\n\n' +
          'I would take turns: next time Tokyo sleeps in and New York stays late.',
      ),
      { finish: 'stop', usage: { prompt_tokens: 1184, completion_tokens: 212 } },
    ],
  ],
  [LONG]: [
    [
      text('# The keeper’s log\n\nAt four in the morning the wind turned, and the lamp with it. '),
      text('Ines wrote down the hour, because *the hour is what cannot be worked out later*.\n\n'),
      gate('story'),
      stop,
    ],
  ],
  [FESTIVAL]: [
    [
      text('I ask the researcher first.'),
      call('tide', 'agents_message', { to: 'researcher', message: TIDE }),
      callTools,
    ],
    [
      text('Now three of us work on it.'),
      call('programme', 'agents_spawn', { agent: 'coder', task: PROGRAMME }),
      call('boats', 'agents_spawn', { agent: 'analyst', task: BOATS }),
      call('letter', 'agents_spawn', { task: LETTER }),
      callTools,
    ],
  ],
  [TIDE]: [
    [call('clock', 'current_time', { timezone: 'Europe/Lisbon' }), callTools],
    [text('High tide is at **12:25**, and the pier is open from nine to six.'), stop],
  ],
  [PROGRAMME]: [
    [call('touch', 'bash', { command: 'touch festival.md && rm -rf drafts' }), callTools],
  ],
  [BOATS]: [
    [call('sum', 'calculate', { expression: '240 / 17' }), callTools],
    [text('Fourteen boats, with five metres between them.'), stop],
  ],
  [LETTER]: [
    [call('today', 'current_time', {}), callTools],
    [gate('letter'), stop],
  ],
  [BROKEN]: [
    [
      text('I try the archive first, then count the minutes until it opens.'),
      call('sum', 'calculate', { expression: '2 + * 3' }),
      call('wait', 'countdown', { from: 60, label: 'opening time' }),
      callTools,
    ],
  ],
}

/** Messages as people write them: what is said comes from the table above. */
function reply(body: ChatBody): Reply {
  const index = body.messages.findLastIndex(({ role }) => role === 'user')
  const content = body.messages[index]?.content
  const step = body.messages.slice(index + 1).filter(({ role }) => role === 'assistant').length
  // What another agent says stands below a note of who it is.
  const said = typeof content === 'string' ? content.replace(/^\[Message from [^\n]*\n/, '') : ''
  const replies = CONVERSATIONS[said]
  return replies?.[step] ?? [text('Gladly. Tell me a little more about it.'), stop]
}

type View = { name: string; scheme: 'light' | 'dark'; width: number }

const VIEWS: View[] = (['light', 'dark'] as const).flatMap((scheme) =>
  [1280, 390].map((width) => ({ name: `${scheme}-${width}`, scheme, width })),
)

const optionsOf = ({ scheme, width }: View): BrowserContextOptions => ({
  colorScheme: scheme,
  viewport: { width, height: width > 760 ? 800 : 780 },
  ...(width > 760 ? {} : { isMobile: true, hasTouch: true, deviceScaleFactor: 2 }),
})

async function shoot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' })
}

/** Each conversation once; the views only look at them. */
async function converse(browser: Browser, server: TestServer): Promise<Record<string, string>> {
  const { page, context } = await visit(browser, server.origin)
  for (const title of TITLES) {
    await page.goto(server.origin)
    await startChat(page, title)
    await untilEnded(page, 0)
  }
  const sessions: Record<string, string> = {}
  const begin = async (name: string, message: string): Promise<void> => {
    await page.goto(server.origin)
    sessions[name] = await startChat(page, message)
    await untilLive(page)
  }
  await begin('interrupted', BROKEN)
  await untilText(page.locator('.tool-live'), 'opening time')
  await page.keyboard.press('Escape')
  await untilEnded(page, 0)
  await begin('streaming', LONG)
  await untilText(answer(page, 0), 'worked out later')
  for (const message of ['And what became of the cat?', 'Then translate it into Portuguese']) {
    await send(page, message)
    await untilText(chips(page), message)
  }
  await begin('agents', FESTIVAL)
  await page.locator('.child-wait').waitFor()
  await untilText(page.locator('.child-tree'), '1 done')
  await begin('conversation', MEETING)
  await untilEnded(page, 0)
  await context.close()
  return sessions
}

async function shootViews(browser: Browser, server: TestServer): Promise<void> {
  const sessions = await converse(browser, server)
  for (const view of VIEWS) {
    const { page, context } = await visit(browser, server.origin, optionsOf(view))
    await page.getByTestId('empty-hint').waitFor()
    await page.locator('.session-row').first().waitFor({ state: 'attached' })
    await shoot(page, `empty-${view.name}`)
    for (const [name, sessionId] of Object.entries(sessions)) {
      await page.goto(`${server.origin}/s/${sessionId}`)
      await untilLive(page)
      await answer(page, 0).waitFor()
      if (name === 'agents') await page.locator('.child-wait').waitFor()
      await shoot(page, `${name}-${view.name}`)
    }
    await openEverything(page)
    await shoot(page, `unfolded-${view.name}`)
    if (view.width < 760) {
      await page.getByRole('button', { name: 'Show chats' }).tap()
      await page.locator('aside[data-shown=true]').waitFor()
      await shoot(page, `drawer-${view.name}`)
    }
    await context.close()
  }
  await shootReadme(browser, `${server.origin}/s/${sessions['agents']}`)
}

async function openEverything(page: Page): Promise<void> {
  await answer(page, 0).locator('.work-summary').click()
  await answer(page, 0).locator('.thinking summary').click()
  await answer(page, 0).locator('.tool-block summary').first().click()
  await page.getByRole('region', { name: 'Conversation' }).evaluate((scroller) => {
    scroller.scrollTop = 0
  })
}

/** An exchange, children at work, and what one of them waits for, in one picture. */
async function shootReadme(browser: Browser, url: string): Promise<void> {
  const { page, context } = await visit(browser, url, { colorScheme: 'light' })
  await page.locator('.child-wait').waitFor()
  await page.locator('.session-row').nth(3).waitFor()
  await page.getByTestId('composer').focus()
  await page.mouse.move(0, 0)
  await page.screenshot({ path: README, animations: 'disabled' })
  await context.close()
}

async function shootLogin(browser: Browser): Promise<void> {
  const server = await TestServer.start({ env: { PARLEY_TOKEN: TOKEN } })
  try {
    for (const view of VIEWS) {
      const { page, context } = await visit(browser, server.origin, optionsOf(view))
      await page.getByLabel('Token').fill('wrong')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').filter({ hasText: 'not valid' }).waitFor()
      await shoot(page, `login-${view.name}`)
      await context.close()
    }
  } finally {
    await server.stop()
  }
}

mkdirSync(FOLDER, { recursive: true })
const server = await TestServer.start({ env: { OPENAI_MODEL: 'scripted' } })
const browser = await launchBrowser()
try {
  server.model.setScript(reply)
  await shootViews(browser, server)
  await shootLogin(browser)
} finally {
  await browser.close()
  await server.stop()
}
console.log(`Pictures are in ${FOLDER}; the README's is ${README}`)
process.exit(0)

// A real Chromium, and what a person does and sees in it.

import chromium from '@sparticuz/chromium'
import {
  chromium as playwright,
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type Locator,
  type Page,
} from 'playwright-core'
import { expect } from 'vitest'

/** The only waiting time here: anything that takes longer has not happened. */
const PATIENCE_MS = 30_000

// The package is made for one page in a function: in one process, closing a context would end the
// browser; and without web security a page proves nothing about its safety.
const UNWANTED =
  /single-process|zygote|web-security|site-isolation|insecure-content|IsolateOrigins|gpu|gl=|angle|swiftshader/
// Painting with a simulated graphics card takes more time than all that is tested here.
const WANTED = ['--no-sandbox', '--disable-gpu']

export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [...chromium.args.filter((argument) => !UNWANTED.test(argument)), ...WANTED],
    headless: true,
  })
}

/** One person at one device: a tab, and everything that went wrong in it. */
export type Visitor = { page: Page; context: BrowserContext; problems: string[] }

export async function visit(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    ...options,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  return openTab(context, url)
}

/** Another tab of the same browser. */
export async function openTab(context: BrowserContext, url: string): Promise<Visitor> {
  const page = await context.newPage()
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  await page.goto(url)
  return { page, context, problems }
}

export const composer = (page: Page): Locator => page.getByTestId('composer')
export const answers = (page: Page): Locator => page.locator('.turn.assistant')
export const answer = (page: Page, index: number): Locator => answers(page).nth(index)
export const messages = (page: Page): Locator => page.locator('.turn.user[data-turn]')
export const chips = (page: Page): Locator => page.locator('[data-testid=queue] [data-item]')
export const typing = (page: Page): Locator => page.locator('.typing-indicator')
export const tool = (page: Page, callId: string): Locator =>
  page.locator(`.tool-block[data-call="${callId}"]`)

export async function type(page: Page, text: string): Promise<void> {
  await composer(page).fill(text)
}

/** `keys`: how it is delivered while a run is active. */
export async function send(
  page: Page,
  text: string,
  keys: 'Enter' | 'Control+Enter' | 'Control+Shift+Enter' = 'Enter',
): Promise<void> {
  await type(page, text)
  await composer(page).press(keys)
}

/** Begins a chat with a message; the id of its session. */
export async function startChat(page: Page, text: string): Promise<string> {
  await page.getByTestId('empty-hint').waitFor()
  await send(page, text)
  await page.waitForURL(/\/s\/./)
  return sessionIdOf(page)
}

export const sessionIdOf = (page: Page): string => new URL(page.url()).pathname.slice('/s/'.length)

export async function untilLive(page: Page): Promise<void> {
  await page.locator('[data-testid=connection][data-status=live]').waitFor({ state: 'attached' })
}

/** The answer has ended, well or not, and nothing runs. */
export async function untilEnded(page: Page, index: number): Promise<void> {
  await answer(page, index).locator('.turn-foot, .outcome-mark').first().waitFor()
  await untilWritten(page)
}

/** Markdown is loaded beside a session: a page that has just been opened may still wait for it. */
async function untilWritten(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.querySelector('.text-part:not(:has(.markdown))'))
}

export async function untilText(locator: Locator, text: string | RegExp): Promise<void> {
  await locator.filter({ hasText: text }).first().waitFor()
}

export async function untilCount(locator: Locator, count: number): Promise<void> {
  await expect.poll(() => locator.count(), { timeout: PATIENCE_MS }).toBe(count)
}

/** Waits until `read` gives what is expected, and says what it gave if it never does. */
export const eventually = <T>(read: () => Promise<T> | T): ReturnType<typeof expect.poll<T>> =>
  expect.poll<T>(read as () => T, { timeout: PATIENCE_MS })

/**
 * The transcript as text: every element with its classes and what it means, every word, and
 * whether it is folded. Two transcripts are the same for a person when these are equal.
 */
export function readTranscript(page: Page): Promise<string> {
  return page.getByTestId('transcript').evaluate((root) => {
    const attributes =
      'role aria-label aria-expanded aria-hidden href target open hidden d title ' +
      'data-turn data-part data-call data-tool data-code data-pending'
    const lines: string[] = []
    const describe = (element: Element): string => {
      const shown = attributes.split(' ').flatMap((name) => {
        const value = element.getAttribute(name)
        return value === null ? [] : [`${name}=${JSON.stringify(value)}`]
      })
      const classes = [...element.classList].toSorted().map((name) => `.${name}`)
      return [element.localName + classes.join(''), ...shown].join(' ')
    }
    const walk = (node: Node, indent: string): void => {
      // Text may stand in several nodes or in one; a person sees no difference.
      let run = ''
      const flush = (): void => {
        if (run !== '') lines.push(indent + JSON.stringify(run))
        run = ''
      }
      for (const child of node.childNodes) {
        if (child.nodeType === Node.TEXT_NODE) run += child.textContent ?? ''
        if (!(child instanceof Element)) continue
        flush()
        lines.push(indent + describe(child))
        walk(child, `${indent}  `)
      }
      flush()
    }
    walk(root, '')
    return lines.join('\n')
  })
}

/** [LOG2] Live, reloaded and in another tab: the same DOM. Returns it. */
export async function expectSameAfterReload(page: Page): Promise<string> {
  const live = await readTranscript(page)
  expect(live).not.toBe('')
  await page.reload()
  await untilLive(page)
  await eventually(() => readTranscript(page)).toBe(live)
  return live
}

/** The kinds of parts of an answer, in the order in which they stand there. */
export const partsOf = (turn: Locator): Promise<string[]> =>
  turn
    .locator('[data-part]')
    .evaluateAll((parts) => parts.map((part) => part.getAttribute('data-part') ?? ''))

/** Everything the selected element says from now on; '' while it is not there. */
export async function record(page: Page, selector: string): Promise<() => Promise<string[]>> {
  const log = await page.evaluateHandle((selector) => {
    const read = (): string => document.querySelector(selector)?.textContent ?? ''
    const seen = [read()]
    const observer = new MutationObserver(() => {
      const now = read()
      if (now !== seen.at(-1)) seen.push(now)
    })
    observer.observe(document.body, { subtree: true, childList: true, characterData: true })
    return seen
  }, selector)
  return () => log.jsonValue()
}

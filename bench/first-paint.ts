// How long a person looks at an empty page: from the start of the navigation to the frame in which
// the last turn stands in the window. A fresh context each time: nothing comes from a cache.

import chromium from '@sparticuz/chromium'
import { chromium as playwright, type Browser } from 'playwright-core'
import { median } from './statistics.ts'

const PAINT_MS = 30_000
// The package is made for one page in a function: in one process, closing a context would end the
// browser. Without the other flags it is the browser that people have.
const UNWANTED = /single-process|zygote|web-security|site-isolation|insecure-content|IsolateOrigins/

type Target = { sessionId: string; lastText: string }
export type Paint = { ms: number; worstMs: number; turns: number }

/** null where no browser starts. The sessions take turns, after one page that is not counted. */
export async function timeFirstPaint(
  origin: string,
  targets: readonly Target[],
  times: number,
): Promise<Paint[] | null> {
  const browser = await launch()
  if (browser === null) return null
  try {
    const samples = targets.map((): { ms: number; turns: number }[] => [])
    await timePage(browser, origin, targets[0]!)
    for (let i = 0; i < times; i++) {
      for (const [index, target] of targets.entries()) {
        samples[index]!.push(await timePage(browser, origin, target))
      }
    }
    return samples.map((pages) => ({
      ms: median(pages.map(({ ms }) => ms)),
      worstMs: Math.max(...pages.map(({ ms }) => ms)),
      turns: median(pages.map(({ turns }) => turns)),
    }))
  } finally {
    await browser.close()
  }
}

async function launch(): Promise<Browser | null> {
  try {
    return await playwright.launch({
      executablePath: await chromium.executablePath(),
      args: [...chromium.args.filter((argument) => !UNWANTED.test(argument)), '--no-sandbox'],
      headless: true,
    })
  } catch (error) {
    process.stderr.write(`no Chromium here: ${String(error)}\n`)
    return null
  }
}

async function timePage(
  browser: Browser,
  origin: string,
  { sessionId, lastText }: Target,
): Promise<{ ms: number; turns: number }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
  try {
    const page = await context.newPage()
    await page.addInitScript(watchForText, lastText)
    await page.goto(`${origin}/s/${sessionId}`, { waitUntil: 'commit' })
    const shown = await page.waitForFunction(
      () => (globalThis as unknown as Watched).shownAtMs,
      undefined,
      { timeout: PAINT_MS },
    )
    const turns = await page.locator('article.turn').count()
    return { ms: (await shown.jsonValue())!, turns }
  } finally {
    await context.close()
  }
}

type Watched = { shownAtMs?: number }

/** Runs in the page, before its own code. Its clock begins with the navigation. */
function watchForText(lastText: string): void {
  const look = (): void => {
    const last = [...document.querySelectorAll('article.turn')].at(-1)
    const box = last?.getBoundingClientRect()
    const isShown =
      last?.textContent?.includes(lastText) === true &&
      box !== undefined &&
      box.top < innerHeight &&
      box.bottom > 0
    if (isShown) Object.assign(globalThis, { shownAtMs: performance.now() })
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

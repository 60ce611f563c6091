// A model, a tool or a title may say anything. In the page it is text, and nothing of it runs.

import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { answer, expectSameAfterReload, startChat, tool, untilEnded, untilLive } from './browser.ts'
import { call, callTools, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const HOSTILE = [
  '<script>window.pwned = "script"</script>',
  '<img src="x" onerror="window.pwned = \'onerror\'">',
  '<img src="http://evil.invalid/beacon.png" alt="beacon">',
  '<svg onload="window.pwned = \'svg\'"><script>window.pwned = "svg script"</script></svg>',
  '<svg><animate onbegin="window.pwned = \'animate\'" attributeName="x" dur="1s"/></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror="window.pwned = \'math\'">',
  '<iframe srcdoc="<script>parent.pwned = \'srcdoc\'</script>"></iframe>',
  '<iframe src="javascript:parent.pwned = \'frame\'"></iframe>',
  '<object data="javascript:window.pwned = \'object\'"></object>',
  '<details open ontoggle="window.pwned = \'ontoggle\'">details</details>',
  '<body onload="window.pwned = \'body\'">',
  '<input autofocus onfocus="window.pwned = \'focus\'">',
  '<form action="javascript:window.pwned = \'form\'"><button>Submit me</button></form>',
  '<style>@import "http://evil.invalid/style.css"; body { display: none }</style>',
  '<link rel="stylesheet" href="http://evil.invalid/link.css">',
  '<meta http-equiv="refresh" content="0;url=http://evil.invalid/">',
  '<base href="http://evil.invalid/">',
  '<div style="position:fixed;inset:0;z-index:9999">cover</div>',
  '<a href="javascript:window.pwned = \'link\'">html link</a>',
  '<a href="  java\nscript:window.pwned = \'spaced\'">spaced link</a>',
  '<p id="composer" class="toasts" data-testid="stop">clobbered</p>',
  '[a markdown link](javascript:window.pwned="markdown")',
  '[an encoded link](&#106;avascript:window.pwned="encoded")',
  '[a data link](data:text/html,<script>opener.pwned="data"</script>)',
  '[a vbscript link](vbscript:msgbox)',
  '![an image](http://evil.invalid/image.png)',
  '<javascript:window.pwned="autolink">',
  '```html\n<script>window.pwned = "code"</script>\n```',
  '`<img src=x onerror=window.pwned=1>`',
  '| <img src=x onerror="window.pwned=\'cell\'"> |\n| --- |\n| <script>window.pwned="td"</script> |',
].join('\n\n')

const SNEAKY = '<img src=x onerror="window.pwned=\'elsewhere\'"><script>window.pwned=1</script>'

const stage = setStage()
let page: Page
let foreign: string[]

beforeEach(async () => {
  page = await stage.open()
  foreign = []
  page.on('request', (request) => {
    if (!request.url().startsWith(stage.server.origin)) foreign.push(request.url())
  })
  page.on('popup', (popup) => foreign.push(`popup ${popup.url()}`))
  page.on('dialog', (dialog) => foreign.push(`dialog ${dialog.message()}`))
  await page.evaluate(() => {
    const blocked: string[] = []
    Object.assign(window, { blocked })
    // Kept out by the policy is the second line of defence: the first must not have let it through.
    // Not styles and bases: those are reported where the sanitizer parses, in a document of its own.
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      if (/^(style-src|base-uri)/.test(violatedDirective)) return
      blocked.push(`${violatedDirective} ${blockedURI}`)
    })
  })
})

const readDamage = () =>
  page.evaluate(() => {
    const { pwned, blocked } = window as unknown as { pwned?: string; blocked: string[] }
    return { pwned, blocked }
  })

async function expectUnharmed(): Promise<void> {
  // A round through the browser's queues: whatever was started has had its chance.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))),
  )
  expect(await readDamage()).toEqual({ pwned: undefined, blocked: [] })
  expect(foreign).toEqual([])
  expect(new URL(page.url()).origin).toBe(stage.server.origin)
}

/** The sanitizer is loaded when it is first needed: until then raw HTML is shown as it was written. */
const untilSanitized = (): Promise<void> =>
  answer(page, 0).getByText('Image: beacon').first().waitFor()

const readRemains = () =>
  page.getByTestId('transcript').evaluate((root) => {
    const all = [...root.querySelectorAll('*')]
    return {
      tags: all
        .map((element) => element.localName)
        .filter((name) =>
          /^(script|iframe|object|embed|img|style|link|meta|base|form|input)$/.test(name),
        ),
      handlers: all.flatMap((element) =>
        element.getAttributeNames().filter((name) => name.startsWith('on') || name === 'style'),
      ),
      links: all
        .map((element) => element.getAttribute('href'))
        .filter((href) => href !== null && !/^https?:\/\//.test(href)),
      ids: all.flatMap((element) => (element.id === '' ? [] : [element.id])),
    }
  })

describe('what a model writes', () => {
  test('[MED2][SAF2] hostile HTML and links are shown as harmless text, streamed and reloaded', async () => {
    await startChat(page, script([{ repeat: 1, text: HOSTILE }, stop]))
    await untilEnded(page, 0)
    await untilSanitized()
    const clean = { tags: [], handlers: [], links: [], ids: [] }
    expect(await readRemains()).toEqual(clean)
    await expectUnharmed()
    // Every link that is left leads out of the page, and takes nothing along.
    for (const link of await answer(page, 0).locator('a[href]').all()) {
      expect(await link.getAttribute('rel')).toBe('noopener noreferrer')
      expect(await link.getAttribute('target')).toBe('_blank')
    }
    expect(await page.getByTestId('composer').isVisible()).toBe(true)
    await expectSameAfterReload(page)
    expect(await readRemains()).toEqual(clean)
  })

  test('[MED2] cut into pieces anywhere, it is no less harmless while it streams', async () => {
    const pieces = HOSTILE.match(/[\s\S]{1,7}/g)!.map(text)
    await startChat(page, script([...pieces, stop]))
    await untilEnded(page, 0)
    await untilSanitized()
    expect(await readRemains()).toEqual({ tags: [], handlers: [], links: [], ids: [] })
    await expectUnharmed()
    await expectSameAfterReload(page)
  })

  test('[MED2][SES1] nor does it run from thinking, tool arguments, tool results, messages or titles', async () => {
    const sessionId = await startChat(
      page,
      `${SNEAKY} ${script(
        [
          { reasoning: SNEAKY },
          call('stats', 'text_stats', { text: SNEAKY }),
          call('bad', 'calculate', { expression: SNEAKY }),
          call('none', `no_such_tool`, { argument: SNEAKY }),
          callTools,
        ],
        [text('Nothing happened, I hope.'), stop],
      )}`,
    )
    await untilEnded(page, 0)
    await answer(page, 0).locator('.work-summary').click()
    for (const id of ['stats', 'bad', 'none']) await tool(page, id).locator('summary').click()
    await answer(page, 0).locator('.thinking summary').click()
    await stage.api.patchSession(sessionId, { title: SNEAKY.slice(0, 100) })
    await page.reload()
    await untilLive(page)
    await page.locator('.session-row .session-title', { hasText: 'onerror' }).first().waitFor()
    expect(await page.locator('.header-title').innerText()).toContain('<img src=x')
    const { tags, handlers } = await readRemains()
    expect({ tags, handlers }).toEqual({ tags: [], handlers: [] })
    expect(await page.locator('img').count()).toBe(0)
    expect(foreign).toEqual([])
    expect(await page.evaluate(() => (window as { pwned?: string }).pwned)).toBe(undefined)
  })
})

describe('the page itself', () => {
  test('[SAF2] it is served with a policy that lets no foreign script in, and cannot be framed', async () => {
    const response = await page.request.get(stage.server.origin)
    const headers = response.headers()
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("object-src 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/script-src[^;]*('unsafe-inline'|'unsafe-eval'|\*)/)
    expect(headers['x-content-type-options']).toBe('nosniff')
    expect(headers['referrer-policy']).toBe('no-referrer')
  })

  test('[SAF2] the policy holds: an inline script that gets in does not run', async () => {
    await page.evaluate(() => {
      const script = document.createElement('script')
      script.textContent = 'window.pwned = "inline"'
      document.body.append(script)
    })
    const { pwned, blocked } = await readDamage()
    expect(pwned).toBe(undefined)
    expect(blocked).toEqual([expect.stringContaining('script-src')])
  })

  test('[SAF2] it needs nothing from outside and breaks no rule of its own', async () => {
    await page.reload()
    await startChat(page, 'Just a normal chat.')
    await untilEnded(page, 0)
    expect(foreign).toEqual([])
  })
})

// The list and the inbox on several devices, kept current by the hub and by nothing else.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { HubFrame, InboxEntry } from '#protocol/hub'
import {
  composer,
  eventually,
  sessionIdOf,
  startChat,
  untilCount,
  untilEnded,
  untilText,
} from './browser.ts'
import { call, callTools, gate, newGate, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'
import { Wire } from './wire.ts'

const stage = setStage()

const row = (page: Page, sessionId: string) =>
  page.locator(`.session-row[data-session="${sessionId}"]`)
const statusOf = (page: Page, sessionId: string) => row(page, sessionId).getAttribute('data-status')
const titleIn = (page: Page, sessionId: string) =>
  row(page, sessionId).locator('.session-title').textContent()

/** Every list that the page asks for from now on. */
function countLists(page: Page): () => number {
  let lists = 0
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname === '/api/sessions' && request.method() === 'GET') lists++
  })
  return () => lists
}

/** A device that follows the hub: it has heard of a session that was made after it came. */
async function openFollowing(options: { origin?: string } = {}): Promise<Page> {
  const page = await stage.open('/', options)
  const { id } = await stage.api.createSession({ title: 'To be heard of' })
  await row(page, id).waitFor()
  return page
}

describe('two devices', () => {
  test('[SES1] the list of one follows what happens on the other, and asks nobody for it', async () => {
    const watcher = await openFollowing()
    const lists = countLists(watcher)
    const page = await stage.open()
    const held = newGate()
    const sessionId = await startChat(page, script([text('Working on it'), gate(held), stop]))
    await eventually(() => statusOf(watcher, sessionId)).toBe('running')
    await stage.api.patchSession(sessionId, { title: 'Named elsewhere', pinned: true })
    await eventually(() => titleIn(watcher, sessionId)).toBe('Named elsewhere')
    await watcher.locator('section[aria-label=Pinned]').getByText('Named elsewhere').waitFor()
    stage.model.gate(held).release()
    await eventually(() => statusOf(watcher, sessionId)).toBe('idle')
    expect(await row(watcher, sessionId).getAttribute('data-unread')).toBe('true')
    await stage.api.deleteSession(sessionId)
    await untilCount(row(watcher, sessionId), 0)
    await stage.api.restoreSession(sessionId)
    await row(watcher, sessionId).waitFor()
    expect(lists()).toBe(0)
  })

  test('[LOG3] [SES1] a device that was cut off has all of it when it is back', async () => {
    const wire = await Wire.to(stage.server.port)
    const watcher = await openFollowing({ origin: wire.origin })
    const { id: renamed } = await stage.api.createSession({ title: 'Before the cut' })
    const { id: deleted } = await stage.api.createSession({ title: 'Not for long' })
    await row(watcher, deleted).waitFor()
    const lists = countLists(watcher)
    wire.cut()
    await stage.api.patchSession(renamed, { title: 'During the cut' })
    await stage.api.deleteSession(deleted)
    const { id: made } = await stage.api.createSession({ title: 'Made meanwhile' })
    wire.restore()
    await row(watcher, made).waitFor()
    expect(await titleIn(watcher, renamed)).toBe('During the cut')
    expect(await row(watcher, deleted).count()).toBe(0)
    expect(lists()).toBe(0)
    await wire.close()
  })

  test('[SES1] after the server was killed and is back, the list goes on', async () => {
    const watcher = await openFollowing()
    await stage.server.restart()
    const { id } = await stage.api.createSession({ title: 'After the restart' })
    await row(watcher, id).waitFor()
  })

  test('[SES1] without sockets there is still a list', async () => {
    const { id } = await stage.api.createSession({ title: 'By request' })
    const page = await stage.open('/api/health')
    await page.routeWebSocket('**/api/hub/socket', (socket) => socket.close())
    await page.goto(stage.server.origin)
    await row(page, id).waitFor()
  })
})

type Injected = { page: Page; say: (added: InboxEntry[], removed?: string[]) => void }

/** A device whose hub also says what the test wants it to: the frames are the hub's own. */
async function openInjected(path: string): Promise<Injected> {
  const page = await stage.open('/api/health')
  let seq = 0
  let send: ((frame: HubFrame) => void) | null = null
  const ready = Promise.withResolvers<void>()
  await page.routeWebSocket('**/api/hub/socket', (socket) => {
    const server = socket.connectToServer()
    send = (frame) => socket.send(JSON.stringify(frame))
    server.onMessage((message) => {
      socket.send(message)
      const frame = String(message).startsWith('{')
        ? (JSON.parse(String(message)) as HubFrame)
        : null
      if (frame !== null && 'seq' in frame) seq = frame.seq
      if (frame?.type === 'ready') ready.resolve()
    })
  })
  await page.goto(stage.server.origin + path)
  await ready.promise
  const say = (added: InboxEntry[], removed: string[] = []): void => {
    seq += 1
    send?.({ type: 'inbox_changed', seq, added, removed })
  }
  return { page, say }
}

const entryOf = (sessionId: string, n: number, changes: Partial<InboxEntry> = {}): InboxEntry => ({
  id: `${sessionId}.d${n}`,
  sessionId,
  sessionTitle: 'A chat that waits',
  callId: 'sum',
  kind: 'command',
  title: `rm -rf build-${n}`,
  reason: 'deletes a folder and everything in it',
  severity: 'high',
  at: n,
  ...changes,
})

const panel = (page: Page) => page.getByTestId('inbox-panel')
const inboxCount = (page: Page) => page.getByTestId('inbox').locator('.inbox-count')

describe('the inbox', () => {
  test('[DEC6] counts what waits, in the sidebar and in the title of the tab', async () => {
    const { id } = await stage.api.createSession({ title: 'A chat that waits' })
    const { page, say } = await openInjected('/')
    expect(await inboxCount(page).count()).toBe(0)
    say([entryOf(id, 1), entryOf(id, 2)])
    await untilText(inboxCount(page), '2')
    await eventually(() => page.title()).toBe('(2) New chat – Parley')
    say([], [`${id}.d1`])
    await untilText(inboxCount(page), '1')
    say([], [`${id}.d2`])
    await untilCount(inboxCount(page), 0)
    await eventually(() => page.title()).toBe('New chat – Parley')
  })

  test('[DEC6] lists it by keyboard, follows what changes, and leads to the chat that waits', async () => {
    const starter = await stage.open()
    const sessionId = await startChat(
      starter,
      script(
        [call('sum', 'calculate', { expression: '6*7' }), callTools],
        [text('It is 42.'), stop],
      ),
    )
    await untilEnded(starter, 0)
    const { page, say } = await openInjected('/')
    say([
      entryOf(sessionId, 1),
      entryOf(sessionId, 2, {
        kind: 'question',
        title: 'Which colour?',
        reason: '',
        severity: 'low',
      }),
    ])
    await untilText(inboxCount(page), '2')
    await composer(page).press('i')
    expect(await composer(page).inputValue()).toBe('i')
    expect(await panel(page).count()).toBe(0)
    await composer(page).blur()
    await page.keyboard.press('i')
    await panel(page).waitFor()
    const entries = panel(page).locator('.inbox-entry')
    const first = await entries.first().innerText()
    for (const words of ['A chat that waits', 'rm -rf build-1', 'Command', 'high', 'deletes a']) {
      expect(first).toContain(words)
    }
    expect(await entries.nth(1).innerText()).toContain('Question')
    say([], [`${sessionId}.d2`])
    await untilCount(entries, 1)
    await page.keyboard.press('Escape')
    await untilCount(panel(page), 0)
    await page.getByTestId('inbox').click()
    await entries.first().click()
    await untilCount(panel(page), 0)
    await page.locator('[data-call=sum].sought').waitFor()
    expect(sessionIdOf(page)).toBe(sessionId)
  })

  test('[DEC6] [SES1] a question in a chat that nobody looks at is seen on every device, until it is answered', async () => {
    const watcher = await openFollowing()
    const { id } = await stage.api.createSession({ title: 'Asks something' })
    const questions = [{ id: 'colour', text: 'Which colour?', free: true }]
    const asking = script(
      [call('ask', 'ask_user', { questions }), callTools],
      [text('Done.'), stop],
    )
    await stage.api.command(id, { type: 'send', id: 'first', text: asking })
    await untilText(inboxCount(watcher), '1')
    await eventually(() => statusOf(watcher, id)).toBe('waiting')
    await eventually(() => watcher.title()).toBe('(1) New chat – Parley')
    const [item] = await stage.api.inbox()
    expect(item).toMatchObject({ kind: 'question', title: 'Which colour?', sessionId: id })
    await watcher.reload()
    await untilText(inboxCount(watcher), '1')
    const answers = { colour: 'blue' }
    await stage.api.command(id, { type: 'answer', id: 'second', questionId: item!.id, answers })
    await untilCount(inboxCount(watcher), 0)
    await eventually(() => statusOf(watcher, id)).toBe('idle')
  })

  test('[DEC6] a command that is seen whole is answered in the list, and the rest is opened', async () => {
    const page = await openFollowing()
    const ids = await Promise.all(
      ['touch a.txt', 'touch b.txt', 'ls\ntouch c.txt'].map(async (command, index) => {
        const { id } = await stage.api.createSession({ title: `Chat ${index}` })
        const text = script([call('b', 'bash', { command }), callTools], [stop])
        await stage.api.command(id, { type: 'send', id: 'first', text })
        return id
      }),
    )
    await untilText(inboxCount(page), '3')
    await page.getByTestId('inbox').click()
    const entry = (words: string) => panel(page).locator('li', { hasText: words })
    expect(await entry('ls…').locator('[data-act]').count()).toBe(0)
    await entry('touch a.txt').getByRole('button', { name: 'Accept: touch a.txt' }).click()
    await untilCount(entry('touch a.txt'), 0)
    // The keyboard stays in the list.
    const focused = () => page.evaluate(() => document.activeElement?.closest('dialog') !== null)
    expect(await focused()).toBe(true)
    const item = (await stage.api.inbox()).find(({ title }) => title === 'touch b.txt')
    expect(item).toMatchObject({ sessionId: ids[1] })
    await entry('touch b.txt').locator('[data-act=reject]').click()
    await untilCount(entry('touch b.txt'), 0)
    await untilText(inboxCount(page), '1')
    const resolved = await Promise.all(
      ids.map(async (id) => (await stage.api.events(id, { limit: 1000 })).events),
    )
    expect(
      resolved.map((events) =>
        events.flatMap((e) => (e.type === 'decision_resolved' ? e.status : [])),
      ),
    ).toEqual([['accepted'], ['rejected'], []])
    await entry('ls…').locator('.inbox-entry').click()
    await page.waitForURL(`**/s/${ids[2]}`)
    await page.locator('.wait-card [data-act=reject]').click()
    await page.locator('[data-act=confirm-reject]').click()
    await untilCount(inboxCount(page), 0)
  })

  test('[DEC6] says that nothing waits where nothing does', async () => {
    const { page } = await openInjected('/')
    await page.getByTestId('inbox').click()
    await untilText(panel(page), 'Nothing waits for you.')
  })
})

/** A browser whose notifications a test can read; it grants them when it is asked. */
const FAKE_NOTIFICATIONS = `
  window.asked = 0
  window.said = []
  window.Notification = class extends EventTarget {
    static permission = 'default'
    static async requestPermission() {
      window.asked++
      return (window.Notification.permission = 'granted')
    }
    constructor(title, options) {
      super()
      window.said.push([title, options.body, options.tag])
    }
    close() {}
  }
  document.hasFocus = () => false
`

describe('notifications', () => {
  test('[DEC6] [SAF3] are asked for by the bell alone, and say the chat but not what is in it', async () => {
    const { id } = await stage.api.createSession({ title: 'A chat that waits' })
    const { page, say } = await openInjected('/')
    await page.addInitScript(FAKE_NOTIFICATIONS)
    await page.evaluate(FAKE_NOTIFICATIONS)
    const asked = (): Promise<unknown> => page.evaluate('window.asked')
    say([entryOf(id, 1)])
    await untilText(inboxCount(page), '1')
    await page.getByTestId('inbox').click()
    expect(await asked()).toBe(0)
    await panel(page).getByRole('button', { name: 'Notify this device' }).click()
    await panel(page).getByRole('button', { name: 'Stop notifying this device' }).waitFor()
    expect(await asked()).toBe(1)
    say([entryOf(id, 2)])
    await eventually(() => page.evaluate('window.said')).toEqual([
      ['A chat that waits', 'Command: waits for you', `${id}.d2`],
    ])
    await panel(page).getByRole('button', { name: 'Stop notifying this device' }).click()
    say([entryOf(id, 3)])
    await untilText(inboxCount(page), '3')
    expect(await page.evaluate('window.said.length')).toBe(1)
  })
})

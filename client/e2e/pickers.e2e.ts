// Which agent, model and mode: picked before a chat and in it, by keyboard and by finger.

import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import {
  answer,
  composer,
  eventually,
  openTab,
  send,
  startChat,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { gate, newGate, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const MODELS = ['strict', 'swift', 'sage', 'scout', 'gpt-4.1-mini', 'a/b/c', 'seven', 'eight']
const stage = setStage({ env: { OPENAI_MODEL: MODELS.join(',') } })

const picker = (page: Page, kind: 'agent' | 'model' | 'mode') => page.getByTestId(kind)
const menu = (page: Page) => page.locator('.picker-menu')
const row = (page: Page, id: string) => page.locator(`.picker-row[data-option="${id}"]`)
const active = (page: Page) =>
  page.locator('.picker-row[data-active=true]').getAttribute('data-option')
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.getAttribute('data-picker') ?? null)

async function openMenu(page: Page, kind: 'agent' | 'model' | 'mode'): Promise<void> {
  await picker(page, kind).click()
  await menu(page).locator('.picker-row').first().waitFor()
}

async function pick(page: Page, kind: 'agent' | 'model' | 'mode', id: string): Promise<void> {
  await openMenu(page, kind)
  await row(page, id).click()
  await menu(page).waitFor({ state: 'detached' })
}

async function eventsOf<T extends SessionEvent['type']>(
  sessionId: string,
  type: T,
): Promise<Extract<SessionEvent, { type: T }>[]> {
  const { events } = await stage.api.events(sessionId, { after: 0 })
  return events.filter((event): event is Extract<SessionEvent, { type: T }> => event.type === type)
}

const runsOf = async (sessionId: string) =>
  (await eventsOf(sessionId, 'run_started')).map(({ agent, model }) => ({ agent, model }))

/** What the model was told first by the last run. */
const lastSystem = (): string => JSON.stringify(stage.model.requests.at(-1)?.messages[0]?.content)

describe('models', () => {
  test('[SES4][UI3] a model is picked by keyboard alone before there is a chat, and the run uses it', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    await untilText(picker(page, 'model'), 'strict')
    await picker(page, 'model').press('Enter')
    await row(page, 'swift').waitFor()
    // Ten with the demo's: long enough to be searched, and the keyboard is in the search already.
    await page.getByRole('combobox', { name: 'Search: Model' }).waitFor()
    await page.keyboard.type('swi')
    await eventually(() => page.locator('.picker-row').count()).toBe(1)
    await page.keyboard.press('Enter')
    await menu(page).waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('model')
    await untilText(picker(page, 'model'), 'swift')
    await page.reload()
    await untilText(picker(page, 'model'), 'swift')
    const sessionId = await startChat(page, 'With the model that was picked')
    await untilEnded(page, 0)
    expect(await runsOf(sessionId)).toEqual([{ agent: 'assistant', model: 'swift' }])
    expect(stage.model.requests.at(-1)?.model).toBe('swift')
    expect(await eventsOf(sessionId, 'session_configured')).toEqual([])
  })

  test('[SES4] in a chat it is a change of the session: after a reload, in another tab, in the next run', async () => {
    const page = await stage.open()
    const sessionId = await startChat(page, 'First with the default')
    await untilEnded(page, 0)
    const other = await stage.openSession(sessionId)
    await untilText(picker(other, 'model'), 'strict')
    await pick(page, 'model', 'sage')
    await untilText(picker(page, 'model'), 'sage')
    await untilText(picker(other, 'model'), 'sage')
    await page.reload()
    await untilLive(page)
    await untilText(picker(page, 'model'), 'sage')
    await send(page, 'Then with the other')
    await untilEnded(page, 1)
    expect((await runsOf(sessionId)).map(({ model }) => model)).toEqual(['strict', 'sage'])
    // A new chat is not changed by what was picked in this one.
    await page.getByTestId('new-chat').click()
    await untilText(picker(page, 'model'), 'strict')
  })

  test('[SES4] an empty session that is used again takes what the page shows, not what it was left with', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    const { id } = await stage.api.createSession()
    await stage.api.patchSession(id, { model: 'sage' })
    await untilText(picker(page, 'model'), 'strict')
    expect(await startChat(page, 'With the model that is shown')).toBe(id)
    await untilEnded(page, 0)
    expect(await runsOf(id)).toEqual([{ agent: 'assistant', model: 'strict' }])
  })

  test('[SES4] rows say what a model is and costs; the demo says that it is one', async () => {
    const page = await stage.open()
    await openMenu(page, 'model')
    expect(await row(page, 'gpt-4.1-mini').innerText()).toMatch(
      /OpenAI-compatible · 1M\stokens · tools · \$0\.40\sin,\s\$1\.60\sout\sper\smillion/,
    )
    expect(await row(page, 'demo').innerText()).toMatch(/Demo model\s+Built into Parley/)
    await row(page, 'a/b/c').click()
    await untilText(picker(page, 'model'), /^c$/)
  })

  test('[SES4][UI3] while a run is active the list says when a change counts; Escape closes the list and stops nothing', async () => {
    const page = await stage.open()
    const held = newGate()
    const sessionId = await startChat(page, script([text('Running on.'), gate(held), stop]))
    await untilText(answer(page, 0), 'Running on.')
    await openMenu(page, 'model')
    await page.getByTestId('next-run').waitFor()
    await page.keyboard.press('Escape')
    await menu(page).waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('model')
    await pick(page, 'model', 'scout')
    await untilText(picker(page, 'model'), 'scout')
    expect(await page.getByTestId('stop').isVisible()).toBe(true)
    stage.model.gate(held).release()
    await untilEnded(page, 0)
    expect(await page.locator('.interrupted-mark').count()).toBe(0)
    await send(page, 'The next one')
    await untilEnded(page, 1)
    expect((await runsOf(sessionId)).map(({ model }) => model)).toEqual(['strict', 'scout'])
  })
})

describe('modes', () => {
  test('[DEC7][UI3] arrows, Home, End and letters move; Ask is shown, kept and told to the model', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    await picker(page, 'mode').press('Enter')
    await page.getByRole('listbox', { name: 'Mode' }).waitFor()
    expect(await page.getByRole('option', { selected: true }).getAttribute('data-option')).toBe(
      'agent',
    )
    for (const [key, expected] of [
      ['ArrowDown', 'ask'],
      ['End', 'plan'],
      ['ArrowDown', 'agent'],
      ['ArrowUp', 'plan'],
      ['Home', 'agent'],
      ['a', 'ask'],
    ] as const) {
      await page.keyboard.press(key)
      await eventually(() => active(page)).toBe(expected)
    }
    await page.keyboard.press('Enter')
    await untilText(picker(page, 'mode'), 'Ask')
    expect(await focused(page)).toBe('mode')
    const sessionId = await startChat(page, 'In the mode that only reads')
    await untilEnded(page, 0)
    expect(lastSystem()).toContain('Mode: Ask.')
    expect((await stage.api.getSession(sessionId)).mode).toBe('ask')
    await page.reload()
    await untilLive(page)
    await untilText(picker(page, 'mode'), 'Ask')
    await pick(page, 'mode', 'plan')
    await untilText(picker(page, 'mode'), 'Plan')
    await send(page, 'And now a plan')
    await untilEnded(page, 1)
    expect(lastSystem()).toContain('Mode: Plan.')
  })

  test('[DEC7] picked without a connection it is not shown until the session has answered', async () => {
    const page = await stage.open()
    const sessionId = await startChat(page, 'Soon offline')
    await untilEnded(page, 0)
    // Loads the list while there is a network.
    await openMenu(page, 'mode')
    await page.keyboard.press('Escape')
    await page.context().setOffline(true)
    await page.locator('[data-testid=connection][data-status=offline]').waitFor()
    await pick(page, 'mode', 'ask')
    await page.locator('.pickers[aria-busy=true]').waitFor()
    expect(await picker(page, 'mode').innerText()).toContain('Agent')
    await page.context().setOffline(false)
    await untilText(picker(page, 'mode'), 'Ask')
    await page.locator('.pickers[aria-busy=false]').waitFor()
    expect((await stage.api.getSession(sessionId)).mode).toBe('ask')
  })
})

describe('agents', () => {
  test('[AGT1] in a new chat an agent brings its mode and model; in one with messages its mode alone', async () => {
    await stage.api.createAgent({ name: 'guide', models: ['sage'], mode: 'ask' })
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    await pick(page, 'agent', 'guide')
    await untilText(picker(page, 'agent'), 'guide')
    await untilText(picker(page, 'model'), 'sage')
    await untilText(picker(page, 'mode'), 'Ask')
    await pick(page, 'model', 'swift')
    const sessionId = await startChat(page, 'With an agent of my own')
    await untilEnded(page, 0)
    expect(await runsOf(sessionId)).toEqual([{ agent: 'guide', model: 'swift' }])
    await pick(page, 'agent', 'planner')
    await untilText(picker(page, 'mode'), 'Plan')
    await pick(page, 'agent', 'guide')
    await untilText(picker(page, 'mode'), 'Ask')
    expect(await picker(page, 'model').innerText()).toContain('swift')
    await stage.api.deleteAgent('guide')
  })

  test('[AGT1][UI3] an agent is made, refused at its field, used, edited and deleted; its chat goes on with a warning', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    await picker(page, 'agent').press('Enter')
    await row(page, 'assistant').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Agents' })
    await untilText(dialog.locator('[data-agent=assistant]'), 'Built in')
    expect(await dialog.getByRole('button', { name: 'Edit assistant' }).count()).toBe(0)

    await dialog.getByRole('button', { name: 'New agent' }).click()
    const form = page.getByRole('dialog', { name: 'New agent' })
    await form.getByLabel('Name').fill('assistant')
    await form.getByRole('button', { name: 'Create' }).click()
    await untilText(form.locator('#agent-name-problem'), 'there is an agent assistant already')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('agent-name')
    await form.getByLabel('Name').fill('Not A Name')
    await form.getByRole('button', { name: 'Create' }).click()
    await untilText(form.locator('#agent-name-problem'), 'expected 1 to 40 of a-z')
    await form.getByLabel('Name').fill('poet')
    await form.getByLabel('Description').fill('Answers in verse')
    await form.getByLabel('Instructions').fill('Answer in verse, always.')
    for (const model of ['scout', 'sage']) {
      await form.getByLabel('Add a model').selectOption(model)
    }
    await form.getByRole('button', { name: 'Move sage up' }).click()
    await form.getByRole('radio', { name: 'Chosen ones' }).check()
    await form.getByRole('checkbox', { name: 'calculate' }).check()
    await form.getByRole('radio', { name: 'pink' }).check()
    await form.getByRole('button', { name: 'Create' }).click()
    await untilText(dialog.locator('[data-agent=poet]'), 'Answers in verse')
    const agent = (await stage.api.listAgents()).find(({ name }) => name === 'poet')
    expect(agent).toEqual({
      name: 'poet',
      description: 'Answers in verse',
      instructions: 'Answer in verse, always.',
      models: ['sage', 'scout'],
      tools: ['calculate'],
      mode: 'agent',
      colour: 'pink',
      builtIn: false,
    })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('agent')

    await pick(page, 'agent', 'poet')
    await page.locator('.picker .agent-dot[data-colour=pink]').waitFor()
    const sessionId = await startChat(page, 'A line about rain')
    await untilEnded(page, 0)
    expect(await runsOf(sessionId)).toEqual([{ agent: 'poet', model: 'sage' }])
    expect(lastSystem()).toContain('Answer in verse, always.')
    // Also where the page starts with it and has not read the list of agents.
    await page.reload()
    await page.locator('.picker .agent-dot[data-colour=pink]').waitFor()

    await openMenu(page, 'agent')
    await page.getByTestId('manage-agents').click()
    await dialog.getByRole('button', { name: 'Edit poet' }).click()
    const editor = page.getByRole('dialog', { name: 'poet' })
    await editor.getByLabel('Instructions').fill('Answer in prose.')
    // What is not saved is not lost to one key.
    await page.keyboard.press('Escape')
    await untilText(editor.getByRole('alert'), 'Not saved yet')
    expect(await editor.getByLabel('Instructions').inputValue()).toBe('Answer in prose.')
    await editor.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('button', { name: 'Delete poet' }).waitFor()
    await page.keyboard.press('Escape')
    await send(page, 'Another line')
    await untilEnded(page, 1)
    expect(lastSystem()).toContain('Answer in prose.')

    await openMenu(page, 'agent')
    await page.getByTestId('manage-agents').click()
    await dialog.getByRole('button', { name: 'Delete poet' }).click()
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await dialog.getByRole('button', { name: 'Delete poet' }).click()
    await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.locator('[data-agent=poet]').waitFor({ state: 'detached' })
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await send(page, 'Who answers now?')
    await untilEnded(page, 2)
    await answer(page, 2).locator('[data-code=unknown_agent]').waitFor()
  })

  test('[AGT1] an agent that another device made and picked is shown here, in its colour', async () => {
    const page = await stage.open()
    const sessionId = await startChat(page, 'Handed over')
    await untilEnded(page, 0)
    await openMenu(page, 'agent')
    await page.keyboard.press('Escape')
    await stage.api.createAgent({ name: 'newcomer', colour: 'teal' })
    await stage.api.patchSession(sessionId, { agent: 'newcomer' })
    await untilText(picker(page, 'agent'), 'newcomer')
    await page.locator('.picker .agent-dot[data-colour=teal]').waitFor()
    await stage.api.deleteAgent('newcomer')
  })

  test('[AGT1] an agent that was picked and deleted elsewhere costs no message', async () => {
    await stage.api.createAgent({ name: 'brief-life' })
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    await pick(page, 'agent', 'brief-life')
    await stage.api.deleteAgent('brief-life')
    await send(page, 'Kept for the second try')
    await untilText(page.locator('.toast'), 'there is no agent brief-life')
    await untilText(picker(page, 'agent'), 'assistant')
    await eventually(() => composer(page).inputValue()).toBe('Kept for the second try')
    await composer(page).press('Enter')
    await untilEnded(page, 0)
  })

  test('[AGT1][UI3] keys in the dialog stay in it: Escape closes it and stops no run', async () => {
    const page = await stage.open()
    const held = newGate()
    await startChat(page, script([text('Behind the dialog.'), gate(held), stop]))
    await untilText(answer(page, 0), 'Behind the dialog.')
    await openMenu(page, 'agent')
    await page.getByTestId('manage-agents').click()
    const dialog = page.getByRole('dialog', { name: 'Agents' })
    await dialog.waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    expect(await page.getByTestId('stop').isVisible()).toBe(true)
    stage.model.gate(held).release()
    await untilEnded(page, 0)
    expect(await page.locator('.interrupted-mark').count()).toBe(0)
  })
})

describe('lists', () => {
  test('[UI3] a press elsewhere closes a list, and so does another chat', async () => {
    const page = await stage.open()
    await startChat(page, 'Something to come back to')
    await untilEnded(page, 0)
    await openMenu(page, 'agent')
    await page.getByTestId('transcript').click({ position: { x: 5, y: 5 } })
    await menu(page).waitFor({ state: 'detached' })
    await openMenu(page, 'mode')
    await page.keyboard.press('Control+Shift+O')
    await page.getByTestId('empty-hint').waitFor()
    await menu(page).waitFor({ state: 'detached' })
  })

  test('[SES4] what is picked for a new chat is there in another tab of the browser', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    await pick(page, 'model', 'seven')
    const other = await openTab(page.context(), stage.server.origin)
    await untilText(picker(other.page, 'model'), 'seven')
    expect(other.problems).toEqual([])
  })
})

const readOverflow = (page: Page) =>
  page.evaluate(() => ({
    page: document.documentElement.scrollWidth - innerWidth,
    wide: [...document.querySelectorAll('.main *, .agents-dialog, .agents-dialog *')]
      .filter((element) => {
        const { left, right, width } = element.getBoundingClientRect()
        return width > 0 && (right > innerWidth + 1 || left < -1)
      })
      .map((element) => `${element.localName}.${element.className}`),
  }))

describe('on a phone', () => {
  const PHONE = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }

  const fits = { page: 0, wide: [] }

  test('[UI3][DEC7] one button leads to agent, model and mode, and nothing is wider than the screen', async () => {
    const page = await stage.open('/', PHONE)
    const held = newGate()
    await startChat(page, script([text('On a phone.'), gate(held), stop]))
    await untilText(answer(page, 0), 'On a phone.')
    expect(await readOverflow(page)).toEqual(fits)
    for (const [kind, id] of [
      ['model', 'gpt-4.1-mini'],
      ['mode', 'ask'],
    ] as const) {
      await page.getByTestId('model').tap()
      await page.getByRole('menu', { name: 'Settings' }).waitFor()
      expect(await readOverflow(page)).toEqual(fits)
      await row(page, kind).tap()
      await row(page, id).waitFor()
      expect(await readOverflow(page)).toEqual(fits)
      await row(page, id).tap()
      await menu(page).waitFor({ state: 'detached' })
    }
    await untilText(page.getByTestId('model'), 'gpt-4.1-mini · Ask')
    expect(await readOverflow(page)).toEqual(fits)
    await page.getByTestId('model').tap()
    await row(page, 'agent').tap()
    await page.getByTestId('manage-agents').tap()
    await page.getByRole('dialog', { name: 'Agents' }).waitFor()
    expect(await readOverflow(page)).toEqual(fits)
    await page.getByRole('button', { name: 'Make one like analyst' }).tap()
    await page.getByRole('checkbox', { name: 'calculate' }).waitFor()
    expect(await readOverflow(page)).toEqual(fits)
    await page.getByRole('button', { name: 'Close' }).tap()
    stage.model.gate(held).release()
    await untilEnded(page, 0)
  })
})

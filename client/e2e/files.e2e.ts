// The workspace in the page: what an agent changed is kept or undone, what a person writes is never
// lost, files come in and go out, and parts of them go with a message.

import { readFileSync } from 'node:fs'
import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { FilesApi } from '../sdk/files-api.ts'
import {
  answer,
  eventually,
  expectSameAfterReload,
  messages,
  send,
  startChat,
  untilCount,
  untilEnded,
  untilLive,
  untilText,
} from './browser.ts'
import { call, callTools, script, stop, text } from './script.ts'
import { setStage } from './stage.ts'

const stage = setStage()

const LINES = Array.from({ length: 40 }, (_, i) => `line ${i + 1}`)
const BEFORE = `${LINES.join('\n')}\n`
/** Three changes, far from each other. */
const AFTER = BEFORE.replace('line 3\n', 'third\n')
  .replace('line 20\n', 'twentieth\n')
  .replace('line 38\n', 'thirty-eighth\nand one more\n')

const widget = (page: Page): Locator => page.getByTestId('changes')
const row = (page: Page, path: string): Locator => widget(page).locator(`[data-path="${path}"]`)
const dialog = (page: Page, name: string): Locator => page.getByTestId(`${name}-dialog`)
const button = (within: Page | Locator, name: string | RegExp): Locator =>
  within.getByRole('button', { name, ...(typeof name === 'string' ? { exact: true } : {}) })
/** In a dialog it is the dialog's own: the one of the page lies behind. */
const toast = (within: Page | Locator, words: string): Locator =>
  within.locator('.toast').filter({ hasText: words })
const hunk = (page: Page, index: number): Locator => page.locator(`[data-hunk="${index}"]`)

const filesOf = (sessionId: string): FilesApi =>
  new FilesApi(sessionId, { origin: stage.server.origin })

/** Null: there is no such file. */
async function readFile(sessionId: string, path: string): Promise<string | null> {
  const { files } = await filesOf(sessionId).list()
  if (!files.some((file) => file.path === path)) return null
  return (await filesOf(sessionId).read(path)).text
}

let calls = 0
const write = (path: string, content: string) =>
  call(`write-${++calls}`, 'write_file', { path, content })
const remove = (path: string) => call(`delete-${++calls}`, 'delete_file', { path })

/** A session with `notes.txt` and `old.txt`, which an agent has then changed. */
async function changeFiles(options: { width?: number } = {}): Promise<[Page, string]> {
  const { id } = await stage.api.createSession({ title: 'Files' })
  await filesOf(id).write('notes.txt', BEFORE, 'absent')
  await filesOf(id).write('old.txt', 'old\n', 'absent')
  const width = options.width ?? 1280
  const page = await stage.openSession(id, { viewport: { width, height: 800 } })
  await untilLive(page)
  await send(
    page,
    script(
      [
        text('I change them.'),
        write('notes.txt', 'nothing yet\n'),
        write('src/new.ts', 'let a = 1\n'),
        callTools,
      ],
      [write('notes.txt', AFTER), remove('old.txt'), callTools],
      [text('Changed.'), stop],
    ),
  )
  await untilEnded(page, 0)
  await row(page, 'notes.txt').waitFor()
  return [page, id]
}

async function openDiff(page: Page, path: string): Promise<void> {
  await row(page, path).locator('.change-open').click()
  await hunk(page, 0).waitFor()
}

async function openWorkspace(page: Page): Promise<Locator> {
  await button(page, 'Workspace').click()
  await dialog(page, 'workspace').waitFor()
  return dialog(page, 'workspace')
}

describe('the files-changed widget', () => {
  test('[FILE3][UI2] what a run changed stands outside the thread, merged; the same after a reload and in another tab', async () => {
    const [page, id] = await changeFiles()
    await untilText(widget(page), '3 files changed')
    await untilText(row(page, 'notes.txt'), '+4 −3')
    await untilText(row(page, 'src/new.ts'), 'New')
    await untilText(row(page, 'old.txt'), 'Deleted')
    await answer(page, 0).locator('.changes-block').waitFor()
    const shown = await widget(page).innerText()
    await expectSameAfterReload(page)
    await eventually(() => widget(page).innerText()).toBe(shown)
    const other = await stage.openSession(id)
    await eventually(() => widget(other).innerText()).toBe(shown)

    await button(widget(page), 'Keep src/new.ts').click()
    await untilText(widget(other), '2 files changed')
    await untilCount(row(other, 'src/new.ts'), 0)
    await button(widget(other), 'Keep all').click()
    await widget(page).waitFor({ state: 'detached' })
    await widget(other).waitFor({ state: 'detached' })
    await page.reload()
    await untilLive(page)
    // The answer goes on saying what it changed.
    await untilText(answer(page, 0).locator('.changes-block summary'), '3 files changed')
    expect(await widget(page).count()).toBe(0)
    expect(await readFile(id, 'notes.txt')).toBe(AFTER)
  })

  test('[UI2] styles that a restarting server did not give are asked for again', async () => {
    const [page] = await changeFiles()
    let asked = 0
    await page.route(/\/files-[^/]*\.css$/, (route) =>
      ++asked === 1 ? route.abort() : route.continue(),
    )
    await page.reload()
    await row(page, 'notes.txt').waitFor()
    await eventually(() => asked).toBe(2)
    const border = () => widget(page).evaluate((element) => getComputedStyle(element).borderStyle)
    await eventually(border).toBe('solid')
  })

  test('[FILE3] it folds, and stays so', async () => {
    const [page] = await changeFiles()
    await button(widget(page), /files changed/).click()
    await row(page, 'notes.txt').waitFor({ state: 'hidden' })
    await page.reload()
    await untilText(widget(page), '3 files changed')
    expect(await row(page, 'notes.txt').isVisible()).toBe(false)
    await button(widget(page), /files changed/).click()
    await row(page, 'notes.txt').waitFor()
  })

  test('[UI2] the report in the answer opens to its files, and a file to its changes', async () => {
    const [page] = await changeFiles()
    const report = answer(page, 0).locator('.changes-block')
    await report.locator('summary').click()
    await report.getByRole('button', { name: /notes\.txt/ }).click()
    await untilText(dialog(page, 'diff'), 'Change 1 of 3')
    await page.keyboard.press('Escape')
    await dialog(page, 'diff').waitFor({ state: 'detached' })
    expect(await page.evaluate(() => document.activeElement?.textContent)).toContain('notes.txt')
  })
})

describe('undo and redo', () => {
  test('[FILE3][FILE4][UI3] one change of a file is undone, redone and kept, by keyboard alone', async () => {
    const [page, id] = await changeFiles()
    await row(page, 'notes.txt').locator('.change-open').focus()
    await page.keyboard.press('Enter')
    await untilText(dialog(page, 'diff'), 'Change 1 of 3')
    await page.keyboard.press('n')
    await untilText(dialog(page, 'diff').getByRole('status').first(), 'Change 2 of 3')
    await page.keyboard.press('u')
    await eventually(() => hunk(page, 1).getAttribute('data-state')).toBe('undone')
    expect(await readFile(id, 'notes.txt')).toBe(AFTER.replace('twentieth', 'line 20'))
    await page.keyboard.press('r')
    await eventually(() => hunk(page, 1).getAttribute('data-state')).toBe('open')
    expect(await readFile(id, 'notes.txt')).toBe(AFTER)
    await page.keyboard.press('p')
    await page.keyboard.press('k')
    await eventually(() => hunk(page, 0).getAttribute('data-state')).toBe('kept')
    await page.keyboard.press('p')
    await untilText(dialog(page, 'diff').getByRole('status').first(), 'Change 3 of 3')
    await page.keyboard.press('u')
    await eventually(() => hunk(page, 2).getAttribute('data-state')).toBe('undone')
    await page.keyboard.press('Escape')
    await untilText(row(page, 'notes.txt'), '2 decided')
    await page.reload()
    await untilText(row(page, 'notes.txt'), '2 decided')
    expect(await readFile(id, 'notes.txt')).toBe(
      AFTER.replace('thirty-eighth\nand one more', 'line 38'),
    )
  })

  test('[FILE4] a file is undone, and redone from the toast; a deleted one comes back', async () => {
    const [page, id] = await changeFiles()
    await button(widget(page), 'Undo notes.txt').click()
    await row(page, 'notes.txt').waitFor({ state: 'detached' })
    expect(await readFile(id, 'notes.txt')).toBe(BEFORE)
    await toast(page, 'Undone: notes.txt').getByText('Redo').click()
    await row(page, 'notes.txt').waitFor()
    expect(await readFile(id, 'notes.txt')).toBe(AFTER)
    await button(widget(page), 'Undo old.txt').click()
    await row(page, 'old.txt').waitFor({ state: 'detached' })
    expect(await readFile(id, 'old.txt')).toBe('old\n')
  })

  test('[FILE4] everything is undone at once, and all of it redone', async () => {
    const [page, id] = await changeFiles()
    await button(widget(page), 'Undo all').click()
    await widget(page).waitFor({ state: 'detached' })
    expect(await readFile(id, 'src/new.ts')).toBeNull()
    expect(await readFile(id, 'old.txt')).toBe('old\n')
    await toast(page, 'Undone').getByText('Redo').click()
    await untilText(widget(page), '3 files changed')
    expect(await readFile(id, 'src/new.ts')).toBe('let a = 1\n')
    expect(await readFile(id, 'old.txt')).toBeNull()
  })

  test('[FILE3] the diff is side by side or inline, stays as it was chosen, and unfolds what is the same', async () => {
    const [page] = await changeFiles()
    await openDiff(page, 'notes.txt')
    const table = page.locator('table.diff')
    expect(await table.getAttribute('data-layout')).toBe('split')
    await button(page, '10 unchanged lines').click()
    await untilText(table, 'line 10')
    await button(dialog(page, 'diff'), 'Inline').click()
    await eventually(() => table.getAttribute('data-layout')).toBe('inline')
    await page.reload()
    await openDiff(page, 'notes.txt')
    expect(await table.getAttribute('data-layout')).toBe('inline')
  })

  test('[FILE3][UI3] on a phone the diff is inline, and undo works by finger', async () => {
    const [page, id] = await changeFiles({ width: 390 })
    await openDiff(page, 'notes.txt')
    expect(await page.locator('table.diff').getAttribute('data-layout')).toBe('inline')
    expect(await button(dialog(page, 'diff'), 'Side by side').count()).toBe(0)
    await button(page, 'Undo: Change 1 of 3').click()
    await eventually(() => hunk(page, 0).getAttribute('data-state')).toBe('undone')
    expect(await readFile(id, 'notes.txt')).toBe(AFTER.replace('third\n', 'line 3\n'))
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
    )
    expect(overflow).toBe(false)
  })

  test('[FILE3][UI3] the keyboard stays where the files are while they are decided, then writes again', async () => {
    const [page] = await changeFiles()
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
    await button(widget(page), 'Keep notes.txt').press('Enter')
    await row(page, 'notes.txt').waitFor({ state: 'detached' })
    await eventually(focused).toContain('2 files changed')
    await button(widget(page), 'Keep all').press('Enter')
    await widget(page).waitFor({ state: 'detached' })
    await eventually(() => page.evaluate(() => document.activeElement?.id)).toBe('composer')
  })

  test('[FILE3] of a very large diff a part is shown at a time, and a jump moves there', async () => {
    const { id } = await stage.api.createSession({ title: 'Large' })
    const many = Array.from({ length: 4000 }, (_, i) => `row ${i + 1}`)
    await filesOf(id).write('large.txt', `${many.join('\n')}\n`, 'absent')
    const page = await stage.openSession(id)
    await untilLive(page)
    // Every tenth line: 400 changes, each with its context.
    const changed = many.map((line, i) => (i % 10 === 5 ? `${line} changed` : line))
    const content = `${changed.join('\n')}\n`
    await send(page, script([write('large.txt', content), callTools], [text('Ok.'), stop]))
    await untilEnded(page, 0)
    await openDiff(page, 'large.txt')
    const rows = page.locator('table.diff tr')
    expect(await rows.count()).toBe(600)
    await page.keyboard.press('p')
    await untilText(dialog(page, 'diff').getByRole('status').first(), 'Change 400 of 400')
    await hunk(page, 399).waitFor()
    expect(await rows.count()).toBe(600)
    await button(page, 'Undo: Change 400 of 400').click()
    await eventually(() => hunk(page, 399).getAttribute('data-state')).toBe('undone')
    expect(await readFile(id, 'large.txt')).toBe(content.replace('row 3996 changed', 'row 3996'))
  })

  test('[FILE3] what is no text says so, and can be kept', async () => {
    const { id } = await stage.api.createSession({ title: 'Binary' })
    await filesOf(id).write('picture.bin', new Uint8Array([1, 0, 2]), 'absent')
    const page = await stage.openSession(id)
    await untilLive(page)
    await send(page, script([write('picture.bin', 'text now\n'), callTools], [text('Ok.'), stop]))
    await untilEnded(page, 0)
    await row(page, 'picture.bin').locator('.change-open').click()
    await untilText(dialog(page, 'diff'), 'not a text')
    await button(dialog(page, 'diff'), 'Keep file').click()
    await widget(page).waitFor({ state: 'detached' })
  })
})

async function compare(page: Page): Promise<Locator> {
  await button(page, 'Compare the three versions').click()
  const conflict = dialog(page, 'conflict')
  await untilText(conflict.locator('[data-side=current]'), 'what a person wrote')
  return conflict
}

describe('conflicts', () => {
  const MINE = 'what a person wrote\n'

  async function makeConflict(): Promise<[Page, string]> {
    const [page, id] = await changeFiles()
    await filesOf(id).write('notes.txt', MINE, 'any')
    await button(widget(page), 'Undo notes.txt').click()
    await row(page, 'notes.txt').locator('.conflict-card').waitFor()
    await toast(page, 'not undone').getByText('Compare').waitFor()
    expect(await readFile(id, 'notes.txt')).toBe(MINE)
    return [page, id]
  }

  test('[FILE4] an undo over a person’s work writes nothing: three versions are shown, after a reload too', async () => {
    const [page, id] = await makeConflict()
    await page.reload()
    await row(page, 'notes.txt').locator('.conflict-card').waitFor()
    const conflict = await compare(page)
    await untilText(conflict.locator('[data-side=before]'), 'line 20')
    await untilText(conflict.locator('[data-side=agent]'), 'twentieth')
    // What differs is marked and counted.
    await untilText(conflict.locator('[data-side=before] h3'), 'the agent took out')
    await untilText(conflict.locator('[data-side=agent] [data-mark=come]'), 'twentieth')
    await untilText(conflict.locator('[data-side=current] [data-mark=since]'), MINE.trim())
    await button(conflict, 'Take the version before').click()
    await conflict.waitFor({ state: 'detached' })
    await row(page, 'notes.txt').waitFor({ state: 'detached' })
    expect(await readFile(id, 'notes.txt')).toBe(BEFORE)
    // That choice can be taken back as well.
    await toast(page, 'Took another version').getByText('Undo').click()
    await eventually(() => readFile(id, 'notes.txt')).toBe(MINE)
  })

  test('[FILE4] what is there now can be kept, or the agent’s version taken', async () => {
    const [page, id] = await makeConflict()
    const other = await stage.openSession(id)
    await row(other, 'notes.txt').locator('.conflict-card').waitFor()
    await button(row(page, 'notes.txt'), 'Keep what is there').click()
    await row(page, 'notes.txt').waitFor({ state: 'detached' })
    await row(other, 'notes.txt').waitFor({ state: 'detached' })
    expect(await readFile(id, 'notes.txt')).toBe(MINE)
  })

  test('[FILE4] a third change while the versions are compared is shown, not written over', async () => {
    const [page, id] = await makeConflict()
    const conflict = await compare(page)
    await filesOf(id).write('notes.txt', 'and once more\n', 'any')
    await button(conflict, 'Take the agent’s version').click()
    await untilText(conflict.getByRole('alert'), 'nothing was written')
    await untilText(conflict.locator('[data-side=current]'), 'and once more')
    expect(await readFile(id, 'notes.txt')).toBe('and once more\n')
    await button(conflict, 'Take the agent’s version').click()
    await conflict.waitFor({ state: 'detached' })
    expect(await readFile(id, 'notes.txt')).toBe(AFTER)
  })
})

describe('the workspace', () => {
  test('[FILE1][FILE5] a file is read, edited and saved; another tab sees it', async () => {
    const [page, id] = await changeFiles()
    const panel = await openWorkspace(page)
    await panel.locator('[data-tree="src/new.ts"]').click()
    await untilText(panel.locator('.code-view'), 'let a = 1')
    await panel.locator('.hl-keyword').first().waitFor()
    await button(panel, 'Edit').click()
    await panel.getByTestId('file-editor').fill('let a = 2\n')
    const other = await stage.openSession(id)
    const shown = await openWorkspace(other)
    await shown.locator('[data-tree="src/new.ts"]').click()
    await page.keyboard.press('Control+s')
    await untilText(panel.locator('.code-view'), 'let a = 2')
    await untilText(shown.locator('.code-view'), 'let a = 2')
    expect(await readFile(id, 'src/new.ts')).toBe('let a = 2\n')
    await toast(panel, 'Saved').getByText('Undo').click()
    await untilText(panel.locator('.code-view'), 'let a = 1')
  })

  test('[FILE5] somebody else wrote meanwhile: nothing is written, nothing is lost, and both are shown', async () => {
    const [page, id] = await changeFiles()
    const panel = await openWorkspace(page)
    await panel.locator('[data-tree="src/new.ts"]').click()
    await button(panel, 'Edit').click()
    await panel.getByTestId('file-editor').fill('mine\n')
    await filesOf(id).write('src/new.ts', 'theirs\n', 'any')
    await button(panel, 'Save').click()
    await untilText(panel.getByRole('alert'), 'Nothing was written')
    await untilText(panel.locator('.overtaken .code-view'), 'theirs')
    expect(await panel.getByTestId('file-editor').inputValue()).toBe('mine\n')
    expect(await readFile(id, 'src/new.ts')).toBe('theirs\n')
    // Unsaved words are not closed away by one key.
    await page.keyboard.press('Escape')
    await untilText(panel, 'is not saved')
    await button(panel, 'Stay').click()
    await button(panel, 'Save mine').click()
    await eventually(() => readFile(id, 'src/new.ts')).toBe('mine\n')
  })

  test('[FILE5] a file that was deleted while it was edited can be saved again', async () => {
    const [page, id] = await changeFiles()
    const panel = await openWorkspace(page)
    await panel.locator('[data-tree="src/new.ts"]').click()
    await button(panel, 'Edit').click()
    await panel.getByTestId('file-editor').fill('mine\n')
    await filesOf(id).remove('src/new.ts', 'any')
    await button(panel, 'Save').click()
    await untilText(panel.getByRole('alert'), 'Somebody deleted this file')
    expect(await readFile(id, 'src/new.ts')).toBeNull()
    await button(panel, 'Save mine').click()
    await eventually(() => readFile(id, 'src/new.ts')).toBe('mine\n')
  })

  test('[FILE1] files are made, moved, deleted and brought back', async () => {
    const [page, id] = await changeFiles()
    const panel = await openWorkspace(page)
    await button(panel, 'New file').click()
    await panel.getByLabel('Path of the new file').fill('../outside.txt')
    await page.keyboard.press('Enter')
    await untilText(panel.getByRole('alert'), 'leads out of the workspace')
    await panel.getByLabel('Path of the new file').fill('docs/plan.md')
    await page.keyboard.press('Enter')
    await panel.getByTestId('file-editor').fill('# Plan\n')
    await button(panel, 'Save').click()
    await untilText(panel.locator('.code-view'), '# Plan')
    await button(panel, 'Move').click()
    await panel.getByLabel('New path').fill('docs/done.md')
    await page.keyboard.press('Enter')
    await panel.locator('[data-tree="docs/done.md"]').waitFor()
    await untilCount(panel.locator('[data-tree="docs/plan.md"]'), 0)
    await button(panel, 'Delete').click()
    await untilCount(panel.locator('[data-tree="docs/done.md"]'), 0)
    expect(await readFile(id, 'docs/done.md')).toBeNull()
    await toast(panel, 'Deleted').getByText('Undo').click()
    await panel.locator('[data-tree="docs/done.md"]').waitFor()
    expect(await readFile(id, 'docs/done.md')).toBe('# Plan\n')
  })

  test('[FILE1] files are uploaded, never over others unasked; all comes out as a zip and goes in again', async () => {
    const [page, id] = await changeFiles()
    const panel = await openWorkspace(page)
    const upload = (name: string, content: string) =>
      panel
        .getByTestId('upload-input')
        .setInputFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(content) })
    await upload('from-device.txt', 'hello\n')
    await panel.locator('[data-tree="from-device.txt"]').waitFor()
    const dropped = await page.evaluateHandle(() => {
      const data = new DataTransfer()
      data.items.add(new File(['dropped\n'], 'dropped.txt'))
      return data
    })
    await panel.locator('.workspace').dispatchEvent('drop', { dataTransfer: dropped })
    await panel.locator('[data-tree="dropped.txt"]').waitFor()
    await upload('from-device.txt', 'hello again\n')
    await untilText(panel, 'Already there: from-device.txt')
    expect(await readFile(id, 'from-device.txt')).toBe('hello\n')
    await button(panel, 'Replace').click()
    await eventually(() => readFile(id, 'from-device.txt')).toBe('hello again\n')

    const downloading = page.waitForEvent('download')
    await panel.getByRole('link', { name: 'All as zip' }).click()
    const zip = readFileSync(await (await downloading).path())
    expect(zip.subarray(0, 2).toString()).toBe('PK')
    const { id: second } = await stage.api.createSession({ title: 'Another' })
    const other = await stage.openSession(second)
    const target = await openWorkspace(other)
    await untilText(target, 'No files yet')
    await target
      .getByTestId('upload-input')
      .setInputFiles({ name: 'all.zip', mimeType: 'application/zip', buffer: zip })
    await target.locator('[data-tree="from-device.txt"]').waitFor()
    expect(await readFile(second, 'notes.txt')).toBe(AFTER)
    await toast(target, 'Unpacked').getByText('Undo').click()
    await untilText(target, 'No files yet')
  })

  test('[FILE4] the workspace goes back to before a run, after a question, and that can be undone', async () => {
    const [page, id] = await changeFiles()
    const panel = await openWorkspace(page)
    await button(panel, 'History').click()
    const run = panel.locator('.checkpoint').filter({ hasText: 'The agent changed 3 files' })
    await button(run, 'Restore to before this').click()
    await untilText(run, 'It can be undone')
    expect(await readFile(id, 'notes.txt')).toBe(AFTER)
    await button(run, 'Restore').click()
    await eventually(() => readFile(id, 'notes.txt')).toBe(BEFORE)
    expect(await readFile(id, 'old.txt')).toBe('old\n')
    expect(await readFile(id, 'src/new.ts')).toBeNull()
    await toast(panel, 'as it was before').getByText('Undo').click()
    await eventually(() => readFile(id, 'notes.txt')).toBe(AFTER)
    expect(await readFile(id, 'src/new.ts')).toBe('let a = 1\n')
  })
})

describe('attachments', () => {
  test('[FILE5] lines of a file and a file of the device go with a message; chips survive a reload and open', async () => {
    const [page, id] = await changeFiles()
    await button(page, 'Attach files').click()
    const picker = dialog(page, 'attach')
    await picker.getByLabel('Lines').fill('2-3')
    await picker.locator('[data-attach="notes.txt"]').click()
    await untilText(picker.getByTestId('attached'), 'notes.txt (2-3)')
    await picker.getByTestId('attach-input').setInputFiles({
      name: 'note.md',
      mimeType: 'text/markdown',
      buffer: Buffer.from('# From the device\n'),
    })
    await untilText(picker.getByTestId('attached'), 'note.md')
    await picker.getByTestId('attach-input').setInputFiles({
      name: 'picture.png',
      mimeType: 'image/png',
      buffer: Buffer.from([137, 80, 78, 71, 0]),
    })
    await toast(picker, 'picture.png is not a text').waitFor()
    await page.keyboard.press('Escape')
    await page.reload()
    const chips = page.getByTestId('attached').getByRole('listitem')
    await untilCount(chips, 2)
    await untilText(chips.first(), 'notes.txt (2-3)')
    await send(page, 'Read these')
    await untilEnded(page, 1)
    await untilCount(chips, 0)
    const { events } = await stage.api.events(id, { after: 0 })
    const sent = events.findLast((event) => event.type === 'user_message')
    expect(sent).toMatchObject({
      attachments: [
        { name: 'notes.txt', range: '2-3', content: 'line 2\nthird' },
        { name: 'note.md', content: '# From the device\n' },
      ],
    })
    expect(JSON.stringify(stage.model.requests.at(-1)?.messages)).toContain('# From the device')
    await messages(page).last().getByRole('button', { name: 'notes.txt (2-3)' }).click()
    await untilText(dialog(page, 'attachment'), 'third')
    expect(
      await dialog(page, 'attachment').locator('.code-line').first().getAttribute('data-line'),
    ).toBe('2')
    await page.keyboard.press('Escape')
    await expectSameAfterReload(page)
  })

  test('[FILE5] files are dropped on the composer before there is a chat, and one can be removed', async () => {
    const page = await stage.open()
    await page.getByTestId('empty-hint').waitFor()
    const data = await page.evaluateHandle(() => {
      const dropped = new DataTransfer()
      dropped.items.add(new File(['one\n'], 'one.txt'))
      dropped.items.add(new File(['two\n'], 'two.txt'))
      return dropped
    })
    await page.locator('form.composer').dispatchEvent('drop', { dataTransfer: data })
    const chips = page.getByTestId('attached').getByRole('listitem')
    await untilCount(chips, 2)
    await button(page, 'Remove one.txt').click()
    await untilCount(chips, 1)
    const id = await startChat(page, 'Read this')
    await untilEnded(page, 0)
    const { events } = await stage.api.events(id, { after: 0 })
    expect(events.find((event) => event.type === 'user_message')).toMatchObject({
      attachments: [{ name: 'two.txt', content: 'two\n' }],
    })
    await untilCount(chips, 0)
  })

  test('[FILE5] the lines that are selected in the workspace are what is attached', async () => {
    const [page] = await changeFiles()
    const panel = await openWorkspace(page)
    await panel.locator('[data-tree="notes.txt"]').click()
    await panel.locator('[data-line="5"]').waitFor()
    await page.evaluate(() => {
      const [from, to] = [5, 7].map((line) => document.querySelector(`[data-line="${line}"]`))
      getSelection()!.setBaseAndExtent(from!.firstChild!, 0, to!.firstChild!, 3)
    })
    await button(panel, 'Attach').click()
    await page.keyboard.press('Escape')
    await untilText(page.getByTestId('attached'), 'notes.txt (5-7)')
  })
})

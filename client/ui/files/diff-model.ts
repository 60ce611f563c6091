// One diff and where a person is in it. Read again whenever something is said about the file.

import type { FileDiffView } from '#protocol/http'
import { computed, signal } from '@preact/signals'
import type { FilesApi } from '../../sdk/files-api.ts'
import type { ChangeTarget } from '../../sdk/session-commands.ts'
import { isNarrow } from '../state/viewport.ts'
import { readStored, writeStored } from '../state/storage.ts'
import { SHOWN_ROWS, showRow, toLines, toRows, type Layout, type Shown } from './diff-rows.ts'

const isInline = signal(readStored('diff') === 'inline')

export function toggleLayout(): void {
  isInline.value = !isInline.peek()
  writeStored('diff', isInline.peek() ? 'inline' : null)
}

/** Two columns do not fit on a phone. */
export const layout = computed<Layout>(() =>
  isInline.value || isNarrow.value ? 'inline' : 'split',
)

export class DiffModel {
  readonly view = signal<FileDiffView | null>(null)
  readonly problem = signal('')
  /** The position of the change that the keys are for. */
  readonly current = signal(0)
  readonly shown = signal<Shown>({ from: 0, to: SHOWN_ROWS })
  readonly rows = computed(() => {
    const view = this.view.value
    if (view === null || view.binary) return []
    const options = { layout: layout.value, opened: this.#opened.value }
    return toRows(view.hunks, this.#before.value, options)
  })

  readonly #files: FilesApi
  readonly #target: ChangeTarget & { path: string }
  readonly #before = signal<readonly string[] | null>(null)
  readonly #opened = signal<ReadonlySet<number>>(new Set())
  #asked = 0

  constructor(files: FilesApi, target: ChangeTarget & { path: string }) {
    this.#files = files
    this.#target = target
  }

  async load(): Promise<void> {
    const asked = ++this.#asked
    const { checkpointId, path } = this.#target
    try {
      const view = await this.#files.diff(checkpointId, path)
      const before = await this.#loadContext(view)
      // Another answer is on its way, and newer.
      if (asked !== this.#asked) return
      this.#before.value = before
      this.view.value = view
      this.problem.value = ''
    } catch (error) {
      if (asked !== this.#asked) return
      this.problem.value = error instanceof Error ? error.message : String(error)
    }
  }

  /** What stands around the changes. Of a diff that was cut nobody knows where the rest belongs. */
  async #loadContext(view: FileDiffView): Promise<readonly string[] | null> {
    if (view.unit !== 'lines' || view.before === null || view.truncated) return null
    if (this.view.peek()?.before === view.before) return this.#before.peek()
    const { text } = await this.#files.read(view.path, view.before)
    return text === null ? null : toLines(text)
  }

  openGap(from: number): void {
    this.#opened.value = new Set([...this.#opened.peek(), from])
  }

  /** Before and after what is shown, as much again. */
  showMore(where: 'earlier' | 'later'): void {
    const { from, to } = this.shown.peek()
    this.shown.value =
      where === 'later'
        ? { from, to: to + SHOWN_ROWS }
        : { from: Math.max(0, from - SHOWN_ROWS), to }
  }

  /** Goes round: after the last comes the first. Returns the index of the hunk. */
  step(by: 1 | -1): number | null {
    const hunks = this.view.peek()?.hunks ?? []
    if (hunks.length === 0) return null
    this.current.value = (this.current.peek() + by + hunks.length) % hunks.length
    const rows = this.rows.peek()
    const row = rows.findIndex((one) => one.kind === 'hunk' && one.position === this.current.peek())
    this.shown.value = showRow(this.shown.peek(), row, rows.length)
    return hunks[this.current.peek()]?.index ?? null
  }
}

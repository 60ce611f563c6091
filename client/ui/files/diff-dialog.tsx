import { useSignalEffect } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import type { FilesApi } from '../../sdk/files-api.ts'
import type { ChangeTarget } from '../../sdk/session-commands.ts'
import { Icon } from '../shell/icon.tsx'
import { isNarrow } from '../state/viewport.ts'
import { Counts, FilePath } from './counts.tsx'
import { DiffModel, layout, toggleLayout } from './diff-model.ts'
import { DiffTable, type HunkAction } from './diff-table.tsx'
import { FileDialog } from './file-dialog.tsx'
import { languageOf } from './highlight-lines.ts'
import { findReview, keep, redo, undo } from './review-actions.ts'

type Target = ChangeTarget & { path: string }
type Props = { files: FilesApi; target: Target; onClose: () => void }

const ACTIONS: Record<HunkAction, (target: ChangeTarget) => Promise<void>> = { keep, undo, redo }
const KEYS: Record<string, HunkAction> = { k: 'keep', u: 'undo', r: 'redo' }

export function DiffDialog({ files, target, onClose }: Props) {
  const model = useMemo(() => new DiffModel(files, target), [])
  const body = useRef<HTMLDivElement>(null)
  useSignalEffect(() => {
    // Read for its own sake: whatever is said about the file, here or elsewhere, changes the diff.
    void findReview(target)
    void model.load()
  })
  const act = (action: HunkAction, hunk?: number): void =>
    void ACTIONS[action]({ ...target, ...(hunk === undefined ? {} : { hunk }) }).then(() =>
      model.load(),
    )
  const step = (by: 1 | -1): void => {
    const hunk = model.step(by)
    requestAnimationFrame(() =>
      body.current?.querySelector(`[data-hunk="${hunk}"]`)?.scrollIntoView({ block: 'start' }),
    )
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'n' || event.key === 'p') step(event.key === 'n' ? 1 : -1)
    const action = KEYS[event.key]
    const hunk = model.view.peek()?.hunks[model.current.peek()]?.index
    if (action !== undefined && hunk !== undefined) act(action, hunk)
  }
  const view = model.view.value
  return (
    <FileDialog
      name="diff"
      title={<FilePath path={target.path} />}
      tools={
        <>
          {view !== null && <Counts {...view} />}
          {!isNarrow.value && (
            <button type="button" class="changes-button" onClick={toggleLayout}>
              {layout.value === 'split' ? 'Inline' : 'Side by side'}
            </button>
          )}
        </>
      }
      onKey={handleKey}
      onClose={onClose}
    >
      <DiffBar model={model} onStep={step} onAct={act} />
      <div class="file-dialog-body" ref={body} tabIndex={0} role="region" aria-label="Changes">
        <DiffNotes model={model} />
        <DiffRows model={model} path={target.path} onAct={act} />
      </div>
    </FileDialog>
  )
}

type BarProps = {
  model: DiffModel
  onStep: (by: 1 | -1) => void
  onAct: (action: HunkAction) => void
}

function DiffBar({ model, onStep, onAct }: BarProps) {
  const hunks = model.view.value?.hunks ?? []
  if (hunks.length === 0) return null
  const has = (state: 'open' | 'undone'): boolean => hunks.some((hunk) => hunk.state === state)
  return (
    <div class="diff-bar">
      <button
        type="button"
        class="icon-button"
        aria-label="Previous change"
        title="Previous change (p)"
        onClick={() => onStep(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Next change"
        title="Next change (n)"
        onClick={() => onStep(1)}
      >
        <Icon name="down" />
      </button>
      <span role="status">{`Change ${model.current.value + 1} of ${hunks.length}`}</span>
      <span class="diff-bar-rest" />
      {has('undone') && (
        <button type="button" class="changes-button" onClick={() => onAct('redo')}>
          Redo file
        </button>
      )}
      {has('open') && (
        <>
          <button type="button" class="changes-button" onClick={() => onAct('undo')}>
            Undo file
          </button>
          <button type="button" class="changes-button changes-keep" onClick={() => onAct('keep')}>
            Keep file
          </button>
        </>
      )}
    </div>
  )
}

function DiffNotes({ model }: { model: DiffModel }) {
  const view = model.view.value
  const notes = [
    model.problem.value,
    view?.binary === true ? 'This is not a text, so there are no lines to compare.' : '',
    view?.truncated === true ? 'Too much has changed to show all of it: the end is left out.' : '',
    view?.unit === 'none' ? 'The file is again as it was before.' : '',
    view !== null && view.after === null && !view.binary ? 'The agent deleted this file.' : '',
    view === null && model.problem.value === '' ? 'Loading…' : '',
  ]
  return (
    <>
      {notes
        .filter((note) => note !== '')
        .map((note) => (
          <p class="files-note" key={note}>
            {note}
          </p>
        ))}
    </>
  )
}

type RowsProps = { model: DiffModel; path: string; onAct: (a: HunkAction, hunk: number) => void }

function DiffRows({ model, path, onAct }: RowsProps) {
  const rows = model.rows.value
  const { from, to } = model.shown.value
  if (rows.length === 0) return null
  return (
    <>
      {from > 0 && (
        <button type="button" class="files-more" onClick={() => model.showMore('earlier')}>
          {`${from} rows before`}
        </button>
      )}
      <DiffTable
        rows={rows.slice(from, to)}
        layout={layout.value}
        language={languageOf(path)}
        total={model.view.value?.hunks.length ?? 0}
        current={model.current.value}
        onAct={onAct}
        onOpenGap={(gap) => model.openGap(gap)}
      />
      {to < rows.length && (
        <button type="button" class="files-more" onClick={() => model.showMore('later')}>
          {`${rows.length - to} more rows`}
        </button>
      )}
    </>
  )
}

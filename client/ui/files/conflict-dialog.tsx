import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import type { FilesApi } from '../../sdk/files-api.ts'
import type { ChangeTarget } from '../../sdk/session-commands.ts'
import { CodeView, type LineMarks } from './code-view.tsx'
import { ConflictModel, type Side, type Version } from './conflict-model.ts'
import { FilePath } from './counts.tsx'
import { toDifferences } from './differences.ts'
import { FileDialog } from './file-dialog.tsx'

type Props = { files: FilesApi; target: ChangeTarget & { path: string }; onClose: () => void }

type Versions = Record<Side, Version>

/** How a line is marked that is not in the version it is compared with, and what it is called. */
const MARKS = {
  before: { kind: 'gone', words: 'the agent took out' },
  agent: { kind: 'come', words: 'the agent put in' },
  current: { kind: 'since', words: 'changed since' },
} as const

const SIDES: readonly (readonly [Side, title: string, short: string])[] = [
  ['before', 'Before the agent', 'Before'],
  ['agent', 'The agent’s version', 'Agent’s'],
  ['current', 'What is there now', 'Now'],
]

/** Three versions that do not agree, and a person who says which it is to be. */
export function ConflictDialog({ files, target, onClose }: Props) {
  const model = useMemo(() => new ConflictModel(files, target), [])
  const shown = useSignal<Side>('current')
  useEffect(() => void model.load(), [])
  const versions = model.versions.value
  const marks = useMemo(() => (versions === null ? null : toMarks(versions)), [versions])
  const isBusy = versions === null || model.isBusy.value
  return (
    <FileDialog
      name="conflict"
      title={<FilePath path={target.path} />}
      isOver={model.isDone.value}
      onClose={onClose}
    >
      <p class="files-note">
        This file was changed after the agent wrote it. Nothing was undone; say which version it
        should be. None of them is lost.
      </p>
      <p class="files-problem" role="alert">
        {model.problem.value}
      </p>
      <div class="conflict-tabs">
        {SIDES.map(([side, , short]) => (
          <button
            key={side}
            type="button"
            class="changes-button"
            aria-pressed={shown.value === side}
            onClick={() => (shown.value = side)}
          >
            {short}
          </button>
        ))}
      </div>
      <div class="conflict-versions">
        {SIDES.map(([side, title]) => (
          <section key={side} data-side={side} data-shown={String(shown.value === side)}>
            <h3>
              {title}
              {marks !== null && marks[side].lines.size > 0 && (
                <small>{describeMarks(side, marks[side].lines.size)}</small>
              )}
            </h3>
            {versions === null || marks === null ? null : (
              <Content path={target.path} version={versions[side]} marks={marks[side]} />
            )}
          </section>
        ))}
      </div>
      <Choices isBusy={isBusy} onChoose={(side) => void model.choose(side)} />
    </FileDialog>
  )
}

type ChoicesProps = { isBusy: boolean; onChoose: (side: Side) => void }

function Choices({ isBusy, onChoose }: ChoicesProps) {
  return (
    <footer class="file-dialog-foot">
      <button
        type="button"
        class="soft-button"
        disabled={isBusy}
        onClick={() => onChoose('before')}
      >
        Take the version before
      </button>
      <button type="button" class="soft-button" disabled={isBusy} onClick={() => onChoose('agent')}>
        Take the agent’s version
      </button>
      <button
        type="button"
        class="primary-button"
        disabled={isBusy}
        onClick={() => onChoose('current')}
      >
        Keep what is there now
      </button>
    </footer>
  )
}

const textOf = (version: Version): string | null => version?.text ?? null

function toMarks({ before, agent, current }: Versions): Record<Side, LineMarks> {
  const { taken, put, since } = toDifferences(textOf(before), textOf(agent), textOf(current))
  return {
    before: { kind: MARKS.before.kind, lines: taken },
    agent: { kind: MARKS.agent.kind, lines: put },
    current: { kind: MARKS.current.kind, lines: since },
  }
}

const describeMarks = (side: Side, count: number): string =>
  `${count} ${count === 1 ? 'line' : 'lines'} ${MARKS[side].words}`

type ContentProps = { path: string; version: Version; marks: LineMarks }

function Content({ path, version, marks }: ContentProps) {
  if (version === null) return <p class="files-note">There is no such file in this version.</p>
  if (version.text === null) {
    return <p class="files-note">{`${version.bytes.length} bytes, not a text.`}</p>
  }
  return <CodeView path={path} text={version.text} marks={marks} />
}

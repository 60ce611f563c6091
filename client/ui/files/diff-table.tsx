import type { DiffHunk } from '#protocol/http'
import { useMemo } from 'preact/hooks'
import { highlight } from '../markdown/highlight.ts'
import { memo } from '../memo.ts'
import { Coloured } from './code-view.tsx'
import type { Cell, DiffRow, Layout } from './diff-rows.ts'

export type HunkAction = 'keep' | 'undo' | 'redo'

type Props = {
  rows: readonly DiffRow[]
  layout: Layout
  language: string
  total: number
  current: number
  onAct: (action: HunkAction, hunk: number) => void
  onOpenGap: (from: number) => void
}

export function DiffTable({ rows, layout, language, total, current, onAct, onOpenGap }: Props) {
  const columns = layout === 'split' ? 4 : 3
  return (
    <table class="diff" data-layout={layout}>
      <colgroup>
        <col class="diff-number" />
        <col class={layout === 'split' ? '' : 'diff-number'} />
        {layout === 'split' && <col class="diff-number" />}
        <col />
      </colgroup>
      <tbody>
        {rows.map((row) => {
          switch (row.kind) {
            case 'gap':
              return (
                <tr key={`gap:${row.from}`} class="diff-gap">
                  <td colSpan={columns}>
                    <button type="button" onClick={() => onOpenGap(row.from)}>
                      {`${row.count} unchanged lines`}
                    </button>
                  </td>
                </tr>
              )
            case 'hunk':
              return (
                <HunkRow
                  key={`hunk:${row.hunk.index}`}
                  hunk={row.hunk}
                  words={`Change ${row.position + 1} of ${total}`}
                  columns={columns}
                  isCurrent={row.position === current}
                  onAct={onAct}
                />
              )
            default:
              return <LineRow key={keyOf(row)} row={row} layout={layout} language={language} />
          }
        })}
      </tbody>
    </table>
  )
}

const keyOf = (row: DiffRow & { kind: 'same' | 'change' }): string =>
  `${row.before?.number ?? ''}:${row.after?.number ?? ''}`

type HunkProps = {
  hunk: DiffHunk
  words: string
  columns: number
  isCurrent: boolean
  onAct: Props['onAct']
}

const STATE_WORDS = { open: '', kept: 'Kept', undone: 'Undone' } as const

function HunkRow({ hunk, words, columns, isCurrent, onAct }: HunkProps) {
  const { index, state } = hunk
  const actions: readonly (readonly [HunkAction, string])[] =
    state === 'undone'
      ? [['redo', 'Redo']]
      : state === 'kept'
        ? [['undo', 'Undo']]
        : [
            ['undo', 'Undo'],
            ['keep', 'Keep'],
          ]
  return (
    <tr class="diff-hunk" data-hunk={index} data-state={state} data-current={String(isCurrent)}>
      <td colSpan={columns}>
        <div class="diff-hunk-bar">
          <span class="diff-hunk-name">{words}</span>
          <span class="diff-hunk-state">{STATE_WORDS[state]}</span>
          {actions.map(([action, label]) => (
            <button
              key={action}
              type="button"
              class={action === 'keep' ? 'changes-button changes-keep' : 'changes-button'}
              aria-label={`${label}: ${words}`}
              title={`${label} (${action.charAt(0)})`}
              onClick={() => onAct(action, index)}
            >
              {label}
            </button>
          ))}
        </div>
      </td>
    </tr>
  )
}

type LineProps = { row: DiffRow & { kind: 'same' | 'change' }; layout: Layout; language: string }

/** Rows of a diff keep their identity while nothing was decided, so that few are drawn again. */
const LineRow = memo(({ row, layout, language }: LineProps) => {
  const { before, after } = row
  const isChange = row.kind === 'change'
  const state = row.kind === 'change' ? row.hunk.state : undefined
  const gone = isChange && before !== null
  const come = isChange && after !== null
  if (layout === 'split') {
    return (
      <tr class="diff-line" data-state={state}>
        <td class="diff-number">{before?.number}</td>
        <Text cell={before} side={gone ? 'gone' : isChange ? 'none' : 'same'} language={language} />
        <td class="diff-number">{after?.number}</td>
        <Text cell={after} side={come ? 'come' : isChange ? 'none' : 'same'} language={language} />
      </tr>
    )
  }
  return (
    <tr class="diff-line" data-state={state}>
      <td class="diff-number">{before?.number}</td>
      <td class="diff-number">{after?.number}</td>
      <Text
        cell={after ?? before}
        side={gone ? 'gone' : come ? 'come' : 'same'}
        language={language}
      />
    </tr>
  )
})

type TextProps = { cell: Cell | null; side: 'gone' | 'come' | 'same' | 'none'; language: string }

function Text({ cell, side, language }: TextProps) {
  const text = cell?.text ?? ''
  const pieces = useMemo(() => highlight(text, language), [text, language])
  const Tag = side === 'gone' ? 'del' : side === 'come' ? 'ins' : 'span'
  return (
    <td class="diff-text" data-side={side}>
      {cell !== null && (
        <Tag>
          <Coloured pieces={pieces} />
        </Tag>
      )}
    </td>
  )
}

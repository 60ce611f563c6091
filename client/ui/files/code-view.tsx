import { useSignal } from '@preact/signals'
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import type { Piece } from '../markdown/highlight.ts'
import { toLines } from './diff-rows.ts'
import { highlightLines, languageOf } from './highlight-lines.ts'

/** Lines in the page at once; the rest comes when it is asked for. */
const SHOWN_LINES = 1000

export function Coloured({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map(({ kind, text }, index) =>
        kind === 'plain' ? (
          text
        ) : (
          <span key={index} class={`hl-${kind}`}>
            {text}
          </span>
        ),
      )}
    </>
  )
}

/** `lines`: from 0, and in words for whoever does not see a colour; `kind`: how they are shown. */
export type LineMarks = { lines: ReadonlySet<number>; kind: 'gone' | 'come' | 'since' }

type Props = { path: string; text: string; firstLine?: number; marks?: LineMarks }

export function CodeView({ path, text, firstLine = 1, marks }: Props) {
  const limit = useSignal(SHOWN_LINES)
  const coloured = useMemo(() => {
    const lines = toLines(text)
    return lines.length === 0 ? [] : highlightLines(lines, languageOf(path))
  }, [path, text])
  const view = useRef<HTMLDivElement>(null)
  // To the first of them: what differs may be far down.
  useLayoutEffect(() => {
    const box = view.current
    const line = box?.querySelector('[data-mark]')
    if (!box || !line) return
    const { top } = line.getBoundingClientRect()
    box.scrollTop += top - box.getBoundingClientRect().top - box.clientHeight / 3
  }, [text, marks?.lines])
  const hidden = coloured.length - limit.value
  if (coloured.length === 0) return <p class="files-note">This file is empty.</p>
  return (
    <div class="code-view" ref={view} tabIndex={0} role="region" aria-label={`Content of ${path}`}>
      <pre>
        {coloured.slice(0, limit.value).map((pieces, index) => (
          <span
            class="code-line"
            key={index}
            data-line={firstLine + index}
            data-mark={marks?.lines.has(index) === true ? marks.kind : undefined}
          >
            <Coloured pieces={pieces} />
            {'\n'}
          </span>
        ))}
      </pre>
      {hidden > 0 && (
        <button
          type="button"
          class="files-more"
          onClick={() => (limit.value += SHOWN_LINES * 2)}
        >{`${hidden} more lines`}</button>
      )}
    </div>
  )
}

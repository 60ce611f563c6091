// A unified diff, line by line, as it is shown. What it says comes from files and models: it is
// text and nothing else.

export type DiffLine = {
  kind: 'added' | 'removed' | 'same' | 'hunk' | 'note'
  text: string
}

/** More than anybody reads before a yes; the rest is counted. */
const SHOWN_LINES = 2000

export function toDiffLines(diff: string): { lines: DiffLine[]; left: number } {
  const all = diff.replace(/\n$/, '').split('\n')
  let isBody = false
  const lines = all.slice(0, SHOWN_LINES).flatMap((text): DiffLine[] => {
    if (text.startsWith('@@')) {
      isBody = true
      return [{ kind: 'hunk', text }]
    }
    // The names of the file: the card says it already.
    if (!isBody && /^(?:---|\+\+\+|===|Index:)/.test(text)) return []
    return [toLine(text)]
  })
  return { lines, left: Math.max(0, all.length - SHOWN_LINES) }
}

function toLine(text: string): DiffLine {
  switch (text.charAt(0)) {
    case '+':
      return { kind: 'added', text: text.slice(1) }
    case '-':
      return { kind: 'removed', text: text.slice(1) }
    case '\\':
      return { kind: 'note', text: text.slice(1).trim() }
    case ' ':
    case '':
      return { kind: 'same', text: text.slice(1) }
    // In words: of what is not text, or is cut.
    default:
      return { kind: 'note', text }
  }
}

export const countLines = (lines: readonly DiffLine[], kind: DiffLine['kind']): number =>
  lines.filter((line) => line.kind === kind).length

import type { LineRange } from './range.ts'

const lineOf = (node: Node | null): number | null => {
  const element = node instanceof Element ? node : (node?.parentElement ?? null)
  const line = element?.closest('[data-line]')?.getAttribute('data-line')
  return line === null || line === undefined ? null : Number(line)
}

/** The lines that a person has selected in a code view under `root`; null: none. */
export function selectedLines(root: Element | null): LineRange | null {
  const selection = getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount === 0) return null
  const range = selection.getRangeAt(0)
  if (root?.contains(range.commonAncestorContainer) !== true) return null
  const from = lineOf(range.startContainer)
  const last = lineOf(range.endContainer)
  if (from === null || last === null) return null
  // A selection that ends before the first character of a line does not mean that line.
  const to = range.endOffset === 0 && last > from ? last - 1 : last
  return { from, to }
}

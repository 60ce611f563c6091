// Colours of code, line by line: a comment over several lines is one piece of the text, and each of
// its lines is shown by itself. Pure.

import { highlight, type Piece } from '../markdown/highlight.ts'

/** By the end of its name; a name like `Makefile` says it itself. */
export function languageOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.slice(name.lastIndexOf('.') + 1).toLowerCase()
}

/** As many as `lines`, which were split at the ends of lines. */
export function highlightLines(lines: readonly string[], language: string): Piece[][] {
  const coloured: Piece[][] = [[]]
  for (const { kind, text } of highlight(lines.join('\n'), language)) {
    for (const [index, part] of text.split('\n').entries()) {
      if (index > 0) coloured.push([])
      if (part !== '') coloured.at(-1)!.push({ kind, text: part })
    }
  }
  return coloured.slice(0, Math.max(1, lines.length))
}

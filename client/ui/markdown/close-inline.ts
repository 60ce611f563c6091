// While text streams, a mark that was opened but not closed yet would flash as asterisks and
// brackets. The last line is shown as if it ended here; the finished text is never touched.

const LINK_IN_THE_MAKING = /!?\[([^\]\n]*)\]\([^)\n]*$/

export function closeInline(block: string): string {
  const trimmed = block.trimEnd()
  const start = trimmed.lastIndexOf('\n') + 1
  const line = trimmed.slice(start)
  const closed = closeLine(line)
  return closed === line ? block : trimmed.slice(0, start) + closed
}

function closeLine(line: string): string {
  const { open, code } = scan(line)
  if (code !== null) {
    const content = line.slice(code.at + code.run.length)
    return content.trim() === '' ? line.slice(0, code.at).trimEnd() : line + code.run
  }
  const text = line.replace(LINK_IN_THE_MAKING, '$1')
  return closeMarks(text, open)
}

type Mark = { run: string; at: number }

function closeMarks(line: string, open: Mark[]): string {
  const inner = open.at(-1)?.run
  // Half of a closing mark has come: `**bold*`.
  const isHalfClosed = inner?.length === 2 && line.endsWith(inner[0]!) && !line.endsWith(inner)
  let text = isHalfClosed ? line.slice(0, -1) : line
  for (const { run, at } of open.toReversed()) {
    const content = text.slice(at + run.length)
    text = content.trim() === '' ? text.slice(0, at) + content : text.trimEnd() + run
  }
  return text
}

/** Marks that are open at the end of the line, outermost first. */
function scan(line: string): { open: Mark[]; code: Mark | null } {
  const open: Mark[] = []
  let code: Mark | null = null
  for (const match of line.matchAll(/\\.|`+|\*+|~~/g)) {
    const run = match[0]
    if (run.startsWith('\\') && code === null) continue
    if (run.startsWith('`')) {
      if (code === null) code = { run, at: match.index }
      else if (code.run === run) code = null
      continue
    }
    if (code === null) toggle(open, { run, at: match.index }, line)
  }
  return { open, code }
}

function toggle(open: Mark[], mark: Mark, line: string): void {
  const index = open.findLastIndex((held) => held.run === mark.run)
  if (index >= 0) {
    open.splice(index)
    return
  }
  // `***` and longer, or a star that stands free (a bullet, a product): not a mark worth closing.
  if (mark.run.length > 2) return
  const next = line[mark.at + mark.run.length]
  if (next !== undefined && /\s/.test(next)) return
  if (mark.run === '*' && /\w/.test(line[mark.at - 1] ?? '')) return
  open.push(mark)
}

import { TOOL_OUTPUT_BYTES } from '#protocol/limits'
import { shorten, utf8Bytes } from '#protocol/text'
import { z } from 'zod'
import { splitLines, toText, withoutEnding } from '../workspace/lines.ts'
import { counted, readFile, toFilePath, toSize } from './file-access.ts'
import { ToolFailure, type Tool } from './tool.ts'

/** Room for the line above, which says what was left out. */
const SHOWN_BYTES = TOOL_OUTPUT_BYTES - 4096
const LINES = 2000
/** A minified file is one line. */
const LINE_CHARS = 2000

const line = z.int().min(1)
const input = z.strictObject({
  path: z.string().describe('Relative to the workspace.'),
  startLine: line.optional().describe('First line, counted from 1. The first when left out.'),
  endLine: line.optional().describe('Last line, included. As far as fits when left out.'),
})

type Input = z.infer<typeof input>

export const readFileTool: Tool<Input> = {
  name: 'read_file',
  description:
    'Read a text file of the workspace, or some of its lines. Each line comes with its number and a ' +
    'tab before it, which are not part of the file.',
  input,
  repeatable: true,
  readOnly: true,
  async run(range, { workspace }) {
    const path = toFilePath(range.path)
    const bytes = await readFile(workspace, path)
    const text = toText(bytes)
    if (text === null) return `${path} is not text: ${toSize(bytes.length)}.`
    if (text === '') return `${path} is empty.`
    return present(path, bytes.length, splitLines(text), range)
  },
}

function present(path: string, size: number, lines: readonly string[], range: Input): string {
  const { startLine = 1, endLine = lines.length } = range
  if (startLine > lines.length) {
    throw new ToolFailure(`${path} has ${counted(lines.length, 'line')}; there is no ${startLine}.`)
  }
  if (endLine < startLine) {
    throw new ToolFailure('endLine is before startLine.', 'tool_invalid_input')
  }
  const wanted = lines.slice(startLine - 1, endLine)
  const shown: string[] = []
  let left = SHOWN_BYTES
  for (const line of wanted.slice(0, LINES)) {
    const numbered = `${startLine + shown.length}\t${toShown(withoutEnding(line))}`
    left -= utf8Bytes(numbered) + 1
    if (left < 0) break
    shown.push(numbered)
  }
  const last = startLine + shown.length - 1
  const head = [`${path} (${counted(lines.length, 'line')}, ${toSize(size)})`]
  if (shown.length < wanted.length) {
    head.push(`Lines ${startLine} to ${last}; go on with startLine ${last + 1}.`)
  } else if (shown.length < lines.length) head.push(`Lines ${startLine} to ${last}.`)
  return [...head, '', ...shown].join('\n')
}

const toShown = (line: string): string =>
  line.length <= LINE_CHARS
    ? line
    : `${shorten(line, LINE_CHARS)}… (${line.length} characters in this line)`

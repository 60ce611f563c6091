import { z } from 'zod'
import { searchFiles, type Match, type SearchResult } from '../workspace/search.ts'
import { counted, toFolderPath } from './file-access.ts'
import { sleep } from './sleep.ts'
import { ToolFailure, type Tool } from './tool.ts'

const SEARCH_TIME_MS = 30_000

const input = z.strictObject({
  pattern: z
    .string()
    .min(1)
    .describe('A regular expression (RE2: no lookaround, no references), found within a line.'),
  plain: z.boolean().optional().describe('Search for the pattern as it is.'),
  ignoreCase: z.boolean().optional(),
  path: z.string().optional().describe('A folder. The whole workspace when left out.'),
  glob: z.string().optional().describe('Only in files like this, for example *.ts.'),
  context: z
    .int()
    .min(0)
    .max(10)
    .optional()
    .describe('Lines shown before and after. 0 if left out.'),
  maxMatches: z.int().min(1).max(200).optional(),
})

export const searchFilesTool: Tool<z.infer<typeof input>> = {
  name: 'search_files',
  description: 'Search the text of the files of the workspace, line by line.',
  input,
  repeatable: true,
  readOnly: true,
  timeMs: SEARCH_TIME_MS,
  async run(
    { pattern, plain, ignoreCase, path, glob, context, maxMatches },
    { workspace, signal },
  ) {
    const query = {
      pattern,
      folder: toFolderPath(path ?? ''),
      isPlain: plain ?? false,
      ignoreCase: ignoreCase ?? false,
      context: context ?? 0,
      ...(glob !== undefined && { glob }),
      ...(maxMatches !== undefined && { maxMatches }),
    }
    const found = await searchFiles(workspace, query, () => sleep(0, signal))
    if (!found.ok) throw new ToolFailure(found.problem, 'tool_invalid_input')
    return present(found, query.context)
  },
}

const STOPPED = {
  matches: 'There are more: narrow the search, or name a folder or a glob.',
  output: 'There are more than can be shown: narrow the search, or name a folder or a glob.',
  work: 'The search was ended because of its size: name a folder or a glob, or a simpler pattern.',
}

function present(found: SearchResult & { ok: true }, context: number): string {
  const { matches, files, skipped, cutLines, stopped } = found
  const head = [
    `${matches.length === 1 ? '1 match' : `${matches.length} matches`} in ${counted(files, 'file')} searched` +
      (skipped > 0 ? `; ${skipped} not text` : ''),
    ...(stopped === null ? [] : [STOPPED[stopped]]),
    ...(cutLines > 0
      ? [`Only the start of ${counted(cutLines, 'very long line')} was searched.`]
      : []),
  ]
  const blocks = matches.map((match) => (context === 0 ? toLine(match) : toBlock(match)))
  return [...head, ...blocks].join('\n')
}

const toLine = ({ path, line, text }: Match): string => `${path}:${line}: ${text}`

const around = (lines: readonly string[], from: number): string[] =>
  lines.map((one, index) => `  ${from + index}\t${one}`)

function toBlock({ path, line, text, before, after }: Match): string {
  return [
    '',
    path,
    ...around(before, line - before.length),
    `> ${line}\t${text}`,
    ...around(after, line + 1),
  ].join('\n')
}

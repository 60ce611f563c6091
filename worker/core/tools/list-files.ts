import { z } from 'zod'
import { parseGlob } from '../workspace/glob.ts'
import { isInFolder } from '../workspace/path.ts'
import type { FileEntry } from '../workspace/workspace.ts'
import { counted, toFolderPath, toSize } from './file-access.ts'
import { ToolFailure, type Tool } from './tool.ts'

const DEPTH = 32
const LINES = 500

const input = z.strictObject({
  path: z.string().optional().describe('A folder of the workspace. All of it when left out.'),
  glob: z.string().optional().describe('Only files like this, for example *.md or src/**/*.ts.'),
  depth: z
    .int()
    .min(1)
    .max(DEPTH)
    .optional()
    .describe('Folders deeper than this are shown as one line. All are opened when left out.'),
})

export const listFilesTool: Tool<z.infer<typeof input>> = {
  name: 'list_files',
  description: 'List the files of the workspace, or of one of its folders, with their sizes.',
  input,
  repeatable: true,
  readOnly: true,
  async run({ path = '', glob, depth = DEPTH }, { workspace }) {
    const folder = toFolderPath(path)
    const all = workspace.list()
    const inside = all.filter((entry) => isInFolder(entry.path, folder))
    if (folder !== null && inside.length === 0) {
      const isFile = all.some((entry) => entry.path === folder)
      throw new ToolFailure(isFile ? `${folder} is a file.` : `There is no folder ${folder}.`)
    }
    const chosen = filterByGlob(inside, glob)
    if (chosen.length === 0) return glob === undefined ? 'The workspace is empty.' : 'No files.'
    return present(chosen, folder, depth)
  },
}

function filterByGlob(files: readonly FileEntry[], glob: string | undefined): readonly FileEntry[] {
  if (glob === undefined) return files
  const parsed = parseGlob(glob)
  if (!parsed.ok) throw new ToolFailure(parsed.problem, 'tool_invalid_input')
  return files.filter(({ path }) => parsed.matches(path))
}

function present(files: readonly FileEntry[], folder: string | null, depth: number): string {
  const lines = toLines(files, folder === null ? depth : depth + folder.split('/').length)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const head = `${counted(files.length, 'file')}, ${toSize(bytes)}`
  const left = lines.length - LINES
  const more = left > 0 ? [`… and ${left} more. Name a folder, a glob or a depth.`] : []
  return [head, ...lines.slice(0, LINES), ...more].join('\n')
}

/** Whole paths, ready to be copied into the next call. */
function toLines(files: readonly FileEntry[], depth: number): string[] {
  const folders = new Map<string, { files: number; bytes: number }>()
  const lines: (() => string)[] = []
  for (const { path, size } of files) {
    const names = path.split('/')
    if (names.length <= depth) {
      lines.push(() => `${path}\t${toSize(size)}`)
      continue
    }
    const folder = names.slice(0, depth).join('/')
    const known = folders.get(folder)
    const sum = known ?? { files: 0, bytes: 0 }
    sum.files++
    sum.bytes += size
    if (known !== undefined) continue
    folders.set(folder, sum)
    lines.push(() => `${folder}/\t${counted(sum.files, 'file')}, ${toSize(sum.bytes)}`)
  }
  return lines.map((line) => line())
}

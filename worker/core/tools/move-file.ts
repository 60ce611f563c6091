import { z } from 'zod'
import { readFile, toFilePath, toShownPath } from './file-access.ts'
import { ToolFailure, type Tool } from './tool.ts'

const input = z.strictObject({
  from: z.string().describe('The file, relative to the workspace.'),
  to: z.string().describe('Its new path, with its name. Nothing may be there.'),
})

export const moveFileTool: Tool<z.infer<typeof input>> = {
  name: 'move_file',
  description: 'Move or rename one file of the workspace.',
  input,
  repeatable: false,
  readOnly: false,
  action: ({ from, to }) => ({
    kind: 'file_edit',
    path: toShownPath(to),
    change: 'move',
    from: toShownPath(from),
  }),
  // Nothing of the content: what a person saves while they are asked moves along.
  preview: ({ from, to }) =>
    Promise.resolve({ diff: `rename from ${toShownPath(from)}\nrename to ${toShownPath(to)}` }),
  async run(call, { workspace }) {
    const from = toFilePath(call.from)
    const to = toFilePath(call.to)
    if (from === to) throw new ToolFailure('from and to are the same path.', 'tool_invalid_input')
    const held = workspace.stat(from)
    const bytes = await readFile(workspace, from)
    if (workspace.stat(to) !== null) {
      throw new ToolFailure(`${to} exists. Delete it first, or choose another path.`)
    }
    await workspace.apply([
      { path: from, bytes: null, expected: held?.hash ?? null },
      { path: to, bytes, movedFrom: from, expected: null },
    ])
    return `Moved ${from} to ${to}.`
  },
}

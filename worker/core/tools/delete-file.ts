import { z } from 'zod'
import type { Workspace } from '../workspace/workspace.ts'
import { describeMissing, toFilePath, toShownPath } from './file-access.ts'
import { checkApproved, toPreview } from './file-preview.ts'
import { ToolFailure, type Tool } from './tool.ts'

const input = z.strictObject({
  path: z.string().describe('Relative to the workspace. A file; a folder goes with its last file.'),
})

type Input = z.infer<typeof input>

export const deleteFileTool: Tool<Input> = {
  name: 'delete_file',
  description: 'Delete one file of the workspace. The person can take it back.',
  input,
  // The second time there would be no such file, or another one.
  repeatable: false,
  readOnly: false,
  action: ({ path }) => ({ kind: 'file_edit', path: toShownPath(path), change: 'delete' }),
  preview: (call, workspace) => toPreview(plan(call, workspace)),
  async run(call, { workspace, approvedDiff }) {
    const path = toFilePath(call.path)
    const held = workspace.stat(path)
    if (held === null) throw new ToolFailure(describeMissing(workspace, path))
    await checkApproved(await plan(call, workspace), approvedDiff)
    await workspace.apply([{ path, bytes: null, expected: held.hash }])
    return `Deleted ${path}.`
  },
}

async function plan({ path: raw }: Input, workspace: Workspace) {
  const path = toFilePath(raw)
  return { path, before: await workspace.read(path), after: null }
}

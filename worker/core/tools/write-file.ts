import { WORKSPACE_FILE_BYTES } from '#protocol/limits'
import { z } from 'zod'
import { diffContents } from '../workspace/diff.ts'
import { toBytes } from '../workspace/lines.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { toFilePath, toShownPath, toSize } from './file-access.ts'
import { checkApproved, describeDiff, toPreview } from './file-preview.ts'
import type { Tool } from './tool.ts'

const input = z.strictObject({
  path: z.string().describe('Relative to the workspace. Folders come with the file.'),
  content: z.string().max(WORKSPACE_FILE_BYTES).describe('The whole content.'),
})

type Input = z.infer<typeof input>

export const writeFileTool: Tool<Input> = {
  name: 'write_file',
  description:
    'Write a whole text file of the workspace; what it was is replaced. To change a part of a file, ' +
    'use edit_file.',
  input,
  // A person may have written it in the meantime.
  repeatable: false,
  readOnly: false,
  action: ({ path }) => ({ kind: 'file_edit', path: toShownPath(path), change: 'modify' }),
  preview: (call, workspace) => toPreview(plan(call, workspace)),
  async run(call, { workspace, approvedDiff }) {
    const planned = await plan(call, workspace)
    const { path, before, after, expected } = planned
    await checkApproved(planned, approvedDiff)
    // Nobody has seen what is there: then it is replaced, whatever it is.
    const only = approvedDiff === undefined ? {} : { expected }
    await workspace.apply([{ path, bytes: after, ...only }])
    const diff = diffContents(before, after)
    if (diff.unit === 'none') return `${path} already has this content.`
    const done = before === null ? 'Created' : 'Wrote'
    return `${done} ${path} (${toSize(after.length)}; ${describeDiff(diff)}).`
  },
}

async function plan({ path: raw, content }: Input, workspace: Workspace) {
  const path = toFilePath(raw)
  const expected = workspace.stat(path)?.hash ?? null
  return { path, expected, before: await workspace.read(path), after: toBytes(content) }
}

import { WORKSPACE_FILE_BYTES } from '#protocol/limits'
import { z } from 'zod'
import { diffContents } from '../workspace/diff.ts'
import { applyEdits } from '../workspace/edit.ts'
import { toBytes } from '../workspace/lines.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { readTextFile, toFilePath, toShownPath } from './file-access.ts'
import { checkApproved, describeDiff, toPreview } from './file-preview.ts'
import { ToolFailure, type Tool, type ToolContext } from './tool.ts'

const EDITS = 50
/** Other calls of the same step, each of which can be in the way once. */
const ATTEMPTS = 20

const text = z.string().max(WORKSPACE_FILE_BYTES)
const input = z.strictObject({
  path: z.string().describe('Relative to the workspace.'),
  edits: z
    .array(
      z.strictObject({
        oldText: text.describe('What is there now, exactly, without line numbers.'),
        newText: text.describe('What is there afterwards.'),
        replaceAll: z.boolean().optional().describe('Wherever oldText is; else it must be once.'),
      }),
    )
    .min(1)
    .max(EDITS)
    .describe('Made one after the other; all of them or none.'),
})

type Input = z.infer<typeof input>

export const editFileTool: Tool<Input> = {
  name: 'edit_file',
  description:
    'Replace pieces of a text file of the workspace. Each oldText must be found exactly once, unless ' +
    'replaceAll is set: give enough lines around it.',
  input,
  repeatable: false,
  readOnly: false,
  action: ({ path }) => ({ kind: 'file_edit', path: toShownPath(path), change: 'modify' }),
  preview: (call, workspace) => toPreview(plan(call, workspace)),
  async run(call, context) {
    const { path, before, after, result } = await apply(call, context)
    const times = result.replaced === 1 ? '' : ` in ${result.replaced} places`
    const tolerance = result.isExact
      ? ''
      : ' Blanks or line ends in oldText were not those of the file, which has kept its own.'
    return `Edited ${path}${times} (${describeDiff(diffContents(before, after))}).${tolerance}`
  },
}

/** An edit is of a piece: where the rest of the file has changed meanwhile, it is made again on that. */
async function apply(call: Input, { workspace, approvedDiff }: ToolContext) {
  for (let attempt = 1; ; attempt++) {
    // Each attempt reads what the one before it has lost against.
    // oxlint-disable-next-line no-await-in-loop
    const planned = await plan(call, workspace)
    const { path, after: bytes, expected } = planned
    // oxlint-disable-next-line no-await-in-loop
    await checkApproved(planned, approvedDiff, { piece: true })
    try {
      // oxlint-disable-next-line no-await-in-loop
      await workspace.apply([{ path, bytes, expected }])
      return planned
    } catch (error) {
      const isStale = error instanceof ToolFailure && workspace.stat(path)?.hash !== expected
      if (!isStale || attempt === ATTEMPTS) throw error
    }
  }
}

async function plan({ path: raw, edits }: Input, workspace: Workspace) {
  const path = toFilePath(raw)
  const expected = workspace.stat(path)?.hash ?? null
  const text = await readTextFile(workspace, path)
  const result = applyEdits(text, edits)
  if (!result.ok) throw new ToolFailure(`${path}: ${result.problem}`)
  return { path, expected, before: toBytes(text), after: toBytes(result.text), result }
}

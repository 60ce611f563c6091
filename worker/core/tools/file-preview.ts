// What a call would change, for a person who is asked about it.

import { diffContents, isEndingsOnly, type FileDiff } from '../workspace/diff.ts'
import { hashOf } from '../workspace/file-store.ts'
import { toUnified } from '../workspace/unified-diff.ts'
import { counted } from './file-access.ts'
import { ToolFailure } from './tool.ts'

type Change = { path: string; before: Uint8Array | null; after: Uint8Array | null }

/** A call that will fail has nothing to show: it says why when it runs. */
export async function toPreview(change: Promise<Change>): Promise<{ diff?: string }> {
  try {
    const diff = await toShown(await change)
    return diff === '' ? {} : { diff }
  } catch (error) {
    if (error instanceof ToolFailure) return {}
    throw error
  }
}

/** Where the text does not tell all of what is replaced, it names it: it is what a yes is held to. */
async function toShown({ path, before, after }: Change): Promise<string> {
  const diff = diffContents(before, after)
  const { text, truncated } = toUnified(diff, path)
  const isWhole = !truncated && !diff.isBinary && !isEndingsOnly(diff)
  if (text === '' || isWhole || before === null) return text
  return `${text}\nThe SHA-256 of what is there now: ${await hashOf(before.slice())}`
}

/**
 * Between a question and its answer a person may have saved the file: a yes to one change is none to
 * another. The change is then to be made of this `before` and of nothing else.
 *
 * `piece`: only the lines that it takes and puts count, for a change that leaves the rest as it is.
 */
export async function checkApproved(
  change: Change,
  approvedDiff: string | undefined,
  { piece = false } = {},
): Promise<void> {
  if (approvedDiff === undefined) return
  const shown = await toShown(change)
  const isSame = piece ? linesOf(shown) === linesOf(approvedDiff) : shown === approvedDiff
  if (isSame) return
  throw new ToolFailure(
    `${change.path} was changed after the person was asked: nothing was written. ` +
      'Read it again, and make the call again if it is still wanted.',
  )
}

const linesOf = (diff: string): string =>
  diff
    .split('\n')
    .filter((line) => /^[-+\\]/.test(line))
    .join('\n')

/** "+3 −1", or in words what is not counted in lines. */
export function describeDiff({ unit, isBinary, additions, deletions }: FileDiff): string {
  if (unit === 'none') return 'nothing changed'
  if (isBinary) return 'not text'
  return `${counted(additions, 'line')} added, ${deletions} removed`
}

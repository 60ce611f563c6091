// Keep, undo and redo as a person presses them. Whether it was done is in the log: the answer only
// says where, since a file that somebody changed in between is a conflict and not a failure.

import type { FileReview } from '#protocol/state'
import type { ChangeTarget } from '../../sdk/session-commands.ts'
import type { SessionHandle } from '../../sdk/types.ts'
import { withFiles } from '../state/files.ts'
import { changes, handle } from '../state/session.ts'
import { dismissToast, showFailure, showToast } from '../state/toasts.ts'
import { countFiles, splitPath } from './words.ts'

type Action = 'keep' | 'undo' | 'redo'

const FAILURES: Record<Action, string> = {
  keep: 'Could not keep it',
  undo: 'Could not undo it',
  redo: 'Could not redo it',
}

export const findReview = ({ checkpointId, path }: ChangeTarget): FileReview | undefined =>
  changes.value
    .find((review) => review.checkpointId === checkpointId)
    ?.files.find((file) => file.path === path)

/** The files that are meant and that nobody has said everything about. */
const reviewsOf = ({ checkpointId, path }: ChangeTarget): readonly FileReview[] =>
  (changes.peek().find((review) => review.checkpointId === checkpointId)?.files ?? []).filter(
    (file) => path === undefined || file.path === path,
  )

/** Resolves when everything up to that event is folded. */
function untilFolded(session: SessionHandle, seq: number): Promise<void> {
  if (session.view.state.seq >= seq) return Promise.resolve()
  return new Promise((resolve) => {
    const stop = session.subscribe(({ state }) => {
      if (state.seq < seq) return
      stop()
      resolve()
    })
  })
}

/** False: it was refused, and that has been said. */
async function ask(action: Action, target: ChangeTarget): Promise<boolean> {
  const session = handle.peek()
  if (session === null) return false
  try {
    const { seq } = await session[action](target)
    await untilFolded(session, seq ?? 0)
    return true
  } catch (error) {
    showFailure(FAILURES[action])(error)
    return false
  }
}

export async function keep(...targets: readonly ChangeTarget[]): Promise<void> {
  // One after the other: each is an answer of its own.
  // oxlint-disable-next-line no-await-in-loop
  for (const target of targets) await ask('keep', target)
}

/** Newest first: what came later stands on what was there before. */
export async function undo(...targets: readonly ChangeTarget[]): Promise<void> {
  const before = targets.flatMap(reviewsOf)
  const asked: ChangeTarget[] = []
  for (const target of targets) {
    // oxlint-disable-next-line no-await-in-loop
    if (await ask('undo', target)) asked.unshift(target)
  }
  if (asked.length > 0) sayUndone(asked, before, targets.flatMap(reviewsOf))
}

function sayUndone(
  targets: readonly ChangeTarget[],
  before: readonly FileReview[],
  after: readonly FileReview[],
): void {
  const conflicts = after.filter(({ conflict }) => conflict !== undefined)
  // The same object: nothing was written. One end of a move, while the other has a conflict.
  const left = after.filter((file) => file.conflict === undefined && before.includes(file))
  const isDone = before.length === 0 || conflicts.length + left.length < before.length
  const [first] = conflicts
  if (first !== undefined) {
    const what = conflicts.length === 1 ? splitPath(first.path).name : countFiles(conflicts.length)
    const text = `${what} changed since the agent wrote: not undone.`
    const toast = showToast(text, {
      action: {
        label: 'Compare',
        run: () => {
          dismissToast(toast)
          compare(targets, first)
        },
      },
    })
  } else if (left[0] !== undefined && !isDone) {
    showToast(`${left[0].path} was not undone: it belongs to a move that cannot be taken back.`)
  }
  if (isDone) offerRedo(targets)
}

function compare(targets: readonly ChangeTarget[], { path }: FileReview): void {
  const target = targets.find(({ checkpointId }) => findReview({ checkpointId, path })?.conflict)
  if (target === undefined) return
  const { checkpointId } = target
  withFiles((door) => door.openConflict({ checkpointId, path }))
}

function offerRedo(targets: readonly ChangeTarget[]): void {
  const [only] = targets
  const path = targets.length === 1 ? only?.path : undefined
  const toast = showToast(path === undefined ? 'Undone' : `Undone: ${splitPath(path).name}`, {
    action: {
      label: 'Redo',
      run: () => {
        dismissToast(toast)
        void redo(...targets)
      },
    },
  })
}

export async function redo(...targets: readonly ChangeTarget[]): Promise<void> {
  for (const target of targets) {
    // oxlint-disable-next-line no-await-in-loop
    if ((await ask('redo', target)) && reviewsOf(target).length === 0) {
      showToast('Somebody changed it since: nothing was redone.')
    }
  }
}

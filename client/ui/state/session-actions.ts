// Rename, pin and delete: shown at once, taken back where the server refuses.

import { signal } from '@preact/signals'
import type { SessionSummary } from '#protocol/http'
import { RESTORE_MS } from '#protocol/limits'
import { api } from './client.ts'
import { openNewChat, openSession, openSessionId } from './route.ts'
import { neighbourOf } from './session-tree.ts'
import { getHeld, putSessions, setHidden } from './sessions.ts'
import { dismissToast, showFailure, showToast } from './toasts.ts'

/** Whose title is being edited, and where: it is shown in two places. */
export const renaming = signal<{ id: string; where: 'header' | 'sidebar' } | null>(null)

export function startRename(id: string | null, where: 'header' | 'sidebar'): void {
  renaming.value = id === null ? null : { id, where }
}

async function patch(id: string, changes: { title?: string; pinned?: boolean }): Promise<void> {
  const before = getHeld(id)
  if (before) putSessions({ ...before, ...changes })
  try {
    putIfHeld(await api.patchSession(id, changes))
  } catch (error) {
    if (before) putIfHeld(before)
    showFailure('Could not save')(error)
  }
}

/** An answer may come after the word that its session was deleted, and must not bring it back. */
function putIfHeld(session: SessionSummary): void {
  if (getHeld(session.id) !== undefined) putSessions(session)
}

export const renameSession = (id: string, title: string): Promise<void> => patch(id, { title })
export const pinSession = (id: string, pinned: boolean): Promise<void> => patch(id, { pinned })

export function deleteSession(id: string): void {
  const title = getHeld(id)?.title ?? 'Chat'
  const wasOpen = openSessionId.peek() === id
  const next = wasOpen ? (neighbourOf(id, 1) ?? neighbourOf(id, -1)) : null
  setHidden(id, true)
  if (next !== null) openSession(next)
  else if (wasOpen) openNewChat()
  const deleted = api.deleteSession(id)
  // Undo waits for what it undoes: of two requests on their way, either may arrive first.
  const undo = (): void => void deleted.then(() => restore(id, wasOpen), ignoreReported)
  const toast = showToast(`Deleted “${title}”`, {
    forMs: RESTORE_MS,
    action: {
      label: 'Undo',
      run: () => {
        dismissToast(toast)
        undo()
      },
    },
  })
  deleted.catch((error: unknown) => {
    setHidden(id, false)
    dismissToast(toast)
    showFailure('Could not delete')(error)
  })
}

/** A deletion that failed has said so, and left nothing to undo. */
function ignoreReported(): void {}

async function restore(id: string, reopen: boolean): Promise<void> {
  try {
    putSessions(await api.restoreSession(id))
    setHidden(id, false)
    if (reopen) openSession(id)
  } catch (error) {
    showFailure('Could not restore')(error)
  }
}

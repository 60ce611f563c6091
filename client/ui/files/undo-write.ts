// A person's own writes can be taken back like an agent's: each is a checkpoint of its own.

import type { FilesApi } from '../../sdk/files-api.ts'
import { handle } from '../state/session.ts'
import { dismissToast, showFailure, showToast } from '../state/toasts.ts'

/** `seq`: of the last event of the write. `onUndone`: something shows the files and has to look again. */
export function offerUndo(
  text: string,
  files: FilesApi,
  seq: number,
  onUndone: () => void = () => {},
): void {
  const run = async (): Promise<void> => {
    dismissToast(toast)
    try {
      // The newest that began no later: a large write is several events, named after the first.
      const { checkpoints } = await files.checkpoints({ cursor: String(seq + 1), limit: 1 })
      const [written] = checkpoints
      if (written !== undefined) await handle.peek()?.undo({ checkpointId: written.checkpointId })
      onUndone()
    } catch (error) {
      showFailure('Could not undo it')(error)
    }
  }
  const toast = showToast(text, { action: { label: 'Undo', run: () => void run() } })
}

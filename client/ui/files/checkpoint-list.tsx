import type { CheckpointSummary } from '#protocol/http'
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { FilesApi } from '../../sdk/files-api.ts'
import { formatAge } from '../format.ts'
import { now } from '../state/clock.ts'
import { identity } from '../state/identity.ts'
import { handle } from '../state/session.ts'
import { showFailure } from '../state/toasts.ts'
import { ActionBadge, Counts, FilePath } from './counts.tsx'
import { offerUndo } from './undo-write.ts'
import { countFiles, sumCounts } from './words.ts'

type Props = { files: FilesApi; onRestored: () => void }

/** Every run that wrote and every change by a person, newest first: any of them can be gone back to. */
export function CheckpointList({ files, onRestored }: Props) {
  const held = useSignal<readonly CheckpointSummary[] | null>(null)
  const cursor = useSignal<string | null>(null)
  const asked = useSignal<string | null>(null)
  const load = async (from: string | null): Promise<void> => {
    try {
      const page = await files.checkpoints(from === null ? {} : { cursor: from })
      held.value = from === null ? page.checkpoints : [...(held.peek() ?? []), ...page.checkpoints]
      cursor.value = page.nextCursor
    } catch (error) {
      showFailure('Could not read the history')(error)
    }
  }
  useEffect(() => void load(null), [])
  const refresh = (): void => {
    void load(null)
    onRestored()
  }
  const restore = async (checkpointId: string): Promise<void> => {
    asked.value = null
    try {
      const ack = await handle.peek()?.restore(checkpointId)
      offerUndo('The workspace is as it was before', files, ack?.seq ?? 0, refresh)
    } catch (error) {
      showFailure('Could not restore')(error)
    }
    refresh()
  }
  const list = held.value
  return (
    <div class="file-dialog-body">
      {list?.length === 0 && <p class="files-note">No file has been changed here yet.</p>}
      <ol class="checkpoints">
        {(list ?? []).map((checkpoint) => (
          <Checkpoint
            key={checkpoint.checkpointId}
            checkpoint={checkpoint}
            isAsked={asked.value === checkpoint.checkpointId}
            onAsk={(isAsked) => (asked.value = isAsked ? checkpoint.checkpointId : null)}
            onRestore={() => void restore(checkpoint.checkpointId)}
          />
        ))}
      </ol>
      {cursor.value !== null && (
        <button type="button" class="files-more" onClick={() => void load(cursor.peek())}>
          Older
        </button>
      )}
    </div>
  )
}

function nameOf(by: string | undefined): string {
  if (by === undefined) return 'The agent'
  const person = identity.value
  return person.status === 'in' && person.me.owner === by ? 'You' : by
}

type RowProps = {
  checkpoint: CheckpointSummary
  isAsked: boolean
  onAsk: (isAsked: boolean) => void
  onRestore: () => void
}

function Checkpoint({ checkpoint, isAsked, onAsk, onRestore }: RowProps) {
  const { checkpointId, at, by, files, truncatedCount = 0 } = checkpoint
  const count = countFiles(files.length + truncatedCount)
  return (
    <li class="checkpoint" data-checkpoint={checkpointId}>
      <div class="checkpoint-head">
        <span>{`${nameOf(by)} changed ${count}`}</span>
        <Counts {...sumCounts(files)} />
        <span class="file-size">{formatAge(at, now.value)}</span>
        {!isAsked && (
          <button type="button" class="changes-button" onClick={() => onAsk(true)}>
            Restore to before this
          </button>
        )}
      </div>
      {isAsked && (
        <div class="files-ask" role="group" aria-label="Restore the workspace?">
          <span>Restore every file to what it was before this? It can be undone.</span>
          <button type="button" class="changes-button changes-keep" autoFocus onClick={onRestore}>
            Restore
          </button>
          <button type="button" class="changes-button" onClick={() => onAsk(false)}>
            Cancel
          </button>
        </div>
      )}
      <ul class="checkpoint-files">
        {files.map(({ path, from, action, additions, deletions }) => (
          <li key={path}>
            <ActionBadge action={action} />
            <FilePath path={path} from={from} />
            <Counts additions={additions} deletions={deletions} />
          </li>
        ))}
      </ul>
    </li>
  )
}

import { useSignal } from '@preact/signals'
import type { ChangesPart } from '#protocol/turns'
import { ActionBadge, Counts, FilePath } from '../files/counts.tsx'
import { countFiles, sumCounts } from '../files/words.ts'
import { Icon } from '../shell/icon.tsx'
import { withFiles } from '../state/files.ts'

/** What the answer has changed. What people said of it since is not part of the answer. */
export function ChangesBlock({ part }: { part: ChangesPart }) {
  const isOpen = useSignal(false)
  const { files, checkpointId } = part
  const handleClick = (event: Event): void => {
    event.preventDefault()
    isOpen.value = !isOpen.peek()
  }
  if (files.length === 0) return null
  return (
    <details class="changes-block" data-part="changes" open={isOpen.value}>
      <summary onClick={handleClick}>
        <Icon name="file" />
        <span>{`${countFiles(files.length)} changed`}</span>
        <Counts {...sumCounts(files)} />
        <Icon name="chevron" />
      </summary>
      <ul>
        {files.map(({ path, from, action, additions, deletions }) => (
          <li key={path}>
            <button
              type="button"
              class="change-open"
              title="Show the changes"
              onClick={() => withFiles((door) => door.openDiff({ checkpointId, path }))}
            >
              <ActionBadge action={action} />
              <FilePath path={path} from={from} />
              <Counts additions={additions} deletions={deletions} />
            </button>
          </li>
        ))}
      </ul>
      {part.truncated === true && (
        <p class="files-note">More files changed than are listed here.</p>
      )}
    </details>
  )
}

import type { FileSummary } from '#protocol/http'
import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { FilesApi } from '../../sdk/files-api.ts'
import { Icon } from '../shell/icon.tsx'
import { attached } from '../state/files.ts'
import { showFailure, showToast } from '../state/toasts.ts'
import { AttachChips } from './attach-chips.tsx'
import { attachFiles, attachText } from './attach.ts'
import { FilePath } from './counts.tsx'
import { FileDialog } from './file-dialog.tsx'
import { parseRange } from './range.ts'
import { formatSize } from './words.ts'

/** More are found by their name. */
const LISTED = 200

/** `files` null: there is no session yet, and so no workspace. */
type Props = { files: FilesApi | null; onClose: () => void }

export function AttachDialog({ files, onClose }: Props) {
  const list = useSignal<readonly FileSummary[]>([])
  const lines = useSignal('')
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => {
    files
      ?.list()
      .then((answer) => (list.value = answer.files))
      .catch(showFailure('Could not read the workspace'))
  }, [])
  const isDone = useSignal(false)
  const attach = async (path: string): Promise<void> => {
    try {
      const text = (await files?.read(path))?.text ?? null
      if (text === null) showToast(`Not attached: ${path} is not a text.`)
      else if (attachText(path, text, lines.peek())) lines.value = ''
    } catch (error) {
      showFailure('Not attached')(error)
    }
  }
  const handleFiles = (event: Event & { currentTarget: HTMLInputElement }): void => {
    const chosen = [...(event.currentTarget.files ?? [])]
    event.currentTarget.value = ''
    void attachFiles(chosen, lines.peek())
  }
  return (
    <FileDialog
      name="attach"
      title="Attach to the next message"
      isOver={isDone.value}
      onClose={onClose}
    >
      <div class="attach-tools">
        <button type="button" class="changes-button" onClick={() => input.current?.click()}>
          <Icon name="upload" /> From this device
        </button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          data-testid="attach-input"
          aria-label="Attach files of this device"
          onChange={handleFiles}
        />
        <label>
          Lines
          <input
            placeholder="all, or 10-20"
            value={lines}
            aria-invalid={parseRange(lines.value) === null}
            onInput={(event) => (lines.value = event.currentTarget.value)}
          />
        </label>
      </div>
      <Found list={list.value} onAttach={(path) => void attach(path)} />
      {attached.value.length > 0 && <AttachChips />}
      <footer class="file-dialog-foot">
        <button type="button" class="primary-button" onClick={() => (isDone.value = true)}>
          Done
        </button>
      </footer>
    </FileDialog>
  )
}

function Found({
  list,
  onAttach,
}: {
  list: readonly FileSummary[]
  onAttach: (p: string) => void
}) {
  const words = useSignal('')
  const wanted = words.value.trim().toLowerCase()
  const found = list.filter(({ path }) => path.toLowerCase().includes(wanted))
  return (
    <>
      <input
        class="attach-search"
        type="search"
        placeholder="Find a file of the workspace"
        aria-label="Find a file of the workspace"
        autoFocus
        value={words}
        onInput={(event) => (words.value = event.currentTarget.value)}
      />
      <div class="file-dialog-body">
        {list.length === 0 && <p class="files-note">There are no files in the workspace.</p>}
        <ul class="file-tree" aria-label="Files of the workspace">
          {found.slice(0, LISTED).map(({ path, size }) => (
            <li key={path}>
              <button
                type="button"
                class="tree-row"
                data-attach={path}
                onClick={() => onAttach(path)}
              >
                <Icon name="plus" />
                <FilePath path={path} />
                <span class="file-size">{formatSize(size)}</span>
              </button>
            </li>
          ))}
        </ul>
        {found.length > LISTED && (
          <p class="files-note">{`${found.length - LISTED} more: type a part of the name.`}</p>
        )}
      </div>
    </>
  )
}

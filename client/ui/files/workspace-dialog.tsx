import { useSignal, useSignalEffect } from '@preact/signals'
import { changes, isRunning, seq } from '../state/session.ts'
import { CheckpointList } from './checkpoint-list.tsx'
import { FileDialog } from './file-dialog.tsx'
import { FilePane } from './file-pane.tsx'
import { FileTree } from './file-tree.tsx'
import { describeRoom } from './room.ts'
import type { WorkspaceModel } from './workspace-model.ts'
import { UploadBar } from './upload-bar.tsx'

type Props = { model: WorkspaceModel; onClose: () => void }

export function WorkspaceDialog({ model, onClose }: Props) {
  const view = useSignal<'files' | 'history'>('files')
  const isAsking = useSignal(false)
  useSignalEffect(() => {
    // Each change of a file is an event; while a run is active most events are something else.
    void changes.value
    if (!isRunning.value) void seq.value
    void model.reload()
  })
  const mayClose = (): boolean => {
    if (!model.isDirty.peek() || isAsking.peek()) return true
    isAsking.value = true
    return false
  }
  return (
    <FileDialog
      name="workspace"
      title="Workspace"
      tools={
        <div class="workspace-tabs" role="group" aria-label="View">
          {(['files', 'history'] as const).map((name) => (
            <button
              key={name}
              type="button"
              class="changes-button"
              aria-pressed={view.value === name}
              onClick={() => (view.value = name)}
            >
              {name === 'files' ? 'Files' : 'History'}
            </button>
          ))}
        </div>
      }
      mayClose={mayClose}
      onClose={onClose}
    >
      <p class="files-problem" role="alert">
        {model.problem}
      </p>
      <Room model={model} />
      {isAsking.value && <AskBar onStay={() => (isAsking.value = false)} />}
      {view.value === 'files' ? (
        <Files model={model} />
      ) : (
        <CheckpointList files={model.files} onRestored={() => void model.reload()} />
      )}
    </FileDialog>
  )
}

function Room({ model }: { model: WorkspaceModel }) {
  const list = model.list.value
  const words = list === null ? null : describeRoom(list)
  return words === null ? null : <p class="files-note files-room">{words}</p>
}

/** What is dropped anywhere here is uploaded. */
function Files({ model }: { model: WorkspaceModel }) {
  const isDropping = useSignal(false)
  const handleOver = (event: DragEvent): void => {
    event.preventDefault()
    isDropping.value = true
  }
  const handleDrop = (event: DragEvent): void => {
    event.preventDefault()
    isDropping.value = false
    void model.upload([...(event.dataTransfer?.files ?? [])])
  }
  return (
    <div
      class="workspace"
      data-file={String(model.path.value !== null)}
      data-dropping={String(isDropping.value)}
      onDragOver={handleOver}
      onDragLeave={() => (isDropping.value = false)}
      onDrop={handleDrop}
    >
      <div class="workspace-side">
        <UploadBar model={model} />
        <FileTree model={model} />
      </div>
      <FilePane model={model} />
    </div>
  )
}

function AskBar({ onStay }: { onStay: () => void }) {
  return (
    <div class="files-ask" role="alertdialog" aria-label="Changes are not saved">
      <span>What you typed is not saved. Close again to leave it.</span>
      <button type="button" class="changes-button" autoFocus onClick={onStay}>
        Stay
      </button>
    </div>
  )
}

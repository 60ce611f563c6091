import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { PathForm } from './path-form.tsx'
import type { WorkspaceModel } from './workspace-model.ts'

export function UploadBar({ model }: { model: WorkspaceModel }) {
  const isNaming = useSignal(false)
  const input = useRef<HTMLInputElement>(null)
  const handleFiles = (event: Event & { currentTarget: HTMLInputElement }): void => {
    const chosen = [...(event.currentTarget.files ?? [])]
    // So that the same file can be chosen again.
    event.currentTarget.value = ''
    void model.upload(chosen)
  }
  return (
    <div class="workspace-tools">
      <button
        type="button"
        class="changes-button"
        aria-expanded={isNaming.value}
        onClick={() => (isNaming.value = !isNaming.peek())}
      >
        <Icon name="plus" /> New file
      </button>
      <button type="button" class="changes-button" onClick={() => input.current?.click()}>
        <Icon name="upload" /> Upload
      </button>
      <a class="changes-button" href={model.files.archiveUrl} download>
        <Icon name="download" /> All as zip
      </a>
      <input
        ref={input}
        type="file"
        multiple
        hidden
        data-testid="upload-input"
        aria-label="Upload files; a zip is unpacked"
        onChange={handleFiles}
      />
      {isNaming.value && (
        <PathForm
          label="Path of the new file"
          value=""
          action="Create"
          onSubmit={async (path) => {
            if (await model.create(path)) isNaming.value = false
          }}
          onCancel={() => (isNaming.value = false)}
        />
      )}
      {model.taken.value.length > 0 && <Taken model={model} />}
    </div>
  )
}

/** Nothing is written over unseen: whose name is taken waits here. */
function Taken({ model }: { model: WorkspaceModel }) {
  const files = model.taken.value
  return (
    <div class="files-ask" role="group" aria-label="Names that are taken">
      <span>{`Already there: ${files.map(({ name }) => name).join(', ')}`}</span>
      <button
        type="button"
        class="changes-button"
        onClick={() => void model.upload(files, 'replace')}
      >
        Replace
      </button>
      <button type="button" class="changes-button" onClick={() => (model.taken.value = [])}>
        Leave
      </button>
    </div>
  )
}

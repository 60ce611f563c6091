import { useSignal, type Signal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Icon } from '../shell/icon.tsx'
import { attachText } from './attach.ts'
import { CodeView } from './code-view.tsx'
import { FilePath } from './counts.tsx'
import { PathForm } from './path-form.tsx'
import { formatRange } from './range.ts'
import { selectedLines } from './selected-lines.ts'
import { formatSize } from './words.ts'
import { DELETED, type WorkspaceModel } from './workspace-model.ts'

/** A field with more than this is slow to type in. */
const EDITABLE_CHARS = 512 * 1024

export function FilePane({ model }: { model: WorkspaceModel }) {
  const path = model.path.value
  const content = model.content.value
  if (path === null || content === null) {
    return <p class="files-note workspace-none">Choose a file to read, edit or attach it.</p>
  }
  return (
    <section class="file-pane" aria-label={path}>
      <PaneHead key={path} model={model} path={path} />
      {model.draft.value !== null ? (
        <Editor model={model} />
      ) : content.text === null ? (
        <p class="files-note">{`${formatSize(content.bytes.length)}, not a text: download it to see it.`}</p>
      ) : (
        <CodeView path={path} text={content.text} />
      )}
    </section>
  )
}

function PaneHead({ model, path }: { model: WorkspaceModel; path: string }) {
  const isMoving = useSignal(false)
  const isEditing = model.draft.value !== null
  return (
    <div class="pane-head">
      <button
        type="button"
        class="icon-button pane-back"
        aria-label="Back to the files"
        disabled={isEditing}
        onClick={() => model.close()}
      >
        <Icon name="chevron" />
      </button>
      <FilePath path={path} />
      {!isEditing && <PaneTools model={model} path={path} isMoving={isMoving} />}
      {isMoving.value && !isEditing && (
        <PathForm
          label="New path"
          value={path}
          action="Move"
          onSubmit={async (to) => {
            if (await model.move(path, to)) isMoving.value = false
          }}
          onCancel={() => (isMoving.value = false)}
        />
      )}
    </div>
  )
}

type ToolsProps = { model: WorkspaceModel; path: string; isMoving: Signal<boolean> }

function PaneTools({ model, path, isMoving }: ToolsProps) {
  const tools = useRef<HTMLDivElement>(null)
  const text = model.content.value?.text ?? null
  const attach = (): void => {
    const range = selectedLines(tools.current?.closest('section') ?? null)
    attachText(path, text ?? '', range === null ? '' : formatRange(range))
  }
  return (
    <div class="pane-tools" ref={tools}>
      {text !== null && text.length <= EDITABLE_CHARS && (
        <button type="button" class="changes-button" onClick={() => model.edit()}>
          Edit
        </button>
      )}
      {text !== null && (
        <button
          type="button"
          class="changes-button"
          title="Attach it, or the lines that are selected, to the next message"
          onPointerDown={(event) => event.preventDefault()}
          onClick={attach}
        >
          Attach
        </button>
      )}
      <a class="changes-button" href={model.files.urlOf(path)} download>
        Download
      </a>
      <button
        type="button"
        class="changes-button"
        aria-expanded={isMoving.value}
        onClick={() => (isMoving.value = !isMoving.peek())}
      >
        Move
      </button>
      <button type="button" class="changes-button" onClick={() => void model.remove(path)}>
        Delete
      </button>
    </div>
  )
}

function Editor({ model }: { model: WorkspaceModel }) {
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    void model.save()
  }
  return (
    <div class="file-editor" onKeyDown={handleKey}>
      <textarea
        aria-label={`Edit ${model.path.value ?? ''}`}
        data-testid="file-editor"
        spellcheck={false}
        autoFocus
        value={model.draft.value ?? ''}
        onInput={(event) => (model.draft.value = event.currentTarget.value)}
      />
      {model.theirs.value !== null && <Overtaken model={model} />}
      <div class="pane-tools">
        <button
          type="button"
          class="changes-button"
          onClick={() => void model.open(model.path.peek() ?? '')}
        >
          Cancel
        </button>
        <button
          type="button"
          class="changes-button changes-keep"
          title="Save (Ctrl S)"
          disabled={!model.isDirty.value}
          onClick={() => void model.save()}
        >
          {model.theirs.value === null ? 'Save' : 'Save mine'}
        </button>
      </div>
    </div>
  )
}

function Overtaken({ model }: { model: WorkspaceModel }) {
  const theirs = model.theirs.value
  return (
    <div class="files-ask overtaken" role="alert">
      <p>
        {theirs === DELETED
          ? 'Somebody deleted this file since you opened it.'
          : 'Somebody changed this file since you opened it. Below is what it is now.'}{' '}
        Nothing was written, and what you typed is still here.
      </p>
      {theirs !== DELETED && <CodeView path={model.path.value ?? ''} text={theirs?.text ?? ''} />}
    </div>
  )
}

import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import type { AgentSummary } from '#protocol/http'
import { Icon } from '../shell/icon.tsx'
import { agents } from '../state/choice.ts'
import { loadAgents, loadModels } from '../state/lists.ts'
import { EMPTY_DRAFT, toCopy, toDraft, type AgentDraft } from './agent-draft.ts'
import { AgentForm } from './agent-form.tsx'
import { AgentList } from './agent-list.tsx'

/** `name` null: one that is not there yet. */
type Editing = { name: string | null; draft: AgentDraft }

export function AgentsDialog({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const editing = useSignal<Editing | null>(null)
  const isDirty = useSignal(false)
  const isAsking = useSignal(false)
  useLayoutEffect(() => dialog.current?.showModal(), [])
  useEffect(() => {
    void loadAgents()
    void loadModels()
  }, [])

  const edit = (next: Editing | null): void => {
    isDirty.value = false
    isAsking.value = false
    editing.value = next
    // The button that was pressed is gone, and the focus with it.
    if (next === null) dialog.current?.focus()
  }
  const leave = (): void => {
    if (editing.peek() === null) dialog.current?.close()
    else if (isDirty.peek() && !isAsking.peek()) isAsking.value = true
    else edit(null)
  }
  // The key where the focus is in the dialog; `cancel` where it is nowhere. A browser asks `cancel`
  // only once before it closes, so what is not saved cannot depend on it.
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key === 'Escape' && !event.isComposing) handleCancel(event)
  }
  const handleCancel = (event: Event): void => {
    event.preventDefault()
    leave()
  }
  const startCopy = (agent: AgentSummary): void => {
    const taken = agents.peek().map(({ name }) => name)
    edit({ name: null, draft: toCopy(agent, taken) })
  }
  const at = editing.value
  const title = at === null ? 'Agents' : (at.name ?? 'New agent')
  return (
    <dialog
      ref={dialog}
      class="dialog agents-dialog"
      aria-labelledby="agents-title"
      tabIndex={-1}
      onClose={onClose}
      onCancel={handleCancel}
      onKeyDown={handleKey}
      onClick={(event) => event.target === dialog.current && at === null && leave()}
    >
      <header class="dialog-head agents-head">
        {at !== null && (
          <button type="button" class="icon-button" aria-label="Back" onClick={leave}>
            <Icon name="chevron" />
          </button>
        )}
        <h2 id="agents-title">{title}</h2>
        <button
          type="button"
          class="icon-button"
          aria-label="Close"
          onClick={() => (isDirty.peek() ? leave() : dialog.current?.close())}
        >
          <Icon name="close" />
        </button>
      </header>
      {at === null ? (
        <AgentList
          onNew={() => edit({ name: null, draft: EMPTY_DRAFT })}
          onEdit={(agent) => edit({ name: agent.name, draft: toDraft(agent) })}
          onCopy={startCopy}
          onRowGone={() => dialog.current?.focus()}
        />
      ) : (
        <AgentForm
          key={at.name ?? ''}
          name={at.name}
          draft={at.draft}
          isAsking={isAsking}
          onDirty={(is) => (isDirty.value = is)}
          onLeave={() => edit(null)}
        />
      )}
    </dialog>
  )
}

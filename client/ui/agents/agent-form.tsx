import { useSignal, type Signal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { MODE_NAMES } from '../composer/names.ts'
import { MODES } from '../composer/options.ts'
import { api } from '../state/client.ts'
import { loadAgents } from '../state/lists.ts'
import {
  COLOURS,
  toChanges,
  toNewAgent,
  toProblem,
  type AgentDraft,
  type Problem,
} from './agent-draft.ts'
import { Field, Choices } from './field.tsx'
import { ModelsField } from './models-field.tsx'
import { ToolsField } from './tools-field.tsx'

type Props = {
  /** Null: a new one. */
  name: string | null
  draft: AgentDraft
  /** Leaving was asked for while something is not saved. */
  isAsking: Signal<boolean>
  onDirty: (isDirty: boolean) => void
  onLeave: () => void
}

export function AgentForm({ name, draft: before, isAsking, onDirty, onLeave }: Props) {
  const draft = useSignal(before)
  const problem = useSignal<Problem | null>(null)
  const isSaving = useSignal(false)
  const form = useRef<HTMLFormElement>(null)
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>('input, textarea')?.focus(), [])

  const set = (changes: Partial<AgentDraft>): void => {
    draft.value = { ...draft.peek(), ...changes }
    isAsking.value = false
    onDirty(true)
  }
  const save = async (): Promise<void> => {
    const changes = name === null ? null : toChanges(before, draft.peek())
    if (name === null) await api.createAgent(toNewAgent(draft.peek()))
    else if (changes !== null) await api.patchAgent(name, changes)
    await loadAgents()
  }
  const handleSubmit = (event: Event): void => {
    event.preventDefault()
    if (isSaving.peek()) return
    isSaving.value = true
    problem.value = null
    save()
      .then(onLeave)
      .catch((error: unknown) => {
        const { field } = (problem.value = toProblem(error))
        if (field !== null) document.getElementById(`agent-${field}`)?.focus()
      })
      .finally(() => (isSaving.value = false))
  }
  const now = draft.value
  const fault = problem.value
  return (
    <form ref={form} class="agent-form" noValidate onSubmit={handleSubmit}>
      <div class="agents-body">
        {name === null && (
          <Field field="name" label="Name" hint="Small letters, digits and -" problem={fault}>
            {(props) => (
              <input
                {...props}
                value={now.name}
                maxLength={40}
                autocomplete="off"
                spellcheck={false}
                onInput={(event) => set({ name: event.currentTarget.value })}
              />
            )}
          </Field>
        )}
        <Field field="description" label="Description" hint="One line for the list" problem={fault}>
          {(props) => (
            <input
              {...props}
              value={now.description}
              maxLength={200}
              onInput={(event) => set({ description: event.currentTarget.value })}
            />
          )}
        </Field>
        <Field
          field="instructions"
          label="Instructions"
          hint="What it is told before every answer"
          problem={fault}
        >
          {(props) => (
            <textarea
              {...props}
              rows={6}
              value={now.instructions}
              placeholder={name === null ? 'Empty: those of a general assistant' : ''}
              onInput={(event) => set({ instructions: event.currentTarget.value })}
            />
          )}
        </Field>
        <ModelsField models={now.models} problem={fault} onChange={(models) => set({ models })} />
        <ToolsField tools={now.tools} problem={fault} onChange={(tools) => set({ tools })} />
        <Choices
          field="mode"
          label="Mode"
          values={MODES}
          value={now.mode}
          problem={fault}
          onChange={(mode) => set({ mode })}
        >
          {(mode) => MODE_NAMES[mode]}
        </Choices>
        <Choices
          field="colour"
          label="Colour"
          values={COLOURS}
          value={now.colour}
          problem={fault}
          onChange={(colour) => set({ colour })}
        >
          {(colour) => (
            <>
              <span class="agent-dot" data-colour={colour} />
              <span class="visually-hidden">{colour}</span>
            </>
          )}
        </Choices>
      </div>
      <footer class="agents-foot">
        <p class="agents-problem" role="alert">
          {isAsking.value ? 'Not saved yet. Leave anyway?' : fault?.field === null && fault.message}
        </p>
        <button type="button" class="soft-button" onClick={onLeave}>
          {isAsking.value ? 'Discard' : 'Cancel'}
        </button>
        <button type="submit" class="primary-button" disabled={isSaving.value}>
          {isSaving.value ? 'Saving…' : name === null ? 'Create' : 'Save'}
        </button>
      </footer>
    </form>
  )
}

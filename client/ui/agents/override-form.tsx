import { useSignal } from '@preact/signals'
import type { AgentSummary } from '#protocol/http'
import type { AgentOverride } from '#protocol/mission-events'
import { MODE_NAMES } from '../composer/names.ts'
import { MODES } from '../composer/options.ts'
import { folded, handle } from '../state/session.ts'
import type { AgentDraft, Problem } from './agent-draft.ts'
import { toProblem } from './agent-draft.ts'
import { Choices, Field } from './field.tsx'
import { ModelsField } from './models-field.tsx'
import { toOverridden, toOverride } from './override-draft.ts'
import { ToolsField } from './tools-field.tsx'

const ownOf = (name: string): AgentOverride | null =>
  folded.peek().overrides.find(({ agentId }) => agentId === name)?.override ?? null

export function OverrideForm({ agent, onDone }: { agent: AgentSummary; onDone: () => void }) {
  const before = useSignal(ownOf(agent.name)).peek()
  const draft = useSignal<AgentDraft>(toOverridden(agent, before ?? {}))
  const problem = useSignal<Problem | null>(null)
  const isSaving = useSignal(false)
  const set = (changes: Partial<AgentDraft>): void => {
    draft.value = { ...draft.peek(), ...changes }
  }
  const save = (override: AgentOverride | null): void => {
    if (isSaving.peek()) return
    isSaving.value = true
    problem.value = null
    const isSame = JSON.stringify(override) === JSON.stringify(before)
    const saved = isSame ? Promise.resolve() : handle.peek()?.setOverride(agent.name, override)
    Promise.resolve(saved)
      .then(onDone)
      .catch((error: unknown) => (problem.value = toProblem(error)))
      .finally(() => (isSaving.value = false))
  }
  const handleSubmit = (event: Event): void => {
    event.preventDefault()
    save(toOverride(agent, draft.peek()))
  }
  const now = draft.value
  const fault = problem.value
  return (
    <form class="agent-form" noValidate onSubmit={handleSubmit}>
      <div class="agents-body">
        <Field
          field="instructions"
          label="Instructions"
          hint="What it is told before every answer, here"
          problem={fault}
        >
          {(props) => (
            <textarea
              {...props}
              rows={6}
              value={now.instructions}
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
      </div>
      <footer class="agents-foot">
        <p class="agents-problem" role="alert">
          {fault?.message}
        </p>
        {before !== null && (
          <button type="button" class="soft-button" onClick={() => save(null)}>
            As everywhere
          </button>
        )}
        <button type="submit" class="primary-button" disabled={isSaving.value}>
          {isSaving.value ? 'Saving…' : 'Save'}
        </button>
      </footer>
    </form>
  )
}

// A field with its label, its hint, and what the server says against it.

import type { ComponentChildren } from 'preact'
import type { Field as FieldName, Problem } from './agent-draft.ts'

type Common = { field: FieldName; label: string; problem: Problem | null }
type InputProps = { id: string; 'aria-invalid': boolean; 'aria-describedby': string }

export function Field({
  field,
  label,
  hint,
  problem,
  children,
}: Common & { hint: string; children: (props: InputProps) => ComponentChildren }) {
  const id = `agent-${field}`
  return (
    <div class="agent-field">
      <label for={id}>{label}</label>
      <span class="agent-hint" id={`${id}-hint`}>
        {hint}
      </span>
      {children({
        id,
        'aria-invalid': problem?.field === field,
        'aria-describedby': `${id}-hint ${id}-problem`,
      })}
      <FieldProblem field={field} problem={problem} />
    </div>
  )
}

export function FieldProblem({ field, problem }: Omit<Common, 'label'>) {
  return (
    <p class="field-problem" id={`agent-${field}-problem`} role="alert">
      {problem?.field === field && problem.message}
    </p>
  )
}

/** Several controls under one name. Takes the focus where the server refuses one of them. */
export function FieldGroup({
  field,
  label,
  problem,
  children,
}: Common & { children: ComponentChildren }) {
  return (
    <fieldset
      id={`agent-${field}`}
      class="agent-field"
      tabIndex={-1}
      aria-describedby={`agent-${field}-problem`}
    >
      <legend>{label}</legend>
      {children}
      <FieldProblem field={field} problem={problem} />
    </fieldset>
  )
}

export function Choices<T extends string>({
  values,
  value,
  onChange,
  children,
  ...group
}: Common & {
  values: readonly T[]
  value: string
  onChange: (value: T) => void
  children: (value: T) => ComponentChildren
}) {
  return (
    <FieldGroup {...group}>
      <div class="agent-choices">
        {values.map((each) => (
          <label key={each} class="agent-choice" title={each}>
            <input
              type="radio"
              name={`agent-${group.field}`}
              value={each}
              checked={each === value}
              onChange={() => onChange(each)}
            />
            <span>{children(each)}</span>
          </label>
        ))}
      </div>
    </FieldGroup>
  )
}

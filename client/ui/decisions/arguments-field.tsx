// The arguments of a call: a form where they are plain, JSON where they are not or where a person
// would rather have it.

import { useSignal, type Signal } from '@preact/signals'
import type { Edits } from '#protocol/decision-events'
import { formatJson } from '../format.ts'
import {
  isSameJson,
  readFields,
  readJson,
  toFields,
  type ArgumentField,
  type ArgumentProblem,
  type ReadArguments,
} from './argument-form.ts'
import { GrowingField, Problem } from './growing-field.tsx'

export type ArgumentsDraft = {
  /** Null: it is written as JSON. */
  fields: readonly ArgumentField[] | null
  json: string
}

export const toArgumentsDraft = (args: string): ArgumentsDraft => ({
  fields: toFields(args),
  json: formatJson(args),
})

const readDraft = ({ fields, json }: ArgumentsDraft): ReadArguments =>
  fields === null ? readJson(json) : readFields(fields)

export const isArgumentsEdited = (asked: string, draft: ArgumentsDraft): boolean => {
  const given = readDraft(draft)
  return !given.ok || !isSameJson(asked, given.json)
}

/** What is to be sent; the problem is said at its field as well. */
export function readArguments(
  asked: string,
  draft: ArgumentsDraft,
  problem: Signal<ArgumentProblem | null>,
): { edits: Edits | undefined } | { problem: string } {
  const given = readDraft(draft)
  if (given.ok) {
    const isSame = isSameJson(asked, given.json)
    return { edits: isSame ? undefined : { arguments: given.json } }
  }
  problem.value = given
  return { problem: given.message }
}

type Props = { draft: Signal<ArgumentsDraft>; problem: Signal<ArgumentProblem | null> }

export function ArgumentsField({ draft, problem }: Props) {
  const { fields, json } = draft.value
  const change = (next: Partial<ArgumentsDraft>): void => {
    draft.value = { ...draft.peek(), ...next }
    problem.value = null
  }
  if (fields === null) {
    return (
      <>
        <GrowingField
          value={json}
          label="Arguments as JSON"
          rows={3}
          problem={problem.value?.message ?? null}
          onInput={(text) => change({ json: text })}
        />
        <Problem message={problem.value?.message ?? null} />
      </>
    )
  }
  const put = (field: ArgumentField): void =>
    change({ fields: fields.map((one) => (one.name === field.name ? field : one)) })
  const toJson = (): void => {
    const given = readFields(fields)
    if (given.ok) change({ fields: null, json: formatJson(given.json) })
    else problem.value = given
  }
  return (
    <>
      <div class="argument-form">
        {fields.map((field) => (
          <FieldRow
            key={field.name}
            field={field}
            problem={problem.value?.field === field.name ? problem.value.message : null}
            onChange={put}
          />
        ))}
      </div>
      <Problem message={problem.value?.field === null ? problem.value.message : null} />
      <button type="button" class="text-button" onClick={toJson}>
        Edit as JSON
      </button>
    </>
  )
}

type RowProps = {
  field: ArgumentField
  problem: string | null
  onChange: (field: ArgumentField) => void
}

function FieldRow({ field, problem, onChange }: RowProps) {
  if (field.type === 'switch') {
    return (
      <label class="argument-switch">
        <input
          type="checkbox"
          checked={field.value}
          onChange={(event) => onChange({ ...field, value: event.currentTarget.checked })}
        />
        <span>{field.name}</span>
      </label>
    )
  }
  return (
    <label class="argument-row">
      <span>{field.name}</span>
      <span>
        <GrowingField
          value={field.value}
          label={field.name}
          problem={problem}
          onInput={(value) => onChange({ ...field, value })}
        />
        <Problem message={problem} />
      </span>
    </label>
  )
}

export const useProblem = (): Signal<ArgumentProblem | null> =>
  useSignal<ArgumentProblem | null>(null)

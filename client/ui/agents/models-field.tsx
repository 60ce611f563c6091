import { Icon } from '../shell/icon.tsx'
import { nameOfModel } from '../composer/names.ts'
import { models as known } from '../state/lists.ts'
import { moveModel, type Problem } from './agent-draft.ts'
import { FieldGroup } from './field.tsx'

type Props = {
  models: readonly string[]
  problem: Problem | null
  onChange: (models: readonly string[]) => void
}

export function ModelsField({ models, problem, onChange }: Props) {
  const others = known.value.filter(({ id }) => !models.includes(id))
  const handleAdd = (event: Event & { currentTarget: HTMLSelectElement }): void => {
    onChange([...models, event.currentTarget.value])
    event.currentTarget.value = ''
  }
  return (
    <FieldGroup field="models" label="Models" problem={problem}>
      <p class="agent-hint">
        A chat starts with the first; the next take over when it fails. None: the default.
      </p>
      <ol class="agent-models">
        {models.map((model, index) => (
          <li key={model}>
            <span class="agent-model">{nameOfModel(model)}</span>
            <ModelButton
              icon="up"
              label={`Move ${model} up`}
              disabled={index === 0}
              onClick={() => onChange(moveModel(models, index, -1))}
            />
            <ModelButton
              icon="down"
              label={`Move ${model} down`}
              disabled={index === models.length - 1}
              onClick={() => onChange(moveModel(models, index, 1))}
            />
            <ModelButton
              icon="close"
              label={`Remove ${model}`}
              onClick={() => onChange(models.filter((other) => other !== model))}
            />
          </li>
        ))}
      </ol>
      {others.length > 0 && (
        <select class="agent-select" aria-label="Add a model" value="" onChange={handleAdd}>
          <option value="" disabled>
            Add a model…
          </option>
          {others.map(({ id }) => (
            <option key={id} value={id}>
              {nameOfModel(id)}
            </option>
          ))}
        </select>
      )}
    </FieldGroup>
  )
}

type ButtonProps = { icon: string; label: string; disabled?: boolean; onClick: () => void }

function ModelButton({ icon, label, disabled = false, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

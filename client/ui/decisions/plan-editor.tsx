import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Plan } from '#protocol/decision-events'
import { TITLE_CHARS } from '#protocol/limits'
import { Icon } from '../shell/icon.tsx'
import {
  addStep,
  canAdd,
  moveStep,
  removeStep,
  retitle,
  rewrite,
  STEP_CHARS,
} from './plan-draft.ts'

type Props = { plan: Plan; onChange: (plan: Plan) => void }

export function PlanEditor({ plan, onChange }: Props) {
  const root = useRef<HTMLDivElement>(null)
  /** Where the keyboard goes once the change is shown. */
  const wanted = useRef<string | null>(null)
  useLayoutEffect(() => {
    if (wanted.current === null) return
    root.current?.querySelector<HTMLElement>(`[data-step="${wanted.current}"] textarea`)?.focus()
    wanted.current = null
  }, [plan])
  const changeAt = (id: string, next: Plan): void => {
    wanted.current = CSS.escape(id)
    onChange(next)
  }
  const add = (after: string | null): void => {
    if (!canAdd(plan)) return
    const added = addStep(plan, after)
    changeAt(added.id, added.plan)
  }
  const remove = (id: string): void => {
    const index = plan.steps.findIndex((step) => step.id === id)
    const next = removeStep(plan, id)
    changeAt(next.steps[Math.min(index, next.steps.length - 1)]?.id ?? '', next)
  }
  return (
    <div class="plan-editor" ref={root}>
      <input
        class="plan-title"
        aria-label="Title of the plan"
        value={plan.title}
        maxLength={TITLE_CHARS}
        onInput={(event) => onChange(retitle(plan, event.currentTarget.value))}
      />
      <ol>
        {plan.steps.map((step, index) => (
          <StepRow
            key={step.id}
            step={step}
            number={index + 1}
            isLast={index === plan.steps.length - 1}
            onText={(text) => onChange(rewrite(plan, step.id, text))}
            onMove={(by) => changeAt(step.id, moveStep(plan, step.id, by))}
            onRemove={() => remove(step.id)}
            onAdd={() => add(step.id)}
          />
        ))}
      </ol>
      {canAdd(plan) && (
        <button type="button" class="text-button" onClick={() => add(null)}>
          Add a step
        </button>
      )}
    </div>
  )
}

type RowProps = {
  step: Plan['steps'][number]
  number: number
  isLast: boolean
  onText: (text: string) => void
  onMove: (by: 1 | -1) => void
  onRemove: () => void
  onAdd: () => void
}

function StepRow({ step, number, isLast, onText, onMove, onRemove, onAdd }: RowProps) {
  const handleKey = (event: KeyboardEvent): void => {
    if (event.isComposing || event.ctrlKey || event.metaKey) return
    if (event.altKey && event.key === 'ArrowUp') onMove(-1)
    else if (event.altKey && event.key === 'ArrowDown') onMove(1)
    else if (event.key === 'Enter') onAdd()
    else return
    event.preventDefault()
  }
  return (
    <li class="plan-row" data-step={step.id}>
      <span class="plan-number" aria-hidden="true">
        {number}.
      </span>
      <textarea
        aria-label={`Step ${number}`}
        rows={1}
        value={step.text}
        maxLength={STEP_CHARS}
        onInput={(event) => onText(event.currentTarget.value)}
        onKeyDown={handleKey}
      />
      <StepButton
        icon="up"
        label={`Move step ${number} up`}
        isOff={number === 1}
        onPress={() => onMove(-1)}
      />
      <StepButton
        icon="down"
        label={`Move step ${number} down`}
        isOff={isLast}
        onPress={() => onMove(1)}
      />
      <StepButton icon="close" label={`Remove step ${number}`} isOff={false} onPress={onRemove} />
    </li>
  )
}

type ButtonProps = { icon: string; label: string; isOff: boolean; onPress: () => void }

function StepButton({ icon, label, isOff, onPress }: ButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={isOff}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  )
}

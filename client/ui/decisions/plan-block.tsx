import type { Plan } from '#protocol/decision-events'
import { Icon } from '../shell/icon.tsx'
import { plan } from '../state/decisions.ts'
import { countDone } from './plan-draft.ts'

const STATUS_WORDS: Record<Plan['steps'][number]['status'], string> = {
  pending: 'To do',
  active: 'Now',
  done: 'Done',
  skipped: 'Skipped',
}

/** The plan as it stands, where it was updated last. */
export function PlanBlock() {
  if (plan.value === null) return null
  const { title, steps } = plan.value
  return (
    <section class="plan-block" aria-label={`Plan: ${title}`} data-testid="plan">
      <header class="card-head">
        <Icon name="list" />
        <h3>{title}</h3>
        <span class="plan-count">{`${countDone(plan.value)} of ${steps.length} done`}</span>
      </header>
      <ol>
        {steps.map(({ id, text, status }) => (
          <li key={id} data-status={status}>
            <span class="plan-mark" aria-hidden="true">
              {status === 'done' && <Icon name="check" />}
            </span>
            <span class="plan-text">{text}</span>
            <span
              class={
                status === 'active' || status === 'skipped' ? 'plan-status' : 'visually-hidden'
              }
            >
              {STATUS_WORDS[status]}
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}

import { useSignal } from '@preact/signals'
import type { Plan } from '#protocol/decision-events'
import { draftFor } from '../state/decisions.ts'
import { CardFrame } from './card-frame.tsx'
import type { CardProps } from './decision-card.tsx'
import { Problem } from './growing-field.tsx'
import { findPlanProblem, toPlanEdit } from './plan-draft.ts'
import { PlanEditor } from './plan-editor.tsx'

const NOTHING: Plan = { title: '', steps: [] }

export function PlanCard({ part, decision }: CardProps) {
  const asked = decision.plan ?? NOTHING
  const draft = draftFor(decision.decisionId ?? '', asked)
  const problem = useSignal<string | null>(null)
  const read = () => {
    const wrong = findPlanProblem(draft.peek())
    if (wrong !== null) return { problem: wrong }
    const plan = toPlanEdit(asked, draft.peek())
    return { edits: plan === undefined ? undefined : { plan } }
  }
  return (
    <CardFrame
      part={part}
      decision={decision}
      title="Approve this plan?"
      icon="list"
      read={read}
      onProblem={(message) => (problem.value = message)}
      isEdited={toPlanEdit(asked, draft.value) !== undefined}
    >
      <PlanEditor
        plan={draft.value}
        onChange={(plan) => {
          draft.value = plan
          problem.value = null
        }}
      />
      <Problem message={problem.value} />
    </CardFrame>
  )
}

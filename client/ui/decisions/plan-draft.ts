// A plan as a person changes it before they approve it.

import type { Plan } from '#protocol/decision-events'
import { PLAN_STEPS } from '#protocol/limits'

export const STEP_CHARS = 2000

export const retitle = (plan: Plan, title: string): Plan => ({ ...plan, title })

export const rewrite = (plan: Plan, id: string, text: string): Plan => ({
  ...plan,
  steps: plan.steps.map((step) => (step.id === id ? { ...step, text } : step)),
})

export const removeStep = (plan: Plan, id: string): Plan => ({
  ...plan,
  steps: plan.steps.filter((step) => step.id !== id),
})

export function moveStep(plan: Plan, id: string, by: 1 | -1): Plan {
  const from = plan.steps.findIndex((step) => step.id === id)
  const to = from + by
  const step = plan.steps[from]
  if (step === undefined || to < 0 || to >= plan.steps.length) return plan
  return { ...plan, steps: plan.steps.toSpliced(from, 1).toSpliced(to, 0, step) }
}

export const canAdd = ({ steps }: Plan): boolean => steps.length < PLAN_STEPS

/** Below `after`, or at the end. Its id is in no step of this plan. */
export function addStep(plan: Plan, after: string | null): { plan: Plan; id: string } {
  const taken = new Set(plan.steps.map(({ id }) => id))
  let number = plan.steps.length + 1
  while (taken.has(`own-${number}`)) number++
  const id = `own-${number}`
  const at = plan.steps.findIndex((step) => step.id === after)
  const index = at < 0 ? plan.steps.length : at + 1
  const steps = plan.steps.toSpliced(index, 0, { id, text: '', status: 'pending' })
  return { plan: { ...plan, steps }, id }
}

/** What stands in the way of approving it; null: nothing. */
export function findPlanProblem({ title, steps }: Plan): string | null {
  if (title.trim() === '') return 'The plan needs a title.'
  if (steps.length === 0) return 'A plan has at least one step. Reject it if nothing is to be done.'
  const empty = steps.findIndex(({ text }) => text.trim() === '')
  return empty < 0 ? null : `Step ${empty + 1} is empty.`
}

/** Undefined: nobody changed anything. */
export function toPlanEdit(asked: Plan, draft: Plan): Plan | undefined {
  const steps = draft.steps.map((step) => ({ ...step, text: step.text.trim() }))
  const edited = { title: draft.title.trim(), steps }
  return isSame(asked, edited) ? undefined : edited
}

const isSame = (a: Plan, b: Plan): boolean =>
  a.title === b.title &&
  a.steps.length === b.steps.length &&
  a.steps.every((step, index) => {
    const other = b.steps[index]!
    return step.id === other.id && step.text === other.text && step.status === other.status
  })

const isOver = ({ status }: Plan['steps'][number]): boolean =>
  status === 'done' || status === 'skipped'

export const countDone = ({ steps }: Plan): number => steps.filter(isOver).length

/** What is being done, or comes next; null: nothing is left. */
export function currentStep({ steps }: Plan): { number: number; text: string } | null {
  const active = steps.findIndex(({ status }) => status === 'active')
  const index = active < 0 ? steps.findIndex((step) => !isOver(step)) : active
  return index < 0 ? null : { number: index + 1, text: steps[index]!.text }
}

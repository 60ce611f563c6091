import { describe, expect, test } from 'vitest'
import type { Plan } from '#protocol/decision-events'
import { PLAN_STEPS } from '#protocol/limits'
import {
  addStep,
  canAdd,
  countDone,
  currentStep,
  findPlanProblem,
  moveStep,
  removeStep,
  retitle,
  rewrite,
  toPlanEdit,
} from './plan-draft.ts'

const step = (id: string, status: Plan['steps'][number]['status'] = 'pending') => ({
  id,
  text: `Step ${id}`,
  status,
})
const PLAN: Plan = { title: 'Paint it', steps: [step('1'), step('2'), step('3')] }
const idsOf = ({ steps }: Plan): string[] => steps.map(({ id }) => id)

describe('[DEC5] a plan that a person changes', () => {
  test('steps are rewritten, moved and removed; the plan they came from stays as it was', () => {
    const before = structuredClone(PLAN)
    expect(idsOf(moveStep(PLAN, '3', -1))).toEqual(['1', '3', '2'])
    expect(idsOf(moveStep(PLAN, '1', 1))).toEqual(['2', '1', '3'])
    expect(idsOf(removeStep(PLAN, '2'))).toEqual(['1', '3'])
    expect(rewrite(PLAN, '2', 'Other').steps[1]).toEqual({ ...step('2'), text: 'Other' })
    expect(PLAN).toEqual(before)
  })

  test('a step stays where it is at either end, and one that is not there moves nothing', () => {
    expect(moveStep(PLAN, '1', -1)).toBe(PLAN)
    expect(moveStep(PLAN, '3', 1)).toBe(PLAN)
    expect(moveStep(PLAN, 'none', 1)).toBe(PLAN)
  })

  test('a new step has an id of its own, below the one it was added at', () => {
    const first = addStep(PLAN, '1')
    expect(idsOf(first.plan)).toEqual(['1', first.id, '2', '3'])
    const second = addStep(removeStep(first.plan, '3'), null)
    expect(new Set(idsOf(second.plan)).size).toBe(4)
    expect(idsOf(second.plan).at(-1)).toBe(second.id)
  })

  test('no more steps than the session takes', () => {
    let plan = PLAN
    while (canAdd(plan)) plan = addStep(plan, null).plan
    expect(plan.steps).toHaveLength(PLAN_STEPS)
  })

  test.each<[string, Plan, string | null]>([
    ['as it was', PLAN, null],
    ['without a title', retitle(PLAN, ' '), 'The plan needs a title.'],
    ['with an empty step', rewrite(PLAN, '2', ' '), 'Step 2 is empty.'],
    [
      'without steps',
      { ...PLAN, steps: [] },
      'A plan has at least one step. Reject it if nothing is to be done.',
    ],
  ])('%s: what stands in the way', (_, plan, problem) => {
    expect(findPlanProblem(plan)).toBe(problem)
  })

  test('only a change is sent as an edit', () => {
    expect(toPlanEdit(PLAN, rewrite(PLAN, '1', 'Step 1  '))).toBe(undefined)
    expect(toPlanEdit(PLAN, moveStep(PLAN, '1', 1))).toEqual(moveStep(PLAN, '1', 1))
    expect(toPlanEdit(PLAN, retitle(PLAN, ' Red '))?.title).toBe('Red')
  })
})

describe('[UI2] how far a plan is', () => {
  const underway: Plan = {
    title: 'x',
    steps: [step('1', 'done'), step('2', 'skipped'), step('3', 'active'), step('4')],
  }

  test('what is skipped is over too, and the active step is the current one', () => {
    expect(countDone(underway)).toBe(2)
    expect(currentStep(underway)).toEqual({ number: 3, text: 'Step 3' })
  })

  test('without an active step it is the next, and after the last there is none', () => {
    expect(currentStep(PLAN)).toEqual({ number: 1, text: 'Step 1' })
    expect(currentStep({ title: 'x', steps: [step('1', 'done')] })).toBe(null)
  })
})

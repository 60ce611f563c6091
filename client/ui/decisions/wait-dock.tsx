// Above the composer while a run is active: what waits, and how far the plan is. Whatever is in
// view, one press leads to it.

import { Icon } from '../shell/icon.tsx'
import { goToNextCard, plan, planCall, waits } from '../state/decisions.ts'
import { folded, isRunning } from '../state/session.ts'
import { ChildWaits } from './child-waits.tsx'
import { currentStep } from './plan-draft.ts'
import { counted } from './words.ts'

function describeWaits(decisions: number, questions: number): string {
  const parts = [
    ...(decisions > 0 ? [counted(decisions, 'decision')] : []),
    ...(questions > 0 ? [counted(questions, 'question')] : []),
  ]
  return `${parts.join(' and ')} ${decisions + questions === 1 ? 'waits' : 'wait'}`
}

export function WaitDock() {
  if (!isRunning.value) return null
  return (
    <>
      <PlanLine />
      <ChildWaits />
      <WaitBar />
    </>
  )
}

function WaitBar() {
  const { decisions, questions } = folded.value
  const [first] = waits.value
  if (first === undefined) return null
  const title = 'title' in first ? first.title : (first.questions[0]?.text ?? '')
  return (
    <button
      type="button"
      class="wait-bar"
      data-testid="wait-bar"
      title="Alt J"
      onClick={goToNextCard}
    >
      <Icon name="bell" />
      <b>{describeWaits(decisions.length, questions.length)}</b>
      <span class="wait-title">{title}</span>
      <span class="wait-go">Show</span>
    </button>
  )
}

function showPlan(): void {
  const callId = planCall.peek()
  if (callId === undefined) return
  const block = document.querySelector(`[data-call="${CSS.escape(callId)}"]`)
  block?.scrollIntoView({ block: 'center' })
}

function PlanLine() {
  const step = plan.value === null ? null : currentStep(plan.value)
  if (step === null) return null
  return (
    <button type="button" class="plan-line" data-testid="plan-line" onClick={showPlan}>
      <Icon name="list" />
      <b>{`Step ${step.number} of ${plan.value?.steps.length ?? 0}`}</b>
      <span class="wait-title">{step.text}</span>
    </button>
  )
}

// Everything that people are asked, told and show themselves around calls. One part, loaded when the
// first of it is to be shown, with its styles, so that nothing is shown without them.

import type { FunctionComponent } from 'preact'
import type { ToolPart } from '#protocol/turns'
import { planCall } from '../state/decisions.ts'
import { AnswerNote } from './answer-note.tsx'
import { DecisionCard } from './decision-card.tsx'
import { DecisionNote } from './decision-note.tsx'
import { FinalizeBlock } from './finalize-block.tsx'
import { PlanBlock } from './plan-block.tsx'
import { QuestionCard } from './question-card.tsx'
import { loadDecisionStyles } from './styles.ts'
import { WaitDock } from './wait-dock.tsx'

type Props = { part?: ToolPart }

export async function prepareDecisions(): Promise<FunctionComponent<Props>> {
  await loadDecisionStyles()
  return ({ part }) => (part === undefined ? <WaitDock /> : <CallView part={part} />)
}

function CallView({ part }: { part: ToolPart }) {
  const { decision, question, status, toolName, callId } = part
  if (decision?.status === 'pending') {
    return <DecisionCard key={decision.decisionId} part={part} decision={decision} />
  }
  if (question !== undefined) {
    const isOpen = question.answers === undefined && status === 'pending'
    return isOpen ? (
      <QuestionCard key={question.questionId} callId={callId} question={question} />
    ) : (
      <AnswerNote question={question} />
    )
  }
  return (
    <>
      {decision && <DecisionNote decision={decision} />}
      {toolName === 'finalize_task' && status !== 'preparing' && <FinalizeBlock part={part} />}
      {toolName === 'update_plan' && planCall.value === callId && <PlanBlock />}
    </>
  )
}

// One card for each kind of decision; what is common to them is the frame.

import type { DecisionView, ToolPart } from '#protocol/turns'
import { CallCard } from './call-card.tsx'
import { CommandCard } from './command-card.tsx'
import { EditCard } from './edit-card.tsx'
import { PlanCard } from './plan-card.tsx'

export type CardProps = { part: ToolPart; decision: DecisionView }

export function DecisionCard(props: CardProps) {
  switch (props.decision.kind) {
    case 'command':
      return <CommandCard {...props} />
    case 'file_edit':
      return <EditCard {...props} />
    case 'plan':
      return <PlanCard {...props} />
    case 'tool':
      return <CallCard {...props} />
  }
}

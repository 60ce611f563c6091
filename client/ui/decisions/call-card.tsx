import { draftFor } from '../state/decisions.ts'
import {
  ArgumentsField,
  isArgumentsEdited,
  readArguments,
  toArgumentsDraft,
  useProblem,
} from './arguments-field.tsx'
import { CardFrame } from './card-frame.tsx'
import type { CardProps } from './decision-card.tsx'

/** Any tool that is neither a command nor a change of a file. */
export function CallCard({ part, decision }: CardProps) {
  const asked = decision.arguments ?? part.arguments
  const draft = draftFor(decision.decisionId ?? '', toArgumentsDraft(asked))
  const problem = useProblem()
  return (
    <CardFrame
      part={part}
      decision={decision}
      title={`Call ${part.toolName}?`}
      icon="tool"
      read={() => readArguments(asked, draft.peek(), problem)}
      onProblem={(message) => (problem.value ??= { field: null, message })}
      isEdited={isArgumentsEdited(asked, draft.value)}
    >
      <ArgumentsField draft={draft} problem={problem} />
    </CardFrame>
  )
}

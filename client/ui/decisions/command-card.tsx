import { useSignal } from '@preact/signals'
import { draftFor } from '../state/decisions.ts'
import { CardFrame } from './card-frame.tsx'
import type { CardProps } from './decision-card.tsx'
import { GrowingField, Problem } from './growing-field.tsx'
import { useJudged } from './use-judged.ts'

export function CommandCard({ part, decision }: CardProps) {
  const asked = decision.command ?? ''
  const command = draftFor(decision.decisionId ?? '', asked)
  const problem = useSignal<string | null>(null)
  const isEdited = command.value !== asked
  const judged = useJudged(decision.decisionId ?? '', isEdited ? command.value : null)
  const read = () => {
    const text = command.peek()
    if (text.trim() === '') return { problem: 'There is no command. Reject it instead.' }
    return { edits: text === asked ? undefined : { command: text } }
  }
  const handleInput = (text: string): void => {
    command.value = text
    problem.value = null
  }
  return (
    <CardFrame
      part={part}
      decision={decision}
      title="Run this command?"
      icon="terminal"
      read={read}
      onProblem={(message) => (problem.value = message)}
      isEdited={isEdited}
      judged={judged}
    >
      <GrowingField
        value={command.value}
        label="Command"
        problem={problem.value}
        onInput={handleInput}
      />
      <Problem message={problem.value} />
      <p class="card-place">
        {decision.cwd !== undefined && (
          <>
            in <code>{decision.cwd}</code>
          </>
        )}
        {isEdited && (
          <button type="button" class="text-button" onClick={() => handleInput(asked)}>
            Undo my changes
          </button>
        )}
      </p>
    </CardFrame>
  )
}

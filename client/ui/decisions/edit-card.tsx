import { useSignal } from '@preact/signals'
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
import { DiffView } from './diff-view.tsx'

const TITLES: Record<string, string> = {
  delete_file: 'Delete this file?',
  move_file: 'Move this file?',
  write_file: 'Write this file?',
}

export function EditCard({ part, decision }: CardProps) {
  const asked = decision.arguments ?? part.arguments
  const draft = draftFor(decision.decisionId ?? '', toArgumentsDraft(asked))
  const problem = useProblem()
  const isOpen = useSignal(false)
  const isEdited = isArgumentsEdited(asked, draft.value)
  const title = Object.hasOwn(TITLES, part.toolName) ? TITLES[part.toolName]! : 'Edit this file?'
  const isShown = isOpen.value || isEdited || problem.value !== null
  return (
    <CardFrame
      part={part}
      decision={decision}
      title={title}
      icon="file"
      read={() => readArguments(asked, draft.peek(), problem)}
      onProblem={(message) => (problem.value ??= { field: null, message })}
      isEdited={isEdited}
    >
      <p class="card-path">
        <code>{decision.path}</code>
      </p>
      {decision.diff === undefined ? (
        <p class="card-place">What it changes cannot be shown.</p>
      ) : (
        <DiffView diff={decision.diff} isOld={isEdited} />
      )}
      {isShown ? (
        <ArgumentsField draft={draft} problem={problem} />
      ) : (
        <button type="button" class="text-button" onClick={() => (isOpen.value = true)}>
          Edit before accepting
        </button>
      )}
    </CardFrame>
  )
}

import type { ChildWait } from '#protocol/agent-events'
import type { ToolPart } from '#protocol/turns'
import { openEntry } from '../inbox/open-entry.ts'
import { Icon } from '../shell/icon.tsx'
import { DecisionCard } from './decision-card.tsx'
import { QuestionCard } from './question-card.tsx'

type Props = { who: string; wait: ChildWait; part: ToolPart; onFold: () => void }

/** What a child asks, whole: the card that stands in the child, and what is answered goes there. */
export function ChildReview({ who, wait, part, onFold }: Props) {
  const { decision, question } = part
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || event.defaultPrevented) return
    // It must not stop the run behind it.
    event.preventDefault()
    event.stopPropagation()
    onFold()
  }
  return (
    <section
      class="child-wait child-review"
      data-wait={wait.id}
      data-kind={wait.kind}
      aria-label={`${who} waits`}
      onKeyDown={handleKey}
    >
      <header class="child-review-head">
        <Icon name="users" />
        <b>{who}</b> waits
        <button type="button" class="text-button" data-act="open" onClick={() => openEntry(wait)}>
          Open chat
        </button>
        <button
          type="button"
          class="icon-button"
          data-act="fold"
          aria-label="Show less"
          title="Show less (Esc)"
          onClick={onFold}
        >
          <Icon name="down" />
        </button>
      </header>
      {decision && <DecisionCard part={part} decision={decision} />}
      {question && <QuestionCard callId={part.callId} question={question} />}
    </section>
  )
}

import type { IdlePromptTurn } from '#protocol/turns'
import { Icon } from '../shell/icon.tsx'

/** Nobody said it: a quiet line, and the mission for whoever wonders. */
export function IdlePrompt({ turn }: { turn: IdlePromptTurn }) {
  return (
    <details class="turn note folded-note" data-turn={turn.seq} data-part="idle-prompt">
      <summary>
        <Icon name="clock" />
        <span>
          Mission prompt {turn.n} of {turn.of}
        </span>
        <Icon name="chevron" />
      </summary>
      <div class="note-text">{turn.text}</div>
    </details>
  )
}

import type { AgentTurn } from '#protocol/turns'
import { CopyButton } from '../shell/copy-button.tsx'
import { TurnLink } from './turn-link.tsx'

/** What another agent asked. */
export const AgentMessage = ({ turn }: { turn: AgentTurn }) => (
  <article class="turn agent" data-turn={turn.seq} aria-label={`Message from ${turn.from}`}>
    <div class="bubble" data-part="text">
      {turn.text}
    </div>
    <footer class="turn-foot">
      <span class="turn-actions">
        <CopyButton text={turn.text} label="Copy message" />
        <TurnLink seq={turn.seq} />
      </span>
    </footer>
  </article>
)

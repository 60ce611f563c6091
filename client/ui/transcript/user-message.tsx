import type { UserTurn } from '#protocol/turns'
import { CopyButton } from '../shell/copy-button.tsx'
import { SentFiles } from '../state/files.ts'
import { TurnLink } from './turn-link.tsx'

export function UserMessage({ turn }: { turn: UserTurn }) {
  return (
    <article class="turn user" data-turn={turn.seq} aria-label="Your message">
      <div class="bubble" data-part="text">
        {turn.text}
      </div>
      {turn.attachments.length > 0 && <SentFiles files={turn.attachments} />}
      <footer class="turn-foot">
        {/* What an interrupting message did is said where it did it: at the answer before. */}
        {turn.to !== undefined && <span class="delivery-badge">{`To ${turn.to}`}</span>}
        {turn.delivery === 'steer' && <span class="delivery-badge">Steered in</span>}
        <span class="turn-actions">
          <CopyButton text={turn.text} label="Copy message" />
          <TurnLink seq={turn.seq} />
        </span>
      </footer>
    </article>
  )
}

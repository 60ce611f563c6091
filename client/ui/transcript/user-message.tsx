import type { UserTurn } from '#protocol/state'
import { CopyButton } from '../shell/copy-button.tsx'
import { Icon } from '../shell/icon.tsx'
import { TurnLink } from './turn-link.tsx'

export function UserMessage({ turn }: { turn: UserTurn }) {
  return (
    <article class="turn user" data-turn={turn.seq} aria-label="Your message">
      <div class="bubble" data-part="text">
        {turn.text}
      </div>
      {turn.attachments.length > 0 && (
        <ul class="attachments">
          {turn.attachments.map(({ name, range }) => (
            <li key={name}>
              <Icon name="file" />
              {name}
              {range && <span class="attachment-range">{range}</span>}
            </li>
          ))}
        </ul>
      )}
      <footer class="turn-foot">
        {/* What an interrupting message did is said where it did it: at the answer before. */}
        {turn.delivery === 'steer' && <span class="delivery-badge">Steered in</span>}
        <span class="turn-actions">
          <CopyButton text={turn.text} label="Copy message" />
          <TurnLink seq={turn.seq} />
        </span>
      </footer>
    </article>
  )
}

import { Icon } from '../shell/icon.tsx'
import { inbox, openInbox } from '../state/inbox.ts'

export function InboxButton() {
  const count = inbox.value.length
  return (
    <button
      type="button"
      class="inbox-button"
      data-testid="inbox"
      title="Inbox (i)"
      onClick={openInbox}
    >
      <Icon name="inbox" />
      Inbox
      {count > 0 && (
        <span class="inbox-count">
          {count}
          <span class="visually-hidden"> waiting for you</span>
        </span>
      )}
    </button>
  )
}

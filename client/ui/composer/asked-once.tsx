import { Icon } from '../shell/icon.tsx'
import { askedOnce } from '../state/ask-once.ts'
import { focusComposer } from '../state/drafts.ts'

function takeBack(): void {
  askedOnce.value = null
  focusComposer()
}

/** Above the field: whom the next message is for, where that is not the agent of the chat. */
export function AskedOnce() {
  const agent = askedOnce.value
  if (agent === null) return null
  return (
    <p class="asked-once" data-testid="asked-once">
      <Icon name="users" />
      <span>
        To <b>{agent}</b>, this message only
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={`Do not ask ${agent}`}
        onClick={takeBack}
      >
        <Icon name="close" />
      </button>
    </p>
  )
}

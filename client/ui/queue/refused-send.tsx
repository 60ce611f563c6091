import type { PendingSend } from '../../sdk/types.ts'
import { Icon } from '../shell/icon.tsx'
import { askedOnce } from '../state/ask-once.ts'
import { putBackDraft } from '../state/drafts.ts'
import { attached, setAttached } from '../state/files.ts'
import { handle } from '../state/session.ts'

/** The server said no; the words are still the person's. */
export function RefusedSend({ send }: { send: PendingSend }) {
  const discard = (): void => handle.peek()?.discard(send.id)
  const takeBack = (): void => {
    putBackDraft(send.text)
    setAttached([...attached.peek(), ...send.attachments])
    if (send.to !== undefined) askedOnce.value = send.to
    discard()
  }
  return (
    <li class="chip refused" data-pending={send.id}>
      <Icon name="alert" />
      <span class="chip-text">
        {send.text}
        <span class="chip-reason">{send.rejected?.message}</span>
      </span>
      <button type="button" class="text-button" onClick={takeBack}>
        Copy back to composer
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label="Discard"
        title="Discard"
        onClick={discard}
      >
        <Icon name="close" />
      </button>
    </li>
  )
}

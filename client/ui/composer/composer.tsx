import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import type { Delivery } from '#protocol/events'
import { Icon } from '../shell/icon.tsx'
import { isStarting, sendText, stopRun } from '../state/commands.ts'
import { composerFocus, draft, setDraft } from '../state/drafts.ts'
import { AttachChips, attached, withFiles } from '../state/files.ts'
import { openSessionId } from '../state/route.ts'
import { connection, isRunning, isStopping } from '../state/session.ts'
import { isNarrow } from '../state/viewport.ts'
import { AskedOnce } from './asked-once.tsx'
import { DeliveryControl } from './delivery-control.tsx'
import { Pickers } from './pickers.tsx'

const SEND_LABELS: Record<Delivery, string> = {
  queue: 'Queue',
  steer: 'Steer',
  interrupt: 'Interrupt',
}

function deliveryOf(event: KeyboardEvent, chosen: Delivery): Delivery {
  if (!event.ctrlKey && !event.metaKey) return chosen
  return event.shiftKey ? 'interrupt' : 'steer'
}

/** At once, inside the event: a phone opens its keyboard for nothing else. */
function followFocus(field: HTMLTextAreaElement): () => void {
  const stops = [
    composerFocus.subscribe((times) => times > 0 && field.focus()),
    // …and should not open it because a chat was looked at.
    openSessionId.subscribe(() => matchMedia('(pointer: fine)').matches && field.focus()),
  ]
  return () => stops.forEach((stop) => stop())
}

/** Text that is dropped goes where it was dropped. */
function handleDrop(event: DragEvent): void {
  const files = [...(event.dataTransfer?.files ?? [])]
  if (files.length === 0) return
  event.preventDefault()
  withFiles((door) => door.attachFiles(files))
}

export function Composer() {
  const field = useRef<HTMLTextAreaElement>(null)
  const delivery = useSignal<Delivery>('queue')

  useEffect(() => followFocus(field.current!), [])

  const send = async (how: Delivery): Promise<void> => {
    const text = draft.peek()
    if (text.trim() === '' || isStarting.peek()) return
    setDraft('')
    delivery.value = 'queue'
    if (!(await sendText(text, how))) setDraft(text)
  }
  const handleKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.isComposing) return
    if (event.shiftKey && !event.ctrlKey && !event.metaKey) return
    event.preventDefault()
    void send(deliveryOf(event, delivery.peek()))
  }
  const handleSubmit = (event: Event): void => {
    event.preventDefault()
    void send(delivery.peek())
    field.current?.focus()
  }
  const isGone = connection.value.status === 'gone' && openSessionId.value !== null
  return (
    <form
      class="composer"
      data-running={String(isRunning.value)}
      onSubmit={handleSubmit}
      onDragOver={(event) => event.preventDefault()}
      onDrop={handleDrop}
    >
      <AskedOnce />
      {attached.value.length > 0 && <AttachChips />}
      {/* The copy behind the field has the same text and so the height the field should have. */}
      <div class="composer-grow" data-text={draft}>
        <textarea
          id="composer"
          ref={field}
          data-testid="composer"
          rows={1}
          value={draft}
          disabled={isGone}
          placeholder={isRunning.value ? 'Add something while it works' : 'Write a message'}
          aria-label="Message"
          enterkeyhint="send"
          onInput={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={handleKey}
        />
      </div>
      <div class="composer-bar">
        <button
          type="button"
          class="icon-button"
          aria-label="Attach files"
          onClick={() => withFiles((door) => door.openAttach())}
        >
          <Icon name="plus" />
        </button>
        {!isNarrow.value && <Pickers />}
        {isRunning.value && <DeliveryControl delivery={delivery} />}
        {isRunning.value && <StopButton />}
        <button
          type="submit"
          class="send-button"
          data-testid="send"
          disabled={draft.value.trim() === '' || isGone || isStarting.value}
          aria-label={isRunning.value ? SEND_LABELS[delivery.value] : 'Send'}
        >
          <Icon name="send" />
          <span>{isRunning.value ? SEND_LABELS[delivery.value] : 'Send'}</span>
        </button>
      </div>
    </form>
  )
}

function StopButton() {
  return (
    <button
      type="button"
      class="stop-button"
      data-testid="stop"
      title="Stop (Esc)"
      aria-label="Stop"
      disabled={isStopping.value}
      onClick={stopRun}
    >
      <span class="stop-square" aria-hidden="true" />
      <span class="button-word">{isStopping.value ? 'Stopping…' : 'Stop'}</span>
    </button>
  )
}

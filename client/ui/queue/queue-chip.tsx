import { useSignal } from '@preact/signals'
import type { QueueItem } from '#protocol/events'
import { Icon } from '../shell/icon.tsx'
import { moveQueued, removeQueued, sendQueuedNow } from '../state/commands.ts'
import { run } from '../state/session.ts'
import { ChipEditor } from './chip-editor.tsx'
import { draggedItem } from './dragged-item.ts'

type Props = {
  item: QueueItem
  /** Where it goes on a step up; null: it is first. */
  previous: string | null
  /** What it goes before on a step down; null: the end. */
  afterNext: string | null
  isLast: boolean
}

export function QueueChip(props: Props) {
  const { item } = props
  const isEditing = useSignal(false)
  const isOver = useSignal(false)
  const handleDrop = (event: DragEvent): void => {
    event.preventDefault()
    isOver.value = false
    const moved = draggedItem.peek()
    if (moved !== null && moved !== item.itemId) moveQueued(moved, item.itemId)
  }
  const handleDragOver = (event: DragEvent): void => {
    if (draggedItem.peek() === null) return
    event.preventDefault()
    isOver.value = true
  }
  return (
    <li
      class={isOver.value ? 'chip drop-before' : 'chip'}
      data-item={item.itemId}
      draggable={!isEditing.value}
      onDragStart={() => (draggedItem.value = item.itemId)}
      onDragEnd={() => (draggedItem.value = null)}
      onDragOver={handleDragOver}
      onDragLeave={() => (isOver.value = false)}
      onDrop={handleDrop}
    >
      <span class="chip-grip">
        <Icon name="grip" />
      </span>
      {item.exchange && <ChipSender words="asks">{item.exchange.asker.agent}</ChipSender>}
      {item.callback && <ChipSender words="answered">{item.callback.from}</ChipSender>}
      {isEditing.value ? (
        <ChipEditor item={item} onEnd={() => (isEditing.value = false)} />
      ) : item.callback ? (
        // An answer is what it is: the server takes no other.
        <span class="chip-text">{item.text}</span>
      ) : (
        <button
          type="button"
          class="chip-text"
          title="Edit"
          aria-label={`Edit: ${item.text}`}
          onClick={() => (isEditing.value = true)}
        >
          {item.text}
        </button>
      )}
      {item.to !== undefined && <span class="chip-to">{`to ${item.to}`}</span>}
      {item.delivery !== 'queue' && <span class="chip-badge">{badgeOf(item)}</span>}
      {!isEditing.value && <ChipActions {...props} />}
    </li>
  )
}

/** A steer for another agent than the one at work does not enter its run: it begins the next. */
function badgeOf({ delivery, addressee }: QueueItem): string {
  const now = run.value
  const isElsewhere =
    addressee !== undefined && now.status === 'running' && now.agent !== addressee.agent
  return delivery === 'steer' && isElsewhere ? 'next' : delivery
}

/** Which agent it came from. */
function ChipSender({ children, words }: { children: string; words: string }) {
  return (
    <span class="chip-sender">
      <Icon name="users" />
      <b>{children}</b> {words}
    </span>
  )
}

function ChipActions({ item, previous, afterNext, isLast }: Props) {
  const id = item.itemId
  return (
    <span class="chip-actions">
      <ChipButton
        icon="up"
        label="Move up"
        disabled={previous === null}
        onClick={() => moveQueued(id, previous)}
      />
      <ChipButton
        icon="down"
        label="Move down"
        disabled={isLast}
        onClick={() => moveQueued(id, afterNext)}
      />
      <ChipButton icon="bolt" label="Send now" onClick={() => sendQueuedNow(id)} />
      <ChipButton icon="close" label="Withdraw" onClick={() => removeQueued(id)} />
    </span>
  )
}

type ButtonProps = { icon: string; label: string; disabled?: boolean; onClick: () => void }

function ChipButton({ icon, label, disabled = false, onClick }: ButtonProps) {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  )
}

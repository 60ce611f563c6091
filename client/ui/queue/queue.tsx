import { continueRun } from '../state/commands.ts'
import { isRunning, queue, refusedSends, waitingSends } from '../state/session.ts'
import { Icon } from '../shell/icon.tsx'
import { QueueChip } from './queue-chip.tsx'
import { RefusedSend } from './refused-send.tsx'

export function Queue() {
  const { items, held } = queue.value
  const waiting = isRunning.value ? waitingSends.value : []
  const isShown = items.length + waiting.length + refusedSends.value.length > 0
  if (!isShown) return null
  return (
    <section class="queue" data-testid="queue" data-held={String(held)} aria-label="Queue">
      {items.length > 0 && <QueueHead count={items.length} isHeld={held && !isRunning.value} />}
      <ol class="queue-items">
        {items.map((item, index) => (
          <QueueChip
            key={item.itemId}
            item={item}
            previous={items[index - 1]?.itemId ?? null}
            afterNext={items[index + 2]?.itemId ?? null}
            isLast={index === items.length - 1}
          />
        ))}
        {waiting.map(({ id, text }) => (
          <li class="chip waiting" key={id} data-pending={id}>
            <span class="chip-text">{text}</span>
            <span class="chip-badge">Sending…</span>
          </li>
        ))}
        {refusedSends.value.map((send) => (
          <RefusedSend key={send.id} send={send} />
        ))}
      </ol>
    </section>
  )
}

function QueueHead({ count, isHeld }: { count: number; isHeld: boolean }) {
  if (!isHeld) return <p class="queue-head">{`${count} queued`}</p>
  return (
    <p class="queue-head held">
      <Icon name="pause" />
      <span>
        Held – send something or{' '}
        <button type="button" class="text-button" onClick={continueRun}>
          Continue
        </button>
      </span>
    </p>
  )
}

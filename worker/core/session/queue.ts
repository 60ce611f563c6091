// The queue as a list: what adding, editing, moving and taking back make of it.

import type { CommandOf } from '#protocol/commands'
import type { EventOf, QueueItem } from '#protocol/events'
import { QUEUE_BYTES, QUEUE_ITEMS } from '#protocol/limits'
import type { QueueState } from '#protocol/state'
import { utf8Bytes } from '#protocol/text'

export type QueueChange = CommandOf<'queue_edit' | 'queue_remove' | 'queue_move'>

/** What does not start by itself: nothing, what people sent, or all of it. */
export type Hold = 'none' | 'people' | 'all'

export const holdOf = ({ held, heldFor }: QueueState): Hold => (held ? (heldFor ?? 'all') : 'none')

export const toQueueUpdate = (
  items: readonly QueueItem[],
  hold: Hold,
): EventOf<'queue_updated'> => ({
  type: 'queue_updated',
  items: [...items],
  held: hold !== 'none' && items.length > 0,
  ...(hold === 'people' && items.length > 0 && { heldFor: hold }),
})

/** A steer goes before what waits for the end of the run: shown order is true order. */
export function addItem(items: readonly QueueItem[], item: QueueItem): QueueItem[] {
  const firstQueued = items.findIndex((queued) => queued.delivery !== 'steer')
  const at = item.delivery === 'steer' && firstQueued >= 0 ? firstQueued : items.length
  return items.toSpliced(at, 0, item)
}

export function changeItems(
  items: readonly QueueItem[],
  change: QueueChange,
): { ok: true; items: QueueItem[] } | { ok: false; missing: string } {
  const index = items.findIndex((item) => item.itemId === change.itemId)
  const item = items[index]
  if (item === undefined) return { ok: false, missing: change.itemId }
  switch (change.type) {
    case 'queue_edit':
      return { ok: true, items: items.with(index, { ...item, text: change.text }) }
    case 'queue_remove':
      return { ok: true, items: items.toSpliced(index, 1) }
    case 'queue_move':
      return moveItem(items, item, change.before)
  }
}

function moveItem(
  items: readonly QueueItem[],
  item: QueueItem,
  before: string | null,
): ReturnType<typeof changeItems> {
  if (before === item.itemId) return { ok: true, items: [...items] }
  const rest = items.filter((other) => other !== item)
  if (before === null) return { ok: true, items: [...rest, item] }
  const at = rest.findIndex((other) => other.itemId === before)
  if (at < 0) return { ok: false, missing: before }
  return { ok: true, items: rest.toSpliced(at, 0, item) }
}

/** `queue_updated` carries all of it, and must stay an event. */
export const fitsQueue = (items: readonly QueueItem[]): boolean =>
  items.length <= QUEUE_ITEMS && utf8Bytes(JSON.stringify(items)) <= QUEUE_BYTES

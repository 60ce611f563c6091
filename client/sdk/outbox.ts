// Commands on their way. A command stays until the session has answered it and is sent again on
// every new connection: its id makes the second time harmless (LOG5). A message is shown as
// pending until the log shows it, so that it neither flickers nor stands there twice.

import type { Ack, Command, CommandOf } from '#protocol/commands'
import type { QueueItem, SessionEvent } from '#protocol/events'
import type { PendingSend } from './types.ts'

export type Refusal = { code: string; message: string }

export type Outgoing =
  /** `landed`: its effect is in the log already, only the answer is missing. */
  | { status: 'waiting'; command: Command; landed: boolean }
  /** Answered, but the event at `seq` has not been folded yet. */
  | { status: 'acked'; command: CommandOf<'send'>; seq: number }
  | { status: 'refused'; command: CommandOf<'send'>; refusal: Refusal }

export type Outbox = readonly Outgoing[]

export const EMPTY_OUTBOX: Outbox = []

export const addCommand = (outbox: Outbox, command: Command): Outbox => [
  ...outbox,
  { status: 'waiting', command, landed: false },
]

/** What a new connection must be told, in the order it was asked for. */
export const waitingCommands = (outbox: Outbox): Command[] =>
  outbox.flatMap((entry) => (entry.status === 'waiting' ? [entry.command] : []))

export const isLanded = (outbox: Outbox, id: string): boolean =>
  outbox.some((entry) => entry.command.id === id && entry.status === 'waiting' && entry.landed)

export function applyAck(outbox: Outbox, id: string, ack: Ack, foldedSeq: number): Outbox {
  return change(outbox, id, (entry) => {
    const { command } = entry
    if (entry.status !== 'waiting' || command.type !== 'send' || entry.landed) return null
    const seq = ack.seq ?? 0
    return seq > foldedSeq ? { status: 'acked', command, seq } : null
  })
}

/** The text of a refused message is kept: it belongs to the person who wrote it. */
export function applyRefusal(outbox: Outbox, id: string, refusal: Refusal): Outbox {
  return change(outbox, id, (entry) => {
    const { command } = entry
    const isKept = command.type === 'send' && !(entry.status === 'waiting' && entry.landed)
    return isKept ? { status: 'refused', command, refusal } : null
  })
}

/** Only what was refused can be dropped: anything else may have had its effect. */
export const discardRefused = (outbox: Outbox, id: string): Outbox =>
  change(outbox, id, (entry) => (entry.status === 'refused' ? null : entry))

/** A message's id is its command's id, delivered or queued: seeing it means that it arrived. */
export function landEvent(outbox: Outbox, event: SessionEvent): Outbox {
  if (outbox.length === 0) return outbox
  if (event.type === 'user_message') return land(outbox, event.messageId)
  return event.type === 'queue_updated' ? landQueued(outbox, event.items) : outbox
}

export const landQueued = (outbox: Outbox, items: readonly QueueItem[]): Outbox =>
  outbox.length === 0 ? outbox : items.reduce((next, item) => land(next, item.itemId), outbox)

const land = (outbox: Outbox, id: string): Outbox =>
  change(outbox, id, (entry) => {
    if (entry.status !== 'waiting') return null
    return entry.landed ? entry : { ...entry, landed: true }
  })

/** Everything up to `seq` is folded: what was acked at or below it is no longer pending. */
export const settleUpTo = (outbox: Outbox, seq: number): Outbox =>
  outbox.some((entry) => entry.status === 'acked' && entry.seq <= seq)
    ? outbox.filter((entry) => entry.status !== 'acked' || entry.seq > seq)
    : outbox

/** The log is not the one we knew: nothing that waits is known to be in it. */
export const forgetLanded = (outbox: Outbox): Outbox =>
  outbox
    .filter((entry) => entry.status !== 'acked')
    .map((entry) => (entry.status === 'waiting' ? { ...entry, landed: false } : entry))

export function pendingSends(outbox: Outbox): readonly PendingSend[] {
  return outbox.flatMap((entry) => {
    const { command } = entry
    if (command.type !== 'send' || (entry.status === 'waiting' && entry.landed)) return []
    const { id, text, delivery = 'queue', attachments = [], to } = command
    const addressed = to === undefined ? {} : { to }
    const pending: PendingSend = { id, text, delivery, attachments, ...addressed }
    return [entry.status === 'refused' ? { ...pending, rejected: entry.refusal } : pending]
  })
}

/** Replace one entry, or remove it with null. The outbox keeps its identity if nothing changed. */
function change(outbox: Outbox, id: string, replace: (entry: Outgoing) => Outgoing | null): Outbox {
  const index = outbox.findIndex((entry) => entry.command.id === id)
  const entry = outbox[index]
  if (entry === undefined) return outbox
  const next = replace(entry)
  if (next === entry) return outbox
  return next === null ? outbox.toSpliced(index, 1) : outbox.with(index, next)
}

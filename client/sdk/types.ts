// What a program that uses the headless client sees.

import type { Ack } from '#protocol/commands'
import type { Attachment, Delivery, SessionChanges } from '#protocol/events'
import type { AgentStatus, Tail } from '#protocol/live'
import type { Response, SessionState } from '#protocol/state'

/** `offline`: the browser says so. `waiting`: between attempts. `gone`: deleted or not yours. */
export type ConnectionState =
  | { status: 'connecting' }
  | { status: 'live' }
  | { status: 'waiting'; attempt: number }
  | { status: 'offline' }
  | { status: 'gone'; code: number; reason: string }
  | { status: 'outdated' }

/** A message that was sent but is not in the log yet. */
export type PendingSend = {
  id: string
  text: string
  delivery: Delivery
  attachments: readonly Attachment[]
  /** Set when the server refused it: the text is not lost. */
  rejected?: { code: string; message: string }
}

export type SessionView = {
  /** Folded from the log. Settled turns never change identity. */
  state: SessionState
  /** Live text over it. */
  tail: Tail
  /** The open response with the live text laid over it; null when nothing is being written. */
  open: Response | null
  status: AgentStatus
  /** Older turns exist that are not held yet. */
  hasOlder: boolean
  pending: readonly PendingSend[]
  connection: ConnectionState
  /** The first replay has arrived. */
  loaded: boolean
}

export interface SessionHandle {
  readonly sessionId: string
  readonly view: SessionView
  /** Called after every change, with the new view. */
  subscribe(listener: (view: SessionView) => void): () => void
  connect(): void
  close(): void
  /** Reconnect now: the network is back, or the page is visible again. */
  wake(): void
  loadOlder(): Promise<void>
  send(
    text: string,
    options?: { delivery?: Delivery; attachments?: Attachment[]; to?: string },
  ): Promise<Ack>
  cancel(options?: { runId?: string; audioTruncatedAtMs?: number }): Promise<Ack>
  continue(): Promise<Ack>
  editQueued(itemId: string, text: string): Promise<Ack>
  removeQueued(itemId: string): Promise<Ack>
  moveQueued(itemId: string, before: string | null): Promise<Ack>
  sendQueuedNow(itemId: string): Promise<Ack>
  configure(changes: SessionChanges): Promise<Ack>
  clear(): Promise<Ack>
  /** Drop a refused message from `pending`. */
  discard(id: string): void
}

// What can be asked of a session, as methods.

import type { Ack, CommandOf, CommandType } from '#protocol/commands'
import type { Attachment, Delivery, SessionChanges } from '#protocol/events'
import type { SessionView } from './types.ts'

/** A command before it has its id. */
export type Ask = { [T in CommandType]: Omit<CommandOf<T>, 'id'> }[CommandType]

export abstract class SessionCommands {
  abstract readonly view: SessionView

  /** Resolves when the session has answered, however many connections that takes. */
  protected abstract ask(fields: Ask): Promise<Ack>

  send(
    text: string,
    options: { delivery?: Delivery; attachments?: Attachment[]; to?: string } = {},
  ): Promise<Ack> {
    return this.ask({ type: 'send', text, ...options })
  }

  /** The run that is shown, if none is named: by the time this arrives another may be active. */
  cancel(options: { runId?: string; audioTruncatedAtMs?: number } = {}): Promise<Ack> {
    const { run } = this.view.state
    const shown = run.status === 'running' ? { runId: run.runId } : {}
    return this.ask({ type: 'cancel', ...shown, ...options })
  }

  continue(): Promise<Ack> {
    return this.ask({ type: 'continue' })
  }

  editQueued(itemId: string, text: string): Promise<Ack> {
    return this.ask({ type: 'queue_edit', itemId, text })
  }

  removeQueued(itemId: string): Promise<Ack> {
    return this.ask({ type: 'queue_remove', itemId })
  }

  moveQueued(itemId: string, before: string | null): Promise<Ack> {
    return this.ask({ type: 'queue_move', itemId, before })
  }

  sendQueuedNow(itemId: string): Promise<Ack> {
    return this.ask({ type: 'queue_send_now', itemId })
  }

  configure(changes: SessionChanges): Promise<Ack> {
    return this.ask({ type: 'configure', ...changes })
  }

  clear(): Promise<Ack> {
    return this.ask({ type: 'clear' })
  }
}

// Events in the making: each is given its seq and folded at once, so that what is decided next
// sees what was decided before it.

import type { EventBody, SessionEvent } from '#protocol/events'
import { applyEvent } from '#protocol/reduce'
import type { SessionState } from '#protocol/state'
import type { Letter, Mail } from './letters.ts'

export class Draft {
  readonly events: SessionEvent[] = []
  /** Stored with the events, and sent when they are. */
  readonly mail: Mail[] = []
  state: SessionState
  readonly now: number

  constructor(state: SessionState, now: number) {
    this.state = state
    this.now = now
  }

  get nextSeq(): number {
    return this.state.seq + 1
  }

  /** Returns the seq the event was given. */
  add(body: EventBody): number {
    const event: SessionEvent = { seq: this.nextSeq, at: this.now, ...body }
    this.events.push(event)
    this.state = applyEvent(this.state, event)
    return event.seq
  }

  post(to: string, letter: Letter): void {
    this.mail.push({ to, letter })
  }
}

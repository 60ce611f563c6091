// From what is held to what is shown. Each field keeps its identity while what it is made of does.

import { agentStatus, EMPTY_TAIL, viewOpen, type Tail } from '#protocol/live'
import { EMPTY_STATE, type SessionState } from '#protocol/state'
import type { OlderPages } from './older-pages.ts'
import { EMPTY_OUTBOX, pendingSends, waitingCommands, type Outbox } from './outbox.ts'
import type { SessionView } from './types.ts'

/** A view without the connection, which only the socket knows. */
export type ModelView = Omit<SessionView, 'connection'>

export type Held = {
  state: SessionState
  tail: Tail
  outbox: Outbox
  older: OlderPages | null
  loaded: boolean
}

export const NOTHING: Held = {
  state: EMPTY_STATE,
  tail: EMPTY_TAIL,
  outbox: EMPTY_OUTBOX,
  older: null,
  loaded: false,
}

export function toView(held: Held, last: { held: Held; view: ModelView } | null): ModelView {
  const { state, tail, outbox, older, loaded } = held
  const open = last !== null && isSameOpen(held, last.held) ? last.view.open : viewOpen(state, tail)
  return {
    state,
    tail,
    open,
    status: agentStatus(state.run, open),
    hasOlder: older !== null,
    unanswered: waitingCommands(outbox).length,
    pending: last?.held.outbox === outbox ? last.view.pending : pendingSends(outbox),
    loaded,
  }
}

/** Everything `viewOpen` reads. */
const isSameOpen = (a: Held, b: Held): boolean =>
  a.tail === b.tail &&
  a.state.open === b.state.open &&
  a.state.run === b.state.run &&
  a.state.session === b.state.session

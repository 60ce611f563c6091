// What a program that uses the headless client sees.

import type { Ack } from '#protocol/commands'
import type { Answers } from '#protocol/decision-events'
import type { Attachment, Delivery, SessionChanges } from '#protocol/events'
import type { AgentStatus, Tail } from '#protocol/live'
import type { AgentOverride } from '#protocol/mission-events'
import type { SessionState } from '#protocol/state'
import type { Response } from '#protocol/turns'
import type { DecideOptions } from './session-commands.ts'
import type { ChangeTarget, NewSessionMission } from './session-commands.ts'

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
  /** The agent that is asked, where it is named. */
  to?: string
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
  /** Commands of any kind that the session has not answered yet. */
  unanswered: number
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
  keep(target: ChangeTarget): Promise<Ack>
  undo(target: ChangeTarget): Promise<Ack>
  redo(target: ChangeTarget): Promise<Ack>
  restore(checkpointId: string): Promise<Ack>
  configure(changes: SessionChanges): Promise<Ack>
  decide(decisionId: string, verdict: 'accept' | 'reject', options?: DecideOptions): Promise<Ack>
  answer(questionId: string, answers: Answers): Promise<Ack>
  removeRule(ruleId: string): Promise<Ack>
  setMission(mission: NewSessionMission): Promise<Ack>
  clearMission(): Promise<Ack>
  pauseMission(): Promise<Ack>
  resumeMission(): Promise<Ack>
  promptMission(): Promise<Ack>
  setOverride(agentId: string, override: AgentOverride | null): Promise<Ack>
  clear(): Promise<Ack>
  compact(): Promise<Ack>
  /** Drop a refused message from `pending`. */
  discard(id: string): void
}

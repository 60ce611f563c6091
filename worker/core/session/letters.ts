// What one session object says to another. A letter is stored with the events that caused it, sent
// at least once, and takes effect once: its number grows, and the receiver remembers the last one.

import type { Asker, Callback, ChildWait, Origin } from '#protocol/agent-events'
import type { Mode, Outcome, Recovery } from '#protocol/events'
import type { Rejection } from '#protocol/http'

/** How the receiver is made where it does not exist yet. */
export type NewPeer = {
  agent: string
  model: string
  mode: Mode
  recovery: Recovery
  origin: Origin
}

export type Letter =
  /** `create` null: it must be there already. */
  | {
      type: 'message'
      exchangeId: string
      runId: string
      text: string
      asker: Asker
      create: NewPeer | null
    }
  | {
      type: 'spawn'
      runId: string
      childRunId: string
      task: string
      asker: Asker
      create: NewPeer
    }
  | { type: 'answer'; callback: Callback; budget: number }
  | {
      type: 'child_progress'
      childRunId: string
      status: 'running' | 'waiting'
      activity: string
      tools: number
      waits: readonly ChildWait[]
    }
  | {
      type: 'child_result'
      childRunId: string
      outcome: Outcome
      summary: string
      tools: number
      durationMs: number
      budget: number
    }
  /** Nobody wants what these were to bring. */
  | { type: 'cancel'; exchangeIds: readonly string[]; childRunIds: readonly string[] }

/** It asks for something, and is not about something that was asked for. */
export const isRequest = (
  letter: Letter,
): letter is Extract<Letter, { type: 'message' | 'spawn' }> =>
  letter.type === 'message' || letter.type === 'spawn'

/** Somebody waits for it, or works in vain without it. */
export const isOwed = (letter: Letter): letter is Owed =>
  !isRequest(letter) && letter.type !== 'child_progress'

export type Owed = Extract<Letter, { type: 'answer' | 'child_result' | 'cancel' }>

export type Mail = { to: string; letter: Letter }

/** `number`: higher than that of every earlier letter between these two. */
export type Envelope = { from: string; number: number; letter: Letter }

/** Why a letter was given up that nobody refused: it may have arrived. */
export const UNREACHABLE = 'unreachable'

/** Not ok: it will never be taken. That a receiver was not reached is an exception. */
export type Delivery = { ok: true } | { ok: false; rejection: Rejection }

/** What a session asks of one that works for it, or the other way round, when it wakes. */
export type Claim = { exchangeId: string } | { childRunId: string }

/** What a run waits for, at another session. `hops`: how far that is from a person. */
export type Wait = { sessionId: string; agent: string; hops: number; claim: Claim }

/** How such a thing stands there: in the queue, or run now; and what the run there waits for itself. */
export type Standing = { isQueued: boolean; waits: Wait[] }

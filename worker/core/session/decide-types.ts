// What goes into a decision of the write path, and what comes out of it.

import type { Ack } from '#protocol/commands'
import type { EventBody, EventOf, SessionEvent } from '#protocol/events'
import type { ChangedFile } from '#protocol/file-events'
import type { Rejection } from '#protocol/http'
import type { SessionState } from '#protocol/state'
import type { Assist } from './answers.ts'
import type { Contact } from './contacts.ts'
import type { Mail } from './letters.ts'
import type { OpenText } from './settle.ts'
import type { WaitRequest } from './tool-calls.ts'

/** What the loop of a run reports. It names its run and attempt: a report of an ended run is dropped. */
export type RunReport = { runId: string; attempt: number } & (
  | { type: 'run_events'; events: EventBody[] }
  | { type: 'step_begin' }
  | { type: 'wait'; callId: string; request: WaitRequest }
  | { type: 'contact'; callId: string; contact: Contact }
  /** `childRunId`: a child wrote them, for this run. */
  | { type: 'files'; files: readonly ChangedFile[]; childRunId?: string }
  | {
      type: 'run_finished'
      outcome: 'done' | 'failed' | 'step_limit'
      stopReason: string
      error?: { code: string; message: string }
      context?: EventOf<'context_usage'>
    }
)

export type Effect =
  | { type: 'start_run'; runId: string; attempt: number }
  | { type: 'end_run'; runId: string }
  /** Somebody has answered: the run goes on, with this call where it was allowed. */
  | { type: 'resume_run'; runId: string; callId: string }

export type Accepted = {
  ok: true
  events: SessionEvent[]
  state: SessionState
  effects: Effect[]
  /** Stored in the transaction of the events, then sent. */
  mail: readonly Mail[]
  ack: Ack
}
export type Decision = Accepted | { ok: false; rejection: Rejection }

export type DecideContext = {
  now: number
  by: string
  /** Why a cancel happens: a person at a client, or a program over HTTP. */
  reason: 'user' | 'api'
  models: readonly string[]
  /** The live text of the active run: a cancel keeps what was streamed. */
  liveTexts: () => readonly OpenText[]
  /** Terminal seq of an ended run, from the log; null when there is no such run. */
  terminalSeqOf: (runId: string) => number | null
  /** A run of this session that somebody has stopped. */
  wasCancelled: (runId: string) => boolean
  isRepeatable: (toolName: string) => boolean
  /** Asked once, and answered by now. */
  wasAsked: (waitId: string) => boolean
  /** How long a decision may wait; null: for ever. */
  decisionMs: number | null
  /** What was found out about this command before it was decided. */
  assist: Assist | null
}

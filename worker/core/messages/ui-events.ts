// A session's log as the messages of seed 003. A fold: what a message says depends on the run so
// far and on nothing else, so that one who resumes is told the same as one who never left.

import type { SessionEvent } from '#protocol/events'
import type { Fragment } from '#protocol/frames'
import { applyEvent } from '#protocol/reduce'
import { EMPTY_STATE, type SessionState } from '#protocol/state'
import type { AssistantTurn } from '#protocol/turns'
import { toUiMessageId, type UiSseMessage } from '#protocol/ui-message'
import { applyToSteps, contentOf, EMPTY_STEPS, toSteps, type StepFold } from './steps.ts'
import { callingTool, changedActivity } from './ui-activity.ts'
import { toSync, type UiDraft } from './ui-draft.ts'
import { DRAFTS, type Scene } from './ui-drafts.ts'

/** `state`, `steps`: of the active run, without its turns. `agent`: the last that was named. */
export type UiFold = { sessionId: string; agent: string; state: SessionState; steps: StepFold }

/** Begin at seq 0 or right before any `run_started` of a first attempt: both say the same. */
export const startUiFold = (sessionId: string): UiFold => ({
  sessionId,
  agent: '',
  state: EMPTY_STATE,
  steps: EMPTY_STEPS,
})

export function applyUiEvent(
  fold: UiFold,
  event: SessionEvent,
): { fold: UiFold; messages: UiSseMessage[] } {
  const before = fold.state
  const { turns, ...rest } = applyEvent(before, event)
  const after: SessionState = { ...rest, turns: [] }
  const steps = applyToSteps(fold.steps, event)
  const next = { ...fold, agent: namedAgent(event) ?? fold.agent, state: after, steps }
  const agent = activeAgent(after) ?? activeAgent(before) ?? next.agent
  const drafts = [
    ...turns.flatMap((turn) =>
      turn.kind === 'assistant' ? toAnswer(turn, steps, askerOf(before) ?? 'user') : [],
    ),
    ...toDrafts(event, { before, after, agent }),
    ...changedActivity(before, after),
  ]
  const messages = drafts.map((draft, index) =>
    place(draft, { sessionId: fold.sessionId, agent, seq: event.seq, at: event.at, n: index + 1 }),
  )
  return { fold: next, messages }
}

function toDrafts<T extends SessionEvent['type']>(
  event: Extract<SessionEvent, { type: T }>,
  scene: Scene,
): UiDraft[] {
  // A log may have been written by a newer version.
  if (!Object.hasOwn(DRAFTS, event.type)) return [toSync(event.type)]
  const draft: (event: Extract<SessionEvent, { type: T }>, scene: Scene) => UiDraft[] =
    DRAFTS[event.type]
  return draft(event, scene)
}

function namedAgent(event: SessionEvent): string | undefined {
  switch (event.type) {
    case 'session_created':
    case 'run_started':
      return event.agent
    case 'session_configured':
      return event.changes.agent
    default:
      return undefined
  }
}

const activeAgent = ({ run }: SessionState): string | undefined =>
  run.status === 'running' ? run.agent : undefined

/** The agent that the active run answers; undefined: it answers a person, or nobody who waits. */
const askerOf = ({ run }: SessionState): string | undefined =>
  run.status === 'running' && run.parentRunId !== undefined ? run.asker?.agent : undefined

/** What an agent said, whole: at the end of its run, or where a message was put into it. */
function toAnswer(
  { agent, responseId, runId, parts, end }: AssistantTurn,
  { marks }: StepFold,
  to: string,
): UiDraft[] {
  const said = toSteps(parts, marks).map((step) =>
    contentOf(step)
      .map((part) => (part.kind === 'text' ? part.text : ''))
      .join(''),
  )
  const text = said.filter((words) => words !== '').join('\n\n')
  if (text === '') return []
  const data = {
    from: agent,
    to,
    message_id: responseId,
    run_id: runId,
    outcome: end?.outcome ?? null,
  }
  return [{ kind: 'message', text, agent_id: agent, data }]
}

type Place = { sessionId: string; agent: string; seq: number; at: number; n: number }

function place(draft: UiDraft, { sessionId, agent, seq, at, n }: Place): UiSseMessage {
  const { kind, ...rest } = draft
  const id = toUiMessageId({ sessionId, seq, n })
  return {
    id,
    seq,
    rev: 1,
    ts_ms: at,
    kind,
    ...(agent !== '' && { agent_id: agent }),
    ...rest,
    session_id: sessionId,
  }
}

/** Live text that is not in the log yet. The row that holds it says it again, at the same offset. */
export function toLiveMessages(fold: UiFold, fragment: Fragment, at: number): UiSseMessage[] {
  const draft = toLiveDraft(fragment)
  if (draft === null) return []
  const { sessionId, state } = fold
  const agent = activeAgent(state) ?? fold.agent
  return [place(draft, { sessionId, agent, seq: state.seq, at, n: 0 })]
}

function toLiveDraft(fragment: Fragment): UiDraft | null {
  const { kind, responseId, partId = '', callId = '', toolName = '', offset, text } = fragment
  const live = { fragment: true, offset }
  switch (kind) {
    case 'text':
    case 'thinking': {
      const ids = { response_id: responseId, part_id: partId }
      return {
        kind: 'token',
        text,
        data: { thinking: kind === 'thinking', done: false, ...ids, ...live },
      }
    }
    case 'tool_output':
      return { kind: 'tool_progress', text, data: { call_id: callId, tool: toolName, ...live } }
    case 'tool_input': {
      // Its first words say that a call comes; the call itself follows.
      if (offset > 0) return null
      const call = { kind: 'tool', callId, toolName, arguments: text, output: '' } as const
      return callingTool({ ...call, status: 'preparing', startedAt: 0 })
    }
  }
}

/** Not of any log: the listener has to read again what it shows. */
export const toResync = (reason: string, at: number, sessionId?: string): UiSseMessage =>
  toUnplaced({ kind: 'run', phase: 'resync', text: reason, data: { reason } }, at, sessionId)

/** Nor is this: what is read from now on, and what is told, leave no gap. */
export const toConnected = (at: number): UiSseMessage => toUnplaced(toSync('connected'), at)

/** Nor is this: its log is gone. */
export const toRemoved = (sessionId: string, at: number): UiSseMessage =>
  toUnplaced(toSync('session_removed'), at, sessionId)

const toUnplaced = (draft: UiDraft, at: number, sessionId?: string): UiSseMessage => {
  const { session_id: _, ...message } = place(draft, {
    sessionId: sessionId ?? '*',
    agent: '',
    seq: 0,
    at,
    n: 0,
  })
  return sessionId === undefined ? message : { ...message, session_id: sessionId }
}

// What is said of a session elsewhere: its title, its status, its line in the list, what waits in it.

import type { InboxItem, SessionStatus, SessionSummary } from './http.ts'
import { shorten } from './text.ts'
import type { SessionConfig, HotState, SessionState } from './state.ts'

/** Never used: a new chat may take it instead of making another. */
export const isEmptySession = (state: HotState): boolean =>
  state.session.messages === 0 &&
  state.session.clearedSeq === 0 &&
  state.session.title === null &&
  state.session.hasFiles !== true &&
  state.mission === null &&
  state.overrides.length === 0 &&
  state.run.status === 'idle' &&
  state.queue.items.length === 0

const DERIVED_TITLE_CHARS = 60
const QUESTION_CHARS = 200

export function titleOf(session: SessionConfig): string {
  if (session.title !== null) return session.title
  const line = session.firstText?.trim().split('\n', 1)[0] ?? ''
  if (line === '') return 'New chat'
  return line.length > DERIVED_TITLE_CHARS ? `${shorten(line, DERIVED_TITLE_CHARS - 1)}…` : line
}

export function statusOfSession(state: HotState): SessionStatus {
  if (state.run.status === 'running') return isForPerson(state) ? 'waiting' : 'running'
  return state.lastRun?.outcome === 'failed' ? 'error' : 'idle'
}

/** Somebody is asked, here or in a child, and nothing else executes. */
function isForPerson({ run, decisions, questions, exchanges, children }: HotState): boolean {
  if (run.status !== 'running' || run.waiting !== true) return false
  const isElsewhere =
    children.some(({ status }) => status === 'running') ||
    exchanges.some(({ wait, cancelled }) => wait && cancelled !== true)
  const asked = decisions.length + questions.length + children.flatMap(({ waits }) => waits).length
  return !isElsewhere && asked > 0
}

/** What waits for a person here, oldest first. */
export function toInbox(state: HotState): InboxItem[] {
  const { id: sessionId } = state.session
  const decisions = state.decisions.map(({ decisionId: id, ...rest }) => ({
    id,
    sessionId,
    ...rest,
  }))
  const questions = state.questions.map(({ questionId: id, questions: asked, ...rest }) => ({
    id,
    sessionId,
    ...rest,
    kind: 'question' as const,
    title: shorten(asked[0]?.text ?? '', QUESTION_CHARS),
    reason: '',
    severity: 'low' as const,
  }))
  return [...decisions, ...questions].toSorted((a, b) => a.at - b.at)
}

export function toSummary(state: SessionState): SessionSummary {
  const { id, agent, model, mode, createdAt, updatedAt, pinned, origin } = state.session
  const parentId = origin?.parent?.sessionId
  return {
    id,
    title: titleOf(state.session),
    status: statusOfSession(state),
    agent,
    model,
    mode,
    seq: state.seq,
    createdAt,
    updatedAt,
    pinned,
    ...(parentId === undefined ? {} : { parentId }),
  }
}

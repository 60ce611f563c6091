// What an owner's hub says: the live list of sessions, and everything that waits for a person.
// `applyHubFrame` is the one way from frames to state, for clients and for the tests of the hub.

import type { InboxItem, ModelSummary, SessionSummary } from './http.ts'

/** `sessionTitle`: of a session that the reader may not hold. */
export type InboxEntry = InboxItem & { sessionTitle: string }

export type HubChange =
  | { type: 'session_changed'; seq: number; session: SessionSummary }
  | { type: 'session_removed'; seq: number; id: string }
  /** `added`: new, or not as they were. `removed`: ids. */
  | { type: 'inbox_changed'; seq: number; added: InboxEntry[]; removed: string[] }

/** What does not change while a deployment runs. */
export type HubAbout = {
  models: ModelSummary[]
  settings: { defaultModel: string }
  /** How this owner came in. */
  mode: string
  /** A provider is configured: it is not the demo alone that answers. */
  hasToken: boolean
}

/** `nextCursor`: where `GET /api/sessions` goes on; null: these are all. */
export type HubInit = HubAbout & {
  type: 'init'
  seq: number
  sessions: SessionSummary[]
  nextCursor: string | null
  inbox: InboxEntry[]
}

export type HubFrame =
  | HubInit
  | HubChange
  | { type: 'ready'; seq: number; version: number }
  | { type: 'rejected'; id: null; code: string; message: string }

/** The list is whole from this time on; what is older is as it was last heard of. */
export type HubStart = { from: number; nextCursor: string | null }

export type HubState = {
  seq: number
  sessions: ReadonlyMap<string, SessionSummary>
  inbox: readonly InboxEntry[]
  /** Another object after every `init`. */
  start: HubStart | null
}

export const EMPTY_HUB: HubState = { seq: 0, sessions: new Map(), inbox: [], start: null }

export function applyHubFrame(state: HubState, frame: HubFrame): HubState {
  switch (frame.type) {
    case 'init':
      return applyInit(state, frame)
    case 'session_changed':
    case 'session_removed':
    case 'inbox_changed':
      return frame.seq <= state.seq ? state : { ...applyChange(state, frame), seq: frame.seq }
    default:
      return state
  }
}

function applyInit(state: HubState, init: HubInit): HubState {
  const { seq, sessions, inbox, nextCursor } = init
  const from = nextCursor === null ? -Infinity : (sessions.at(-1)?.updatedAt ?? -Infinity)
  const older = [...state.sessions.values()].filter(({ updatedAt }) => updatedAt < from)
  const held = new Map([...older, ...sessions].map((session) => [session.id, session]))
  return { seq, sessions: held, inbox: oldestFirst(inbox), start: { from, nextCursor } }
}

function applyChange(state: HubState, change: HubChange): HubState {
  if (change.type === 'inbox_changed') {
    const gone = new Set([...change.removed, ...change.added.map(({ id }) => id)])
    const kept = state.inbox.filter(({ id }) => !gone.has(id))
    return { ...state, inbox: oldestFirst([...kept, ...change.added]) }
  }
  const sessions = new Map(state.sessions)
  if (change.type === 'session_removed') sessions.delete(change.id)
  else sessions.set(change.session.id, change.session)
  return { ...state, sessions }
}

export const oldestFirst = (entries: readonly InboxEntry[]): InboxEntry[] =>
  [...entries].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1))

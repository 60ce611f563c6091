// What a session's new state means for those who watch the list. Pure.

import type { SessionSummary } from '#protocol/http'
import type { HubChange, InboxEntry } from '#protocol/hub'
import type { Projection } from '../session/session-deps.ts'

/** A change that has no place in the order yet. */
export type Unplaced = HubChange extends infer C
  ? C extends HubChange
    ? Omit<C, 'seq'>
    : never
  : never

/** Keys in one order, whatever way the state came: two that say the same are the same text. */
export function summaryOf(session: SessionSummary): SessionSummary {
  const { id, title, status, agent, model, mode, seq, createdAt, updatedAt, pinned } = session
  const { parentId, forkedFrom } = session
  return {
    id,
    title,
    status,
    agent,
    model,
    mode,
    seq,
    createdAt,
    updatedAt,
    pinned,
    ...(parentId === undefined ? {} : { parentId }),
    ...(forkedFrom === undefined ? {} : { forkedFrom }),
  }
}

export const entriesOf = ({ title, waits }: Projection): InboxEntry[] =>
  waits.map((item) => ({ ...item, sessionTitle: title }))

const isShown = (session: Projection | null): session is Projection =>
  session !== null && session.deletedAt === null

/** null: not known before, or gone now. What waits in a session goes before the session does. */
export function compareSessions(before: Projection | null, after: Projection | null): Unplaced[] {
  const was = isShown(before) ? before : null
  const is = isShown(after) ? after : null
  const changes: Unplaced[] = []
  if (is !== null && (was === null || text(summaryOf(was)) !== text(summaryOf(is)))) {
    changes.push({ type: 'session_changed', session: summaryOf(is) })
  }
  const inbox = compareEntries(was === null ? [] : entriesOf(was), is === null ? [] : entriesOf(is))
  if (inbox !== null) changes.push(inbox)
  if (was !== null && is === null) changes.push({ type: 'session_removed', id: was.id })
  return changes
}

function compareEntries(was: InboxEntry[], is: InboxEntry[]): Unplaced | null {
  const known = new Map(was.map((entry) => [entry.id, text(entry)]))
  const added = is.filter((entry) => known.get(entry.id) !== text(entry))
  const open = new Set(is.map(({ id }) => id))
  const removed = was.flatMap(({ id }) => (open.has(id) ? [] : [id]))
  if (added.length + removed.length === 0) return null
  return { type: 'inbox_changed', added, removed }
}

const text = (value: object): string => JSON.stringify(value)

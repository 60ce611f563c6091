// One page of the log, as `GET …/events` gives it.

import type { SessionEvent } from '#protocol/events'
import { openPartIds } from '#protocol/live'
import type { SessionState } from '#protocol/state'
import { isBackwards, type Log, type PageQuery } from './log.ts'

/** `deltas`: those that were superseded too. */
export type EventsQuery = Omit<PageQuery, 'openParts'> & { deltas: boolean }
export type EventsPage = { events: SessionEvent[]; seq: number; hasMore: boolean }

export function readPage(
  log: Log,
  state: Pick<SessionState, 'seq' | 'open'>,
  { deltas, limit, ...range }: EventsQuery,
): EventsPage {
  const openParts = deltas ? null : openPartIds(state.open)
  // One more than asked tells whether there is more.
  const rows = log.page({ ...range, limit: limit + 1, openParts })
  const hasMore = rows.length > limit
  const page = isBackwards(range) ? rows.slice(-limit) : rows.slice(0, limit)
  const events = page.map(({ data }) => JSON.parse(data) as SessionEvent)
  return { events, seq: state.seq, hasMore }
}

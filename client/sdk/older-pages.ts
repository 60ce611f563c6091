// Paging backwards through a long session (LOG7). A page is cut by number, not by turn, so its
// first events may belong to a turn that began on the page before. Only what a fold from nothing
// gets right is folded: from the first event after a `run_done`, where no run is active and no
// response is open, or from the log's start. What lies before that is held until the next page.

import type { SessionEvent } from '#protocol/events'
import { PAGE_EVENTS } from '#protocol/limits'
import { fold } from '#protocol/reduce'
import type { Turn } from '#protocol/turns'

export type OlderPages = {
  /** Everything from this seq on is held. */
  before: number
  /** Seen, but begins in the middle of a turn. Ends where the folded turns begin. */
  held: readonly SessionEvent[]
}

export type EventsPage = { events: SessionEvent[]; hasMore: boolean }

export const OLDER_PAGE_EVENTS = PAGE_EVENTS

/** Turns before a `session_cleared` are not shown: nothing older than that is asked for. */
export const olderThan = (from: number, clearedSeq: number): OlderPages | null =>
  from - 1 > clearedSeq ? { before: from, held: [] } : null

/** Turns that the page completes, oldest first, and what is left to ask for. */
export function addOlderPage(
  older: OlderPages,
  page: EventsPage,
): { older: OlderPages | null; turns: readonly Turn[] } {
  const news = page.events.filter((event) => event.seq < older.before)
  const cleared = news.findLastIndex((event) => event.type === 'session_cleared')
  // A session clears only between runs, so a fold may begin right after it.
  const events = [...news.slice(cleared + 1), ...older.held]
  const before = news[0]?.seq ?? older.before - OLDER_PAGE_EVENTS
  const isComplete = cleared >= 0 || before <= 1 || (news.length === 0 && !page.hasMore)
  const start = isComplete ? 0 : events.findIndex((_, i) => events[i - 1]?.type === 'run_done')
  if (start < 0) return { older: { before, held: events }, turns: [] }
  // A response still open at the end goes on in what is held already, with these parts in it.
  const { turns } = fold(events.slice(start))
  return { older: isComplete ? null : { before, held: events.slice(0, start) }, turns }
}

// A page of a session's messages, by turns from the end. Only as much of the log is read and folded
// as the page needs, whatever the length of the session: a fold may begin wherever no run is active.

import type { SessionEvent } from '#protocol/events'
import { openPartIds } from '#protocol/live'
import { fold } from '#protocol/reduce'
import { EMPTY_STATE, type SessionState } from '#protocol/state'
import type { Response, Turn } from '#protocol/turns'
import type { Log } from '../session/log.ts'
import { markSteps, type StepMarks } from './steps.ts'
import { toUiMessages, type UiMessage } from './ui.ts'
import { toVercelMessages, type VercelMessage } from './vercel.ts'

/** `limit`: turns. `before`: the cursor of the page after, the seq of its first turn. */
export type MessagesQuery = { format: 'vercel' | 'ui'; limit: number; before?: number }

/** `cursor`: where the page before this one ends; null where there is none. */
export type MessagesPage = { messages: VercelMessage[] | UiMessage[]; cursor: number | null }

/** Rows read at a time on the way back. */
const ROWS = 200
/** A page of long turns is shorter: more does not fit into one answer of an object. */
const PAGE_CHARS = 8 * 1024 * 1024

type Page = {
  turns: readonly Turn[]
  open: Response | null
  next: Turn | Response | null
  marks: StepMarks
}

export function readMessages(
  log: Log,
  state: Pick<SessionState, 'seq' | 'open' | 'session'>,
  query: MessagesQuery,
): MessagesPage {
  const { page, cursor } = readTurns(log, state, query)
  const { turns, open, next, marks } = page
  const messages =
    query.format === 'ui'
      ? toUiMessages(turns, open, marks)
      : toVercelMessages(turns, open, marks, next)
  return { messages, cursor }
}

function readTurns(
  log: Log,
  state: Pick<SessionState, 'seq' | 'open' | 'session'>,
  { limit, before = Number.MAX_SAFE_INTEGER }: MessagesQuery,
): { page: Page; cursor: number | null } {
  const { events, after, hasEarlier } = readBack(log, state, before, limit)
  const folded = fold(events, { ...EMPTY_STATE, seq: after })
  const marks = markSteps(events)
  const known: Page = { turns: folded.turns, open: folded.open, next: null, marks }
  const { turns, open, next } = splitAt(known, before)
  let first = Math.max(0, turns.length - (open === null ? limit : limit - 1))
  const seqAt = (index: number): number => seqOf(turns[index] ?? open)
  // An answer that a steer opened begins at that message: one cursor cannot part them.
  while (first > 0 && seqAt(first - 1) === seqAt(first)) first -= 1
  const isCut = (first > 0 || hasEarlier) && (first < turns.length || open !== null)
  return {
    page: { turns: turns.slice(first), open, next, marks },
    cursor: isCut ? seqAt(first) : null,
  }
}

/** The event at `before` is read, too: it settles what came before it. */
function splitAt({ turns, open, marks }: Page, before: number): Page {
  const inside = turns.filter((turn) => seqOf(turn) < before)
  const isOpen = open !== null && open.seq < before
  const next = turns[inside.length] ?? (isOpen ? null : open)
  return { turns: inside, open: isOpen ? open : null, next, marks }
}

const seqOf = (turn: Turn | Response | null): number => {
  if (turn === null) return 0
  return 'kind' in turn && turn.kind === 'notice' ? turn.notice.seq : turn.seq
}

/** Back from `before` to the end of a run behind which there are at least `turns` turns. */
function readBack(
  log: Log,
  state: Pick<SessionState, 'open' | 'session'>,
  before: number,
  turns: number,
): { events: SessionEvent[]; after: number; hasEarlier: boolean } {
  const floor = state.session.clearedSeq
  const openParts = openPartIds(state.open)
  const events: SessionEvent[] = []
  let found = 0
  let chars = 0
  let end = Math.min(before, Number.MAX_SAFE_INTEGER - 1) + 1
  for (;;) {
    const rows = log.page({ before: end, limit: ROWS, openParts })
    for (const { seq, data } of rows.toReversed()) {
      if (seq <= floor) return { events: events.reverse(), after: floor, hasEarlier: false }
      const event = JSON.parse(data) as SessionEvent
      const isEnough = found >= turns || (found > 0 && chars > PAGE_CHARS)
      if (event.type === 'run_done' && isEnough) {
        return { events: events.reverse(), after: seq, hasEarlier: true }
      }
      // The turn at `before` itself is on the page after.
      if (startsTurn(event) && seq < before) found += 1
      chars += data.length
      events.push(event)
    }
    if (rows.length < ROWS) return { events: events.reverse(), after: floor, hasEarlier: false }
    end = rows[0]!.seq
  }
}

/** At least one turn each. A steer makes another of the answer that it settles. */
const startsTurn = (event: SessionEvent): boolean =>
  event.type === 'user_message' ||
  event.type === 'agent_message' ||
  event.type === 'idle_prompt' ||
  (event.type === 'run_started' && event.attempt === 1)

// The session list: pages from the server, with the open session's row kept current from its own
// log, and what this person just did shown before the server says so.

import { computed, effect, signal } from '@preact/signals'
import type { SessionSummary } from '#protocol/http'
import { toSummary } from '#protocol/state'
import { api } from './client.ts'
import { noteUnauthorized } from './identity.ts'
import { openSessionId } from './route.ts'
import { config, handle, isLoaded, lastRun, run } from './session.ts'
import { showFailure } from './toasts.ts'

const PAGE = 40
const PAGE_MAX = 100
/** Only while a session that is not open runs: its end has no other way to get here. */
const BACKGROUND_POLL_MS = 5_000
/** The directory is a projection and lags a little behind the log. */
const SETTLE_MS = 600

const held = signal<ReadonlyMap<string, SessionSummary>>(new Map())
const hidden = signal<ReadonlySet<string>>(new Set())
export const nextCursor = signal<string | null>(null)
export const listStatus = signal<'loading' | 'ready' | 'failed'>('loading')

export const sessions = computed(() =>
  [...held.value.values()]
    .filter((session) => !hidden.value.has(session.id))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt),
)

export const getHeld = (id: string): SessionSummary | undefined => held.peek().get(id)

export function putSessions(...changed: SessionSummary[]): void {
  const next = new Map(held.peek())
  for (const session of changed) next.set(session.id, session)
  held.value = next
}

export function setHidden(id: string, isHidden: boolean): void {
  const next = new Set(hidden.peek())
  if (isHidden) next.add(id)
  else next.delete(id)
  hidden.value = next
}

export async function refreshSessions(): Promise<void> {
  const limit = Math.min(Math.max(held.peek().size, PAGE), PAGE_MAX)
  try {
    const page = await api.listSessions({ limit })
    // What lies on later pages stays; what should be on this one and is not, is gone.
    const oldest = page.nextCursor === null ? -Infinity : (page.sessions.at(-1)?.updatedAt ?? 0)
    const older = [...held.peek().values()].filter((session) => session.updatedAt < oldest)
    held.value = new Map([...page.sessions, ...older].map((session) => [session.id, session]))
    if (older.length === 0) nextCursor.value = page.nextCursor
    listStatus.value = 'ready'
    putOpenSession()
  } catch (error) {
    if (!noteUnauthorized(error) && listStatus.peek() === 'loading') listStatus.value = 'failed'
  }
}

export async function loadMoreSessions(): Promise<void> {
  const cursor = nextCursor.peek()
  if (cursor === null) return
  try {
    const page = await api.listSessions({ limit: PAGE, cursor })
    putSessions(...page.sessions)
    nextCursor.value = page.nextCursor
  } catch (error) {
    if (!noteUnauthorized(error)) showFailure('Could not load more')(error)
  }
}

export async function startSession(): Promise<SessionSummary> {
  const session = await api.createSession({})
  putSessions(session)
  return session
}

/** The next session down (1) or up (-1) the list. */
export function neighbourOf(id: string | null, step: 1 | -1): string | null {
  const list = sessions.peek()
  const index = list.findIndex((session) => session.id === id)
  const next = index < 0 ? list[0] : list[index + step]
  return next?.id ?? null
}

/** The log is nearer to the truth than the directory's row. */
function putOpenSession(): void {
  const current = handle.peek()
  if (current === null || !current.view.loaded) return
  const summary = toSummary(current.view.state)
  if (summary.id === current.sessionId) putSessions(summary)
}

effect(() => {
  if (isLoaded.value && config.value && run.value && lastRun.value !== undefined) putOpenSession()
})

const openRow = computed(() => {
  const id = openSessionId.value
  const session = id === null ? undefined : held.value.get(id)
  return session && `${session.title}\n${session.status}`
})

const hasBackgroundRun = computed(() =>
  sessions.value.some(({ id, status }) => status === 'running' && id !== openSessionId.value),
)

/** Called once somebody is signed in. */
export function followSessions(): void {
  void refreshSessions()
  const refreshIfVisible = (): void => {
    if (document.visibilityState === 'visible') void refreshSessions()
  }
  window.addEventListener('focus', refreshIfVisible)
  document.addEventListener('visibilitychange', refreshIfVisible)
  effect(() => {
    if (openRow.value === undefined) return
    const timer = setTimeout(refreshIfVisible, SETTLE_MS)
    return () => clearTimeout(timer)
  })
  effect(() => {
    if (!hasBackgroundRun.value) return
    const timer = setInterval(refreshIfVisible, BACKGROUND_POLL_MS)
    return () => clearInterval(timer)
  })
}

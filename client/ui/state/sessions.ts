// The session list: what the hub says, older pages from the server, the open session's row kept
// current from its own log, and what this person just did shown before anybody says so.

import { computed, effect, signal } from '@preact/signals'
import type { SessionSummary } from '#protocol/http'
import { toSummary } from '#protocol/summary'
import { api } from './client.ts'
import { noteUnauthorized } from './identity.ts'
import { config, handle, isLoaded, lastRun, run } from './session.ts'
import { showFailure } from './toasts.ts'

const PAGE = 40
const PAGE_MAX = 100

export const held = signal<ReadonlyMap<string, SessionSummary>>(new Map())
const hidden = signal<ReadonlySet<string>>(new Set())
/** The hub is heard: nothing else is asked how the list stands. */
export const isHubLive = signal(false)
export const nextCursor = signal<string | null>(null)
export const listStatus = signal<'loading' | 'ready' | 'failed'>('loading')

export const sessions = computed(() =>
  [...held.value.values()]
    .filter((session) => !hidden.value.has(session.id))
    .sort((a, b) => Number(b.pinned) - Number(a.pinned) || b.updatedAt - a.updatedAt),
)

export const getHeld = (id: string): SessionSummary | undefined => held.peek().get(id)

/** When each was last put: a list that was asked for before does not know of it. */
const putAt = new Map<string, number>()
let puts = 0

export function putSessions(...changed: SessionSummary[]): void {
  const next = new Map(held.peek())
  puts += 1
  for (const session of changed) {
    next.set(session.id, session)
    putAt.set(session.id, puts)
  }
  held.value = next
}

export function setHidden(id: string, isHidden: boolean): void {
  const next = new Set(hidden.peek())
  if (isHidden) next.add(id)
  else next.delete(id)
  hidden.value = next
}

/** At first, and for as long as the hub is out of reach. */
export async function refreshSessions(): Promise<void> {
  const limit = Math.min(Math.max(held.peek().size, PAGE), PAGE_MAX)
  const asked = puts
  try {
    const page = await api.listSessions({ limit })
    if (isHubLive.peek()) return
    // What lies on later pages stays; what should be on this one and is not, is gone.
    const oldest = page.nextCursor === null ? -Infinity : (page.sessions.at(-1)?.updatedAt ?? 0)
    const known = [...held.peek().values()]
    const older = known.filter((session) => session.updatedAt < oldest)
    const newer = known.filter(({ id }) => (putAt.get(id) ?? 0) > asked)
    const all = [...page.sessions, ...older, ...newer]
    held.value = new Map(all.map((session) => [session.id, session]))
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

/** The log is nearer to the truth than what others were told of it. */
export function putOpenSession(): void {
  const current = handle.peek()
  if (current === null || !current.view.loaded) return
  if (current.view.connection.status === 'gone') return
  const summary = toSummary(current.view.state)
  if (summary.id === current.sessionId) putSessions(summary)
}

effect(() => {
  if (isLoaded.value && config.value && run.value && lastRun.value !== undefined) putOpenSession()
})

/** While somebody is signed in. Returns what ends it. */
export function followSessions(): () => void {
  let isOver = false
  let unfollow: (() => void) | null = null
  const follow = (): void => {
    if (isOver) return
    import('./hub.ts')
      .then(({ followHub }) => {
        if (!isOver) unfollow = followHub()
      })
      // Offline, or deployed anew: asked again when somebody looks again.
      .catch(() => document.addEventListener('visibilitychange', follow, { once: true }))
  }
  void refreshSessions()
  follow()
  return () => {
    isOver = true
    unfollow?.()
    // The next one who signs in may be another.
    held.value = new Map()
    listStatus.value = 'loading'
  }
}

// The hub, for as long as somebody is signed in: it keeps the list and the inbox current. Loaded after
// the first look at a chat; until then, and while it is out of reach, the list is as it was asked for.

import { batch } from '@preact/signals'
import { createHubClient, type HubView } from '../../sdk/hub-client.ts'
import { noteSignedOut } from './identity.ts'
import { inbox, isNotifying } from './inbox.ts'
import {
  held,
  isHubLive,
  listStatus,
  nextCursor,
  putOpenSession,
  refreshSessions,
  setHidden,
} from './sessions.ts'

const CLOSE_UNAUTHORIZED = 4401

function refreshIfAway(): void {
  const isSeen = document.visibilityState === 'visible'
  if (isSeen && !isHubLive.peek()) void refreshSessions()
}

/** Returns what ends it. */
export function followHub(): () => void {
  const hub = createHubClient({ origin: location.origin })
  let last = hub.view
  const unsubscribe = hub.subscribe((view) => {
    const before = last
    last = view
    batch(() => applyHub(before, view))
    if (isNotifying.peek() && before.start !== null) notifyOf(before, view)
    const { connection } = view
    if (connection.status === 'gone' && connection.code === CLOSE_UNAUTHORIZED) noteSignedOut()
  })
  document.addEventListener('visibilitychange', refreshIfAway)
  hub.connect()
  return () => {
    document.removeEventListener('visibilitychange', refreshIfAway)
    unsubscribe()
    hub.close()
    isHubLive.value = false
    inbox.value = []
  }
}

function applyHub(before: HubView, view: HubView): void {
  isHubLive.value = view.connection.status === 'live'
  inbox.value = view.inbox
  if (view.start === null) return
  if (view.sessions !== before.sessions || view.start !== before.start) applyList(before, view)
}

/** What changed between two words of the hub. The rest of the list is older pages. */
function applyList(before: HubView, { sessions: told, start }: HubView): void {
  const from = start?.from ?? -Infinity
  const isAnew = start !== before.start
  const next = new Map(held.peek())
  for (const { id, updatedAt } of held.peek().values()) {
    const isGone = before.sessions.has(id) || (isAnew && updatedAt >= from)
    if (told.has(id) || !isGone) continue
    next.delete(id)
    // Restored on another device, it is seen again.
    setHidden(id, false)
  }
  if (isAnew && ![...next.values()].some(({ updatedAt }) => updatedAt < from)) {
    nextCursor.value = start?.nextCursor ?? null
  }
  for (const session of told.values()) {
    if (isAnew || before.sessions.get(session.id) !== session) next.set(session.id, session)
  }
  held.value = next
  listStatus.value = 'ready'
  putOpenSession()
}

function notifyOf(before: HubView, { inbox: entries }: HubView): void {
  const known = new Set(before.inbox.map(({ id }) => id))
  const fresh = entries.filter(({ id }) => !known.has(id))
  if (fresh.length === 0) return
  // Where it cannot be loaded, the count is still there.
  void import('../inbox/notify.ts').then(({ notify }) => notify(fresh)).catch(() => undefined)
}

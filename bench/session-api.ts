// The few routes that a benchmark needs.

import { setTimeout as wait } from 'node:timers/promises'
import type { SessionEvent } from '#protocol/events'
import type { SessionStats } from '#protocol/http'

const SETTLED_POLLS = 6
const POLL_MS = 50
const POLLS = 400

export async function createSession(origin: string, title: string): Promise<string> {
  const { session } = await ask<{ session: { id: string } }>(`${origin}/api/sessions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title }),
  })
  return session.id
}

/** The bill once it has stopped growing: the directory is told after a run, not in it. */
export async function readSettledStats(origin: string, sessionId: string): Promise<SessionStats> {
  let stats = await readStats(origin, sessionId)
  let unchanged = 0
  for (let poll = 0; poll < POLLS; poll++) {
    await wait(POLL_MS)
    const next = await readStats(origin, sessionId)
    unchanged = next.rowsWritten === stats.rowsWritten ? unchanged + 1 : 0
    stats = next
    if (unchanged === SETTLED_POLLS) return stats
  }
  throw new Error('the session does not stop writing')
}

export async function readEvents(origin: string, sessionId: string): Promise<SessionEvent[]> {
  const url = `${origin}/api/sessions/${sessionId}/events?limit=1000`
  return (await ask<{ events: SessionEvent[] }>(url)).events
}

const readStats = (origin: string, sessionId: string): Promise<SessionStats> =>
  ask(`${origin}/api/sessions/${sessionId}/stats`)

async function ask<T>(url: string, init?: RequestInit): Promise<T> {
  const response = await fetch(url, init)
  if (!response.ok) throw new Error(`${url}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

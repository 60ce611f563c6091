// Sessions that were looked at. One that is left keeps what it holds, so that going back shows it at
// once and asks only for the gap; one that still has something to send stays connected until it has.

import type { SessionHandle } from '../../sdk/types.ts'
import { createHandle } from './client.ts'

/** What a held transcript costs in memory, against how often people go back further than this. */
const HELD = 8

const handles = new Map<string, SessionHandle>()
let openId: string | null = null

/** Not messages alone: a decision that was taken offline must arrive too. */
const hasUnsent = (handle: SessionHandle): boolean => handle.view.unanswered > 0

export function openHandle(sessionId: string): SessionHandle {
  openId = sessionId
  const handle = handles.get(sessionId) ?? createHandle(sessionId)
  // The order of a Map is that of insertion: the least recently opened comes first.
  handles.delete(sessionId)
  handles.set(sessionId, handle)
  drop()
  handle.connect()
  return handle
}

export function leaveHandle(handle: SessionHandle): void {
  openId = null
  if (!hasUnsent(handle)) {
    handle.close()
    return
  }
  const unsubscribe = handle.subscribe(() => {
    if (hasUnsent(handle)) return
    unsubscribe()
    if (openId !== handle.sessionId) handle.close()
  })
}

function drop(): void {
  for (const [sessionId, handle] of handles) {
    if (handles.size <= HELD) return
    if (sessionId !== openId && !hasUnsent(handle)) handles.delete(sessionId)
  }
}

// What was never sent lives in this page only.
window.addEventListener('beforeunload', (event) => {
  if ([...handles.values()].some(hasUnsent)) event.preventDefault()
})

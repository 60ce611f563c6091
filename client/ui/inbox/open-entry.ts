// From the inbox to the card that waits, in its chat.

import { effect } from '@preact/signals'
import type { InboxEntry } from '#protocol/hub'
import { openSession, openSessionId } from '../state/route.ts'
import { config, isLoaded } from '../state/session.ts'
import { closeDrawer } from '../state/viewport.ts'

const MARK_MS = 2_000

export function openEntry({ sessionId, callId }: Pick<InboxEntry, 'sessionId' | 'callId'>): void {
  closeDrawer()
  openSession(sessionId)
  const stop = effect(() => {
    const isElsewhere = openSessionId.value !== sessionId
    if (!isElsewhere && !(isLoaded.value && config.value.id === sessionId)) return
    // Not at once: where it is loaded already, there is nothing to stop yet.
    queueMicrotask(() => stop())
    if (!isElsewhere) showCall(callId)
  })
}

/** Two frames: in the first, what was loaded is laid out. */
function showCall(callId: string): void {
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const id = CSS.escape(callId)
      const card =
        document.querySelector(`[data-call-id="${id}"]`) ??
        document.querySelector(`[data-call="${id}"]`)
      if (card === null) return
      card.scrollIntoView({ block: 'center' })
      // The card itself, where there is one: its keys answer, and in a field they would only type.
      const target = card.closest('.wait-card') ?? card.querySelector('.wait-card, button, summary')
      if (target instanceof HTMLElement) target.focus({ preventScroll: true })
      card.classList.add('sought')
      setTimeout(() => card.classList.remove('sought'), MARK_MS)
    }),
  )
}

// Says on this device that somebody waits: in which chat, and for what kind of answer. What the
// command or the question is stays in the page: a notification is read over shoulders.

import type { InboxEntry } from '#protocol/hub'
import { openEntry } from './open-entry.ts'
import { KIND_WORDS } from './words.ts'

/** `denied` as well where the browser has none. */
export async function askToNotify(): Promise<boolean> {
  if (typeof Notification === 'undefined') return false
  return (await Notification.requestPermission()) === 'granted'
}

export function notify(entries: readonly InboxEntry[]): void {
  if (typeof Notification === 'undefined' || Notification.permission !== 'granted') return
  // Whoever looks at the page sees the count.
  if (document.visibilityState === 'visible' && document.hasFocus()) return
  for (const entry of entries) {
    const words = `${KIND_WORDS[entry.kind]}: waits for you`
    // The same tag in every tab: it is said once.
    const said = new Notification(entry.sessionTitle, { body: words, tag: entry.id })
    said.addEventListener('click', () => {
      window.focus()
      openEntry(entry)
      said.close()
    })
  }
}

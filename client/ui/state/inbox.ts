// What waits for this person, in any chat. The panel that lists it is loaded when it is asked for.

import { signal } from '@preact/signals'
import type { InboxEntry } from '#protocol/hub'
import { readStored, writeStored } from './storage.ts'
import { showFailure } from './toasts.ts'

export const inbox = signal<readonly InboxEntry[]>([])

/** This device says so when something new waits. */
export const isNotifying = signal(readStored('notify') === 'on')

export function setNotifying(isOn: boolean): void {
  isNotifying.value = isOn
  writeStored('notify', isOn ? 'on' : null)
}

export function openInbox(): void {
  import('../inbox/inbox-panel.tsx')
    .then((file) => file.openInboxPanel())
    .catch(showFailure('Could not open the inbox'))
}

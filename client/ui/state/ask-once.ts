// Which agent the next message alone is for. Null: that of the chat.

import { signal } from '@preact/signals'
import { openSessionId } from './route.ts'

export const askedOnce = signal<string | null>(null)

/** It was said in another chat. */
openSessionId.subscribe(() => {
  askedOnce.value = null
})

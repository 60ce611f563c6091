// What was typed and not sent, per session: a reload or a look at another session must not lose it.

import { signal } from '@preact/signals'
import { openSessionId } from './route.ts'
import { readStored, writeStored } from './storage.ts'

const keyOf = (sessionId: string | null): string => `draft:${sessionId ?? 'new'}`

export const draft = signal('')

/** Raised whenever the composer should take the keyboard. */
export const composerFocus = signal(0)

export const focusComposer = (): void => {
  composerFocus.value++
}

export function setDraft(text: string): void {
  draft.value = text
  writeStored(keyOf(openSessionId.peek()), text === '' ? null : text)
}

openSessionId.subscribe((sessionId) => {
  draft.value = readStored(keyOf(sessionId)) ?? ''
})

/** A refused message comes back without taking away what was typed since. */
export function putBackDraft(text: string): void {
  const held = draft.peek()
  setDraft(held.trim() === '' ? text : `${held.trimEnd()}\n\n${text}`)
  focusComposer()
}

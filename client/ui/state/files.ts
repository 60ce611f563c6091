// Files, as far as the first look at a chat knows of them: what is attached to the next message, and
// the door to the rest, which is loaded when somebody comes near.

import { signal } from '@preact/signals'
import type { Attachment } from '#protocol/events'
import { lazy } from '../lazy.ts'
import { openSessionId } from './route.ts'
import { readStored, writeStored } from './storage.ts'
import { showFailure } from './toasts.ts'

export const attached = signal<readonly Attachment[]>([])

const keyOf = (sessionId: string | null): string => `files:${sessionId}`

export function setAttached(files: readonly Attachment[]): void {
  attached.value = files
  const stored = files.length === 0 ? null : JSON.stringify(files)
  writeStored(keyOf(openSessionId.peek()), stored)
}

openSessionId.subscribe((sessionId) => {
  attached.value = []
  try {
    attached.value = JSON.parse(readStored(keyOf(sessionId)) ?? '[]') as Attachment[]
  } catch {
    // Not as this page wrote it.
  }
})

type Door = typeof import('../files/door.ts')

/** One part: each file that is loaded by itself has its name in the first load. */
const load = (): Promise<Door> => import('../files/door.ts')

export function withFiles(use: (door: Door) => unknown): void {
  load().then(use).catch(showFailure('Could not open the files'))
}

export const ChangesWidget = lazy(() => load().then((door) => door.ChangesWidget))
export const ChangesBlock = lazy(() => load().then((door) => door.ChangesBlock))
export const SentFiles = lazy(() => load().then((door) => door.SentFiles))
export const AttachChips = lazy(() => load().then((door) => door.AttachChips))

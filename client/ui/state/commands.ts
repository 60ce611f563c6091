// What a person does to the open session. Failures are said in a toast; a refused message stays in
// `pending`, where it can be taken back.

import { signal } from '@preact/signals'
import type { Attachment, Delivery } from '#protocol/events'
import { askedOnce } from './ask-once.ts'
import { startSession } from './choice.ts'
import { attached, setAttached } from './files.ts'
import { openSession } from './route.ts'
import { handle, isRunning, isStopping } from './session.ts'
import { showFailure } from './toasts.ts'

/** Between the first message of a new chat and its session. */
export const isStarting = signal(false)

/** False: nothing was sent, the text belongs back to the composer. What is attached goes with it. */
export async function sendText(text: string, delivery: Delivery = 'queue'): Promise<boolean> {
  const attachments = attached.peek() as Attachment[]
  const to = askedOnce.peek()
  setAttached([])
  askedOnce.value = null
  if (handle.peek() === null && !(await openStarted())) {
    setAttached(attachments)
    return false
  }
  // Refusals and lost connections are in `pending`; nothing more to say here.
  handle
    .peek()
    ?.send(text, { delivery, attachments, ...(to === null ? {} : { to }) })
    .catch(() => undefined)
  return true
}

async function openStarted(): Promise<boolean> {
  isStarting.value = true
  try {
    openSession((await startSession()).id, 'replace')
    return true
  } catch (error) {
    showFailure('Could not start a chat')(error)
    return false
  } finally {
    isStarting.value = false
  }
}

export function stopRun(): void {
  const current = handle.peek()
  if (current === null || !isRunning.peek() || isStopping.peek()) return
  isStopping.value = true
  current.cancel().catch((error: unknown) => {
    isStopping.value = false
    showFailure('Could not stop')(error)
  })
}

export function continueRun(): void {
  handle.peek()?.continue().catch(showFailure('Could not continue'))
}

export function editQueued(itemId: string, text: string): void {
  handle.peek()?.editQueued(itemId, text).catch(showFailure('Could not edit'))
}

export function removeQueued(itemId: string): void {
  handle.peek()?.removeQueued(itemId).catch(showFailure('Could not withdraw'))
}

export function moveQueued(itemId: string, before: string | null): void {
  handle.peek()?.moveQueued(itemId, before).catch(showFailure('Could not move'))
}

export function sendQueuedNow(itemId: string): void {
  handle.peek()?.sendQueuedNow(itemId).catch(showFailure('Could not send'))
}

// Who is looking. Everything else waits for the answer, and comes back here when it is "nobody".

import { computed, signal } from '@preact/signals'
import type { Me } from '../../sdk/api.ts'
import { api, isUnauthorized } from './client.ts'

export type Identity =
  | { status: 'checking' }
  | { status: 'in'; me: Me }
  | { status: 'out' }
  | { status: 'failed'; message: string }

export const identity = signal<Identity>({ status: 'checking' })

export const isSignedOut = computed(() => identity.value.status === 'out')

export const noteSignedOut = (): void => {
  identity.value = { status: 'out' }
}

export async function checkIdentity(): Promise<void> {
  try {
    identity.value = { status: 'in', me: await api.me() }
  } catch (error) {
    if (noteUnauthorized(error)) return
    const message = error instanceof Error ? error.message : String(error)
    identity.value = { status: 'failed', message }
  }
}

export async function signOut(): Promise<void> {
  await api.logout().catch(() => undefined)
  noteSignedOut()
}

/** True when that is what the error says: the login page is shown instead of a message. */
export function noteUnauthorized(error: unknown): boolean {
  if (!isUnauthorized(error)) return false
  noteSignedOut()
  return true
}

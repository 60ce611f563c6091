// The list as it stands in the sidebar: which chats have children, and which of them are in view.

import { computed, signal } from '@preact/signals'
import { flatten, nestSessions, type Branch, type Unfolding } from './nest-sessions.ts'
import { openSessionId } from './route.ts'
import { sessions } from './sessions.ts'

const chosen = signal<ReadonlyMap<string, Unfolding>>(new Map())

export const branches = computed(() =>
  nestSessions(sessions.value, { openId: openSessionId.value, chosen: chosen.value }),
)

export function unfold({ session }: Branch, how: Unfolding): void {
  chosen.value = new Map([...chosen.peek(), [session.id, how]])
}

/** The next session down (1) or up (-1) the list. */
export function neighbourOf(id: string | null, step: 1 | -1): string | null {
  const list = flatten(branches.peek())
  const index = list.findIndex((session) => session.id === id)
  const next = index < 0 ? list[0] : list[index + step]
  return next?.id ?? null
}

// How far each session was read on this device: what lies past it is unread.

import { effect, signal } from '@preact/signals'
import { openSessionId } from './route.ts'
import { config, isRunning, seq } from './session.ts'
import { sessions } from './sessions.ts'
import { readStored, writeStored } from './storage.ts'

type Seen = Readonly<Record<string, number>>

function parseSeen(text: string | null): Seen {
  try {
    return (JSON.parse(text ?? '{}') as Seen | null) ?? {}
  } catch {
    return {}
  }
}

const seen = signal<Seen>(parseSeen(readStored('seen')))

export const isUnread = (id: string, sessionSeq: number): boolean =>
  id !== openSessionId.value && sessionSeq > (seen.value[id] ?? Infinity)

function note(entries: Seen): void {
  const listed = new Set(sessions.peek().map((session) => session.id))
  const kept = Object.entries(seen.peek()).filter(([id]) => listed.has(id))
  seen.value = { ...Object.fromEntries(kept), ...entries }
  writeStored('seen', JSON.stringify(seen.peek()))
}

// A session that this device never listed before counts as read up to there.
effect(() => {
  const unknown = sessions.value.filter(({ id }) => seen.peek()[id] === undefined)
  if (unknown.length > 0) note(Object.fromEntries(unknown.map(({ id, seq }) => [id, seq])))
})

// The log's own id goes with its seq: on a switch both signals change, one after the other.
let latest = { id: '', seq: 0 }
effect(() => {
  latest = { id: config.value.id, seq: seq.value }
})

// Written when a run begins or ends, and on leaving; not at every event.
effect(() => {
  void isRunning.value
  void openSessionId.value
  if (latest.id !== '') note({ [latest.id]: latest.seq })
})

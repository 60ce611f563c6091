// A message before it has its place: what it says, without id, seq and time.

import type { EventType, SessionEvent } from '#protocol/events'
import type { UiSseMessage } from '#protocol/ui-message'

export type UiDraft = Pick<UiSseMessage, 'kind' | 'phase' | 'text' | 'agent_id' | 'data'>

/** Something changed that has no kind of its own in that document: its clients read again. */
/** An event of a type, with its place in the log. */
export type Logged<T extends EventType> = Extract<SessionEvent, { type: T }>

export const toSync = (reason: string, data: object = {}, text?: string): UiDraft => ({
  kind: 'run',
  phase: 'sync',
  ...(text !== undefined && { text }),
  data: { reason, ...data },
})

/** One level: what lies deeper is named by people and models. */
export const toSnakeKeys = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )

const ENVELOPE = ['type', 'seq', 'at']

/** The fields of an event, but for those that are said elsewhere in its message. */
export const toData = (event: object, ...elsewhere: string[]): Record<string, unknown> =>
  toSnakeKeys(
    Object.fromEntries(
      Object.entries(event).filter(([key]) => ![...ENVELOPE, ...elsewhere].includes(key)),
    ),
  )

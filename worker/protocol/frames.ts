// What travels over a socket. Client frames are parsed in parse.ts; server frames are built here.

import type { Command, Ack } from './commands.ts'
import type { SessionEvent } from './events.ts'
import type { Snapshot } from './state.ts'

export type Hello = { type: 'hello'; version: number; after: number | null; tail?: number }
export type Seen = { type: 'seen'; seq: number }
export type ClientFrame = Hello | Seen | Command

export type FragmentKind = 'text' | 'thinking' | 'tool_input' | 'tool_output'

/** Live text that is not in the log yet. Text at an offset replaces what stood there. */
export type Fragment = {
  responseId: string
  kind: FragmentKind
  partId?: string
  callId?: string
  toolName?: string
  offset: number
  text: string
}

export type ResyncReason = 'ahead' | 'too_far' | 'slow'

export type ServerFrame =
  | { type: 'snapshot'; seq: number; state: Snapshot }
  | { type: 'events'; events: SessionEvent[] }
  | {
      type: 'ready'
      sessionId: string
      seq: number
      from: number
      version: number
      fragments: Fragment[]
    }
  | ({ type: 'fragment' } & Fragment)
  | { type: 'fragments'; fragments: Fragment[] }
  | ({ type: 'ack'; id: string } & Ack)
  | { type: 'rejected'; id: string | null; code: string; message: string }
  | { type: 'resync'; reason: ResyncReason }

/** Close codes: 4xxx mirror the HTTP status that would have answered. */
export const CLOSE = {
  badFrames: 4400,
  unauthorized: 4401,
  notFound: 4404,
  resync: 4409,
  tooLarge: 4413,
  tooMany: 4429,
} as const

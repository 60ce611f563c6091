// What a session needs from around it: a database, time, models, tools, and someone to tell.

import type { SessionSummary } from '#protocol/http'
import type { ToolRegistry } from '../tools/tool.ts'
import type { Model } from './model.ts'
import type { Sql } from './sql.ts'
import type { Timers } from './timers.ts'
import type { Rate } from './token-bucket.ts'

/** `deletedAt`: a person deleted it then, and may still restore it. */
export type Projection = SessionSummary & { empty: boolean; deletedAt: number | null }

export type SessionDeps = {
  sql: Sql
  now: () => number
  timers: Timers
  models: { ids: readonly string[]; get: (id: string) => Model | null }
  tools: ToolRegistry
  system: string
  /** null: no limit. */
  commandRate: Rate | null
  setAlarm: (at: number | null) => void
  /** Keep the object alive until this is over. */
  background: (work: Promise<unknown>) => void
  directory: {
    put: (owner: string, session: Projection) => Promise<void>
    drop: (owner: string, sessionId: string) => Promise<void>
  }
  /** Forget everything that is stored. */
  erase: () => Promise<void>
}

// What a session needs from around it: a database, time, models, tools, and someone to tell.

import type { Bound } from '#protocol/agent-events'
import type { SavedRule } from '#protocol/decision-events'
import type { Ack, Command } from '#protocol/commands'
import type { InboxItem, Rejection, SessionSummary } from '#protocol/http'
import type { Mission } from '#protocol/mission-events'
import type { Agent } from '../agents/agent.ts'
import type { ToolBox } from '../tools/tool.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Circuit } from './circuit.ts'
import type { Inheritance } from './inheritance.ts'
import type { Claim, Delivery, Envelope, Standing } from './letters.ts'
import type { StandingMission } from './mission-text.ts'
import type { Model } from './model.ts'
import type { ChildOf } from './run-workspace.ts'
import type { Sql } from './sql.ts'
import type { Timers } from './timers.ts'
import type { Rate } from './token-bucket.ts'

/** `deletedAt`: a person deleted it then, and may still restore it. */
export type Projection = SessionSummary & {
  empty: boolean
  deletedAt: number | null
  /** What waits for a person in it. */
  waits: readonly InboxItem[]
  /** For the directory alone. */
  mission?: Mission | null
}

export type Peers = {
  deliver: (sessionId: string, owner: string, envelope: Envelope) => Promise<Delivery>
  /** Whether it still waits for this. */
  isWanted: (sessionId: string, owner: string, claim: Claim) => Promise<boolean>
  /** How what another session waits for stands there. null: nothing there keeps it from its answer. */
  standing: (sessionId: string, owner: string, claim: Claim) => Promise<Standing | null>
  /** Takes a message that waits there out of the queue: its sender is told why. */
  refuse: (sessionId: string, owner: string, exchangeId: string, why: string) => Promise<void>
  /** It sends at once what it still has for `to`. False: there is no such session. */
  resend: (sessionId: string, owner: string, to: string) => Promise<boolean>
  /** What it may do unasked, now. null: there is no such session. */
  inheritance: (sessionId: string, owner: string) => Promise<Inheritance | null>
  /** Which tools a run there would have, and in which mode. null: there is no such session. */
  bound: (sessionId: string, owner: string) => Promise<Bound | null>
  /** null: there is no such session. */
  summary: (sessionId: string, owner: string) => Promise<SessionSummary | null>
  command: (
    sessionId: string,
    owner: string,
    command: Command,
    reason: 'user' | 'api',
  ) => Promise<{ ok: true; value: Ack } | { ok: false; rejection: Rejection }>
  remove: (sessionId: string, owner: string) => Promise<void>
  restore: (sessionId: string, owner: string) => Promise<void>
  /** The files of a session as a child of one of its runs may use them. */
  workspace: (sessionId: string, owner: string, child: ChildOf) => Promise<Workspace>
}

export type SessionDeps = {
  sql: Sql
  now: () => number
  timers: Timers
  /** 0 to 1, for jitter. */
  random: () => number
  models: {
    ids: readonly string[]
    get: (id: string) => Model | null
    /** What takes over when this one fails, after the agent's own list. */
    fallbacksOf: (id: string) => readonly string[]
  }
  agents: {
    /** A built-in one, at once. */
    find: (name: string) => Agent | null
    load: (owner: string, name: string) => Promise<Agent | null>
    list: (owner: string) => Promise<readonly Agent[]>
  }
  /** Other sessions of the same owner. Every call may fail: they are elsewhere. */
  peers: Peers
  missions: {
    /** The standing mission of an agent. */
    load: (owner: string, agent: string) => Promise<StandingMission | null>
  }
  tools: ToolBox
  /** What an owner allowed or refused once and for all. */
  rules: {
    load: (owner: string) => Promise<readonly SavedRule[]>
    save: (owner: string, rule: SavedRule) => Promise<void>
  }
  /** Globs of files whose change needs a person, in every session. */
  sensitivePatterns: readonly string[]
  /** How long a decision may wait; null: for ever. */
  decisionMs: number | null
  circuit: Circuit
  /** A provider that is silent for this long has failed; and one whose first byte takes so long. */
  stallMs: number
  firstByteMs: number
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

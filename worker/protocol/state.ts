// What a session is, folded from its events. `turns` never change identity once settled; `open` is
// the only thing that deltas touch; everything else is "hot": small, and kept beside the log.

import type { Response, Turn } from './turns.ts'
import type { Asker, ChildWait, Origin } from './agent-events.ts'
import type {
  Addressee,
  CancelReason,
  Mode,
  Outcome,
  QueueItem,
  Recovery,
  RunKind,
  Usage,
} from './events.ts'
import type { DecisionKind, Plan, Question, SavedRule, Severity } from './decision-events.ts'
import type { ChangedFile, Conflict } from './file-events.ts'
import type { AgentOverride, Mission, MissionReason } from './mission-events.ts'

export type RunState =
  | { status: 'idle' }
  | {
      status: 'running'
      runId: string
      /** Where the run writes now: `<runId>.<n>`. */
      responseId: string
      model: string
      agent: string
      /** Present where a message was addressed to this agent and not to the session's own. */
      mode?: Mode
      attempt: number
      startedAt: number
      kind: RunKind
      /** Of the steps so far, earlier attempts included; absent before the first has ended. */
      usage?: Usage
      /**
       * Every open call waits for a person, another agent or a child: nothing executes here, and
       * nothing is lost by sleeping.
       */
      waiting?: true
      parentRunId?: string
      exchangeId?: string
      /** Who it works for; absent: a person. */
      asker?: Asker
      /** What it has used of its budget, and how many exchanges and children it has started. */
      spent?: number
      contacts?: number
      cancelled?: { by: string; reason: CancelReason }
    }

/** `addressee`: whoever goes on from it is that agent again. */
export type EndedRun = { runId: string; outcome: Outcome; seq: number; addressee?: Addressee }

export type SessionConfig = {
  id: string
  /** What a person chose; null: use the first message. */
  title: string | null
  firstText: string | null
  agent: string
  model: string
  mode: Mode
  pinned: boolean
  autoApproveCommands: boolean
  autoApproveSensitiveEdits: boolean
  sensitivePatterns: readonly string[]
  /** What a person allowed or refused for this session. */
  rules: readonly SavedRule[]
  recovery: Recovery
  createdAt: number
  updatedAt: number
  /** Messages since the transcript last started: what a `continue` has to go on from. */
  messages: number
  /** Seq of the last `session_cleared`: transcript and model history start after it. */
  clearedSeq: number
  /** A person wrote a file before the first message. */
  hasFiles?: true
  /** An agent made it. */
  origin?: Omit<Origin, 'rules'>
}

/** How full the model's context was after the last step. */
export type ContextState = {
  messages: number
  tokens: number
  window: number
  compacted: boolean
  estimate: number
  /** The model's history begins after this seq, with a summary of what came before; 0: no summary. */
  upToSeq: number
}

/** Enough to list it and to find it; the whole of it is with its call. */
export type OpenDecision = {
  decisionId: string
  callId: string
  kind: DecisionKind
  severity: Severity
  reason: string
  /** What it is about, in one line: the command, the path, the tool. */
  title: string
  at: number
  expiresAt?: number
}
export type OpenQuestion = {
  questionId: string
  callId: string
  questions: readonly Question[]
  at: number
  expiresAt?: number
}

/** An exchange that this session began and that has no answer yet. */
export type OpenExchange = {
  exchangeId: string
  callId: string
  runId: string
  toSessionId: string
  toAgent: string
  wait: boolean
  hops: number
  budget: number
  expiresAt: number
  /** The agent that asked, where it is not the session's own: the answer is for it. */
  addressee?: Addressee
  /** Nobody wants the answer any more; that there was one is still logged. */
  cancelled?: true
}

/** A child that works for the active run. */
export type OpenChild = {
  childSessionId: string
  childRunId: string
  callId: string
  runId: string
  agent: string
  budget: number
  expiresAt: number
  status: 'running' | 'waiting'
  waits: readonly ChildWait[]
}

/** A file of a checkpoint that nobody has kept or undone as a whole yet. */
export type FileReview = ChangedFile & {
  undone: readonly number[]
  kept: readonly number[]
  conflict?: Conflict
}
/** `truncated`: it changed more files than are held here; the log has all of them. */
export type ChangeReview = {
  checkpointId: string
  at: number
  files: readonly FileReview[]
  truncated?: true
}

/**
 * `since`: when it last changed, from which its first prompt is counted. `reason`: what changed it
 * then. `runId`: the run that its last prompt started.
 */
export type MissionState = Mission & {
  setSeq: number
  since: number
  reason: MissionReason
  runId: string | null
}
export type SessionOverride = { agentId: string; override: AgentOverride }

/** `heldFor`: what other agents sent goes on; absent, a held queue holds all. */
export type QueueState = { items: readonly QueueItem[]; held: boolean; heldFor?: 'people' }

/** Everything but turns and the open response: what the object keeps in one row. */
export type HotState = {
  session: SessionConfig
  run: RunState
  lastRun: EndedRun | null
  queue: QueueState
  usage: Usage & { runs: number }
  context: ContextState | null
  decisions: readonly OpenDecision[]
  questions: readonly OpenQuestion[]
  plan: Plan | null
  changes: readonly ChangeReview[]
  exchanges: readonly OpenExchange[]
  children: readonly OpenChild[]
  mission: MissionState | null
  /** A list and no record: `constructor` is a name that an agent may have. */
  overrides: readonly SessionOverride[]
}

export type SessionState = HotState & {
  seq: number
  turns: readonly Turn[]
  open: Response | null
}

/** What a client that opens at the end is given of everything before the tail. */
export type Snapshot = HotState & { open: Response | null }

export const EMPTY_STATE: SessionState = {
  seq: 0,
  session: {
    id: '',
    title: null,
    firstText: null,
    agent: '',
    model: '',
    mode: 'agent',
    pinned: false,
    autoApproveCommands: false,
    autoApproveSensitiveEdits: false,
    sensitivePatterns: [],
    rules: [],
    recovery: 'continue',
    createdAt: 0,
    updatedAt: 0,
    messages: 0,
    clearedSeq: 0,
  },
  run: { status: 'idle' },
  lastRun: null,
  queue: { items: [], held: false },
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, runs: 0 },
  context: null,
  decisions: [],
  questions: [],
  plan: null,
  changes: [],
  exchanges: [],
  children: [],
  mission: null,
  overrides: [],
  turns: [],
  open: null,
}

export function hot(state: HotState): HotState {
  const { session, run, lastRun, queue, usage, context } = state
  const { decisions, questions, plan, changes, mission, overrides, exchanges, children } = state
  const waits = { decisions, questions, exchanges, children }
  const rest = { plan, changes, mission, overrides }
  return { session, run, lastRun, queue, usage, context, ...waits, ...rest }
}

const HOT_KEYS = Object.keys(hot(EMPTY_STATE)) as (keyof HotState)[]

export const isSameHot = (a: HotState, b: HotState): boolean =>
  HOT_KEYS.every((key) => a[key] === b[key])

export const toSnapshot = (state: SessionState): Snapshot => ({ ...hot(state), open: state.open })

export const fromSnapshot = (snapshot: Snapshot, seq: number): SessionState => ({
  ...hot(snapshot),
  open: snapshot.open,
  seq,
  turns: [],
})

// What agents say to each other. An exchange is one message and its one answer; a child is a session
// of its own that works on a task for its parent. Both ends log their side of it.

import { z } from 'zod'
import { Mode } from './mode.ts'
import { SavedRule, Severity, DecisionKind } from './decision-events.ts'

const Outcome = z.enum(['done', 'cancelled', 'failed', 'interrupted', 'step_limit'])

/**
 * What a session may never exceed, whatever its own settings say: it was made by an agent, and an
 * agent cannot give more than it has. `tools`: every list has to name a tool.
 */
export const Limits = z.object({
  tools: z.array(z.array(z.string())),
  mode: Mode,
  autoApproveCommands: z.boolean(),
  autoApproveSensitiveEdits: z.boolean(),
  sensitivePatterns: z.array(z.string()),
})

/** Of these, what holds for a run from its start. */
export const Bound = Limits.pick({ tools: true, mode: true })

/** `workspaceId`: the session whose files it works on; `topRunId`: the run there that it works for. */
export const Parent = z.object({
  sessionId: z.string(),
  runId: z.string(),
  workspaceId: z.string(),
  topRunId: z.string(),
  depth: z.number(),
})

/** Of a session that an agent made. `context`: the session whose agents know each other by name. */
export const Origin = z.object({
  context: z.object({ sessionId: z.string(), agent: z.string() }),
  limits: Limits,
  rules: z.array(SavedRule),
  parent: Parent.optional(),
})

/**
 * Who a run works for. `budget`: exchanges that it and all that follows from it may still start;
 * `path`: sessions that wait for it, the first that began it all first. `limits`: what the run that
 * asked was held to, where that is not everything; in a session that agents made it holds there, too.
 */
export const Asker = z.object({
  sessionId: z.string(),
  agent: z.string(),
  hops: z.number(),
  budget: z.number(),
  path: z.array(z.string()),
  /** Runs that this is done for, from the first: where one of them was cancelled, nobody wants it. */
  worksFor: z.array(z.string()).optional(),
  limits: Bound.optional(),
})

export const ExchangeCall = z.object({ callId: z.string(), toolName: z.string(), ok: z.boolean() })

/** Why an answer is only a record, where it is not that the run that asked was over. */
const RecordReason = z.enum(['withdrawn', 'cleared', 'queue_full'])

/** The answer to an exchange. `runId` is null where nothing ran for it. */
export const Callback = z.object({
  exchangeId: z.string(),
  from: z.string(),
  sessionId: z.string(),
  runId: z.string().nullable(),
  ok: z.boolean(),
  result: z.string(),
  toolCalls: z.array(ExchangeCall),
})

/** What waits for a person in a child. */
export const ChildWait = z.object({
  id: z.string(),
  sessionId: z.string(),
  callId: z.string(),
  kind: z.union([DecisionKind, z.literal('question')]),
  title: z.string(),
  reason: z.string(),
  severity: Severity,
  at: z.number(),
  expiresAt: z.number().optional(),
})

export const agentBodies = {
  agent_message: z.object({
    messageId: z.string(),
    from: z.string(),
    fromSessionId: z.string(),
    exchangeId: z.string(),
    text: z.string(),
    hops: z.number(),
  }),
  exchange_started: z.object({
    runId: z.string(),
    exchangeId: z.string(),
    callId: z.string(),
    toSessionId: z.string(),
    toAgent: z.string(),
    text: z.string(),
    wait: z.boolean(),
    hops: z.number(),
    /** What the other side was given of this run's budget. */
    budget: z.number(),
    expiresAt: z.number(),
  }),
  // `as`: the result of the call that waited for it, a message to the agent, or only a record, which
  // nothing follows from; `because` says why. `budget`: what is left of what was given.
  agent_callback_result: Callback.extend({
    as: z.enum(['result', 'message', 'record']),
    because: RecordReason.optional(),
    callId: z.string().optional(),
    budget: z.number(),
    hops: z.number(),
  }),
  subagent_spawned: z.object({
    runId: z.string(),
    callId: z.string(),
    childSessionId: z.string(),
    childRunId: z.string(),
    agent: z.string(),
    task: z.string(),
    budget: z.number(),
  }),
  subagent_progress: z.object({
    runId: z.string(),
    childRunId: z.string(),
    status: z.enum(['running', 'waiting']),
    activity: z.string(),
    tools: z.number(),
    waits: z.array(ChildWait),
  }),
  subagent_result: z.object({
    runId: z.string(),
    childRunId: z.string(),
    outcome: Outcome,
    summary: z.string(),
    tools: z.number(),
    durationMs: z.number(),
    budget: z.number(),
  }),
} as const

export type Limits = z.infer<typeof Limits>
export type Bound = z.infer<typeof Bound>
export type Parent = z.infer<typeof Parent>
export type Origin = z.infer<typeof Origin>
export type Asker = z.infer<typeof Asker>
export type RecordReason = z.infer<typeof RecordReason>
export type Callback = z.infer<typeof Callback>
export type ChildWait = z.infer<typeof ChildWait>

// Every durable event. One event is one immutable row; its order is its seq and nothing else.
// The schemas check recorded and imported logs; everything else uses the types alone, so zod
// never reaches the client's bundle.

import { z } from 'zod'
import { agentBodies, Asker, Callback, Origin } from './agent-events.ts'
import { decisionBodies } from './decision-events.ts'
import { fileBodies } from './file-events.ts'
import { missionBodies } from './mission-events.ts'
import { Mode } from './mode.ts'

export { Mode } from './mode.ts'

export const Attachment = z.object({
  name: z.string(),
  content: z.string(),
  range: z.string().optional(),
})
export const Delivery = z.enum(['queue', 'steer', 'interrupt'])
export const Recovery = z.enum(['continue', 'stop'])
/** What a run is for: answering, or only making room in the model's context. */
export const RunKind = z.enum(['answer', 'compact'])
export const Outcome = z.enum(['done', 'cancelled', 'failed', 'interrupted', 'step_limit'])
export const CancelReason = z.enum(['user', 'interrupt', 'parent', 'api'])
export const ToolErrorCode = z.enum([
  'tool_error',
  'tool_interrupted',
  'rate_limit_tools',
  'tool_denied',
  'tool_invalid_input',
  'tool_timeout',
])

// inputTokens is all input; cachedTokens and cacheWriteTokens are parts of it, at prices of their own.
export const Usage = z.object({
  inputTokens: z.number(),
  outputTokens: z.number(),
  cachedTokens: z.number(),
  cacheWriteTokens: z.number().optional(),
  costUsd: z.number().optional(),
})

/** Another agent than the session's own is asked: it answers with its own model, in its own mode. */
export const Addressee = z.object({ agent: z.string(), model: z.string(), mode: Mode })

export const QueueItem = z.object({
  itemId: z.string(),
  text: z.string(),
  delivery: Delivery,
  from: z.string(),
  to: z.string().optional(),
  addressee: Addressee.optional(),
  attachments: z.array(Attachment).optional(),
  /** Another agent's message: the exchange it belongs to and who asks. */
  exchange: z.object({ exchangeId: z.string(), runId: z.string(), asker: Asker }).optional(),
  /** The answer to an exchange that this session had begun. */
  callback: Callback.extend({ budget: z.number(), hops: z.number() }).optional(),
})

export const SessionChanges = z.object({
  title: z.string().optional(),
  model: z.string().optional(),
  agent: z.string().optional(),
  mode: Mode.optional(),
  pinned: z.boolean().optional(),
  autoApproveCommands: z.boolean().optional(),
  autoApproveSensitiveEdits: z.boolean().optional(),
  sensitivePatterns: z.array(z.string()).optional(),
  recovery: Recovery.optional(),
})

const text = { responseId: z.string(), partId: z.string() }
const delta = { offset: z.number(), delta: z.string() }
const settled = { text: z.string(), interrupted: z.boolean().optional() }

const bodies = {
  // `origin`: an agent made it. The rest is left out where it is as usual.
  session_created: z.object({
    sessionId: z.string(),
    agent: z.string(),
    model: z.string(),
    mode: z.enum(['agent', 'ask', 'plan']).optional(),
    recovery: Recovery.optional(),
    origin: Origin.optional(),
  }),
  session_configured: z.object({ changes: SessionChanges }),
  session_cleared: z.object({ by: z.string() }),
  user_message: z.object({
    messageId: z.string(),
    text: z.string(),
    to: z.string().optional(),
    attachments: z.array(Attachment),
    delivery: Delivery,
  }),
  // `heldFor`: what other agents sent goes on; absent, a held queue holds all.
  queue_updated: z.object({
    items: z.array(QueueItem),
    held: z.boolean(),
    heldFor: z.literal('people').optional(),
  }),
  run_started: z.object({
    runId: z.string(),
    responseId: z.string(),
    model: z.string(),
    agent: z.string(),
    parentRunId: z.string().optional(),
    exchangeId: z.string().optional(),
    attempt: z.number(),
    kind: RunKind.optional(),
    asker: Asker.optional(),
    // That of an addressed agent: the session's own mode holds beside it, and the stricter counts.
    mode: Mode.optional(),
  }),
  text_delta: z.object({ ...text, ...delta }),
  text_done: z.object({ ...text, ...settled }),
  // callId: the thought is the argument of a `think` call, which history must answer.
  thinking_start: z.object({ ...text, callId: z.string().optional() }),
  thinking_delta: z.object({ ...text, ...delta }),
  // signature: the provider's proof that the thought is its own; it wants both back, unchanged.
  thinking_done: z.object({ ...text, ...settled, signature: z.string().optional() }),
  tool_call_start: z.object({
    responseId: z.string(),
    callId: z.string(),
    toolName: z.string(),
    arguments: z.string(),
    signature: z.string().optional(),
  }),
  tool_output_delta: z.object({
    callId: z.string(),
    ...delta,
    stream: z.enum(['stdout', 'stderr']).optional(),
  }),
  tool_result: z.object({
    callId: z.string(),
    toolName: z.string(),
    ok: z.boolean(),
    result: z.string().optional(),
    error: z.object({ code: ToolErrorCode, message: z.string() }).optional(),
    truncated: z.boolean().optional(),
    durationMs: z.number(),
  }),
  model_fallback: z.object({
    runId: z.string(),
    preferred: z.string(),
    actual: z.string(),
    reason: z.string(),
  }),
  // estimate: what our own counting says of the same messages; the quotient corrects the next count.
  // usage: what the step cost, here and not at the end of the run, so that a crash does not lose it.
  context_usage: z.object({
    runId: z.string(),
    messages: z.number(),
    tokens: z.number(),
    window: z.number(),
    compacted: z.boolean(),
    estimate: z.number(),
    usage: Usage.optional(),
  }),
  compacted: z.object({
    runId: z.string(),
    upToSeq: z.number(),
    summary: z.string(),
    usage: Usage.optional(),
  }),
  warning: z.object({ runId: z.string().optional(), code: z.string(), message: z.string() }),
  error: z.object({ runId: z.string().optional(), code: z.string(), message: z.string() }),
  output_cancelled: z.object({
    runId: z.string(),
    responseId: z.string(),
    by: z.string(),
    reason: CancelReason,
    audioTruncatedAtMs: z.number().optional(),
  }),
  ...decisionBodies,
  ...fileBodies,
  ...agentBodies,
  ...missionBodies,
  run_done: z.object({
    runId: z.string(),
    outcome: Outcome,
    stopReason: z.string(),
    usage: Usage,
    durationMs: z.number(),
  }),
} as const

type Bodies = typeof bodies
export type EventType = keyof Bodies
export type EventOf<T extends EventType> = T extends EventType
  ? { type: T } & z.infer<Bodies[T]>
  : never
/** What happened, before the log gives it its place. */
export type EventBody = { [T in EventType]: EventOf<T> }[EventType]
export type SessionEvent = EventBody & { seq: number; at: number }

export type Attachment = z.infer<typeof Attachment>
export type Delivery = z.infer<typeof Delivery>
export type Recovery = z.infer<typeof Recovery>
export type RunKind = z.infer<typeof RunKind>
export type Outcome = z.infer<typeof Outcome>
export type CancelReason = z.infer<typeof CancelReason>
export type ToolErrorCode = z.infer<typeof ToolErrorCode>
export type Usage = z.infer<typeof Usage>
export type Addressee = z.infer<typeof Addressee>
export type QueueItem = z.infer<typeof QueueItem>
export type SessionChanges = z.infer<typeof SessionChanges>

const envelope = { seq: z.number().int().min(1), at: z.number() }

export const EventSchema = z.discriminatedUnion(
  'type',
  Object.entries(bodies).map(([type, body]) =>
    body.extend({ type: z.literal(type), ...envelope }),
  ) as unknown as [z.ZodObject<{ type: z.ZodLiteral<string> }>],
)

export function parseEvent(value: unknown): SessionEvent {
  return EventSchema.parse(value) as unknown as SessionEvent
}

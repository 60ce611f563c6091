// What a person is asked, and what they say. One decision or question belongs to one call; the
// call waits, and the run with it, until somebody answers.

import { z } from 'zod'

export const Severity = z.enum(['low', 'medium', 'high', 'critical'])
export const DecisionKind = z.enum(['tool', 'command', 'file_edit', 'plan'])
export const DecisionStatus = z.enum(['accepted', 'rejected', 'expired', 'cancelled'])
/** How far an answer reaches: this call, this session, or everything of its owner. */
export const Scope = z.enum(['once', 'session', 'always'])

export const PlanStep = z.object({
  id: z.string(),
  text: z.string(),
  status: z.enum(['pending', 'active', 'done', 'skipped']),
})
export const Plan = z.object({ title: z.string(), steps: z.array(PlanStep) })

export const Question = z.object({
  id: z.string(),
  text: z.string(),
  options: z.array(z.string()).optional(),
  /** Several options may be chosen. */
  multi: z.boolean().optional(),
  /** An answer in one's own words is welcome, beside the options or instead of them. */
  free: z.boolean().optional(),
})
export const Answers = z.record(z.string(), z.union([z.string(), z.array(z.string())]))

/** What a person changed before they said yes. `arguments` is JSON text, as in the call. */
export const Edits = z.object({
  command: z.string().optional(),
  arguments: z.string().optional(),
  plan: Plan.optional(),
})

/** "Do not ask again": what it matches is a pattern of the policy, what it means is said in words. */
export const SavedRule = z.object({
  ruleId: z.string(),
  verdict: z.enum(['allow', 'deny']),
  kind: z.enum(['tool', 'command', 'file_edit']),
  pattern: z.string(),
  description: z.string(),
  createdAt: z.number(),
})

export const decisionBodies = {
  decision_requested: z.object({
    decisionId: z.string(),
    callId: z.string(),
    kind: DecisionKind,
    severity: Severity,
    reason: z.string(),
    command: z.string().optional(),
    cwd: z.string().optional(),
    path: z.string().optional(),
    diff: z.string().optional(),
    arguments: z.string().optional(),
    plan: Plan.optional(),
    /** What "do not ask again" would mean, in words. Absent: this is decided each time. */
    remember: z.object({ session: z.string(), always: z.string() }).optional(),
    expiresAt: z.number().optional(),
  }),
  // Without decisionId and with `auto`: a setting or a saved rule stood in for a person.
  decision_resolved: z.object({
    decisionId: z.string().optional(),
    callId: z.string(),
    kind: DecisionKind,
    status: DecisionStatus,
    by: z.string(),
    auto: z.boolean().optional(),
    severity: Severity,
    reason: z.string().optional(),
    edits: Edits.optional(),
    scope: Scope,
  }),
  ask_user: z.object({
    questionId: z.string(),
    callId: z.string(),
    questions: z.array(Question),
    expiresAt: z.number().optional(),
  }),
  ask_user_answered: z.object({
    questionId: z.string(),
    callId: z.string(),
    answers: Answers,
    by: z.string(),
  }),
  plan_update: z.object({ runId: z.string(), plan: Plan }),
  /** Rules of this session. Those of its owner are kept in the directory. */
  rule_added: z.object({ rule: SavedRule }),
  rule_removed: z.object({ ruleId: z.string(), by: z.string() }),
} as const

export type Severity = z.infer<typeof Severity>
export type DecisionKind = z.infer<typeof DecisionKind>
export type DecisionStatus = z.infer<typeof DecisionStatus>
export type Scope = z.infer<typeof Scope>
export type Plan = z.infer<typeof Plan>
export type Question = z.infer<typeof Question>
export type Answers = z.infer<typeof Answers>
export type Edits = z.infer<typeof Edits>
export type SavedRule = z.infer<typeof SavedRule>

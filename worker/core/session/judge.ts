// What the policy says of an action of this session: its settings and rules, and those of its owner.

import type { SavedRule } from '#protocol/decision-events'
import type { SessionConfig } from '#protocol/state'
import { inheritanceOf, type Inheritance } from './inheritance.ts'
import { approvalsOf } from './inherited.ts'
import { evaluate, type Action, type Policy, type Rule } from '../policy/policy.ts'
import type { Verdict } from '../policy/policy.ts'
import { reviewOutcome, type Approval, type Outcome, type Review } from '../policy/review.ts'
import { lookUp, type Timers } from './timers.ts'

export type JudgeDeps = {
  session: () => SessionConfig
  timers: Timers
  /** Read for each action: a rule that somebody took back must not hold a moment longer. */
  ownerRules: () => Promise<readonly SavedRule[]>
  /** What whoever made this session may do unasked; null: they are gone, or out of reach. */
  above: (sessionId: string) => Promise<Inheritance | null>
  /** Of the deployment. */
  sensitivePatterns: readonly string[]
}

/** Globs of what is sensitive here: of the deployment and of the session. */
export const patternsOf = ({ session, sensitivePatterns }: JudgeDeps): readonly string[] => [
  ...sensitivePatterns,
  ...approvalsOf(session()).sensitivePatterns,
]

export async function judge(deps: JudgeDeps, action: Action): Promise<Verdict> {
  const session = deps.session()
  // What only reads needs no rule, and most calls only read.
  if (action.kind === 'tool' && action.readOnly) {
    return evaluate(toPolicy(deps, { ...approvalsOf(session), rules: session.rules }, []), action)
  }
  const { policy, hasRules } = await loadPolicy(deps)
  const verdict = await evaluate(policy, action)
  // Without the rules nobody knows whether one forbids it: a person does.
  if (hasRules || verdict.verdict !== 'allow') return verdict
  return { ...verdict, verdict: 'ask', auto: false, reason: RULES_UNREAD }
}

const RULES_UNREAD = 'Your saved rules cannot be read now.'

/** What a command has come to, before anything of it is kept. */
export async function review(
  deps: JudgeDeps,
  action: Action,
  approval: Approval,
  outcome: readonly Outcome[],
): Promise<Review> {
  if (action.kind !== 'command') return { verdict: 'allow' }
  const { policy, hasRules } = await loadPolicy(deps)
  const reviewed = await reviewOutcome(policy, action, approval, outcome)
  if (hasRules || approval === 'person' || reviewed.verdict !== 'allow') return reviewed
  return { verdict: 'ask', severity: 'high', reason: RULES_UNREAD }
}

async function loadPolicy(deps: JudgeDeps): Promise<{ policy: Policy; hasRules: boolean }> {
  const [rules, inheritance] = await Promise.all([
    lookUp(deps.timers, deps.ownerRules),
    inheritanceOf(deps.session(), deps.above),
  ])
  return { policy: toPolicy(deps, inheritance, rules?.found ?? []), hasRules: rules !== null }
}

function toPolicy(
  deps: JudgeDeps,
  { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns, rules }: Inheritance,
  ownerRules: readonly SavedRule[],
): Policy {
  return {
    rules: [
      ...rules.map((rule) => toRule(rule, 'session')),
      ...ownerRules.map((rule) => toRule(rule, 'always')),
    ],
    autoApproveCommands,
    autoApproveSensitiveEdits,
    sensitivePatterns: [...deps.sensitivePatterns, ...sensitivePatterns],
  }
}

const toRule = (
  { ruleId, verdict, kind, pattern, createdAt }: SavedRule,
  scope: Rule['scope'],
): Rule => ({
  id: ruleId,
  verdict,
  kind,
  pattern,
  scope,
  createdAt,
})

// What the policy says of an action of this session: its settings and rules, and those of its owner.

import type { SavedRule } from '#protocol/decision-events'
import type { SessionConfig } from '#protocol/state'
import { inheritanceOf, type Inheritance } from './inheritance.ts'
import { approvalsOf } from './inherited.ts'
import { lookUp, type Timers } from './timers.ts'
import { evaluate, type Action, type Rule, type Verdict } from '../policy/policy.ts'

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
    return judgeWith(deps, { ...approvalsOf(session), rules: session.rules }, [], action)
  }
  const [rules, inheritance] = await Promise.all([
    lookUp(deps.timers, deps.ownerRules),
    inheritanceOf(session, deps.above),
  ])
  const verdict = await judgeWith(deps, inheritance, rules?.found ?? [], action)
  // Without the rules nobody knows whether one forbids it: a person does.
  if (rules !== null || verdict.verdict !== 'allow') return verdict
  return { ...verdict, verdict: 'ask', auto: false, reason: 'Your saved rules cannot be read now.' }
}

function judgeWith(
  deps: JudgeDeps,
  { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns, rules }: Inheritance,
  ownerRules: readonly SavedRule[],
  action: Action,
): Promise<Verdict> {
  return evaluate(
    {
      rules: [
        ...rules.map((rule) => toRule(rule, 'session')),
        ...ownerRules.map((rule) => toRule(rule, 'always')),
      ],
      autoApproveCommands,
      autoApproveSensitiveEdits,
      sensitivePatterns: [...deps.sensitivePatterns, ...sensitivePatterns],
    },
    action,
  )
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

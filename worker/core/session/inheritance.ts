// What a session that an agent made may do unasked now: its own settings, within what whoever it was
// made by may do at this moment. A person who takes something back there takes it back here.

import type { SavedRule } from '#protocol/decision-events'
import type { SessionConfig } from '#protocol/state'
import { approvalsOf, type Approvals } from './inherited.ts'

/** What is handed on. */
export type Inheritance = Approvals & { rules: readonly SavedRule[] }

/** `above`: of another session; null where it is gone or cannot be reached. */
export async function inheritanceOf(
  session: SessionConfig,
  above: (sessionId: string) => Promise<Inheritance | null>,
): Promise<Inheritance> {
  const own = approvalsOf(session)
  const { origin, rules } = session
  if (origin === undefined) return { ...own, rules }
  const given = await above(origin.parent?.sessionId ?? origin.context.sessionId)
  // A rule is named after the decision it was saved with, and that after its session.
  const made = rules.filter(({ ruleId }) => ruleId.startsWith(`${session.id}.`))
  if (given === null)
    return { ...own, ...NOTHING_UNASKED, rules: [...made, ...rules.filter(isDeny)] }
  return {
    autoApproveCommands: own.autoApproveCommands && given.autoApproveCommands,
    autoApproveSensitiveEdits: own.autoApproveSensitiveEdits && given.autoApproveSensitiveEdits,
    sensitivePatterns: [...new Set([...given.sensitivePatterns, ...own.sensitivePatterns])],
    rules: [...made, ...given.rules],
  }
}

const NOTHING_UNASKED = { autoApproveCommands: false, autoApproveSensitiveEdits: false } as const
const isDeny = ({ verdict }: SavedRule): boolean => verdict === 'deny'

// What an agent wants to do, what people have said about it before, and what follows from both.

import type { Severity } from './finding.ts'

export type Action =
  | { kind: 'command'; command: string; cwd: string }
  | {
      kind: 'file_edit'
      path: string
      change: 'create' | 'modify' | 'delete' | 'move'
      /** Where a file is moved from, which is a deletion there. */
      from?: string
    }
  | { kind: 'tool'; toolName: string; arguments: string; readOnly: boolean }

/** What a person saved: `session` dies with the session, `always` is the owner's. */
export type Rule = {
  id: string
  verdict: 'allow' | 'deny'
  kind: Action['kind']
  pattern: string
  scope: 'session' | 'always'
  createdAt: number
}

export type Policy = {
  rules: readonly Rule[]
  autoApproveCommands: boolean
  autoApproveSensitiveEdits: boolean
  /** Globs of the deployment and of the session. */
  sensitivePatterns: readonly string[]
}

/**
 * `auto`: a setting or a saved rule stands in for a person, which is said so. allow without auto:
 * no approval is required.
 */
export type Verdict = {
  verdict: 'allow' | 'ask' | 'deny'
  severity: Severity
  reason: string
  auto: boolean
  rule?: string
}

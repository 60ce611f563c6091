// What a command has really done, before anything of it is kept. It ran on a copy, so this holds
// whatever the reading of its words has missed: the second line behind the parser.

import type { Action, Policy } from './action.ts'
import type { Severity } from './finding.ts'
import { toShown } from './look-alikes.ts'
import type { Places } from './places.ts'
import { denyChange, judgeCommand } from './policy.ts'
import { toFindDenied } from './rules.ts'
import { toSensitive } from './sensitive.ts'

type Command = Extract<Action, { kind: 'command' }>

/** `policy`: a setting, a saved rule, or that nobody had to be asked. */
export type Approval = 'person' | 'policy'

/** What a command would leave changed. A move is a deletion there and a change here. */
export type Outcome = { path: string; isDelete: boolean }

export type Review =
  | { verdict: 'allow' }
  | { verdict: 'ask' | 'deny'; severity: Severity; reason: string }

const NAMED = 5
const SHOWN_CHARS = 120

/** A person's yes covers what they were asked; what a rule denies is denied to them, too. */
export async function reviewOutcome(
  policy: Policy,
  action: Command,
  approval: Approval,
  outcome: readonly Outcome[],
): Promise<Review> {
  if (outcome.length === 0) return { verdict: 'allow' }
  const findDenied = toFindDenied(policy.rules)
  for (const { path, isDelete } of outcome) {
    const rule = findDenied(path, isDelete)
    if (rule === undefined) continue
    const { severity, reason } = denyChange(rule, 'high')
    return { verdict: 'deny', severity, reason }
  }
  if (approval === 'person') return { verdict: 'allow' }
  try {
    return await reviewUnasked(policy, action, outcome)
  } catch {
    return { verdict: 'ask', severity: 'high', reason: 'this could not be examined' }
  }
}

async function reviewUnasked(
  policy: Policy,
  action: Command,
  outcome: readonly Outcome[],
): Promise<Review> {
  // Again, since a rule or a setting may have been taken back while it ran.
  const { verdict, isExact, places } = await judgeCommand(policy, action)
  if (verdict.verdict !== 'allow') {
    return { verdict: verdict.verdict, severity: verdict.severity, reason: verdict.reason }
  }
  if (!verdict.auto) return ask('seemed to only read, but it would change', outcome)
  const isSensitive = toSensitive(policy.sensitivePatterns)
  const isNamed = toNamed(places)
  const sensitive = outcome.filter(({ path }) => {
    return isSensitive(path) && !(isExact && isNamed.below(path))
  })
  if (sensitive.length > 0) return ask('would change what is sensitive:', sensitive)
  // Who saved exactly this text has agreed to deleting what nobody could name beforehand.
  const lost = outcome.filter(({ path, isDelete }) => isDelete && !isNamed.lost(path))
  if (lost.length > 0 && !isExact) return ask('would delete what it does not name:', lost)
  return { verdict: 'allow' }
}

/** `lost`: named, one by one, as deleted or moved. `below`: named, or in a folder that is. */
function toNamed({ judged }: Places) {
  const lost = new Set<string>()
  const all = new Set<string>()
  for (const { path, change, isTree } of judged) {
    all.add(path)
    if ((change === 'delete' || change === 'move') && !isTree) lost.add(path)
  }
  const below = (path: string): boolean => {
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
      if (all.has(at)) return true
      if (!at.includes('/')) return all.has('')
    }
  }
  return { lost: (path: string) => lost.has(path), below }
}

function ask(what: string, changes: readonly Outcome[]): Review {
  const named = changes.slice(0, NAMED).map(({ path, isDelete }) => {
    return `${toShown(path, SHOWN_CHARS)}${isDelete ? ' (deleted)' : ''}`
  })
  const more = changes.length > NAMED ? [`and ${changes.length - NAMED} more`] : []
  const severity = changes.some(({ isDelete }) => isDelete) ? 'critical' : 'high'
  return { verdict: 'ask', severity, reason: `${what} ${[...named, ...more].join(', ')}` }
}

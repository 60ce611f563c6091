// What has to be known before a decision can be taken: whether an edit fits its call, how severe it
// is as edited, and what "do not ask again" would mean.

import type { CommandOf } from '#protocol/commands'
import type { Edits, SavedRule } from '#protocol/decision-events'
import type { Judged } from '#protocol/http'
import { findTool } from '#protocol/reduce-decisions'
import type { SessionState } from '#protocol/state'
import type { ToolPart } from '#protocol/turns'
import { toRule, type Action, type Verdict } from '../policy/policy.ts'
import type { ToolBox } from '../tools/tool.ts'
import type { DecideAssist } from './answers.ts'
import { argumentsGiven } from './given-arguments.ts'

export type PrepareDeps = {
  state: SessionState
  tools: ToolBox
  now: number
  judge: (action: Action) => Promise<Verdict>
  /** Globs of what is sensitive here: a rule must not say more than it seems to. */
  patterns: readonly string[]
}

/** They are written with every change of the session. */
const SESSION_RULES = 100

/** Most answers are a plain yes or no: those need nothing, and are taken at once. */
export const needsPreparing = ({ edits, scope = 'once' }: CommandOf<'decide'>): boolean =>
  scope !== 'once' || Object.values(edits ?? {}).some((value) => value !== undefined)

export async function prepareDecision(
  deps: PrepareDeps,
  command: CommandOf<'decide'>,
): Promise<DecideAssist> {
  const { state, tools } = deps
  const open = state.decisions.find((one) => one.decisionId === command.decisionId)
  const tool = open === undefined ? undefined : findTool(state, open.callId)
  // Not asked here: deciding says so.
  if (tool?.decision === undefined) return { type: 'decide' }
  const read = readEdited(tools, tool, command)
  if ('problem' in read) return { type: 'decide', problem: read.problem }
  if (read.action === null) return { type: 'decide' }
  const { verdict, severity, reason } = await deps.judge(read.action)
  if (command.verdict === 'accept' && verdict === 'deny') return { type: 'decide', problem: reason }
  const saved = await toSavedRule(deps, command, read.action)
  return { type: 'decide', severity, ...saved }
}

/** What an edit would be judged as. Nothing is decided by asking. null: it is not asked here. */
export async function judgeEdits(
  { state, tools, judge }: Pick<PrepareDeps, 'state' | 'tools' | 'judge'>,
  { decisionId, edits }: { decisionId: string; edits: Edits },
): Promise<Judged | { problem: string } | null> {
  const open = state.decisions.find((one) => one.decisionId === decisionId)
  const tool = open === undefined ? undefined : findTool(state, open.callId)
  if (open === undefined || tool?.decision === undefined) return null
  const read = readEdited(tools, tool, { verdict: 'accept', edits })
  if ('problem' in read) return read
  if (read.action === null) return { severity: open.severity, reason: open.reason }
  const { verdict, severity, reason } = await judge(read.action)
  return verdict === 'deny' ? { problem: reason } : { severity, reason }
}

type Given = Pick<CommandOf<'decide'>, 'verdict' | 'edits' | 'scope'>

/** What the call would do as edited; null: it is a plan, which does nothing. */
function readEdited(
  tools: ToolBox,
  tool: ToolPart,
  given: Given,
): { action: Action | null } | { problem: string } {
  const misfit = findMisfit(tool, given)
  if (misfit !== null) return { problem: misfit }
  if (tool.decision?.kind === 'plan') return { action: null }
  const args = argumentsGiven(tool, given.edits) ?? tool.arguments
  const inspected = tools.inspect(tool.toolName, args)
  return 'problem' in inspected ? { problem: `edits: ${inspected.problem}` } : inspected
}

function findMisfit({ decision }: ToolPart, { verdict, edits = {}, scope }: Given) {
  const given = Object.entries(edits).flatMap(([name, value]) =>
    value === undefined ? [] : [name],
  )
  if (verdict === 'reject' && given.length > 0) return 'edits: what is rejected cannot be edited'
  const editable = { command: 'command', plan: 'plan', tool: 'arguments', file_edit: 'arguments' }
  const wrong = given.find((name) => name !== editable[decision!.kind])
  if (wrong !== undefined) return `edits.${wrong}: cannot be edited here`
  if (decision!.kind === 'plan' && scope !== undefined && scope !== 'once') {
    return 'scope: a plan is decided once'
  }
  return null
}

async function toSavedRule(
  { now, state, patterns }: PrepareDeps,
  { decisionId, verdict, scope = 'once' }: CommandOf<'decide'>,
  action: Action,
): Promise<Pick<DecideAssist, 'rule' | 'ownerRule' | 'problem'>> {
  if (scope === 'once') return {}
  const made = await toRule(action, scope, patterns)
  if (made === null) return { problem: 'scope: this is decided each time' }
  const rule: SavedRule = {
    ruleId: decisionId,
    verdict: verdict === 'accept' ? 'allow' : 'deny',
    kind: action.kind,
    ...made,
    createdAt: now,
  }
  if (scope === 'always') return { ownerRule: rule }
  const { rules } = state.session
  if (rules.some((known) => isSameRule(known, rule))) return {}
  if (rules.length >= SESSION_RULES) return { problem: 'scope: this session has too many rules' }
  return { rule }
}

const isSameRule = (a: SavedRule, b: SavedRule): boolean =>
  a.verdict === b.verdict && a.kind === b.kind && a.pattern === b.pattern

// May this be done without asking? Pure: the same rules and the same action give the same verdict.
//
// Reading is not guarded here, not even of sensitive files: what an agent may read is decided by
// what is put into its workspace. A command that reaches the network asks, since it can carry that
// away. A tool that says it only reads does not ask, web_fetch included: the address it is given can
// say something too, so what must not leave does not belong into a workspace with that tool.

import type { Action, Policy, Rule, Verdict } from './action.ts'
import { compareFindings, READS, risky, type Finding, type Severity } from './finding.ts'
import { PATTERN_CHARS } from '#protocol/limits'
import { escapeGlob, isTreePattern } from './glob.ts'
import { findHidden, toShown } from './look-alikes.ts'
import { Places, type Folder } from './places.ts'
import { toCommandPattern } from './rule-folder.ts'
import { DELETE_PREFIX, findAllow, findDeny, findExact, findFileAllow } from './rules.ts'
import { findToolRule, RULE_PATTERN_CHARS, toCommandRules, toFindDenied } from './rules.ts'
import { DEFAULT_SENSITIVE_PATTERNS, toSensitive } from './sensitive.ts'
import { loadShellParser } from './shell-parser.ts'
import type { Unit } from './shell-unit.ts'
import { walkCommand } from './shell-walk.ts'
import { toPrefixPattern } from './to-prefix.ts'

export type { Action, Policy, Rule, Severity, Verdict }
export { DEFAULT_SENSITIVE_PATTERNS }

type Command = Extract<Action, { kind: 'command' }>
type FileEdit = Extract<Action, { kind: 'file_edit' }>
type ToolCall = Extract<Action, { kind: 'tool' }>

const SHOWN_CHARS = 120

export async function evaluate(policy: Policy, action: Action): Promise<Verdict> {
  try {
    if (action.kind === 'command') return (await judgeCommand(policy, action)).verdict
    return action.kind === 'file_edit' ? evaluateEdit(policy, action) : evaluateTool(policy, action)
  } catch {
    // The parser could not be loaded, or met what it was not made for: a person can still decide.
    return { verdict: 'ask', severity: 'high', reason: 'this could not be examined', auto: false }
  }
}

/** `isExact`: a saved rule has exactly its text. `places`: what it was seen to change. */
export type JudgedCommand = { verdict: Verdict; isExact: boolean; places: Places }

export async function judgeCommand(
  policy: Policy,
  { command, cwd }: Command,
): Promise<JudgedCommand> {
  const parse = await loadShellParser()
  const isSensitive = toSensitive(policy.sensitivePatterns)
  const places = new Places(cwd, isSensitive, toFindDenied(policy.rules))
  const units = toUnits(parse, command, places)
  const worst = toWorst(units)
  const { severity } = worst.finding
  const reason = toReason(worst)
  const rules = toCommandRules(parse, policy.rules, places.folder)
  const exact = findExact(rules.allow, command)
  const as = (verdict: Verdict) => ({ verdict, isExact: exact !== undefined, places })
  const denied = findDeny(rules, command, units)
  if (denied !== undefined) {
    const why = `a saved rule denies ${toShown(denied.pattern, SHOWN_CHARS)}`
    return as({ verdict: 'deny', severity, reason: why, auto: true, rule: denied.id })
  }
  if (places.deniedBy !== undefined) return as(denyChange(places.deniedBy, severity))
  const allow = { verdict: 'allow', severity, reason } as const
  const ask = { verdict: 'ask', severity, reason, auto: false } as const
  if (worst.finding.consent === 'none') return as({ ...allow, auto: false })
  const consents = units.map(toStrictest)
  if (consents.includes('once')) return as(ask)
  if (exact !== undefined) return as({ ...allow, auto: true, rule: exact.id })
  let rule: string | undefined
  for (const [index, unit] of units.entries()) {
    const consent = consents[index]!
    if (consent === 'none' || (consent === 'setting' && policy.autoApproveCommands)) continue
    // After `cd` the same words are about other files.
    const isExact = consent === 'exact' || places.hasMoved
    const found = isExact ? undefined : findAllow(rules, unit)
    if (found === undefined) return as(ask)
    rule ??= found.id
  }
  return as({ ...allow, auto: true, ...(rule !== undefined && { rule }) })
}

export function denyChange({ id, pattern }: Rule, severity: Severity): Verdict {
  const reason = `a saved rule denies changes of ${toShown(pattern, SHOWN_CHARS)}`
  return { verdict: 'deny', severity, reason, auto: true, rule: id }
}

type Worst = { finding: Finding; shown: string }

function toUnits(
  parse: Parameters<typeof walkCommand>[0],
  command: string,
  places: Places,
): Unit[] {
  const units = walkCommand(parse, command, places)
  const hidden = findHidden(command)
  if (hidden === null) return units
  const finding = risky(`contains the hidden character ${hidden}`)
  return [...units, { argv: [], findings: [finding], shown: command }]
}

function toWorst(units: readonly Unit[]): Worst {
  let worst: Worst = { finding: READS, shown: '' }
  for (const { findings, shown } of units) {
    for (const finding of findings) {
      if (compareFindings(finding, worst.finding) > 0) worst = { finding, shown }
    }
  }
  return worst
}

function toStrictest({ findings }: Unit): Finding['consent'] {
  const consents = findings.map(({ consent }) => consent)
  return (
    (['once', 'exact', 'rule', 'setting'] as const).find((one) => consents.includes(one)) ?? 'none'
  )
}

function toReason({ finding, shown }: Worst): string {
  const text = toShown(shown, SHOWN_CHARS)
  return text === '' ? finding.what : `${finding.what}: ${text}`
}

/** A move is judged at both of its ends, and the stricter one holds. */
function evaluateEdit(policy: Policy, { from, ...edit }: FileEdit): Verdict {
  const there = evaluateOne(policy, edit)
  if (from === undefined) return there
  const here = evaluateOne(policy, { kind: 'file_edit', path: from, change: 'delete' })
  return strictnessOf(here) > strictnessOf(there) ? here : there
}

const VERDICTS: readonly Verdict['verdict'][] = ['allow', 'ask', 'deny']
const SEVERITIES: readonly Severity[] = ['low', 'medium', 'high', 'critical']

const strictnessOf = ({ verdict, severity, auto }: Verdict): number =>
  VERDICTS.indexOf(verdict) * 100 + (auto ? 10 : 0) + SEVERITIES.indexOf(severity)

function evaluateOne(policy: Policy, action: FileEdit): Verdict {
  const { path, change } = action
  const isSensitive = toSensitive(policy.sensitivePatterns)(path)
  const isDelete = change === 'delete'
  // A deleted file is one step worse than a changed one.
  const severity: Severity = isSensitive
    ? isDelete
      ? 'critical'
      : 'high'
    : isDelete
      ? 'medium'
      : 'low'
  const shown = toShown(path, SHOWN_CHARS)
  const reason = isSensitive
    ? `${isDelete ? 'deletes' : 'changes'} a sensitive file: ${shown}`
    : `${isDelete ? 'deletes' : 'changes'} a file of the workspace`
  const denied = toFindDenied(policy.rules)(path, isDelete)
  if (denied !== undefined) return denyChange(denied, severity)
  if (!isSensitive) return { verdict: 'allow', severity, reason, auto: false }
  const allowed = findFileAllow(policy.rules, action)
  if (allowed !== undefined) {
    return { verdict: 'allow', severity, reason, auto: true, rule: allowed.id }
  }
  // The setting is about edits; what it would delete is gone from every place that relied on it.
  const isAuto = policy.autoApproveSensitiveEdits && severity !== 'critical'
  return { verdict: isAuto ? 'allow' : 'ask', severity, reason, auto: isAuto }
}

function evaluateTool({ rules }: Policy, { toolName, readOnly }: ToolCall): Verdict {
  const shown = toShown(toolName, SHOWN_CHARS)
  const severity = readOnly ? 'low' : 'medium'
  const reason = readOnly ? 'only reads' : `the tool ${shown} can change something`
  const denied = findToolRule(rules, toolName, 'deny')
  if (denied !== undefined) {
    const why = `a saved rule denies the tool ${shown}`
    return { verdict: 'deny', severity, reason: why, auto: true, rule: denied.id }
  }
  if (readOnly) return { verdict: 'allow', severity, reason, auto: false }
  const allowed = findToolRule(rules, toolName, 'allow')
  if (allowed === undefined) return { verdict: 'ask', severity, reason, auto: false }
  return { verdict: 'allow', severity, reason, auto: true, rule: allowed.id }
}

/**
 * The rule that "always" (or "this session") saves for this action: what it would match, in words
 * people understand. Null where none may be saved: what was not understood, runs a file that holds
 * something else tomorrow, contains hidden characters or is too long for a list that people read. `sensitivePatterns`: those of the policy,
 * or the rule would be wider than what was asked about.
 */
export async function toRule(
  action: Action,
  scope: Rule['scope'],
  sensitivePatterns: readonly string[] = DEFAULT_SENSITIVE_PATTERNS,
): Promise<{ pattern: string; description: string } | null> {
  const until = scope === 'always' ? 'always' : 'in this session'
  if (action.kind === 'tool') {
    if (action.toolName === '' || findHidden(action.toolName) !== null) return null
    const description = `every call of the tool ${action.toolName}, ${until}`
    return { pattern: action.toolName, description }
  }
  if (action.kind === 'file_edit') return toFileRule(action, until)
  try {
    return await toCommandRule(action, until, sensitivePatterns)
  } catch {
    return null
  }
}

function toFileRule({ path, change, from }: FileEdit, until: string) {
  // A file whose own name begins like that must not become a rule about deleting another.
  const escaped = escapeGlob(path).replace(/^delete /, String.raw`\delete `)
  const pattern = change === 'delete' ? `${DELETE_PREFIX}${escapeGlob(path)}` : escaped
  // A rule has one path: a move is decided each time.
  if (from !== undefined) return null
  if (path === '' || findHidden(path) !== null || escaped.length >= PATTERN_CHARS) return null
  // As a no it would be one to everything.
  if (!isTreePattern(escaped.toLowerCase())) return null
  const what = change === 'delete' ? 'deleting' : 'changing'
  return { pattern, description: `${what} ${path}, ${until}` }
}

async function toCommandRule(
  { command, cwd }: Command,
  until: string,
  sensitivePatterns: readonly string[],
) {
  const text = command.trim()
  const parse = await loadShellParser()
  if (text === '' || findHidden(text) !== null || findHidden(cwd) !== null) return null
  if (text.length > RULE_PATTERN_CHARS || !parse(text).ok) return null
  const places = new Places(cwd, toSensitive(sensitivePatterns))
  const units = walkCommand(parse, text, places)
  if (units.some((unit) => toStrictest(unit) === 'once')) return null
  const prefix = places.hasMoved ? null : toPrefixPattern(units)
  const pattern = toCommandPattern(places.folder, prefix ?? text)
  if (pattern === null || pattern.length > RULE_PATTERN_CHARS) return null
  const where = toWhere(places.folder)
  const description =
    prefix === null
      ? `exactly this command${where}, ${until}: ${toShown(text, SHOWN_CHARS)}`
      : `every command${where} that begins with ${prefix}, ${until}`
  return { pattern, description }
}

const toWhere = (folder: Folder): string =>
  folder === null || folder === '' ? '' : ` in the folder ${toShown(folder, SHOWN_CHARS)}`

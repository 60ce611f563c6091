// What a session that an agent made may do at most, and what it hands on to those it makes itself.

import type { Bound, Limits } from '#protocol/agent-events'
import type { Mode } from '#protocol/events'
import type { RunState, SessionConfig, SessionState } from '#protocol/state'
import type { Agent } from '../agents/agent.ts'

/** From the strictest on. */
const MODES: readonly Mode[] = ['ask', 'plan', 'agent']

export const stricterMode = (a: Mode, b: Mode): Mode =>
  MODES.indexOf(a) <= MODES.indexOf(b) ? a : b

export const UNBOUND: Bound = { tools: [], mode: 'agent' }

/** No more than either. */
export function bothOf(a: Bound, b: Bound): Bound {
  const known = new Set(a.tools.map((list) => JSON.stringify(list)))
  const added = b.tools.filter((list) => !known.has(JSON.stringify(list)))
  return { tools: [...a.tools, ...added], mode: stricterMode(a.mode, b.mode) }
}

/**
 * What a run may be at most, from its start. A child: what the run that made it was. An agent's
 * session in a context: what the session at its top would be now, and whoever has asked for this run.
 * `above` null: that one is gone or out of reach; then what held when this session was made.
 */
export async function boundOf(
  {
    session: { origin },
    run,
  }: Pick<SessionState, 'run'> & { session: Pick<SessionConfig, 'origin'> },
  above: (sessionId: string) => Promise<Bound | null>,
): Promise<Bound> {
  if (origin === undefined) return UNBOUND
  const { limits, parent, context } = origin
  const made = { tools: limits.tools, mode: limits.mode }
  const given = parent === undefined ? ((await above(context.sessionId)) ?? made) : made
  const asker = run.status === 'running' ? run.asker?.limits : undefined
  return asker === undefined ? given : bothOf(given, asker)
}

/** The session as this run has it: another agent that a message was addressed to is never wider. */
export function asRun<T extends Pick<SessionConfig, 'agent' | 'mode'>>(
  session: T,
  run: Pick<Extract<RunState, { status: 'running' }>, 'agent' | 'mode'>,
): T {
  const mode = run.mode === undefined ? session.mode : stricterMode(session.mode, run.mode)
  return { ...session, agent: run.agent, mode }
}

export type Approvals = Pick<
  SessionConfig,
  'autoApproveCommands' | 'autoApproveSensitiveEdits' | 'sensitivePatterns'
>

/** What is approved unasked, and what is sensitive: its own settings within its limits. */
export function approvalsOf(session: Approvals & Pick<SessionConfig, 'origin'>): Approvals {
  const { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns, origin } = session
  if (origin === undefined) {
    return { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns }
  }
  const { limits } = origin
  return {
    autoApproveCommands: autoApproveCommands && limits.autoApproveCommands,
    autoApproveSensitiveEdits: autoApproveSensitiveEdits && limits.autoApproveSensitiveEdits,
    sensitivePatterns: [...new Set([...limits.sensitivePatterns, ...sensitivePatterns])],
  }
}

/** Nobody can plan for another: where a plan has to be approved first, others only read. */
export const toBound = (
  { mode }: Pick<SessionConfig, 'mode'>,
  agent: Agent,
  within: Bound,
): Bound => {
  const held = stricterMode(mode, within.mode)
  const tools = agent.tools === null ? [] : [[...agent.tools]]
  return bothOf(within, { tools, mode: held === 'plan' ? 'ask' : held })
}

/** `within`: what the run that hands it on is held to itself. */
export const toLimits = (session: SessionConfig, agent: Agent, within: Bound): Limits => {
  const { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns } = approvalsOf(session)
  return {
    ...toBound(session, agent, within),
    autoApproveCommands,
    autoApproveSensitiveEdits,
    sensitivePatterns: [...sensitivePatterns],
  }
}

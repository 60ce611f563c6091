// What a session that an agent made may do at most, and what it hands on to those it makes itself.

import type { Limits } from '#protocol/agent-events'
import type { Mode } from '#protocol/events'
import type { RunState, SessionConfig } from '#protocol/state'
import type { Agent } from '../agents/agent.ts'

/** From the strictest on. */
const MODES: readonly Mode[] = ['ask', 'plan', 'agent']

export const stricterMode = (a: Mode, b: Mode): Mode =>
  MODES.indexOf(a) <= MODES.indexOf(b) ? a : b

/** The mode that holds, which may be stricter than the one that is set. */
export const modeOf = ({ mode, origin }: Pick<SessionConfig, 'mode' | 'origin'>): Mode =>
  origin === undefined ? mode : stricterMode(mode, origin.limits.mode)

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

/** Nobody can plan for another: where a plan has to be approved first, a child only reads. */
export function toLimits(session: SessionConfig, agent: Agent): Limits {
  const mode = modeOf(session)
  const { autoApproveCommands, autoApproveSensitiveEdits, sensitivePatterns } = approvalsOf(session)
  return {
    tools: [
      ...(session.origin?.limits.tools ?? []),
      ...(agent.tools === null ? [] : [[...agent.tools]]),
    ],
    mode: mode === 'plan' ? 'ask' : mode,
    autoApproveCommands,
    autoApproveSensitiveEdits,
    sensitivePatterns: [...sensitivePatterns],
  }
}

// An agent as one session has changed it for itself (AGT7).

import type { SessionOverride } from '#protocol/state'
import type { Agent } from './agent.ts'

/** The mode is not among them: it is the session's, and was set together with the override. */
export function overrideAgent(
  agent: Agent,
  overrides: readonly SessionOverride[],
  agentId: string,
): Agent {
  const own = overrides.find((one) => one.agentId === agentId)?.override ?? {}
  const { instructions = agent.instructions, models = agent.models, tools = agent.tools } = own
  return { ...agent, instructions, models, tools }
}

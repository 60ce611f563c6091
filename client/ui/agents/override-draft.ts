// An agent as one chat has it, and what of that is its own. Pure.

import type { AgentSummary } from '#protocol/http'
import type { AgentOverride } from '#protocol/mission-events'
import { toChanges, toDraft, type AgentDraft } from './agent-draft.ts'

/** The agent with what this chat has changed of it. */
export const toOverridden = (agent: AgentSummary, override: AgentOverride): AgentDraft => {
  const { instructions, models, tools, mode } = override
  return {
    ...toDraft(agent),
    ...(instructions === undefined ? {} : { instructions }),
    ...(models === undefined ? {} : { models }),
    ...(tools === undefined ? {} : { tools }),
    ...(mode === undefined ? {} : { mode }),
  }
}

/** Only what is different from the agent: what is not named here follows it. Null: nothing is. */
export function toOverride(agent: AgentSummary, draft: AgentDraft): AgentOverride | null {
  const changes = toChanges(toDraft(agent), draft)
  if (changes === null) return null
  const { instructions, models, tools, mode } = changes
  return {
    ...(instructions === undefined ? {} : { instructions }),
    ...(models === undefined ? {} : { models: [...models] }),
    ...(tools === undefined ? {} : { tools: tools === null ? null : [...tools] }),
    ...(mode === undefined ? {} : { mode }),
  }
}

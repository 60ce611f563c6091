// A standing goal of a session, the prompts that its schedule makes, and what a session changes of
// an agent (AGT7).

import { z } from 'zod'
import { Mode } from './mode.ts'

export const MissionStatus = z.enum(['active', 'paused', 'done', 'exhausted'])
/** What changed it. `stopped`: a person cancelled the run that a prompt had started. */
export const MissionReason = z.enum([
  'set',
  'cleared',
  'paused',
  'resumed',
  'stopped',
  'failed',
  'interrupted',
  'done',
  'exhausted',
])

export const Mission = z.object({
  missionId: z.string(),
  text: z.string(),
  everyMinutes: z.number(),
  maxPrompts: z.number(),
  /** How many of them were made. */
  prompts: z.number(),
  status: MissionStatus,
  setAt: z.number(),
  by: z.string(),
  /** What came of it, in the agent's words. */
  summary: z.string().optional(),
})

/** Absent: as the agent has it. */
export const AgentOverride = z.object({
  instructions: z.string().optional(),
  models: z.array(z.string()).optional(),
  tools: z.array(z.string()).nullable().optional(),
  mode: Mode.optional(),
})

export const missionBodies = {
  // runId: a tool of that run ended it.
  mission_updated: z.object({
    mission: Mission.nullable(),
    by: z.string(),
    reason: MissionReason,
    runId: z.string().optional(),
  }),
  /** The schedule speaks: prompt `n` of `of`, which starts the run named here. */
  idle_prompt: z.object({
    missionId: z.string(),
    runId: z.string(),
    text: z.string(),
    n: z.number(),
    of: z.number(),
  }),
  override_updated: z.object({
    agentId: z.string(),
    override: AgentOverride.nullable(),
    by: z.string(),
  }),
} as const

export type MissionStatus = z.infer<typeof MissionStatus>
export type MissionReason = z.infer<typeof MissionReason>
export type Mission = z.infer<typeof Mission>
export type AgentOverride = z.infer<typeof AgentOverride>

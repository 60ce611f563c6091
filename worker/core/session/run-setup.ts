// What a run is given before its first step: its agent, the models it may use, its tools. Read
// once, here, so that a change of settings never reaches into a run.

import { DEFAULT_AGENT, toSystem, type Agent } from '../agents/agent.ts'
import { overrideAgent } from '../agents/override.ts'
import type { ToolRegistry } from '../tools/tool.ts'
import { modeOf } from './inherited.ts'
import { ModelError, type Model } from './model.ts'
import { toMissionNotes, type StandingMission } from './mission-text.ts'
import type { SessionDeps } from './session-deps.ts'
import { RunFailure } from './run-failure.ts'
import { lookUp, within } from './timers.ts'
import type { HotState, SessionState } from '#protocol/state'

/** What an agent's mission may take to be read: a run must not wait for a database that is slow. */
const MISSION_READ_MS = 1_000

export type Warning = { code: string; message: string }
export type RunSetup = {
  /** As it is for this run, whatever becomes of it meanwhile. */
  agent: Agent
  system: string
  /** In order of preference; at least one. */
  candidates: readonly Model[]
  tools: ToolRegistry
  warnings: readonly Warning[]
}

type SetupDeps = Pick<SessionDeps, 'models' | 'agents' | 'missions' | 'tools' | 'timers'>
/** What of a session says how it runs. */
export type RunSubject = Pick<HotState, 'mission' | 'overrides'> & {
  session: Pick<SessionState['session'], 'agent' | 'mode' | 'origin'>
}

/** `modelId`: where the run stands, which after a fallback is not what the session prefers. */
export async function setUpRun(
  deps: SetupDeps,
  owner: string,
  { session, mission, overrides }: RunSubject,
  modelId: string,
  signal: AbortSignal,
): Promise<RunSetup> {
  const mode = modeOf(session)
  const standing = mission?.status === 'active' ? mission : null
  const [found, read] = await Promise.all([
    findAgent(deps, owner, session.agent),
    readMission(deps, owner, session.agent),
  ])
  const agent = overrideAgent(found.agent, overrides, session.agent)
  const within = session.origin?.limits.tools ?? []
  const selection = { tools: agent.tools, within, mode, hasMission: standing !== null }
  const { registry, warnings } = await deps.tools.open(selection, signal)
  return {
    agent,
    system: toSystem(agent, mode) + toMissionNotes(standing, read.mission),
    candidates: toCandidates(deps.models, modelId, agent),
    tools: registry,
    warnings: [...found.warnings, ...read.warnings, ...warnings],
  }
}

type MissionRead = { mission: StandingMission | null; warnings: readonly Warning[] }

/** An agent's standing mission, where it can be read in time. */
function readMission(
  { missions, timers }: SetupDeps,
  owner: string,
  agent: string,
): Promise<MissionRead> {
  const read = missions.load(owner, agent).then((mission) => ({ mission, warnings: [] }))
  return within<MissionRead>(timers, MISSION_READ_MS, read, {
    mission: null,
    warnings: [MISSION_UNREAD],
  })
}

const MISSION_UNREAD: Warning = {
  code: 'mission_unread',
  message: "The agent's standing mission could not be read; this answer goes without it.",
}

async function findAgent(
  { agents, timers }: SetupDeps,
  owner: string,
  name: string,
): Promise<{ agent: Agent; warnings: readonly Warning[] }> {
  // Most sessions have a built-in agent: those must not wait for a database.
  const builtIn = agents.find(name)
  const look = builtIn === null ? await lookUp(timers, () => agents.load(owner, name)) : null
  // Another agent in its place could be allowed more than this one.
  if (builtIn === null && look === null) throw new RunFailure('agent_unavailable', unread(name))
  const agent = builtIn ?? look?.found ?? null
  if (agent !== null) return { agent, warnings: [] }
  const message = `There is no agent called ${name} any more; ${DEFAULT_AGENT} answers instead.`
  return { agent: agents.find(DEFAULT_AGENT)!, warnings: [{ code: 'unknown_agent', message }] }
}

const unread = (name: string): string =>
  `The agent ${name} cannot be read now, so nothing was done. Try again in a moment.`

function toCandidates(models: SessionDeps['models'], modelId: string, agent: Agent): Model[] {
  const ids = new Set([modelId, ...agent.models, ...models.fallbacksOf(modelId)])
  const found = [...ids].flatMap((id) => models.get(id) ?? [])
  return found.length === 0 ? [missingModel(modelId)] : found
}

/** Configured away between two runs: the run fails with words, not with a crash. */
export function missingModel(id: string): Model {
  const text = `The model ${id} is not configured here. Choose another one.`
  const error = new ModelError('model_not_found', text)
  const info = { id, provider: 'none', window: 128_000, tools: true, price: null }
  return { id, info, stream: () => Promise.reject(error) }
}

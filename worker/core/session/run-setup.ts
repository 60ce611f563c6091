// What a run is given before its first step: its agent, the models it may use, its tools. Read
// once, here, so that a change of settings never reaches into a run.

import { DEFAULT_AGENT, toSystem, type Agent } from '../agents/agent.ts'
import { overrideAgent } from '../agents/override.ts'
import type { ToolRegistry } from '../tools/tool.ts'
import { boundOf, stricterMode, toBound, UNBOUND } from './inherited.ts'
import { ModelError, type Model } from './model.ts'
import { toMissionNotes, type StandingMission } from './mission-text.ts'
import type { SessionDeps } from './session-deps.ts'
import { RunFailure } from './run-failure.ts'
import { lookUp, within } from './timers.ts'
import type { Bound } from '#protocol/agent-events'
import type { Mode } from '#protocol/events'
import { LOOK_UP_MS } from '#protocol/limits'
import type { HotState, SessionState } from '#protocol/state'

/** What an agent's mission may take to be read: a run must not wait for a database that is slow. */
const MISSION_READ_MS = 1_000

export type Warning = { code: string; message: string }
export type RunSetup = {
  /** As it is for this run, whatever becomes of it meanwhile. */
  agent: Agent
  /** What it is held to, whatever the session has set; and its mode, within that. */
  bound: Bound
  mode: Mode
  system: string
  /** In order of preference; at least one. */
  candidates: readonly Model[]
  tools: ToolRegistry
  warnings: readonly Warning[]
}

type SetupDeps = Pick<SessionDeps, 'models' | 'agents' | 'missions' | 'tools' | 'timers' | 'peers'>
/** What of a session says how it runs. */
export type RunSubject = Pick<HotState, 'mission' | 'overrides' | 'run'> & {
  session: Pick<SessionState['session'], 'agent' | 'mode' | 'origin'>
}

/** `modelId`: where the run stands, which after a fallback is not what the session prefers. */
export async function setUpRun(
  deps: SetupDeps,
  owner: string,
  subject: RunSubject,
  modelId: string,
  signal: AbortSignal,
): Promise<RunSetup> {
  const { session, mission, overrides } = subject
  const standing = mission?.status === 'active' ? mission : null
  const [found, read, bound] = await Promise.all([
    findAgent(deps, owner, session.agent),
    readMission(deps, owner, session.agent),
    boundOf(subject, (sessionId) => boundAbove(deps, owner, sessionId)),
  ])
  const mode = stricterMode(session.mode, bound.mode)
  const agent = overrideAgent(found.agent, overrides, session.agent)
  const { tools: within } = bound
  const selection = { tools: agent.tools, within, mode, hasMission: standing !== null }
  const { registry, warnings } = await deps.tools.open(selection, signal)
  return {
    agent,
    bound,
    mode,
    system: toSystem(agent, mode) + toMissionNotes(standing, read.mission),
    candidates: toCandidates(deps.models, modelId, agent),
    tools: registry,
    warnings: [...found.warnings, ...read.warnings, ...warnings],
  }
}

const boundAbove = (
  { timers, peers }: SetupDeps,
  owner: string,
  sessionId: string,
): Promise<Bound | null> => within(timers, LOOK_UP_MS, peers.bound(sessionId, owner), null)

/** What a run here would be held to if it began now, and with it those that it turns to. */
export async function boundNow(
  deps: Pick<SetupDeps, 'agents' | 'timers'>,
  owner: string,
  { session, overrides }: Pick<RunSubject, 'session' | 'overrides'>,
): Promise<Bound> {
  const { agent } = await findAgent(deps, owner, session.agent)
  const made = session.origin?.limits ?? UNBOUND
  return toBound(session, overrideAgent(agent, overrides, session.agent), made)
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
  { agents, timers }: Pick<SetupDeps, 'agents' | 'timers'>,
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

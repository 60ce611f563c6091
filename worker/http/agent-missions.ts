// The mission of an agent: a row in the directory, and, where it has a schedule, a session in which
// its prompts are made. The session is asked first, because it may refuse, and a refusal has to leave
// everything as it was.

import type { Command } from '#protocol/commands'
import { MISSION_PROMPTS } from '#protocol/limits'
import {
  endAgentMission,
  findAgentMission,
  findHomeSession,
  setAgentMission,
  type AgentMission,
} from '../directory/missions.ts'
import type { Env } from '../env.ts'
import type { Result } from '../session/rpc.ts'
import { sessionOf } from './session-stub.ts'
import { createSession, randomId, requireAgent } from './sessions.ts'

export type MissionFields = { text: string; everyMinutes?: number; maxPrompts?: number }

const NO_MISSION = { code: 'no_such_mission', message: 'agent_id: it has no mission' } as const

/** Without `everyMinutes` it is told to the agent in every session, and nothing is prompted. */
export async function setMissionOf(
  env: Env,
  owner: string,
  agent: string,
  { text, everyMinutes, maxPrompts = MISSION_PROMPTS }: MissionFields,
): Promise<Result<null>> {
  const known = await requireAgent(env, owner, agent, 'agent_id')
  if (!known.ok) return known
  const before = await findAgentMission(env.DB, owner, agent)
  const mission = { missionId: randomId(), agent, text }
  if (everyMinutes === undefined) {
    const cleared = await clearSession(env, owner, before)
    if (!cleared.ok) return cleared
    const unscheduled = { ...mission, everyMinutes: null, maxPrompts: null, sessionId: null }
    await setAgentMission(env.DB, owner, unscheduled, before, Date.now())
    return { ok: true, value: null }
  }
  const home = await findHome(env, owner, agent)
  if (!home.ok) return home
  const schedule = { everyMinutes, maxPrompts }
  const scheduled = { ...mission, ...schedule, sessionId: home.value }
  const command: Command = { type: 'mission_set', id: mission.missionId, text, ...schedule }
  const set = await sessionOf(env, home.value).command(owner, command, 'api')
  if (!set.ok) return set
  try {
    await setAgentMission(env.DB, owner, scheduled, before, Date.now())
  } catch (error) {
    // Nobody should be prompted for a mission that this server does not know.
    await clearSession(env, owner, scheduled)
    throw error
  }
  return { ok: true, value: null }
}

/** The session of its last mission, so that the agent finds what it did there; else a new one. */
async function findHome(env: Env, owner: string, agent: string): Promise<Result<string>> {
  const last = await findHomeSession(env.DB, owner, agent)
  if (last !== null && (await sessionOf(env, last).summary(owner)).ok) {
    return { ok: true, value: last }
  }
  const created = await createSession(env, owner, { agent, title: `Mission of ${agent}` })
  return created.ok ? { ok: true, value: created.value.id } : created
}

export async function clearAgentMission(
  env: Env,
  owner: string,
  agent: string,
): Promise<Result<null>> {
  const mission = await findAgentMission(env.DB, owner, agent)
  if (mission === null) return { ok: false, rejection: NO_MISSION }
  const cleared = await clearSession(env, owner, mission)
  if (!cleared.ok) return cleared
  await endAgentMission(env.DB, owner, mission, Date.now())
  return { ok: true, value: null }
}

/** A session that is gone, or has another mission by now, is as good as cleared. */
async function clearSession(
  env: Env,
  owner: string,
  mission: Pick<AgentMission, 'missionId' | 'sessionId'> | null,
): Promise<Result<null>> {
  if (mission === null || mission.sessionId === null) return { ok: true, value: null }
  const { missionId } = mission
  const command: Command = { type: 'mission_clear', id: randomId(), missionId }
  const cleared = await sessionOf(env, mission.sessionId).command(owner, command, 'api')
  if (cleared.ok) return { ok: true, value: null }
  const isGone = ['not_found', 'no_such_mission'].includes(cleared.rejection.code)
  return isGone ? { ok: true, value: null } : cleared
}

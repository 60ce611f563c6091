// Missions of agents, and which missions stand at all. The row of an agent's mission is the truth of
// its text and its beginning; how far a scheduled one is, its session knows, and the directory has
// that from the session's own row.

import { MISSIONS_LISTED } from '#protocol/limits'
import type { Mission, MissionStatus } from '#protocol/mission-events'
import type { StandingMission } from '../core/session/mission-text.ts'

export type AgentMission = {
  missionId: string
  agent: string
  text: string
  /** Both null: it is told to the agent in every session, and never prompted. */
  everyMinutes: number | null
  maxPrompts: number | null
  /** Where its prompts are made. */
  sessionId: string | null
  status: MissionStatus | 'stopped'
  prompts: number
  /** What came of it, by its session. */
  summary: string | null
  createdAt: number
  endedAt: number | null
}
export type NewAgentMission = Pick<
  AgentMission,
  'missionId' | 'agent' | 'text' | 'everyMinutes' | 'maxPrompts' | 'sessionId'
>

type Row = {
  id: string
  agent: string
  text: string
  every_minutes: number | null
  max_prompts: number | null
  session_id: string | null
  status: MissionStatus | 'stopped'
  prompts: number
  summary: string | null
  created_at: number
  ended_at: number | null
  /** JSON: what the session says of this very mission; NULL where it has another, or none. */
  session_mission: string | null
}

const SELECT = `
  SELECT m.*, CASE WHEN json_extract(s.mission, '$.missionId') = m.id THEN s.mission END
    AS session_mission
  FROM agent_missions m
  LEFT JOIN sessions s ON s.id = m.session_id AND s.owner = m.owner AND s.deleted_at IS NULL`

/** What an agent is told at the start of a run. */
export async function loadStandingMission(
  db: D1Database,
  owner: string,
  agent: string,
): Promise<StandingMission | null> {
  const mission = await findAgentMission(db, owner, agent)
  return mission === null || isOver(mission) ? null : { text: mission.text }
}

const isOver = ({ status }: AgentMission): boolean => status !== 'active' && status !== 'paused'

/** The one that was set last and not cleared, also where its session has ended it. */
export async function findAgentMission(
  db: D1Database,
  owner: string,
  agent: string,
): Promise<AgentMission | null> {
  const row = await db
    .prepare(`${SELECT} WHERE m.owner = ?1 AND m.agent = ?2 AND m.ended_at IS NULL`)
    .bind(owner, agent)
    .first<Row>()
  return row === null ? null : toMission(row)
}

/** Newest first. */
export async function listAgentMissions(
  db: D1Database,
  owner: string,
  agent: string,
): Promise<AgentMission[]> {
  const { results } = await db
    .prepare(
      `${SELECT} WHERE m.owner = ?1 AND m.agent = ?2
       ORDER BY m.ended_at IS NULL DESC, m.created_at DESC, m.id LIMIT ${MISSIONS_LISTED}`,
    )
    .bind(owner, agent)
    .all<Row>()
  return results.map(toMission)
}

/** In the place of `before`, as one change: whoever else sets one now is before or after it. */
export async function setAgentMission(
  db: D1Database,
  owner: string,
  mission: NewAgentMission,
  before: AgentMission | null,
  now: number,
): Promise<void> {
  const { missionId, agent, text, everyMinutes, maxPrompts, sessionId } = mission
  const { status, prompts, summary } = toEnd(before)
  await db.batch([
    db
      .prepare(
        `UPDATE agent_missions SET ended_at = ?3, status = ?4, prompts = ?5, summary = ?6
         WHERE owner = ?1 AND agent = ?2 AND ended_at IS NULL`,
      )
      .bind(owner, agent, now, status, prompts, summary),
    db
      .prepare(
        `INSERT INTO agent_missions (owner, agent, id, text, every_minutes, max_prompts, session_id,
           status, prompts, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'active', 0, ?8)`,
      )
      .bind(owner, agent, missionId, text, everyMinutes, maxPrompts, sessionId, now),
  ])
}

/** It stays in the history, as it was when it ended. */
export async function endAgentMission(
  db: D1Database,
  owner: string,
  mission: AgentMission,
  now: number,
): Promise<void> {
  const { status, prompts, summary } = toEnd(mission)
  await db
    .prepare(
      `UPDATE agent_missions SET ended_at = ?4, status = ?5, prompts = ?6, summary = ?7
       WHERE owner = ?1 AND agent = ?2 AND id = ?3 AND ended_at IS NULL`,
    )
    .bind(owner, mission.agent, mission.missionId, now, status, prompts, summary)
    .run()
}

const toEnd = (
  mission: AgentMission | null,
): Pick<AgentMission, 'status' | 'prompts' | 'summary'> => ({
  status: mission !== null && isOver(mission) ? mission.status : 'stopped',
  prompts: mission?.prompts ?? 0,
  summary: mission?.summary ?? null,
})

/** Where the prompts of this agent's last scheduled mission were made. */
export async function findHomeSession(
  db: D1Database,
  owner: string,
  agent: string,
): Promise<string | null> {
  return db
    .prepare(
      `SELECT session_id FROM agent_missions
       WHERE owner = ?1 AND agent = ?2 AND session_id IS NOT NULL
       ORDER BY created_at DESC LIMIT 1`,
    )
    .bind(owner, agent)
    .first<string>('session_id')
}

/** Everything of an owner that stands: agents' first. */
export async function listStanding(
  db: D1Database,
  owner: string,
): Promise<{ agents: AgentMission[]; sessions: { sessionId: string; mission: Mission }[] }> {
  const [agents, sessions] = await db.batch<Row | { id: string; mission: string }>([
    db.prepare(`${SELECT} WHERE m.owner = ?1 AND m.ended_at IS NULL ORDER BY m.agent`).bind(owner),
    db
      .prepare(
        `SELECT id, mission FROM sessions
         WHERE owner = ?1 AND mission IS NOT NULL AND deleted_at IS NULL
           AND json_extract(mission, '$.status') IN ('active', 'paused')
         ORDER BY updated_at DESC, id LIMIT ${MISSIONS_LISTED}`,
      )
      .bind(owner),
  ])
  const standing = (agents!.results as Row[]).map(toMission).filter((one) => !isOver(one))
  const known = new Set(standing.map(({ missionId }) => missionId))
  const own = (sessions!.results as { id: string; mission: string }[])
    .map(({ id, mission }) => ({ sessionId: id, mission: JSON.parse(mission) as Mission }))
    .filter(({ mission }) => !known.has(mission.missionId))
  return { agents: standing, sessions: own }
}

function toMission(row: Row): AgentMission {
  const { id, agent, text, created_at: createdAt, ended_at: endedAt, session_id: sessionId } = row
  return {
    missionId: id,
    agent,
    text,
    everyMinutes: row.every_minutes,
    maxPrompts: row.max_prompts,
    sessionId,
    createdAt,
    endedAt,
    ...progressOf(row),
  }
}

function progressOf(row: Row): Pick<AgentMission, 'status' | 'prompts' | 'summary'> {
  const { status, prompts, summary, session_mission: told } = row
  if (row.session_id === null || row.ended_at !== null) return { status, prompts, summary }
  // Its session is gone, or somebody gave it another mission.
  if (told === null) return { status: 'stopped', prompts, summary }
  const mission = JSON.parse(told) as Mission
  return { status: mission.status, prompts: mission.prompts, summary: mission.summary ?? null }
}

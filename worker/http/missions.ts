// Missions as seed 003 asks for them (AGT7): of a session or of an agent. Names are snake_case, as
// there; `project_root` is accepted and ignored.

import { Hono, type Context } from 'hono'
import { z } from 'zod'
import { missionFields, type Command } from '#protocol/commands'
import type { MissionView, Rejection } from '#protocol/http'
import { isSessionId } from '#protocol/ids'
import {
  findAgentMission,
  listAgentMissions,
  listStanding,
  type AgentMission,
} from '../directory/missions.ts'
import type { MissionRecord, Result } from '../session/rpc.ts'
import { clearAgentMission, setMissionOf, type MissionFields } from './agent-missions.ts'
import type { AppEnv } from './app-env.ts'
import { readBody, readQuery } from './body.ts'
import { answer, refuse } from './respond.ts'
import { NO_SESSION, sessionOf } from './session-stub.ts'
import { randomId } from './sessions.ts'

const Target = z.object({
  session_id: z.string().max(200).optional(),
  agent_id: z.string().max(200).optional(),
})
type Target = z.infer<typeof Target>

const NewMission = z.strictObject({
  ...Target.shape,
  project_root: z.unknown().optional(),
  text: missionFields.text,
  every_minutes: missionFields.everyMinutes,
  max_prompts: missionFields.maxPrompts,
})
type NewMission = z.infer<typeof NewMission>

export const missions = new Hono<AppEnv>()

missions.get('/mission', async (c) => {
  const target = readTarget(readQuery<Target>(c, Target))
  if (!target.ok) return refuse(c.req.raw, target.rejection)
  return answerStanding(c, target.value)
})

missions.post('/mission', async (c) => {
  const query = readQuery<Target>(c, Target)
  const body = await readBody<NewMission>(c, NewMission)
  if (!body.ok) return refuse(c.req.raw, body.rejection)
  const target = readTarget(
    query.ok ? { ok: true, value: { ...query.value, ...body.value } } : query,
  )
  if (!target.ok) return refuse(c.req.raw, target.rejection)
  const set = await setMission(c, target.value, toFields(body.value))
  return set.ok ? answerStanding(c, target.value, 201) : refuse(c.req.raw, set.rejection)
})

missions.delete('/mission', async (c) => {
  const target = readTarget(readQuery<Target>(c, Target))
  if (!target.ok) return refuse(c.req.raw, target.rejection)
  const { owner } = c.var.identity
  if ('agent' in target.value) {
    const cleared = await clearAgentMission(c.env, owner, target.value.agent)
    return answer(c, cleared, () => ({ ok: true }))
  }
  const command: Command = { type: 'mission_clear', id: randomId() }
  const session = sessionOf(c.env, target.value.session)
  return answer(c, await session.command(owner, command, 'api'), () => ({ ok: true }))
})

/** Newest first. Of neither: everything of the caller that stands. */
missions.get('/missions', async (c) => {
  const query = readQuery<Target>(c, Target)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { owner } = c.var.identity
  if (query.value.session_id === undefined && query.value.agent_id === undefined) {
    const { agents, sessions } = await listStanding(c.env.DB, owner)
    const own = sessions.map(({ sessionId, mission }) =>
      viewOfSession(sessionId, { ...mission, endedAt: null }),
    )
    return c.json({ missions: [...agents.map(viewOfAgent), ...own] })
  }
  const target = readTarget(query)
  if (!target.ok) return refuse(c.req.raw, target.rejection)
  if ('agent' in target.value) {
    const listed = await listAgentMissions(c.env.DB, owner, target.value.agent)
    return c.json({ missions: listed.map(viewOfAgent) })
  }
  const { session } = target.value
  const listed = await sessionOf(c.env, session).missions(owner)
  return answer(c, listed, (records) => ({
    missions: records.map((record) => viewOfSession(session, record)),
  }))
})

function toFields(body: NewMission): MissionFields {
  const { text, every_minutes: everyMinutes, max_prompts: maxPrompts } = body
  return {
    text,
    ...(everyMinutes === undefined ? {} : { everyMinutes }),
    ...(maxPrompts === undefined ? {} : { maxPrompts }),
  }
}

type Aim = { session: string } | { agent: string }

/** One of the two. An id of the wrong shape is answered like one that is not there. */
function readTarget(given: Result<Target>): Result<Aim> {
  if (!given.ok) return given
  const { session_id: session, agent_id: agent } = given.value
  if ((session === undefined) === (agent === undefined)) return { ok: false, rejection: NO_TARGET }
  if (agent !== undefined) return { ok: true, value: { agent } }
  const id = session ?? ''
  return isSessionId(id)
    ? { ok: true, value: { session: id } }
    : { ok: false, rejection: NO_SESSION }
}

const NO_TARGET: Rejection = {
  code: 'bad_request',
  message: 'session_id: give either session_id or agent_id',
}

async function setMission(
  c: Context<AppEnv>,
  target: Aim,
  fields: MissionFields,
): Promise<Result<unknown>> {
  const { owner } = c.var.identity
  if ('agent' in target) return setMissionOf(c.env, owner, target.agent, fields)
  const command: Command = { type: 'mission_set', id: randomId(), ...fields }
  return sessionOf(c.env, target.session).command(owner, command, 'api')
}

async function answerStanding(
  c: Context<AppEnv>,
  target: Aim,
  status: 200 | 201 = 200,
): Promise<Response> {
  const { owner } = c.var.identity
  if ('agent' in target) {
    const mission = await findAgentMission(c.env.DB, owner, target.agent)
    const next = mission === null ? null : await nextPromptOf(c, mission)
    const view = mission && { ...viewOfAgent(mission), next_prompt_at: next }
    return c.json({ mission: view }, status)
  }
  const standing = await sessionOf(c.env, target.session).mission(owner)
  return answer(
    c,
    standing,
    ({ mission, nextPromptAt }) => ({
      mission: mission && {
        ...viewOfSession(target.session, { ...mission, endedAt: null }),
        next_prompt_at: nextPromptAt,
      },
    }),
    status,
  )
}

async function nextPromptOf(c: Context<AppEnv>, mission: AgentMission): Promise<number | null> {
  if (mission.sessionId === null) return null
  const found = await sessionOf(c.env, mission.sessionId).mission(c.var.identity.owner)
  const isIt = found.ok && found.value.mission?.missionId === mission.missionId
  return isIt ? found.value.nextPromptAt : null
}

const viewOfSession = (sessionId: string, record: MissionRecord): MissionView => ({
  mission_id: record.missionId,
  session_id: sessionId,
  agent_id: null,
  text: record.text,
  every_minutes: record.everyMinutes,
  max_prompts: record.maxPrompts,
  prompts: record.prompts,
  status: record.status,
  set_at: record.setAt,
  ended_at: record.endedAt,
  summary: record.summary ?? null,
})

const viewOfAgent = (mission: AgentMission): MissionView => ({
  mission_id: mission.missionId,
  session_id: mission.sessionId,
  agent_id: mission.agent,
  text: mission.text,
  every_minutes: mission.everyMinutes,
  max_prompts: mission.maxPrompts,
  prompts: mission.prompts,
  status: mission.status,
  set_at: mission.createdAt,
  ended_at: mission.endedAt,
  summary: mission.summary,
})

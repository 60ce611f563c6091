// Routes of seed 003: one call to send, one to stop. Names are snake_case, as there.

import { Hono } from 'hono'
import { z } from 'zod'
import type { Command } from '#protocol/commands'
import { Delivery } from '#protocol/events'
import { isSessionId, parseRunId } from '#protocol/ids'
import { check, parseCommand } from '#protocol/parse'
import type { Result } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { readBody, readJson } from './body.ts'
import { answer, refuse } from './respond.ts'
import { NO_SESSION, sessionOf } from './session-stub.ts'
import { createSession, randomId, requireAgent } from './sessions.ts'

const Chat = z.object({
  session_id: z.string().nullish(),
  agent_id: z.string().min(1).max(200).nullish(),
  text: z.unknown().optional(),
  id: z.unknown().optional(),
  delivery: Delivery.nullish(),
})
type Chat = z.infer<typeof Chat>

const Cancel = z.object({ run_id: z.string().max(200) })

export const chat = new Hono<AppEnv>()

chat.post('/chat', async (c) => {
  const json = await readJson(c)
  const body = json.ok ? check<Chat>(Chat, json.value) : json
  if (!body.ok) return refuse(c.req.raw, body.rejection)
  // The message is checked before a session is made for it: a refused one must leave nothing.
  const command = toSend(body.value)
  if (!command.ok) return refuse(c.req.raw, command.rejection)
  const { owner } = c.var.identity
  const sessionId = await findOrCreate(c.env, owner, body.value)
  if (!sessionId.ok) return refuse(c.req.raw, sessionId.rejection)
  const ack = await sessionOf(c.env, sessionId.value).command(owner, command.value, 'api')
  const toBody = (value: { queued?: boolean; runId?: string }) => ({
    session_id: sessionId.value,
    message_id: command.value.id,
    queued: value.queued ?? false,
    run_id: value.runId ?? null,
  })
  return answer(c, ack, toBody, 202)
})

function toSend(body: Chat): Result<Command> {
  const { text, id, delivery, session_id: sessionId, agent_id: agent } = body
  return parseCommand({
    type: 'send',
    id: id ?? randomId(),
    text,
    ...(delivery ? { delivery } : {}),
    // A new session gets the agent as its own; in an existing one the message is addressed to it.
    ...(sessionId && agent ? { to: agent } : {}),
  })
}

async function findOrCreate(
  env: AppEnv['Bindings'],
  owner: string,
  body: Chat,
): Promise<Result<string>> {
  const { session_id: sessionId, agent_id: agent } = body
  const known = agent ? await requireAgent(env, owner, agent, 'agent_id') : null
  if (known?.ok === false) return known
  if (sessionId) {
    const value = sessionId
    return isSessionId(value) ? { ok: true, value } : { ok: false, rejection: NO_SESSION }
  }
  const created = await createSession(env, owner, agent ? { agent } : {})
  return created.ok ? { ok: true, value: created.value.id } : created
}

chat.post('/agent-cancel', async (c) => {
  const body = await readBody<z.infer<typeof Cancel>>(c, Cancel)
  if (!body.ok) return refuse(c.req.raw, body.rejection)
  const { run_id: runId } = body.value
  const run = parseRunId(runId)
  if (run === null) return refuse(c.req.raw, NO_RUN)
  const command: Command = { type: 'cancel', id: randomId(), runId }
  const session = sessionOf(c.env, run.sessionId)
  const ack = await session.command(c.var.identity.owner, command, 'api')
  // Whether the session or only the run is missing is not told to someone who may not see either.
  if (!ack.ok && ack.rejection.code === 'no_such_run') return refuse(c.req.raw, NO_RUN)
  return answer(c, ack, ({ seq }) => ({ ok: true, seq: seq ?? null }))
})

export const NO_RUN = { code: 'not_found', message: 'run_id: no such run' } as const

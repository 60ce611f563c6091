// What waits for a person, in one place (DEC6), and the answer to a question as seed 003 sends it.

import { Hono } from 'hono'
import { z } from 'zod'
import type { Rejection } from '#protocol/http'
import { parseWaitId } from '#protocol/ids'
import { parseCommand } from '#protocol/parse'
import { hubOf } from '../hub/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { readBody } from './body.ts'
import { answer, refuse } from './respond.ts'
import { sessionOf } from './session-stub.ts'
import { randomId } from './sessions.ts'

const Answer = z.object({ question_id: z.string().max(200), answers: z.unknown().optional() })

export const inbox = new Hono<AppEnv>()

inbox.get('/inbox', async (c) => {
  const { owner } = c.var.identity
  return c.json({ items: await hubOf(c.env, owner).inbox(owner) })
})

inbox.post('/ask-user-response', async (c) => {
  const body = await readBody<z.infer<typeof Answer>>(c, Answer)
  if (!body.ok) return refuse(c.req.raw, body.rejection)
  const { question_id: questionId, answers } = body.value
  // Checked before any object is reached: its refusal names the field.
  const command = parseCommand({ type: 'answer', id: randomId(), questionId, answers })
  if (!command.ok) return refuse(c.req.raw, command.rejection)
  const question = parseWaitId(questionId)
  if (question === null) return refuse(c.req.raw, NO_QUESTION)
  const session = sessionOf(c.env, question.sessionId)
  const ack = await session.command(c.var.identity.owner, command.value, 'api')
  // Whether the session or only the question is missing is not told to someone who may see neither.
  if (!ack.ok && ack.rejection.code === 'not_found') return refuse(c.req.raw, NO_QUESTION)
  return answer(c, ack, ({ seq }) => ({ ok: true, seq: seq ?? null }))
})

const NO_QUESTION: Rejection = {
  code: 'no_such_question',
  message: 'question_id: no such question',
}

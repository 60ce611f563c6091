// Runs as other programs ask for them (AGT6). Names are snake_case, as in that document.

import { Hono, type Context } from 'hono'
import { z } from 'zod'
import type { RunRecord } from '#protocol/http'
import { isSessionId, parseRunId } from '#protocol/ids'
import type { RunContact } from '../core/session/run-contacts.ts'
import type { Result } from '../session/rpc.ts'
import type { AppEnv } from './app-env.ts'
import { readQuery } from './body.ts'
import { NO_RUN } from './chat.ts'
import { count, seq } from './query.ts'
import { answer, refuse } from './respond.ts'
import { NO_SESSION, sessionOf } from './session-stub.ts'

const LIST_RUNS = 30
const LIST_RUNS_MAX = 100

const RunsQuery = z.object({
  session_id: z.string(),
  limit: count(1, LIST_RUNS_MAX).default(LIST_RUNS),
  cursor: seq.optional(),
})
type RunsQuery = z.infer<typeof RunsQuery>

const ChildrenQuery = z.object({ run_id: z.string() })
type ChildrenQuery = z.infer<typeof ChildrenQuery>

const ContextQuery = z.object({
  run_id: z.string(),
  view: z.enum(['summary', 'raw']).default('summary'),
})
type ContextQuery = z.infer<typeof ContextQuery>

export const runs = new Hono<AppEnv>()

runs.get('/agent-runs', async (c) => {
  const query = readQuery<RunsQuery>(c, RunsQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { session_id: sessionId, limit, cursor } = query.value
  if (!isSessionId(sessionId)) return refuse(c.req.raw, NO_SESSION)
  const page = await sessionOf(c.env, sessionId).runs(c.var.identity.owner, {
    limit,
    ...(cursor === undefined ? {} : { before: cursor }),
  })
  return answer(c, page, (value) => ({
    runs: value.runs,
    nextCursor: value.hasMore ? toCursor(value.runs) : null,
  }))
})

/** A run's id names the seq at which it started: the next page goes on before that. */
function toCursor(page: readonly RunRecord[]): string | null {
  const last = page.at(-1)
  const run = last === undefined ? null : parseRunId(last.run_id)
  return run === null ? null : String(run.startedSeq)
}

runs.get('/agent-children', async (c) => {
  const query = readQuery<ChildrenQuery>(c, ChildrenQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { run_id: runId } = query.value
  const run = parseRunId(runId)
  if (run === null) return refuse(c.req.raw, NO_RUN)
  const { owner } = c.var.identity
  const contacts = await sessionOf(c.env, run.sessionId).contactsOf(owner, runId)
  // Whether the session or only the run is missing is not told, as for a cancel.
  if (!contacts.ok) return refuse(c.req.raw, NO_RUN)
  const found = await Promise.all(contacts.value.map((contact) => findContactRun(c, contact)))
  return c.json({ runs: found.filter((record) => record !== null) })
})

/** null: nothing runs for it yet, or its session is gone. */
async function findContactRun(c: Context<AppEnv>, contact: RunContact): Promise<RunRecord | null> {
  const { owner } = c.var.identity
  const session = sessionOf(c.env, contact.sessionId)
  const runId =
    contact.type === 'child'
      ? contact.runId
      : await session.runOfExchange(owner, contact.exchangeId)
  if (runId === null) return null
  const run = await findRun(c, runId)
  return run.ok ? run.value : null
}

async function findRun(c: Context<AppEnv>, runId: string): Promise<Result<RunRecord>> {
  const run = parseRunId(runId)
  if (run === null) return { ok: false, rejection: NO_RUN }
  const session = sessionOf(c.env, run.sessionId)
  const page = await session.runs(c.var.identity.owner, { before: run.startedSeq + 1, limit: 1 })
  const found = page.ok ? page.value.runs.find((record) => record.run_id === runId) : undefined
  return found === undefined ? { ok: false, rejection: NO_RUN } : { ok: true, value: found }
}

runs.get('/agent-context', async (c) => {
  const query = readQuery<ContextQuery>(c, ContextQuery)
  if (!query.ok) return refuse(c.req.raw, query.rejection)
  const { run_id: runId, view } = query.value
  const run = parseRunId(runId)
  if (run === null) return refuse(c.req.raw, NO_RUN)
  const session = sessionOf(c.env, run.sessionId)
  const context = await session.runContext(c.var.identity.owner, runId, view)
  // Whether the session or only the run is missing is not told, as for a cancel.
  return context.ok ? Response.json(context.value) : refuse(c.req.raw, NO_RUN)
})

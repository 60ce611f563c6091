import { describe, expect, test } from 'vitest'
import type { RunRecord } from '#protocol/http'
import type { RunContext } from '../session/rpc.ts'
import { call, createSession, refusalOf, TWO_OWNERS, UNKNOWN_ID } from '../testing/call-app.ts'
import { LiveSession, model, script } from '../testing/live-session.ts'

type Page = { runs: RunRecord[]; nextCursor: string | null }

const get = async <T>(path: string): Promise<T> => {
  const response = await call(path)
  expect(response.status, path).toBe(200)
  return response.json<T>()
}

const list = (id: string, query = '') => get<Page>(`/api/agent-runs?session_id=${id}${query}`)

/** Runs that have ended, one after another. */
async function runAll(...texts: string[]): Promise<{ id: string; runIds: string[] }> {
  const session = await LiveSession.create()
  const socket = await session.connect()
  const runIds: string[] = []
  for (const text of texts) {
    const { runId } = await session.command({ type: 'send', text })
    await socket.untilEvent((event) => event.type === 'run_done' && event.runId === runId)
    runIds.push(runId)
  }
  socket.close()
  return { id: session.id, runIds }
}

const CALCULATE = { id: 'call_1', name: 'calculate', arguments: '{"expression":"6*7"}' }
const WITH_TOOL = script(
  [{ toolCall: CALCULATE }, { finish: 'tool_calls' }],
  [{ text: 'It is forty-two.' }, { finish: 'stop' }],
)

describe('runs of a session', () => {
  test('[AGT6] [RUN4] say who answered, with which model and tools, and how it ended', async () => {
    const { id, runIds } = await runAll(WITH_TOOL)
    const { runs, nextCursor } = await list(id)
    expect(nextCursor).toBeNull()
    expect(runs).toEqual([
      {
        run_id: runIds[0],
        session_id: id,
        agent_id: 'assistant',
        kind: 'answer',
        model: 'strict',
        actual_model: 'strict',
        state: 'ended',
        outcome: 'done',
        stop_reason: 'stop',
        attempt: 1,
        started_at: expect.any(Number),
        ended_at: expect.any(Number),
        duration_ms: expect.any(Number),
        usage: expect.objectContaining({ inputTokens: expect.any(Number) }),
        response_ids: [`${runIds[0]}.1`],
        tool_calls: [
          {
            call_id: 'call_1',
            tool: 'calculate',
            ok: true,
            error_code: null,
            result: expect.any(String),
            duration_ms: expect.any(Number),
          },
        ],
        parent_run_id: null,
        exchange_id: null,
      },
    ])
  })

  test('[AGT6] come newest first, page by page, each once', async () => {
    const { id, runIds } = await runAll('one', 'two', 'three', 'four', 'five')
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page: Page = await list(id, `&limit=2${more}`)
      seen.push(...page.runs.map(({ run_id: runId }) => runId))
      cursor = page.nextCursor
    }
    expect(seen).toEqual(runIds.toReversed())
  })

  test('[AGT6] one that is still active has no end yet; cancelled, it says so', async () => {
    const session = await LiveSession.create()
    const gate = `g-${session.id}`
    const text = script([{ text: 'A long story begins ' }, { gate }, { finish: 'stop' }])
    const { runId } = await session.command({ type: 'send', text })
    await model.reached(gate)
    const active = { state: 'running', outcome: null, ended_at: null, usage: null }
    expect((await list(session.id)).runs).toMatchObject([{ run_id: runId, ...active }])
    await call('/api/agent-cancel', { json: { run_id: runId } })
    expect((await list(session.id)).runs).toMatchObject([
      { run_id: runId, state: 'ended', outcome: 'cancelled', stop_reason: 'cancelled' },
    ])
  })

  test('[AGT6] a session where nothing ran has none', async () => {
    const { id } = await createSession()
    expect(await list(id)).toEqual({ runs: [], nextCursor: null })
  })

  test('[AGT6] project_root is accepted and ignored', async () => {
    const { id } = await createSession()
    expect(await list(id, '&project_root=%2Ftmp')).toMatchObject({ runs: [] })
  })
})

describe('one run', () => {
  test('[AGT6] has no children yet', async () => {
    const { runIds } = await runAll('hello')
    expect(await get(`/api/agent-children?run_id=${runIds[0]}`)).toEqual({ runs: [] })
  })

  test('[AGT6] says what its model knew, in numbers or word for word', async () => {
    const { runIds } = await runAll('the first', 'the second')
    const path = `/api/agent-context?run_id=${runIds[0]}`
    const summary = await get<RunContext>(path)
    expect(summary).toMatchObject({ run: { run_id: runIds[0] }, compacted: false, summary: null })
    expect(summary).not.toHaveProperty('raw')
    expect(await get(`${path}&view=summary`)).toEqual(summary)
    const { raw, ...numbers } = await get<RunContext>(`${path}&view=raw`)
    expect(numbers).toEqual(summary)
    expect(raw!.messages).toHaveLength(summary.messages)
    expect(raw!.messages[0]).toEqual({ role: 'user', text: 'the first' })
    expect(JSON.stringify(raw)).not.toContain('the second')
    expect(raw!.system).toContain('Parley')
    expect(raw!.tools).toContain('calculate')
  })
})

const ofRun = (runId: string): string[] => [
  `/api/agent-children?run_id=${runId}`,
  `/api/agent-context?run_id=${runId}`,
  `/api/agent-context?run_id=${runId}&view=raw`,
]

describe('what is not there', () => {
  test('[SAF2] a run that nobody started is not found', async () => {
    const { id } = await createSession()
    for (const runId of [`${id}.1`, `${id}.999`, `${UNKNOWN_ID}.3`, 'rubbish', '']) {
      for (const path of ofRun(runId)) {
        expect(await refusalOf(await call(path)), path).toMatchObject({
          status: 404,
          code: 'not_found',
        })
      }
    }
  })

  test('[SAF2] a session that nobody made has no runs', async () => {
    for (const id of [UNKNOWN_ID, 'rubbish', '']) {
      const refusal = await refusalOf(await call(`/api/agent-runs?session_id=${id}`))
      expect(refusal, id).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  test('[SAF2] a wrong question names its field', async () => {
    const runs = `/api/agent-runs?session_id=${UNKNOWN_ID}`
    const context = `/api/agent-context?run_id=${UNKNOWN_ID}.3`
    for (const [path, field] of [
      ['/api/agent-runs', 'session_id'],
      [`${runs}&limit=0`, 'limit'],
      [`${runs}&limit=many`, 'limit'],
      [`${runs}&cursor=x`, 'cursor'],
      ['/api/agent-children', 'run_id'],
      ['/api/agent-context', 'run_id'],
      [`${context}&view=all`, 'view'],
    ] as const) {
      const refusal = await refusalOf(await call(path))
      expect(refusal, path).toMatchObject({ status: 400, code: 'bad_request' })
      expect(refusal.message.startsWith(`${field}: `), refusal.message).toBe(true)
    }
  })

  test('[SAF1] another owner’s runs are not there, nor anyone’s without a credential', async () => {
    const alice = { vars: TWO_OWNERS, token: 'alice-token' }
    const bob = { vars: TWO_OWNERS, token: 'bob-token' }
    const sent = await call('/api/chat', { ...alice, json: { text: 'hello' } })
    const { session_id: id, run_id: runId } = await sent.json<Record<string, string>>()
    const paths = [`/api/agent-runs?session_id=${id}`, ...ofRun(runId!)]
    for (const path of paths) {
      expect((await call(path, alice)).status, path).toBe(200)
      expect(await refusalOf(await call(path, bob)), path).toMatchObject({ status: 404 })
      const nobody = await call(path, { vars: TWO_OWNERS })
      expect(await refusalOf(nobody), path).toMatchObject({ status: 401 })
    }
  })
})

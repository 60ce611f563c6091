import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { call, refusalOf, UNKNOWN_ID } from '../testing/call-app.ts'

type Answer = {
  session_id: string
  message_id: string
  queued: boolean
  run_id: string | null
}

const chat = async (json: object): Promise<Answer> => {
  const response = await call('/api/chat', { json })
  expect(response.status).toBe(202)
  return response.json<Answer>()
}

describe('chat', () => {
  test('[API1] makes a session, and goes on in it', async () => {
    await call('/api/agents', { json: { name: 'critic' } })
    const first = await chat({ text: 'hello', agent_id: 'critic', project_root: '/ignored' })
    expect(first).toMatchObject({ queued: false })
    const session = await (await call(`/api/sessions/${first.session_id}`)).json()
    expect(session).toMatchObject({ session: { agent: 'critic' } })
    const second = await chat({ session_id: first.session_id, text: 'more', id: 'm2' })
    expect(second).toMatchObject({ session_id: first.session_id, message_id: 'm2' })
    const again = await chat({ session_id: first.session_id, text: 'more', id: 'm2' })
    expect(again).toEqual(second)
  })

  test('[API1] [AGT1] in a session that there is, the agent it names answers, and that session keeps its own', async () => {
    const { session_id: id } = await chat({ text: 'hello' })
    await chat({ session_id: id, text: 'and you?', agent_id: 'coder', delivery: 'interrupt' })
    const page = await call(`/api/sessions/${id}/events?limit=1000`)
    const { events } = await page.json<{ events: SessionEvent[] }>()
    const started = events.flatMap((one) => (one.type === 'run_started' ? [one.agent] : []))
    expect(started).toEqual(['assistant', 'coder'])
    expect(events.findLast(({ type }) => type === 'user_message')).toMatchObject({ to: 'coder' })
    const { session } = await (await call(`/api/sessions/${id}`)).json<{ session: object }>()
    expect(session).toMatchObject({ agent: 'assistant' })
    const command = { type: 'send', id: 'x1', text: 'hi', to: 'nobody' }
    const refused = await call(`/api/sessions/${id}/commands`, { json: command })
    expect(await refusalOf(refused)).toMatchObject({ status: 400, code: 'unknown_agent' })
  })

  test('[CAN1] a run is stopped by its id alone', async () => {
    const { session_id: id, run_id: runId } = await chat({ text: 'hello' })
    const response = await call('/api/agent-cancel', { json: { run_id: runId } })
    const { ok, seq } = await response.json<{ ok: boolean; seq: number }>()
    expect(ok).toBe(true)
    const page = await call(`/api/sessions/${id}/events?after=${seq - 1}&limit=1`)
    const { events } = await page.json<{ events: SessionEvent[] }>()
    expect(events).toMatchObject([{ seq, type: 'run_done', runId }])
  })

  test('[SAF2] a run that is not there is 404', async () => {
    const { session_id: id } = await chat({ text: 'hello' })
    for (const runId of [`${id}.999`, `${UNKNOWN_ID}.3`, 'rubbish', '']) {
      const response = await call('/api/agent-cancel', { json: { run_id: runId } })
      expect(await refusalOf(response), runId).toMatchObject({ status: 404, code: 'not_found' })
    }
  })
})

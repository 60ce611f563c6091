import { describe, expect, test } from 'vitest'
import { call, createSession, refusalOf, TWO_OWNERS, UNKNOWN_ID } from '../testing/call-app.ts'
import { LiveSession, model, script } from '../testing/live-session.ts'

type Message = {
  id: string
  role: string
  content?: string
  parts?: { type: string; state?: string; text?: string }[]
}

const get = async (path: string): Promise<{ messages: Message[]; next: string | null }> => {
  const response = await call(path)
  expect(response.status, path).toBe(200)
  const messages = await response.json<Message[]>()
  return { messages, next: response.headers.get('x-next-cursor') }
}

const CALCULATE = { id: 'call_1', name: 'calculate', arguments: '{"expression":"6*7"}' }
const WITH_TOOL = script(
  [{ text: 'Let me see.' }, { toolCall: CALCULATE }, { finish: 'tool_calls' }],
  [{ text: 'It is forty-two.' }, { finish: 'stop' }],
)

/** Runs that have ended, one after another. */
async function runAll(...texts: string[]): Promise<{ path: string; runIds: string[] }> {
  const session = await LiveSession.create()
  const socket = await session.connect()
  const runIds: string[] = []
  for (const text of texts) {
    const { runId } = await session.command({ type: 'send', text })
    await socket.untilEvent((event) => event.type === 'run_done' && event.runId === runId)
    runIds.push(runId)
  }
  socket.close()
  return { path: `/api/sessions/${session.id}/messages`, runIds }
}

describe('[API2] the messages of a session', () => {
  test('[API2] as vercel: newest first, one message for calls and answer, annotated', async () => {
    const { path, runIds } = await runAll(WITH_TOOL)
    const { messages, next } = await get(`${path}?format=vercel`)
    expect(next).toBeNull()
    const id = `${runIds[0]}.1`
    expect(messages).toEqual([
      {
        id,
        role: 'assistant',
        createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
        content: 'It is forty-two.',
        parts: [
          { type: 'text', text: 'Let me see.' },
          {
            type: 'tool-invocation',
            toolInvocation: {
              toolCallId: 'call_1',
              toolName: 'calculate',
              args: { expression: '6*7' },
              state: 'result',
              result: '42',
            },
          },
          { type: 'text', text: 'It is forty-two.' },
        ],
        annotations: [
          { toolCallId: 'call_1', validated: 'not_required', isComplete: true },
          { messageId: id, isComplete: true },
        ],
      },
      {
        id: expect.any(String),
        role: 'user',
        createdAt: expect.any(String),
        content: WITH_TOOL,
      },
    ])
  })

  test('[API2] as ui: oldest first, in steps', async () => {
    const { path, runIds } = await runAll(WITH_TOOL)
    const { messages } = await get(`${path}?format=ui`)
    expect(messages).toMatchObject([
      { role: 'user', parts: [{ type: 'text', text: WITH_TOOL }] },
      {
        id: `${runIds[0]}.1`,
        role: 'assistant',
        metadata: { runId: runIds[0], outcome: 'done' },
        parts: [
          { type: 'step-start' },
          { type: 'text', text: 'Let me see.' },
          { type: 'dynamic-tool', state: 'output-available', output: '42' },
          { type: 'step-start' },
          { type: 'text', text: 'It is forty-two.' },
        ],
      },
    ])
  })

  test('[API2] page by page, each once', async () => {
    const { path } = await runAll('one', 'two', 'three')
    const whole = await get(`${path}?format=vercel`)
    expect(whole.messages).toHaveLength(6)
    const seen: Message[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const more: string = cursor === '' ? '' : `&cursor=${cursor}`
      const page = await get(`${path}?format=vercel&limit=2${more}`)
      expect(page.messages).toHaveLength(2)
      seen.push(...page.messages)
      cursor = page.next
    }
    expect(seen).toEqual(whole.messages)
  })

  test('[API2] of a run that is active: what it has said so far', async () => {
    const session = await LiveSession.create()
    const gate = `g-${session.id}`
    const socket = await session.connect()
    const text = script([{ text: 'A long story begins ' }, { gate }, { finish: 'stop' }])
    const { runId } = await session.command({ type: 'send', text })
    await model.reached(gate)
    await socket.untilEvent((event) => event.type === 'text_delta')
    const path = `/api/sessions/${session.id}/messages`
    const { messages } = await get(`${path}?format=vercel`)
    expect(messages[0]).toMatchObject({
      id: `${runId}.1`,
      parts: [{ type: 'text', text: expect.stringContaining('A long story') }],
      annotations: [{ isComplete: false }],
    })
    const ui = await get(`${path}?format=ui`)
    expect(ui.messages[1]?.parts?.[1]).toMatchObject({ type: 'text', state: 'streaming' })
    await session.command({ type: 'cancel' })
    const cut = await get(`${path}?format=vercel`)
    expect(cut.messages[0]).toMatchObject({
      id: `${runId}.1`,
      annotations: [{ isComplete: false }],
    })
    socket.close()
  })

  test('[API2] where nobody said anything there are none', async () => {
    const { id } = await createSession()
    for (const format of ['vercel', 'ui']) {
      const page = await get(`/api/sessions/${id}/messages?format=${format}`)
      expect(page).toEqual({ messages: [], next: null })
    }
  })
})

describe('[API2] what is refused', () => {
  test('[API2] [SAF2] a wrong question names its field', async () => {
    const path = `/api/sessions/${UNKNOWN_ID}/messages`
    for (const [query, field] of [
      ['', 'format'],
      ['?format=v4', 'format'],
      ['?format=ui&limit=0', 'limit'],
      ['?format=ui&limit=many', 'limit'],
      ['?format=vercel&cursor=-1', 'cursor'],
    ] as const) {
      const refusal = await refusalOf(await call(`${path}${query}`))
      expect(refusal, query).toMatchObject({ status: 400, code: 'bad_request' })
      expect(refusal.message.startsWith(`${field}: `), refusal.message).toBe(true)
    }
  })

  test('[API2] [SAF2] a session that nobody made is not found', async () => {
    for (const id of [UNKNOWN_ID, 'rubbish']) {
      const response = await call(`/api/sessions/${id}/messages?format=ui`)
      expect(await refusalOf(response), id).toMatchObject({ status: 404, code: 'not_found' })
    }
  })

  test('[API2] [SAF1] another owner’s messages are not there, nor anyone’s without a credential', async () => {
    const alice = { vars: TWO_OWNERS, token: 'alice-token' }
    const { id } = await createSession(alice)
    const path = `/api/sessions/${id}/messages?format=ui`
    expect((await call(path, alice)).status).toBe(200)
    const bob = await call(path, { vars: TWO_OWNERS, token: 'bob-token' })
    expect(await refusalOf(bob)).toMatchObject({ status: 404 })
    expect(await refusalOf(await call(path, { vars: TWO_OWNERS }))).toMatchObject({ status: 401 })
  })
})

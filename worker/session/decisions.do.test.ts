import { abortAllDurableObjects, evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { describe, expect, test } from 'vitest'
import type { SessionEvent } from '#protocol/events'
import { fold } from '#protocol/reduce'
import {
  api,
  LiveSession,
  model,
  postJson,
  script,
  type LiveSocket,
} from '../testing/live-session.ts'

// A run that waits for a person in the real object: over its sleep, its death, and several answers.

const isAsked = ({ type }: SessionEvent): boolean =>
  type === 'decision_requested' || type === 'ask_user'
const isRunDone = ({ type }: SessionEvent): boolean => type === 'run_done'

const call = (id: string, name: string, input: object) => ({
  toolCall: { id, name, arguments: JSON.stringify(input) },
})

const COMMAND = script(
  [call('a', 'bash', { command: 'echo made > made.txt' }), { finish: 'tool_calls' }],
  [{ text: 'That was it.' }, { finish: 'stop' }],
)

/** A session whose run has asked, with somebody who watches. */
async function asking(text = COMMAND): Promise<{ session: LiveSession; socket: LiveSocket }> {
  const session = await LiveSession.create()
  const socket = await session.connect()
  socket.command({ type: 'send', text })
  await socket.untilEvent(isAsked)
  return { session, socket }
}

const openOf = async (session: LiveSession): Promise<string> =>
  fold(await session.events()).decisions[0]!.decisionId

const accept = (decisionId: string) => ({ type: 'decide', decisionId, verdict: 'accept' }) as const

const filesOf = async (session: LiveSession): Promise<string[]> => {
  const { files } = await (
    await api(`/sessions/${session.id}/files`)
  ).json<{
    files: { path: string }[]
  }>()
  return files.map(({ path }) => path)
}

describe('[DEC2] what a call would be judged as with an edit', () => {
  test('[DEC3] [API1] is told by the rules that will judge it, and decides nothing', async () => {
    const { session } = await asking()
    const decisionId = await openOf(session)
    const before = await session.events()
    const judge = async (edits: object, id = decisionId, of = session.id) => {
      const response = await postJson(`/sessions/${of}/decisions/${id}/judge`, { edits })
      return { status: response.status, ...(await response.json<object>()) }
    }
    expect(await judge({ command: 'ls' })).toMatchObject({ status: 200, severity: 'low' })
    expect(await judge({ command: 'true && rm -rf ~' })).toMatchObject({
      severity: 'critical',
      reason: expect.stringContaining('rm -rf'),
    })
    expect(await judge({ arguments: '{}' })).toMatchObject({ error: { code: 'invalid_edit' } })
    expect(await judge({ command: '' })).toMatchObject({ error: { code: 'invalid_edit' } })
    expect(await judge({ command: 'ls' }, 'nothing')).toMatchObject({ status: 404 })
    expect(await judge({ command: 7 })).toMatchObject({ status: 400 })
    expect(await session.events()).toEqual(before)
    expect(await judge({}, decisionId, `${session.id}x`)).toMatchObject({ status: 404 })
  })
})

describe('while somebody is asked', () => {
  test('[DEC4] the object has no alarm and sleeps; the answer wakes it, and the run goes on', async () => {
    const { session, socket } = await asking()
    await evictDurableObject(session.stub)
    const alarm = await runInDurableObject(session.stub, (_, state) => state.storage.getAlarm())
    expect(alarm).toBe(null)
    await evictDurableObject(session.stub)
    socket.command(accept(await openOf(session)))
    await socket.untilEvent(isRunDone)
    expect(await filesOf(session)).toEqual(['made.txt'])
    const events = await session.events()
    expect(events.filter(({ type }) => type === 'run_started')).toHaveLength(1)
    expect(await model.violations()).toEqual([])
  })

  test('[DEC4] [RUN9] the object is killed, again and again: it is asked once and run once', async () => {
    const { session } = await asking()
    const decisionId = await openOf(session)
    for (let kill = 0; kill < 4; kill++) {
      await abortAllDurableObjects()
      expect(await openOf(session)).toBe(decisionId)
    }
    const socket = await session.connect(0)
    socket.command(accept(decisionId))
    await socket.untilEvent(isRunDone)
    const types = (await session.events()).map(({ type }) => type)
    expect(types.filter((type) => type === 'decision_requested')).toHaveLength(1)
    expect(types.filter((type) => type === 'tool_result')).toHaveLength(1)
    expect(types.filter((type) => type === 'run_started')).toHaveLength(1)
  })

  test('[DEC4] two tabs and the API answer at once: one wins, two are told, all see the same', async () => {
    const { session, socket: first } = await asking()
    const second = await session.connect()
    const decisionId = await openOf(session)
    first.send({ id: 'first', ...accept(decisionId) })
    second.send({ id: 'second', type: 'decide', decisionId, verdict: 'reject' })
    const answer = await postJson(`/sessions/${session.id}/commands`, {
      id: 'third',
      ...accept(decisionId),
    })
    const [one, two] = await Promise.all([
      first.until((frame) => 'id' in frame && frame.id === 'first'),
      second.until((frame) => 'id' in frame && frame.id === 'second'),
    ])
    const codes = [one, two].map((frame) => (frame.type === 'rejected' ? frame.code : 'won'))
    codes.push(answer.ok ? 'won' : (await answer.json<{ error: { code: string } }>()).error.code)
    expect(codes.toSorted()).toEqual(['already_decided', 'already_decided', 'won'])
    await Promise.all([first.untilEvent(isRunDone), second.untilEvent(isRunDone)])
    const state = fold(await session.events())
    expect(state.decisions).toEqual([])
    const events = await session.events()
    expect(events.filter(({ type }) => type === 'decision_resolved')).toHaveLength(1)
  })

  test('[DEC2] an edited command runs as edited; one that cannot be run is refused and stays open', async () => {
    const { session, socket } = await asking()
    const decisionId = await openOf(session)
    const edited = (command: string) => ({ ...accept(decisionId), edits: { command } })
    socket.send({ id: 'wrong', ...edited('x'.repeat(40_000)) })
    const refused = await socket.until((frame) => 'id' in frame && frame.id === 'wrong')
    expect(refused).toMatchObject({ type: 'rejected', code: 'invalid_edit' })
    socket.send({ id: 'right', ...edited('echo other > other.txt') })
    await socket.untilEvent(isRunDone)
    expect(await filesOf(session)).toEqual(['other.txt'])
    const result = (await session.events()).find(({ type }) => type === 'tool_result')
    expect(JSON.stringify(result)).toContain('other.txt')
  })

  test('[CAN1] a cancel settles it, and an answer afterwards runs nothing', async () => {
    const { session, socket } = await asking()
    const decisionId = await openOf(session)
    await session.command({ type: 'cancel' })
    await socket.untilEvent(isRunDone)
    const late = await postJson(`/sessions/${session.id}/commands`, {
      id: 'late',
      ...accept(decisionId),
    })
    expect(late.status).toBe(409)
    expect(await filesOf(session)).toEqual([])
  })
})

test('[DEC5] a question that was asked before a kill is answered by a program afterwards', async () => {
  const questions = [{ id: 'colour', text: 'Which colour?', options: ['red', 'blue'] }]
  const { session } = await asking(
    script(
      [call('q', 'ask_user', { questions }), { finish: 'tool_calls' }],
      [{ text: 'Thank you.' }, { finish: 'stop' }],
    ),
  )
  await abortAllDurableObjects()
  const { questionId } = fold(await session.events()).questions[0]!
  const socket = await session.connect(0)
  const body = { question_id: questionId, answers: { colour: 'blue' } }
  expect((await postJson('/ask-user-response', body)).status).toBe(200)
  await socket.untilEvent(isRunDone)
  expect(await model.violations()).toEqual([])
})

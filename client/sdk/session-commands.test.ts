import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { CLIENT_FRAME_BYTES, MESSAGE_TEXT_BYTES } from '#protocol/limits'
import { FIRST_RETRY_MS } from './reconnecting-socket.ts'
import { begin, createScene, goLive, serve } from './testing/client-scene.ts'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter } from './testing/random-log.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('after close() it can connect again, and sends what waited', async () => {
  const scene = createScene()
  await goLive(scene)
  scene.client.close()
  const answer = scene.client.send('written while closed')
  expect(scene.client.view.pending).toHaveLength(1)
  const socket = await begin(scene)
  serve(socket, scene.session)
  await expect(answer).resolves.toMatchObject({ seq: 2 })
})

test('[LOG5] a command whose answer was lost is sent again with its id, with one effect', async () => {
  const scene = createScene()
  const { client, session } = scene
  const first = await goLive(scene)
  const answer = client.send('hello')
  expect(client.view.pending).toMatchObject([{ id: 'id-1', text: 'hello' }])
  session.answer(first.frames.at(-1)!)
  first.drop()
  await vi.advanceTimersByTimeAsync(FIRST_RETRY_MS + 1)
  const second = scene.network.last()
  second.accept()
  expect(second.frames).toMatchObject([{ type: 'hello' }, { type: 'send', id: 'id-1' }])
  for (const frame of second.frames) second.deliver(...session.answer(frame))
  await expect(answer).resolves.toEqual({ seq: 2 })
  expect(session.effects).toBe(1)
  expect(client.view.pending).toEqual([])
  second.drop()
  await vi.advanceTimersByTimeAsync(FIRST_RETRY_MS + 1)
  scene.network.last().accept()
  expect(scene.network.last().frames).toMatchObject([{ type: 'hello' }])
})

test('[UI3] what is asked for while offline goes out in order when the connection is there', async () => {
  const scene = createScene()
  const answers = [scene.client.send('one'), scene.client.cancel(), scene.client.send('two')]
  const socket = await begin(scene)
  serve(socket, scene.session)
  expect(socket.frames.slice(0, 4).map(({ type }) => type)).toEqual([
    'hello',
    'send',
    'cancel',
    'send',
  ])
  await Promise.all(answers)
  expect(scene.session.effects).toBe(3)
})

test('[CAN2] cancel names the run that the person sees', async () => {
  const scene = createScene()
  scene.session.log.message()
  const runId = scene.session.log.startRun()
  const socket = await goLive(scene)
  void scene.client.cancel()
  void scene.client.cancel({ runId: 'another', audioTruncatedAtMs: 5 })
  expect(socket.frames.slice(-2)).toEqual([
    { type: 'cancel', runId, id: 'id-1' },
    { type: 'cancel', runId: 'another', audioTruncatedAtMs: 5, id: 'id-2' },
  ])
})

test('every command has its method', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  const { client } = scene
  void client.continue()
  void client.editQueued('item', 'text')
  void client.removeQueued('item')
  void client.moveQueued('item', null)
  void client.sendQueuedNow('item')
  void client.configure({ title: 'New' })
  void client.clear()
  void client.send('to', { to: 'agent', delivery: 'steer', attachments: [] })
  expect(socket.frames.slice(-8)).toEqual([
    { type: 'continue', id: 'id-1' },
    { type: 'queue_edit', itemId: 'item', text: 'text', id: 'id-2' },
    { type: 'queue_remove', itemId: 'item', id: 'id-3' },
    { type: 'queue_move', itemId: 'item', before: null, id: 'id-4' },
    { type: 'queue_send_now', itemId: 'item', id: 'id-5' },
    { type: 'configure', title: 'New', id: 'id-6' },
    { type: 'clear', id: 'id-7' },
    { type: 'send', text: 'to', to: 'agent', delivery: 'steer', attachments: [], id: 'id-8' },
  ])
})

test('[DEC2] [DEC5] decisions, answers and rules have their methods', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  const { client } = scene
  void client.decide('d1', 'accept')
  void client.decide('d2', 'accept', { edits: { command: 'ls' }, scope: 'session' })
  void client.decide('d3', 'reject', { reason: 'no' })
  void client.answer('q1', { colour: 'red', rooms: ['hall'] })
  void client.removeRule('r1')
  expect(socket.frames.slice(-5)).toEqual([
    { type: 'decide', decisionId: 'd1', verdict: 'accept', id: 'id-1' },
    {
      type: 'decide',
      decisionId: 'd2',
      verdict: 'accept',
      edits: { command: 'ls' },
      scope: 'session',
      id: 'id-2',
    },
    { type: 'decide', decisionId: 'd3', verdict: 'reject', reason: 'no', id: 'id-3' },
    { type: 'answer', questionId: 'q1', answers: { colour: 'red', rooms: ['hall'] }, id: 'id-4' },
    { type: 'rule_remove', ruleId: 'r1', id: 'id-5' },
  ])
})

test('[DEC4] a decision taken offline counts as unanswered until the session has answered', async () => {
  const scene = createScene()
  const answer = scene.client.decide('d1', 'accept')
  expect(scene.client.view.unanswered).toBe(1)
  serve(await begin(scene), scene.session)
  await answer
  expect(scene.client.view.unanswered).toBe(0)
  expect(scene.session.effects).toBe(1)
})

test('[LOG5] a refusal rejects the promise and leaves the text', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  const answer = scene.client.send('x')
  socket.deliver({ type: 'rejected', id: 'id-1', code: 'queue_full', message: 'full' })
  await expect(answer).rejects.toMatchObject({ name: 'CommandError', code: 'queue_full' })
  expect(scene.client.view.pending).toMatchObject([{ rejected: { code: 'queue_full' } }])
  scene.client.discard('id-1')
  expect(scene.client.view.pending).toEqual([])
})

test('[SAF2] what is too large is refused here, and never sent', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  const sent = socket.sent.length
  const content = 'x'.repeat(CLIENT_FRAME_BYTES)
  const answers = [
    scene.client.send('é'.repeat(MESSAGE_TEXT_BYTES / 2 + 1)),
    scene.client.send('see file', { attachments: [{ name: 'big', content }] }),
  ]
  for (const answer of answers) await expect(answer).rejects.toMatchObject({ code: 'too_large' })
  expect(socket.sent).toHaveLength(sent)
  expect(scene.client.view.pending).toMatchObject([{ rejected: {} }, { text: 'see file' }])
  void scene.client.send('é'.repeat(MESSAGE_TEXT_BYTES / 2))
  expect(socket.sent).toHaveLength(sent + 1)
})

test('a deleted session refuses what waits; a login that is over lets it wait', async () => {
  const deleted = createScene()
  const first = await goLive(deleted)
  const refused = deleted.client.send('never')
  first.drop(4404, 'deleted')
  await expect(refused).rejects.toMatchObject({ code: 'not_found' })
  expect(deleted.client.view.pending).toMatchObject([{ text: 'never', rejected: {} }])

  const loggedOut = createScene()
  const second = await goLive(loggedOut)
  const waits = loggedOut.client.send('later')
  second.drop(4401, 'unauthorized')
  serve(await begin(loggedOut), loggedOut.session)
  await expect(waits).resolves.toMatchObject({ seq: 2 })
})

test('a token travels as a header where the WebSocket takes one', async () => {
  const scene = createScene({ token: 'secret', headers: { 'x-extra': '1' } })
  const socket = await begin(scene)
  expect(socket.url).not.toContain('secret')
  expect(socket.init).toEqual({ headers: { authorization: 'Bearer secret', 'x-extra': '1' } })
  expect((await begin(createScene())).init).toBeUndefined()
})

test('[LOG7] loadOlder asks for pages until a turn is whole, once at a time', async () => {
  const pages: URL[] = []
  const session = new MemorySession(new LogWriter(createRandom(2)))
  const { log } = session
  for (let run = 0; run < 40; run++) {
    log.message()
    const responseId = `${log.startRun()}.1`
    const text = 'x'
    for (let i = 0; i < 30; i++) log.add({ type: 'text_done', responseId, partId: `${i}`, text })
    log.endRun()
  }
  const fetch: typeof globalThis.fetch = async (input) => {
    const url = new URL(input as string)
    pages.push(url)
    const before = Number(url.searchParams.get('before'))
    return Response.json({ ...session.page(before, 20), seq: log.state.seq })
  }
  const scene = { ...createScene({ fetch, tail: 5 }), session }
  await goLive(scene)
  const { client } = scene
  const held = client.view.state.turns.length
  const both = [client.loadOlder(), client.loadOlder()]
  expect(both[0]).toBe(both[1])
  await both[0]
  expect(client.view.state.turns.length).toBeGreaterThan(held)
  expect(pages.length).toBeGreaterThan(1)
  expect(pages[0]!.pathname).toBe('/api/sessions/session-of-tests/events')
  while (client.view.hasOlder) await client.loadOlder()
  expect(client.view.state.turns).toEqual(log.state.turns)
  const count = pages.length
  await client.loadOlder()
  expect(pages).toHaveLength(count)
})

test('a page that cannot be fetched is an ApiError, and can be asked for again', async () => {
  const fetch = vi.fn(() => Promise.reject(new TypeError('offline')))
  const scene = createScene({ fetch, tail: 1 })
  for (let i = 0; i < 5; i++) scene.session.log.message()
  await goLive(scene)
  await expect(scene.client.loadOlder()).rejects.toMatchObject({ code: 'network' })
  await expect(scene.client.loadOlder()).rejects.toMatchObject({ code: 'network' })
})

test('[FILE3] keep, undo, redo and restore name the checkpoint, and the file and change where one is meant', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  const { client } = scene
  const answers = [
    client.keep({ checkpointId: 'c1' }),
    client.undo({ checkpointId: 'c1', path: 'a.txt', hunk: 2 }),
    client.redo({ checkpointId: 'c1', path: 'a.txt' }),
    client.restore('c1'),
  ]
  expect(socket.frames.slice(-4)).toEqual([
    { type: 'keep', id: 'id-1', checkpointId: 'c1' },
    { type: 'undo', id: 'id-2', checkpointId: 'c1', path: 'a.txt', hunk: 2 },
    { type: 'redo', id: 'id-3', checkpointId: 'c1', path: 'a.txt' },
    { type: 'restore', id: 'id-4', checkpointId: 'c1' },
  ])
  for (const frame of socket.frames.slice(-4)) socket.deliver(...scene.session.answer(frame))
  await Promise.all(answers)
})

test('[AGT7] missions and overrides are asked for by their commands', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  const { client } = scene
  const answers = [
    client.setMission({ text: 'Keep it short', everyMinutes: 5 }),
    client.promptMission(),
    client.pauseMission(),
    client.resumeMission(),
    client.clearMission(),
    client.setOverride('coder', { mode: 'ask' }),
  ]
  expect(socket.frames.slice(-6)).toEqual([
    { type: 'mission_set', id: 'id-1', text: 'Keep it short', everyMinutes: 5 },
    { type: 'mission_prompt', id: 'id-2' },
    { type: 'mission_pause', id: 'id-3' },
    { type: 'mission_resume', id: 'id-4' },
    { type: 'mission_clear', id: 'id-5' },
    { type: 'override_set', id: 'id-6', agentId: 'coder', override: { mode: 'ask' } },
  ])
  for (const frame of socket.frames.slice(-6)) socket.deliver(...scene.session.answer(frame))
  await Promise.all(answers)
})

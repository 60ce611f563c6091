import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PING_EVERY_MS, PONG_WITHIN_MS } from './heartbeat.ts'
import { begin, createScene, goLive, moment, serve } from './testing/client-scene.ts'
import type { SessionHandle } from './types.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const statusOf = ({ view }: SessionHandle): string => view.connection.status

test('connects to the socket of its session, says hello first, and is live when ready', async () => {
  const scene = createScene()
  const seen: string[] = []
  scene.client.subscribe(({ connection, loaded }) => seen.push(`${connection.status} ${loaded}`))
  const socket = await begin(scene)
  expect(socket.url).toBe('wss://parley.example/api/sessions/session-of-tests/socket')
  expect(socket.sent).toEqual([])
  serve(socket, scene.session)
  expect(socket.frames[0]).toMatchObject({ type: 'hello', after: null })
  expect(seen[0]).toBe('connecting false')
  expect(seen.at(-1)).toBe('live true')
})

test('a socket that died silently is found out by a ping and replaced', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  await vi.advanceTimersByTimeAsync(PING_EVERY_MS)
  expect(socket.sent.filter((text) => text === 'ping')).toHaveLength(1)
  socket.deliver('pong')
  await vi.advanceTimersByTimeAsync(PING_EVERY_MS)
  expect(socket.sent.filter((text) => text === 'ping')).toHaveLength(2)
  expect(statusOf(scene.client)).toBe('live')
  await vi.advanceTimersByTimeAsync(PONG_WITHIN_MS)
  expect(statusOf(scene.client)).toBe('connecting')
  await moment()
  expect(scene.network.sockets).toHaveLength(2)
  socket.deliver({ type: 'events', events: [] })
  expect(statusOf(scene.client)).toBe('connecting')
})

test('a server that takes the connection and says nothing is left for another try', async () => {
  const scene = createScene()
  const socket = await begin(scene)
  socket.accept()
  await vi.advanceTimersByTimeAsync(PONG_WITHIN_MS + 1)
  expect(scene.network.sockets).toHaveLength(2)
})

test('no timer is left after close(), whatever it was doing', async () => {
  const live = createScene()
  await goLive(live)
  live.client.close()
  expect(vi.getTimerCount()).toBe(0)
  expect(live.network.last().readyState).toBe(3)

  const waiting = createScene()
  const socket = await begin(waiting)
  socket.drop()
  waiting.client.close()
  expect(vi.getTimerCount()).toBe(0)

  const connecting = createScene()
  await begin(connecting)
  connecting.client.close()
  expect(vi.getTimerCount()).toBe(0)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(connecting.network.sockets).toHaveLength(1)
})

test.each([
  [4401, 'unauthorized'],
  [4404, 'deleted'],
  [4400, 'bad frames'],
  [4413, 'too large'],
])('[SAF1] close code %i (%s) is shown and not tried again', async (code, reason) => {
  const scene = createScene()
  const socket = await goLive(scene)
  socket.drop(code, reason)
  expect(scene.client.view.connection).toEqual({ status: 'gone', code, reason })
  expect(vi.getTimerCount()).toBe(0)
  scene.client.wake()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(scene.network.sockets).toHaveLength(1)
  serve(await begin(scene), scene.session)
  expect(statusOf(scene.client)).toBe('live')
})

test('[LOG6] a resync is followed by another hello at once, but does not spin', async () => {
  const scene = createScene()
  const first = await goLive(scene)
  first.deliver({ type: 'resync', reason: 'ahead' })
  first.drop(4409, 'ahead')
  await moment()
  expect(scene.network.sockets).toHaveLength(2)
  const second = scene.network.last()
  second.accept()
  expect(second.frames[0]).toMatchObject({ type: 'hello', after: null })
  second.drop(4409, 'ahead')
  expect(scene.client.view.connection).toEqual({ status: 'waiting', attempt: 2 })
})

test('[MOR3] a newer server makes this client outdated, and it loses nothing', async () => {
  const scene = createScene()
  const socket = await begin(scene)
  socket.accept()
  for (const frame of scene.session.answer(socket.frames[0]!)) {
    socket.deliver(frame.type === 'ready' ? { ...frame, version: 2 } : frame)
  }
  expect(scene.client.view.connection).toEqual({ status: 'outdated' })
  const answer = scene.client.send('still heard')
  socket.deliver(...scene.session.answer(socket.frames.at(-1)!))
  await expect(answer).resolves.toMatchObject({ seq: 2 })
  expect(scene.client.view.state).toEqual(scene.session.log.state)
})

test('[LOG6] says about once a second how far it has got, and nothing while nothing happens', async () => {
  const scene = createScene()
  const { log } = scene.session
  const socket = await goLive(scene)
  const reports = (): unknown[] => socket.frames.filter(({ type }) => type === 'seen')
  const deliverMessage = (): void => {
    log.message()
    socket.deliver({ type: 'events', events: [log.events.at(-1)!] })
  }
  expect(reports()).toEqual([{ type: 'seen', seq: 1 }])
  for (let i = 0; i < 5; i++) deliverMessage()
  expect(reports()).toHaveLength(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(reports()).toEqual([
    { type: 'seen', seq: 1 },
    { type: 'seen', seq: 6 },
  ])
  await vi.advanceTimersByTimeAsync(5000)
  expect(reports()).toHaveLength(2)
})

test('frames that are no frames are passed over', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  const { view } = scene.client
  for (const data of ['{not json', '[]', '', new ArrayBuffer(3)]) {
    socket.dispatchEvent(new MessageEvent('message', { data }))
  }
  expect(scene.client.view).toBe(view)
})

test('a listener that throws keeps nobody from the news', async () => {
  const thrown: unknown[] = []
  vi.stubGlobal('queueMicrotask', (task: () => void) => {
    try {
      task()
    } catch (error) {
      thrown.push(error)
    }
  })
  const scene = createScene()
  scene.client.subscribe(() => {
    throw new Error('mine')
  })
  const statuses: string[] = []
  const unsubscribe = scene.client.subscribe(({ connection }) => statuses.push(connection.status))
  await goLive(scene)
  expect(statuses.at(-1)).toBe('live')
  expect(thrown[0]).toEqual(new Error('mine'))
  unsubscribe()
  scene.client.close()
  expect(statuses.at(-1)).toBe('live')
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PROBE_WITHIN_MS } from './heartbeat.ts'
import { FIRST_RETRY_MS, MAX_RETRY_MS } from './reconnecting-socket.ts'
import { begin, createScene, goLive, moment, serve } from './testing/client-scene.ts'
import { FakeSocket } from './testing/fake-network.ts'
import type { SessionHandle } from './types.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const statusOf = ({ view }: SessionHandle): string => view.connection.status

test('[LOG3] the first retry comes within 300 ms and resumes from the last seq', async () => {
  const scene = createScene()
  const first = await goLive(scene)
  const { seq } = scene.client.view.state
  first.drop()
  expect(scene.client.view.connection).toEqual({ status: 'waiting', attempt: 1 })
  await vi.advanceTimersByTimeAsync(FIRST_RETRY_MS + 1)
  expect(FIRST_RETRY_MS).toBeLessThanOrEqual(300)
  expect(scene.network.sockets).toHaveLength(2)
  serve(scene.network.last(), scene.session)
  expect(scene.network.last().frames[0]).toEqual({ type: 'hello', version: 1, after: seq })
})

test('retries grow with jitter up to ten seconds, and start over after a good connection', async () => {
  const scene = createScene({ random: () => 0 })
  const waited: number[] = []
  const socket = await goLive(scene)
  socket.drop()
  for (let attempt = 1; attempt <= 8; attempt++) {
    expect(scene.client.view.connection).toEqual({ status: 'waiting', attempt })
    const count = scene.network.sockets.length
    const from = Date.now()
    while (scene.network.sockets.length === count) await vi.advanceTimersByTimeAsync(10)
    waited.push(Date.now() - from)
    scene.network.last().drop()
  }
  expect(waited[0]).toBeLessThanOrEqual(FIRST_RETRY_MS / 2 + 20)
  expect(waited[1]! / waited[0]!).toBeGreaterThan(1.5)
  expect(waited.at(-1)).toBeGreaterThanOrEqual(MAX_RETRY_MS / 2)
  expect(waited.at(-1)).toBeLessThanOrEqual(MAX_RETRY_MS / 2 + 20)
  await vi.advanceTimersByTimeAsync(MAX_RETRY_MS)
  serve(scene.network.last(), scene.session)
  scene.network.last().drop()
  expect(scene.client.view.connection).toEqual({ status: 'waiting', attempt: 1 })
})

test('a connection that opens but never gets ready does not reset the waiting', async () => {
  const scene = createScene()
  let socket = await begin(scene)
  for (let attempt = 1; attempt <= 3; attempt++) {
    socket.accept()
    socket.drop(1011)
    expect(scene.client.view.connection).toEqual({ status: 'waiting', attempt })
    await vi.advanceTimersByTimeAsync(MAX_RETRY_MS)
    socket = scene.network.last()
  }
})

test('wake() connects at once, also in the middle of a long wait', async () => {
  const scene = createScene()
  let socket = await begin(scene)
  for (let i = 0; i < 7; i++) {
    socket.drop()
    await vi.advanceTimersByTimeAsync(MAX_RETRY_MS + 1)
    socket = scene.network.last()
  }
  socket.drop()
  const count = scene.network.sockets.length
  await vi.advanceTimersByTimeAsync(2000)
  expect(scene.network.sockets).toHaveLength(count)
  scene.client.wake()
  expect(statusOf(scene.client)).toBe('connecting')
  await moment()
  expect(scene.network.sockets).toHaveLength(count + 1)
  scene.client.wake()
  await moment()
  expect(scene.network.sockets).toHaveLength(count + 1)
})

test('wake() gives up an attempt that hangs', async () => {
  const scene = createScene()
  await begin(scene)
  await vi.advanceTimersByTimeAsync(3000)
  scene.client.wake()
  await moment()
  expect(scene.network.sockets).toHaveLength(2)
})

test('wake() asks a connection that was heard of lately, and replaces a silent one', async () => {
  const scene = createScene()
  const socket = await goLive(scene)
  scene.client.wake()
  expect(socket.sent.at(-1)).toBe('ping')
  socket.deliver('pong')
  await vi.advanceTimersByTimeAsync(PROBE_WITHIN_MS + 1)
  expect(statusOf(scene.client)).toBe('live')
  scene.client.wake()
  await vi.advanceTimersByTimeAsync(PROBE_WITHIN_MS + 1)
  expect(scene.network.sockets).toHaveLength(2)
})

test('a WebSocket that cannot even be made is tried again', async () => {
  let tries = 0
  class Broken extends FakeSocket {
    constructor(url: string) {
      super(url)
      tries++
      throw new Error('blocked')
    }
  }
  const { client } = createScene({ WebSocket: Broken })
  client.connect()
  await moment()
  expect(client.view.connection).toEqual({ status: 'waiting', attempt: 1 })
  await vi.advanceTimersByTimeAsync(FIRST_RETRY_MS + 1)
  expect(tries).toBe(2)
  client.close()
  expect(vi.getTimerCount()).toBe(0)
})

import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  HubHarness,
  makeItem,
  makeProjection,
  toSessionId,
} from '../../worker/testing/node/hub-harness.ts'
import { RandomSource } from '../../worker/testing/random-source.ts'
import { PING_EVERY_MS, PONG_WITHIN_MS } from './heartbeat.ts'
import { createHubClient, type HubHandle } from './hub-client.ts'
import { moment } from './testing/client-scene.ts'
import { createFakeNetwork, type FakeNetwork, type FakeSocket } from './testing/fake-network.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** The real hub, on sockets whose every event the test decides. */
class Scene {
  readonly hub = new HubHarness()
  readonly network: FakeNetwork = createFakeNetwork()
  readonly client: HubHandle = createHubClient({
    origin: 'https://parley.example/',
    WebSocket: this.network.WebSocket,
    random: () => 1,
  })
  #held: { socket: FakeSocket; hub: ReturnType<HubHarness['connect']>; read: number } | null = null

  async begin(): Promise<FakeSocket> {
    this.client.connect()
    await moment()
    return this.network.last()
  }

  /** The hub takes the connection and answers its hello. */
  serve(socket: FakeSocket): void {
    socket.accept()
    const { after } = socket.frames[0] as { after: number | null }
    this.#held = { socket, hub: this.hub.connect(after), read: 0 }
    this.deliver()
  }

  /** What the hub has said since, or the first few frames of it. */
  deliver(most = Number.POSITIVE_INFINITY): void {
    const held = this.#held
    if (held === null) return
    const frames = held.hub.frames.slice(held.read, held.read + most)
    held.read += frames.length
    held.socket.deliver(...frames)
  }

  drop(code?: number): void {
    if (this.#held === null) return
    this.hub.core.remove(this.#held.hub)
    this.#held.socket.drop(code)
    this.#held = null
  }

  get isConnected(): boolean {
    return this.#held !== null
  }

  async goLive(): Promise<FakeSocket> {
    const socket = await this.begin()
    this.serve(socket)
    return socket
  }
}

const titles = ({ view }: HubHandle): string[] =>
  [...view.sessions.values()].map(({ title }) => title)

test('[SES1] connects to the hub, says hello first, and has the list when ready', async () => {
  const scene = new Scene()
  scene.hub.core.put(makeProjection(1, { title: 'Trip' }))
  const socket = await scene.begin()
  expect(socket.url).toBe('wss://parley.example/api/hub/socket')
  expect(scene.client.view).toMatchObject({ start: null, connection: { status: 'connecting' } })
  scene.serve(socket)
  expect(socket.frames).toEqual([{ type: 'hello', version: 1, after: null }])
  expect(scene.client.view.connection.status).toBe('live')
  expect(titles(scene.client)).toEqual(['Trip'])
})

test('[DEC6] follows the list and the inbox as they change', async () => {
  const scene = new Scene()
  await scene.goLive()
  const counts: number[] = []
  scene.client.subscribe(({ inbox }) => counts.push(inbox.length))
  const waits = [makeItem(toSessionId(1), 5)]
  scene.hub.core.put(makeProjection(1, { status: 'waiting', waits }))
  scene.deliver()
  expect(scene.client.view.sessions.get(toSessionId(1))?.status).toBe('waiting')
  scene.hub.core.put(makeProjection(1, { seq: 2, status: 'running' }))
  scene.deliver()
  expect(counts).toEqual([0, 1, 1, 0])
})

test('[LOG3] comes back with its seq, and a long gap is one piece of news', async () => {
  const scene = new Scene()
  scene.hub.core.put(makeProjection(1))
  await scene.goLive()
  const { start } = scene.client.view
  scene.drop()
  for (let seq = 2; seq < 100; seq++)
    scene.hub.core.put(makeProjection(1, { seq, title: `${seq}` }))
  await vi.advanceTimersByTimeAsync(1000)
  let news = 0
  scene.client.subscribe(() => news++)
  scene.serve(scene.network.last())
  expect(scene.network.last().frames[0]).toMatchObject({ after: scene.hub.now + 1 })
  expect(titles(scene.client)).toEqual(['99'])
  expect(news).toBe(1)
  expect(scene.client.view.start).toBe(start)
})

test('[LOG3] a hub that begins again is heard as such', async () => {
  const scene = new Scene()
  await scene.goLive()
  const { start } = scene.client.view
  scene.drop()
  scene.hub.core.start([makeProjection(1)])
  await vi.advanceTimersByTimeAsync(1000)
  scene.serve(scene.network.last())
  expect(scene.client.view.start).not.toBe(start)
  expect(scene.client.view.sessions.size).toBe(1)
})

test('a socket that died silently is found out by a ping and replaced', async () => {
  const scene = new Scene()
  const socket = await scene.goLive()
  await vi.advanceTimersByTimeAsync(PING_EVERY_MS)
  expect(socket.sent.at(-1)).toBe('ping')
  socket.deliver('pong')
  await vi.advanceTimersByTimeAsync(PING_EVERY_MS + PONG_WITHIN_MS)
  await moment()
  expect(scene.network.sockets).toHaveLength(2)
})

test('[SAF1] a credential that is refused is not tried again, and no timer is left', async () => {
  const scene = new Scene()
  await scene.goLive()
  scene.drop(4401)
  expect(scene.client.view.connection).toMatchObject({ status: 'gone', code: 4401 })
  expect(vi.getTimerCount()).toBe(0)
  await scene.goLive()
  scene.client.close()
  expect(vi.getTimerCount()).toBe(0)
})

test('[MOR3] a newer server, and frames it does not know, lose nothing', async () => {
  const scene = new Scene()
  const socket = await scene.begin()
  socket.accept()
  for (const frame of scene.hub.connect(null).frames) {
    socket.deliver(frame.type === 'ready' ? { ...frame, version: 2 } : frame)
  }
  expect(scene.client.view.connection.status).toBe('outdated')
  for (const data of ['{not json', '[]', '{"type":"settings_changed","seq":9}']) {
    socket.dispatchEvent(new MessageEvent('message', { data }))
  }
  expect(scene.client.view.sessions.size).toBe(0)
})

const SEEDS = 60

const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1)

test.each(Array.from({ length: SEEDS }, (_, i) => i + 1))(
  '[LOG3] [SES1] [DEC6] whatever is lost, client and hub end equal (seed %i)',
  async (seed) => {
    const random = new RandomSource(seed)
    const scene = new Scene()
    const seqs = new Map<number, number>()
    const change = (): void => {
      const n = random.below(6)
      const seq = (seqs.get(n) ?? 0) + 1
      seqs.set(n, seq)
      const waits = random.chance(0.3) ? [makeItem(toSessionId(n), random.below(9))] : []
      const deletedAt = random.chance(0.2) ? 1 : null
      scene.hub.core.put(makeProjection(n, { seq, waits, deletedAt, title: `title ${seq}` }))
    }
    for (let step = 0; step < 100; step++) {
      change()
      if (!scene.isConnected && random.chance(0.3)) {
        scene.client.connect()
        await vi.advanceTimersByTimeAsync(20_000)
        scene.serve(scene.network.last())
      } else if (random.chance(0.15)) scene.drop()
      else scene.deliver(random.below(4))
    }
    scene.drop()
    scene.client.connect()
    await vi.advanceTimersByTimeAsync(20_000)
    scene.serve(scene.network.last())
    const init = scene.hub.connect(null).frames[0] as { sessions: { id: string }[]; inbox: unknown }
    expect([...scene.client.view.sessions.values()].sort(byId)).toEqual(init.sessions.sort(byId))
    expect(scene.client.view.inbox).toEqual(init.inbox)
    scene.client.close()
  },
)

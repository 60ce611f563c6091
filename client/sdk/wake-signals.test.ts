import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { PING_EVERY_MS, PONG_WITHIN_MS, PROBE_WITHIN_MS } from './heartbeat.ts'
import { createSessionClient } from './session-client.ts'
import { createFakeNetwork } from './testing/fake-network.ts'
import { MemorySession } from './testing/memory-session.ts'
import { createRandom, LogWriter } from './testing/random-log.ts'

// A browser, as far as the client looks at it.
const page = Object.assign(new EventTarget(), { visibilityState: 'visible' })
const windowEvents = new EventTarget()
const navigator = { onLine: true }
const bound = new Set<string>()

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal('document', page)
  vi.stubGlobal('navigator', navigator)
  vi.stubGlobal('addEventListener', (type: string, listener: () => void) => {
    bound.add(type)
    windowEvents.addEventListener(type, listener)
  })
  vi.stubGlobal('removeEventListener', (type: string, listener: () => void) => {
    bound.delete(type)
    windowEvents.removeEventListener(type, listener)
  })
})
afterEach(() => {
  setVisible(true)
  navigator.onLine = true
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

const moment = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1)

function setVisible(isVisible: boolean): void {
  page.visibilityState = isVisible ? 'visible' : 'hidden'
  page.dispatchEvent(new Event('visibilitychange'))
}

function setOnline(isOnline: boolean): void {
  navigator.onLine = isOnline
  windowEvents.dispatchEvent(new Event(isOnline ? 'online' : 'offline'))
}

async function goLive() {
  const network = createFakeNetwork()
  const session = new MemorySession(new LogWriter(createRandom(1)))
  const client = createSessionClient({
    origin: 'https://parley.example',
    sessionId: 'session-of-tests',
    WebSocket: network.WebSocket,
    random: () => 1,
  })
  const serve = async (): Promise<void> => {
    await moment()
    network.last().accept()
    for (const frame of network.last().frames) network.last().deliver(...session.answer(frame))
  }
  client.connect()
  await serve()
  return { network, client, serve }
}

test('a page that is seen again after a long sleep connects at once', async () => {
  const { network, client, serve } = await goLive()
  setVisible(false)
  await vi.advanceTimersByTimeAsync(60_000)
  setVisible(true)
  await serve()
  expect(network.sockets).toHaveLength(2)
  expect(client.view.connection.status).toBe('live')
  client.close()
})

test('switching tabs for a moment only asks whether the connection is alive', async () => {
  const { network, client } = await goLive()
  setVisible(false)
  await vi.advanceTimersByTimeAsync(5000)
  setVisible(true)
  expect(network.last().sent.at(-1)).toBe('ping')
  network.last().deliver('pong')
  await vi.advanceTimersByTimeAsync(PROBE_WITHIN_MS + 1)
  expect(network.sockets).toHaveLength(1)
  client.close()
})

test('a hidden page does not ping', async () => {
  const { network, client } = await goLive()
  setVisible(false)
  await vi.advanceTimersByTimeAsync(3 * (PING_EVERY_MS + PONG_WITHIN_MS))
  expect(network.last().sent).not.toContain('ping')
  expect(client.view.connection.status).toBe('live')
  client.close()
})

test('a network that is back is used at once, though the old socket seems open', async () => {
  const { network, client, serve } = await goLive()
  setOnline(false)
  await vi.advanceTimersByTimeAsync(PROBE_WITHIN_MS - 100)
  setOnline(true)
  await serve()
  expect(network.sockets).toHaveLength(2)
  expect(client.view.connection.status).toBe('live')
  client.close()
})

test('[UI3] offline is shown when the connection is lost and the browser says so', async () => {
  const { network, client, serve } = await goLive()
  setOnline(false)
  expect(client.view.connection.status).toBe('live')
  await vi.advanceTimersByTimeAsync(PROBE_WITHIN_MS)
  expect(client.view.connection.status).toBe('offline')
  await moment()
  network.last().drop()
  expect(client.view.connection.status).toBe('offline')
  setOnline(true)
  await serve()
  expect(client.view.connection.status).toBe('live')
  client.close()
})

test('a server on this machine stays connected when the browser is offline', async () => {
  const { network, client } = await goLive()
  setOnline(false)
  network.last().deliver('pong')
  await vi.advanceTimersByTimeAsync(PROBE_WITHIN_MS + 1)
  expect(client.view.connection.status).toBe('live')
  client.close()
})

test('several signals at once make one connection', async () => {
  const { network, client } = await goLive()
  network.last().drop()
  windowEvents.dispatchEvent(new Event('pageshow'))
  setVisible(true)
  setOnline(true)
  await moment()
  expect(network.sockets).toHaveLength(2)
  client.close()
})

test('nothing stays bound after close()', async () => {
  const { network, client } = await goLive()
  expect([...bound].sort()).toEqual(['offline', 'online', 'pageshow'])
  client.close()
  expect(bound.size).toBe(0)
  setVisible(true)
  await moment()
  expect(network.sockets).toHaveLength(1)
})

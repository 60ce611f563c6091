// A client, the network it uses and the session behind it. Time is the test's: fake timers only.

import { vi } from 'vitest'
import type { SessionClientOptions } from '../session-client-options.ts'
import { createSessionClient } from '../session-client.ts'
import type { SessionHandle } from '../types.ts'
import { createFakeNetwork, type FakeNetwork, type FakeSocket } from './fake-network.ts'
import { MemorySession } from './memory-session.ts'
import { createRandom, LogWriter } from './random-log.ts'

export type Scene = { network: FakeNetwork; session: MemorySession; client: SessionHandle }

export function createScene(options: Partial<SessionClientOptions> = {}): Scene {
  const network = createFakeNetwork()
  const session = new MemorySession(new LogWriter(createRandom(1)))
  let ids = 0
  const client = createSessionClient({
    origin: 'https://parley.example',
    sessionId: 'session-of-tests',
    WebSocket: network.WebSocket,
    random: () => 1,
    newId: () => `id-${++ids}`,
    ...options,
  })
  return { network, session, client }
}

/** A moment: long enough for an attempt to begin, too short for anything to be due. */
export const moment = (): Promise<unknown> => vi.advanceTimersByTimeAsync(1)

export async function begin({ network, client }: Scene): Promise<FakeSocket> {
  client.connect()
  await moment()
  return network.last()
}

/** The server takes the connection and answers everything said so far. */
export function serve(socket: FakeSocket, session: MemorySession): void {
  socket.accept()
  for (const frame of socket.frames) socket.deliver(...session.answer(frame))
}

export async function goLive(scene: Scene): Promise<FakeSocket> {
  const socket = await begin(scene)
  serve(socket, scene.session)
  if (scene.client.view.connection.status !== 'live') throw new Error('did not get live')
  return socket
}

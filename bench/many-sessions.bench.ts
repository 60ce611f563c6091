// Many sessions streaming at once: whether the server keeps up, and how old text is when it arrives.

import type { Bench, Benchmark, Figures } from './benchmark.ts'
import { countWorkerdMs } from './processor.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { toP50P99 } from './statistics.ts'
import { streamDirectly, streamThrough } from './streaming-delay.ts'

const PACE = { deltas: 200, perSecond: 50 }
const WARM_UP = { deltas: 10, perSecond: 50 }

export const manySessions: Benchmark = {
  name: 'many_sessions',
  bar: {
    of50: 'p50 29, p99 170, wallMs 4800 (AIChatAgent: 1845, 6758, 10400)',
    of100: 'p50 234, p99 497, wallMs 5600 (AIChatAgent: 7030, 15318, 20000)',
  },
  async measure(bench: Bench) {
    return { of50: await measureSessions(bench, 50), of100: await measureSessions(bench, 100) }
  },
}

async function measureSessions({ server, model }: Bench, count: number): Promise<Figures> {
  const sockets: SessionSocket[] = []
  for (let i = 0; i < count; i++) {
    const sessionId = await createSession(server.origin, `One of ${count}`)
    sockets.push(await SessionSocket.connect(server.origin, sessionId))
  }
  await streamThrough(sockets, model, WARM_UP)
  const { result: through, cpuMs } = await countWorkerdMs(server.processGroup, () =>
    streamThrough(sockets, model, PACE),
  )
  for (const socket of sockets) socket.close()
  const direct = await streamDirectly(count, model, PACE)
  return {
    ...toP50P99(through.delays),
    wallMs: through.wallMs,
    cpuMs,
    direct: { ...toP50P99(direct.delays), wallMs: direct.wallMs },
  }
}

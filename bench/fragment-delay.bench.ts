// How old text is when a client has it, in one session at the pace of a quick model.

import type { Bench, Benchmark } from './benchmark.ts'
import { countWorkerdMs } from './processor.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { toP50P99 } from './statistics.ts'
import { streamDirectly, streamThrough } from './streaming-delay.ts'

const WARM_UP = { deltas: 50, perSecond: 100 }
const PACE = { deltas: 500, perSecond: 100 }

export const fragmentDelay: Benchmark = {
  name: 'fragment_delay',
  bar: { p50: '~18: half of the 35 ms between fragment frames', p99: '~35 + one frame' },
  async measure({ server, model }: Bench) {
    const sessionId = await createSession(server.origin, 'Fragment delay')
    const socket = await SessionSocket.connect(server.origin, sessionId)
    await streamThrough([socket], model, WARM_UP)
    const { result: through, cpuMs } = await countWorkerdMs(server.processGroup, () =>
      streamThrough([socket], model, PACE),
    )
    const direct = await streamDirectly(1, model, PACE)
    socket.close()
    return {
      ...toP50P99(through.delays),
      wallMs: through.wallMs,
      cpuMs,
      direct: toP50P99(direct.delays),
    }
  },
}

// What a turn of 500 deltas costs: frames and bytes to each connection, rows in the database.

import type { Bench, Benchmark, Figures } from './benchmark.ts'
import { DeltaStream, type Pace } from './delta-stream.ts'
import { createSession, readSettledStats } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'

const AT_PACE: Pace = { deltas: 500, perSecond: 100 }
const FULL_SPEED: Pace = { deltas: 500 }

export const turnCost: Benchmark = {
  name: 'turn_cost',
  bar: {
    atPace: 'rows <= 28, frames <= 170',
    fullSpeed: 'rows <= 12, bytes <= 8000',
    freshRows: '<= 20',
  },
  async measure(bench: Bench) {
    const fresh = await readSettledStats(
      bench.server.origin,
      await createSession(bench.server.origin, 'Fresh'),
    )
    return {
      atPace: await measureTurn(bench, AT_PACE),
      fullSpeed: await measureTurn(bench, FULL_SPEED),
      freshRows: fresh.rowsWritten,
      freshBytes: fresh.databaseBytes,
    }
  },
}

async function measureTurn({ server, model }: Bench, pace: Pace): Promise<Figures> {
  const { origin } = server
  const sessionId = await createSession(origin, 'Turn cost')
  const socket = await SessionSocket.connect(origin, sessionId)
  const before = await readSettledStats(origin, sessionId)
  const { frames, bytes } = socket
  await socket.run(model.plan(new DeltaStream(pace).reply))
  const after = await readSettledStats(origin, sessionId)
  socket.close()
  return {
    rows: after.rowsWritten - before.rowsWritten,
    frames: socket.frames - frames,
    bytes: socket.bytes - bytes,
    events: after.events - before.events,
  }
}

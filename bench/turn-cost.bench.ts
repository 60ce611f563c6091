// What a turn of 500 deltas costs: frames and bytes to each connection, rows in the database.

import type { Bench, Benchmark, Figures } from './benchmark.ts'
import { DeltaStream } from './delta-stream.ts'
import { createSession, readSettledStats } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'

const DELTAS = 500
const STREAM_PER_SECOND = 100

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
      atPace: await measureTurn(bench, STREAM_PER_SECOND),
      fullSpeed: await measureTurn(bench),
      freshRows: fresh.rowsWritten,
      freshBytes: fresh.databaseBytes,
    }
  },
}

async function measureTurn({ server, model }: Bench, perSecond?: number): Promise<Figures> {
  const { origin } = server
  const sessionId = await createSession(origin, 'Turn cost')
  const socket = await SessionSocket.connect(origin, sessionId)
  const before = await readSettledStats(origin, sessionId)
  const { frames, bytes } = socket
  await socket.run(model.plan(new DeltaStream(DELTAS, perSecond).toReply()))
  const after = await readSettledStats(origin, sessionId)
  socket.close()
  return {
    rows: after.rowsWritten - before.rowsWritten,
    frames: socket.frames - frames,
    bytes: socket.bytes - bytes,
    events: after.events - before.events,
  }
}

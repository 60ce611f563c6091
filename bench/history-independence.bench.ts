// What a send costs on the wire at the second turn and at the sixtieth, to the sender and to
// another tab. Rows that the object reads for it are told too: the model needs the history.

import type { SessionStats } from '#protocol/http'
import type { Bench, Benchmark, Figures } from './benchmark.ts'
import type { Reply } from './loopback-model.ts'
import { createSession, readSettledStats } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'

const EARLY_TURN = 2
const LATE_TURN = 60
const REPLY: Reply = (write) => write('A short reply of always the same words.')

export const historyIndependence: Benchmark = {
  name: 'history_independence',
  bar: { ratio: '~1 (AIChatAgent by turn 60: 45 KB up, 129 KB to each other tab)' },
  async measure({ server, model }: Bench) {
    const sessionId = await createSession(server.origin, 'History')
    const sender = await SessionSocket.connect(server.origin, sessionId)
    const other = await SessionSocket.connect(server.origin, sessionId)
    const turns: Figures[] = []
    for (let turn = 1; turn <= LATE_TURN; turn++) {
      const isMeasured = turn === EARLY_TURN || turn === LATE_TURN
      const stats = isMeasured ? await readSettledStats(server.origin, sessionId) : null
      const { sentBytes, bytes } = sender
      const otherBytes = other.bytes
      await Promise.all([other.untilRunDone(), sender.run(model.plan(REPLY))])
      if (stats === null) continue
      turns.push({
        up: sender.sentBytes - sentBytes,
        down: sender.bytes - bytes,
        otherTab: other.bytes - otherBytes,
        ...difference(stats, await readSettledStats(server.origin, sessionId)),
      })
    }
    sender.close()
    other.close()
    const [early, late] = turns as [Figures, Figures]
    return { ratio: total(late) / total(early), turn2: early, turn60: late }
  },
}

const total = (figures: Figures): number =>
  Number(figures.up) + Number(figures.down) + Number(figures.otherTab)

const difference = (before: SessionStats, after: SessionStats): Figures => ({
  rowsWritten: after.rowsWritten - before.rowsWritten,
  rowsRead: after.rowsRead - before.rowsRead,
})

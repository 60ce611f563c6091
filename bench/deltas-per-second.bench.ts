// How fast one session takes a model's text, from the command to the end of the run, nothing
// subtracted; and how fast the same stream is read without a server, in turn, in the same run.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Bench, Benchmark } from './benchmark.ts'
import { DeltaStream } from './delta-stream.ts'
import { readDirectly } from './direct-read.ts'
import { MODEL_ID, type LoopbackModel } from './loopback-model.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { median } from './statistics.ts'
import { readWorkerdCpu } from './workerd-cpu.ts'

const DELTAS = 500
/** Long enough that what a turn costs once disappears behind what a delta costs. */
const LONG_DELTAS = 5_000
const WARM_UPS = 5
const TURNS = 15
const LONG_TURNS = 3

export const deltasPerSecond: Benchmark = {
  name: 'deltas_per_second',
  bar: { ofPackage: '>= 0.75: 3 x AIChatAgent, which has 0.19 to 0.25 of the package' },
  async measure({ server, model }: Bench) {
    const sessionId = await createSession(server.origin, 'Deltas per second')
    const socket = await SessionSocket.connect(server.origin, sessionId)
    const turn = (deltas: number): Promise<number> => timeTurn(socket, model, deltas)
    for (let i = 0; i < WARM_UPS; i++) {
      await turn(DELTAS)
      await timeDirect(model, DELTAS)
      await timePackage(model, DELTAS)
    }
    const times = { turn: [] as number[], direct: [] as number[], package: [] as number[] }
    // In turn, so that whatever else the machine does falls on all of them alike.
    for (let i = 0; i < TURNS; i++) {
      times.turn.push(await turn(DELTAS))
      times.direct.push(await timeDirect(model, DELTAS))
      times.package.push(await timePackage(model, DELTAS))
    }
    const long: number[] = []
    const cpuBefore = readWorkerdCpu(server.processGroup)
    for (let i = 0; i < LONG_TURNS; i++) long.push(await turn(LONG_DELTAS))
    const cpuAfter = readWorkerdCpu(server.processGroup)
    socket.close()
    const ms = median(times.turn)
    const perSecond = toRate(DELTAS, ms)
    const direct = toRate(DELTAS, median(times.direct))
    const throughPackage = toRate(DELTAS, median(times.package))
    const microsPerDelta = ((median(long) - ms) / (LONG_DELTAS - DELTAS)) * 1000
    return {
      perSecond,
      best: toRate(DELTAS, Math.min(...times.turn)),
      direct,
      package: throughPackage,
      ofDirect: perSecond / direct,
      ofPackage: perSecond / throughPackage,
      turnMs: ms,
      microsPerDelta,
      fixedMs: ms - (DELTAS * microsPerDelta) / 1000,
      longPerSecond: toRate(LONG_DELTAS, median(long)),
      cpuMicrosPerDelta:
        cpuBefore === null || cpuAfter === null
          ? null
          : ((cpuAfter - cpuBefore) * 1000) / (LONG_TURNS * LONG_DELTAS),
    }
  },
}

const toRate = (deltas: number, ms: number): number => (deltas * 1000) / ms

async function timeTurn(
  socket: SessionSocket,
  model: LoopbackModel,
  deltas: number,
): Promise<number> {
  const stream = new DeltaStream(deltas)
  const message = model.plan(stream.toReply())
  const sentAt = performance.now()
  const doneAt = await socket.run(message)
  if (socket.text !== stream.text) throw new Error('the text that arrived is not what was written')
  return doneAt - sentAt
}

async function timeDirect(model: LoopbackModel, deltas: number): Promise<number> {
  const message = model.plan(new DeltaStream(deltas).toReply())
  const startedAt = performance.now()
  await readDirectly(model, message)
  return performance.now() - startedAt
}

/** Through the provider package and nothing else, as far as the figures of PEERS.md allow. */
async function timePackage(model: LoopbackModel, deltas: number): Promise<number> {
  const message = model.plan(new DeltaStream(deltas).toReply())
  const provider = createOpenAICompatible({ name: 'loopback', baseURL: model.url })
  const startedAt = performance.now()
  const { stream } = await provider.chatModel(MODEL_ID).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: message }] }],
  })
  const reader = stream.getReader()
  while (!(await reader.read()).done);
  return performance.now() - startedAt
}

// How fast one session takes a model's text, from the command to the end of the run, nothing
// subtracted; and how fast the same stream is read without a server, in turn, in the same run.

import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import type { Bench, Benchmark } from './benchmark.ts'
import { DeltaStream, type Pace } from './delta-stream.ts'
import { readDirectly } from './direct-read.ts'
import { MODEL_ID, type LoopbackModel } from './loopback-model.ts'
import { countWorkerdMs } from './processor.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { median } from './statistics.ts'

const TURN: Pace = { deltas: 500 }
/** Some servers and proxies gather: many deltas in one write. */
const GATHERED: Pace = { deltas: 500, perWrite: 64 }
/** Long enough that what a turn costs once disappears behind what a delta costs. */
const LONG: Pace = { deltas: 5_000 }
const WARM_UPS = 5
const TURNS = 15
const LONG_TURNS = 4

export const deltasPerSecond: Benchmark = {
  name: 'deltas_per_second',
  bar: {
    perSecond: '>= 3 x AIChatAgent in the same run; it has 1200 to 1560 where direct is 24000',
  },
  async measure({ server, model }: Bench) {
    const sessionId = await createSession(server.origin, 'Deltas per second')
    const socket = await SessionSocket.connect(server.origin, sessionId)
    const turn = (pace: Pace): Promise<number> => timeTurn(socket, model, pace)
    const times = { turn: [] as number[], gathered: [] as number[] }
    const without = { server: [] as number[], parser: [] as number[] }
    // In turn, so that whatever else the machine does falls on all of them alike.
    for (let i = 0; i < WARM_UPS + TURNS; i++) {
      times.turn.push(await turn(TURN))
      times.gathered.push(await turn(GATHERED))
      without.server.push(await timeDirect(model, TURN))
      without.parser.push(await timePackage(model, TURN))
    }
    const { result: long, cpuMs } = await countWorkerdMs(server.processGroup, async () => {
      const samples: number[] = []
      for (let i = 0; i < LONG_TURNS; i++) samples.push(await turn(LONG))
      return samples
    })
    socket.close()
    const ms = middle(times.turn)
    const direct = toRate(TURN, middle(without.server))
    const throughPackage = toRate(TURN, middle(without.parser))
    return {
      perSecond: toRate(TURN, ms),
      gatheredPerSecond: toRate(GATHERED, middle(times.gathered)),
      longPerSecond: toRate(LONG, median(long)),
      direct,
      package: throughPackage,
      ofDirect: toRate(TURN, ms) / direct,
      ofPackage: toRate(TURN, ms) / throughPackage,
      turnMs: ms,
      cpuMicrosPerDelta: cpuMs === null ? null : (cpuMs * 1000) / (LONG_TURNS * LONG.deltas),
    }
  },
}

const middle = (samples: number[]): number => median(samples.slice(WARM_UPS))

const toRate = ({ deltas }: Pace, ms: number): number => (deltas * 1000) / ms

async function timeTurn(socket: SessionSocket, model: LoopbackModel, pace: Pace): Promise<number> {
  const stream = new DeltaStream(pace)
  const message = model.plan(stream.reply)
  const sentAt = performance.now()
  const doneAt = await socket.run(message)
  if (socket.text !== stream.text) throw new Error('the text that arrived is not what was written')
  return doneAt - sentAt
}

async function timeDirect(model: LoopbackModel, pace: Pace): Promise<number> {
  const message = model.plan(new DeltaStream(pace).reply)
  const startedAt = performance.now()
  await readDirectly(model, message)
  return performance.now() - startedAt
}

/** Through the provider package and nothing else. */
async function timePackage(model: LoopbackModel, pace: Pace): Promise<number> {
  const message = model.plan(new DeltaStream(pace).reply)
  const provider = createOpenAICompatible({ name: 'loopback', baseURL: model.url })
  const startedAt = performance.now()
  const { stream } = await provider.chatModel(MODEL_ID).doStream({
    prompt: [{ role: 'user', content: [{ type: 'text', text: message }] }],
  })
  const reader = stream.getReader()
  while (!(await reader.read()).done);
  return performance.now() - startedAt
}

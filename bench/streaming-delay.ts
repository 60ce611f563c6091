// The delay of every delta of several streams at once, through the server or straight from the model.

import { DELTA_CHARS, DelayMeter, DeltaStream } from './delta-stream.ts'
import { DeltaCounter, readDirectly } from './direct-read.ts'
import type { LoopbackModel } from './loopback-model.ts'
import type { SessionSocket } from './session-socket.ts'

export type Streaming = { delays: number[]; wallMs: number }
export type Pace = { deltas: number; perSecond: number }

/** One stream per socket, all begun at once. */
export async function streamThrough(
  sockets: readonly SessionSocket[],
  model: LoopbackModel,
  pace: Pace,
): Promise<Streaming> {
  const startedAt = performance.now()
  const meters = await Promise.all(
    sockets.map(async (socket) => {
      const stream = new DeltaStream(pace.deltas, pace.perSecond)
      const meter = new DelayMeter(stream)
      socket.onText = (chars, at) => meter.advance(chars, at)
      await socket.run(model.plan(stream.toReply()))
      if (socket.text !== stream.text) throw new Error('the text is not what was written')
      return meter
    }),
  )
  const wallMs = performance.now() - startedAt
  return { delays: meters.flatMap(({ delays }) => delays), wallMs }
}

export async function streamDirectly(
  count: number,
  model: LoopbackModel,
  pace: Pace,
): Promise<Streaming> {
  const startedAt = performance.now()
  const meters = await Promise.all(
    Array.from({ length: count }, async () => {
      const stream = new DeltaStream(pace.deltas, pace.perSecond)
      const meter = new DelayMeter(stream)
      const counter = new DeltaCounter()
      await readDirectly(model, model.plan(stream.toReply()), (chunk, at) => {
        meter.advance(counter.add(chunk) * DELTA_CHARS, at)
      })
      return meter
    }),
  )
  const wallMs = performance.now() - startedAt
  return { delays: meters.flatMap(({ delays }) => delays), wallMs }
}

// The delay of every delta of several streams at once, through the server or straight from the model.

import { DELTA_CHARS, DelayMeter, DeltaStream, type Pace } from './delta-stream.ts'
import { DeltaCounter, readDirectly } from './direct-read.ts'
import type { LoopbackModel } from './loopback-model.ts'
import type { SessionSocket } from './session-socket.ts'

export type Streaming = { delays: number[]; wallMs: number }

/** One stream per socket, all begun at once. */
export const streamThrough = (
  sockets: readonly SessionSocket[],
  model: LoopbackModel,
  pace: Pace,
): Promise<Streaming> =>
  collect(sockets, pace, async (socket, stream, meter) => {
    socket.onText = (chars, at) => meter.advance(chars, at)
    await socket.run(model.plan(stream.reply))
    if (socket.text !== stream.text) throw new Error('the text is not what was written')
  })

export const streamDirectly = (
  count: number,
  model: LoopbackModel,
  pace: Pace,
): Promise<Streaming> =>
  collect(Array.from({ length: count }), pace, async (_, stream, meter) => {
    const counter = new DeltaCounter()
    await readDirectly(model, model.plan(stream.reply), (chunk, at) => {
      meter.advance(counter.add(chunk) * DELTA_CHARS, at)
    })
  })

async function collect<Reader>(
  readers: readonly Reader[],
  pace: Pace,
  read: (reader: Reader, stream: DeltaStream, meter: DelayMeter) => Promise<void>,
): Promise<Streaming> {
  const startedAt = performance.now()
  const meters = await Promise.all(
    readers.map(async (reader) => {
      const stream = new DeltaStream(pace)
      const meter = new DelayMeter(stream)
      await read(reader, stream, meter)
      return meter
    }),
  )
  const wallMs = performance.now() - startedAt
  return { delays: meters.flatMap(({ delays }) => delays), wallMs }
}

// What the server adds before the first text: from the model's writing of its first delta, and from
// the sending of the message. The same is measured on the model itself, in turn.

import { setTimeout as wait } from 'node:timers/promises'
import type { Bench, Benchmark } from './benchmark.ts'
import { DeltaCounter, readDirectly } from './direct-read.ts'
import type { LoopbackModel } from './loopback-model.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { median, percentile } from './statistics.ts'

const WARM_UPS = 10
const TURNS = 60
/** The reply goes on after its first text, as real ones do. */
const PAUSE_MS = 10
/** More word characters than a client waits for before it is shown anything. */
const FIRST_TEXT = 'Once upon a time '
/** Turns of a person are apart; back to back, the end of one would delay the next. */
const BETWEEN_TURNS_MS = 20

type Sample = { fromWrite: number; fromSend: number }

export const firstText: Benchmark = {
  name: 'first_text',
  bar: { addedFromSendMs: '< 14 to 42 (AIChatAgent)' },
  async measure({ server, model }: Bench) {
    const sessionId = await createSession(server.origin, 'First text')
    const socket = await SessionSocket.connect(server.origin, sessionId)
    const through: Sample[] = []
    const direct: Sample[] = []
    for (let i = 0; i < WARM_UPS + TURNS; i++) {
      await wait(BETWEEN_TURNS_MS)
      through.push(await sampleTurn(socket, model))
      direct.push(await sampleDirect(model))
    }
    socket.close()
    const throughMs = summarize(through.slice(WARM_UPS))
    const directMs = summarize(direct.slice(WARM_UPS))
    return {
      addedFromWriteMs: throughMs.fromWrite - directMs.fromWrite,
      addedFromSendMs: throughMs.fromSend - directMs.fromSend,
      through: throughMs,
      direct: directMs,
    }
  },
}

const summarize = (samples: Sample[]) => ({
  fromWrite: median(samples.map(({ fromWrite }) => fromWrite)),
  fromWriteP99: percentile(
    samples.map(({ fromWrite }) => fromWrite),
    0.99,
  ),
  fromSend: median(samples.map(({ fromSend }) => fromSend)),
})

/** A message whose reply notes when its first delta was written. */
function planReply(model: LoopbackModel): { message: string; writtenAt: () => number } {
  let at = 0
  const message = model.plan(async (write) => {
    at = performance.now()
    await write(FIRST_TEXT)
    await wait(PAUSE_MS)
    await write('there was an end.')
  })
  return { message, writtenAt: () => at }
}

async function sampleTurn(socket: SessionSocket, model: LoopbackModel): Promise<Sample> {
  const { message, writtenAt } = planReply(model)
  let shownAt = 0
  socket.onText = (_, at) => {
    shownAt ||= at
  }
  const sentAt = performance.now()
  await socket.run(message)
  return { fromWrite: shownAt - writtenAt(), fromSend: shownAt - sentAt }
}

async function sampleDirect(model: LoopbackModel): Promise<Sample> {
  const { message, writtenAt } = planReply(model)
  const counter = new DeltaCounter()
  let readAt = 0
  const sentAt = performance.now()
  await readDirectly(model, message, (chunk, at) => {
    if (counter.add(chunk) > 0) readAt ||= at
  })
  return { fromWrite: readAt - writtenAt(), fromSend: readAt - sentAt }
}

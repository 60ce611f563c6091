// A connection that is lost in mid-stream: what comes again, against what was missed.

import { setTimeout as wait } from 'node:timers/promises'
import type { Bench, Benchmark, Figures } from './benchmark.ts'
import { withDeadline } from './deadline.ts'
import { DELTA_CHARS, DeltaStream } from './delta-stream.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { median } from './statistics.ts'

const PACE = { deltas: 500, perSecond: 100 }
const LOST_AT = 250
const BACK_AT = 350
const SAME_MS = 10_000
/** Sessions that lose their connection, one after the other; the middle one is reported. */
const SESSIONS = 5
const APART_MS = 300
/** Later than everything that the end of a run sets going. */
const LATER_MS = 150

type Resumed = {
  missedChars: number
  bytes: number
  frames: number
  /** From hello to ready, and with the opening of the socket before it. */
  readyMs: number
  withConnectMs: number
}

export const resume: Benchmark = {
  name: 'resume',
  bar: { midStream: 'only what was missed (AIChatAgent: 270 frames, 43.8 KB, all from zero)' },
  async measure(bench: Bench) {
    return {
      midStream: await measureResumes(bench, (stream) => stream.untilWritten(BACK_AT)),
      afterEnd: await measureResumes(bench, (_, over) => over.then(() => wait(LATER_MS))),
    }
  },
}

type Absence = (stream: DeltaStream, over: Promise<unknown>) => Promise<unknown>

async function measureResumes(bench: Bench, absence: Absence): Promise<Figures> {
  const all = await Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      await wait(index * APART_MS)
      return measureResume(bench, absence)
    }),
  )
  const middle = (name: keyof Resumed): number => median(all.map((resumed) => resumed[name]))
  return {
    missedChars: middle('missedChars'),
    bytes: middle('bytes'),
    frames: middle('frames'),
    readyMs: middle('readyMs'),
    withConnectMs: middle('withConnectMs'),
  }
}

async function measureResume({ server, model }: Bench, absence: Absence): Promise<Resumed> {
  const { origin } = server
  const sessionId = await createSession(origin, 'Resume')
  const witness = await SessionSocket.connect(origin, sessionId)
  const first = await SessionSocket.connect(origin, sessionId)
  const stream = new DeltaStream(PACE)
  const over = witness.untilRunDone()
  const half = Promise.withResolvers<void>()
  first.onText = (chars) => {
    if (chars >= LOST_AT * DELTA_CHARS) half.resolve()
  }
  first.send(model.plan(stream.reply))
  await half.promise
  first.close()
  const { seq, durableChars } = first
  // Fragments are no rows: a client that reconnects has what came in rows, and drops the rest.
  const held = first.text.slice(0, durableChars)
  await absence(stream, over)

  const startedAt = performance.now()
  const again = await SessionSocket.open(origin, sessionId)
  again.text = held
  const helloAt = performance.now()
  await again.hello(seq)
  const readyAt = performance.now()
  const { bytes, frames, text } = again
  await over
  await untilSame(again, stream.text)
  witness.close()
  again.close()
  return {
    missedChars: text.length - durableChars,
    bytes,
    frames,
    readyMs: readyAt - helloAt,
    withConnectMs: readyAt - startedAt,
  }
}

/** All of it arrived, nothing doubled. It may be on its way still when the witness has it. */
async function untilSame(socket: SessionSocket, text: string): Promise<void> {
  if (socket.text === text) return
  const same = Promise.withResolvers<void>()
  socket.onText = () => {
    if (socket.text === text) same.resolve()
  }
  await withDeadline(same.promise, SAME_MS, 'the rest of the text')
}

// A connection that is lost in mid-stream: what comes again, against what was missed.

import type { Bench, Benchmark, Figures } from './benchmark.ts'
import { DELTA_CHARS, DeltaStream } from './delta-stream.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { median } from './statistics.ts'

const PACE = { deltas: 500, perSecond: 100 }
const LOST_AT = 250
const BACK_AT = 350
/** Sessions that lose their connection at the same time; the middle one is reported. */
const SESSIONS = 5

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
      afterEnd: await measureResumes(bench, (_, over) => over),
    }
  },
}

type Absence = (stream: DeltaStream, over: Promise<unknown>) => Promise<unknown>

async function measureResumes(bench: Bench, absence: Absence): Promise<Figures> {
  const all = await Promise.all(
    Array.from({ length: SESSIONS }, () => measureResume(bench, absence)),
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
  const stream = new DeltaStream(PACE.deltas, PACE.perSecond)
  const over = witness.untilRunDone()
  const half = Promise.withResolvers<void>()
  first.onText = (chars) => {
    if (chars >= LOST_AT * DELTA_CHARS) half.resolve()
  }
  first.send(model.plan(stream.toReply()))
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
  // The other socket has the whole text: so must the one that came back.
  if (stream.writtenAt.length === PACE.deltas && witness.text !== stream.text) {
    throw new Error('the witness lost text')
  }
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

/** The end may be on its way still to one socket when the other has it. */
async function untilSame(socket: SessionSocket, text: string): Promise<void> {
  if (socket.text === text) return
  const same = Promise.withResolvers<void>()
  socket.onText = () => {
    if (socket.text === text) same.resolve()
  }
  await same.promise
}

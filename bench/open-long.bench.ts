// Opening a session of 5,000 events at its end, against one of 200: on the wire, and in a browser.

import type { Bench, Benchmark, Figures } from './benchmark.ts'
import { timeFirstPaint } from './first-paint.ts'
import type { LoopbackModel } from './loopback-model.ts'
import { createSession } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { median } from './statistics.ts'

const LONG_EVENTS = 5_000
const SHORT_EVENTS = 200
/** The most that a client may have missed and still be sent, instead of starting again. */
const BEHIND_EVENTS = 5_000
const OPENINGS = 15
const PAINTS = 5

type Filled = { sessionId: string; seq: number; lastText: string }
type Opening = { bytes: number; frames: number; readyMs: number; withConnectMs: number }

export const openLong: Benchmark = {
  name: 'open_long',
  bar: {
    ratio: '~1: independent of length',
    paintMs: 'a public figure: 225 for 800 messages, 8.56 MB',
  },
  async measure({ server, model }: Bench) {
    const { origin } = server
    const short = await fillSession(origin, model, SHORT_EVENTS)
    const startedAt = performance.now()
    const long = await fillSession(origin, model, LONG_EVENTS)
    const fillMs = performance.now() - startedAt
    const openings = { short: [] as Opening[], long: [] as Opening[] }
    for (let i = 0; i < OPENINGS; i++) {
      openings.short.push(await timeOpening(origin, short.sessionId, null))
      openings.long.push(await timeOpening(origin, long.sessionId, null))
    }
    const behind = await timeOpening(origin, long.sessionId, long.seq - BEHIND_EVENTS)
    const [of200, of5000] = [toMiddle(openings.short), toMiddle(openings.long)]
    const paint = await timeFirstPaint(origin, [short, long], PAINTS)
    return {
      of200,
      of5000,
      ratio: of5000.readyMs / of200.readyMs,
      behind5000: behind,
      paint:
        paint === null
          ? null
          : { of200: paint[0]!, of5000: paint[1]!, ratio: paint[1]!.ms / paint[0]!.ms },
      fillMs,
    }
  },
}

/** Through the API, turn by turn, until the log is this long. */
async function fillSession(origin: string, model: LoopbackModel, events: number): Promise<Filled> {
  const sessionId = await createSession(origin, `A session of ${events} events`)
  const socket = await SessionSocket.connect(origin, sessionId)
  let lastText = ''
  for (let turn = 1; socket.seq < events; turn++) {
    const text = `Reply ${turn} of this session, **short** like many, with a [link](https://example.com).`
    lastText = text
    await socket.run(model.plan((write) => write(text)))
  }
  socket.close()
  return { sessionId, seq: socket.seq, lastText: toPlainText(lastText) }
}

/** As a page shows it. */
const toPlainText = (markdown: string): string =>
  markdown.replaceAll('*', '').replace(/\[link\].*/, 'link')

async function timeOpening(
  origin: string,
  sessionId: string,
  after: number | null,
): Promise<Opening> {
  const startedAt = performance.now()
  const socket = await SessionSocket.open(origin, sessionId)
  const helloAt = performance.now()
  await socket.hello(after)
  const readyAt = performance.now()
  const { bytes, frames } = socket
  socket.close()
  return { bytes, frames, readyMs: readyAt - helloAt, withConnectMs: readyAt - startedAt }
}

function toMiddle(openings: readonly Opening[]): Figures & { readyMs: number } {
  const middle = (name: keyof Opening): number => median(openings.map((opening) => opening[name]))
  return {
    bytes: middle('bytes'),
    frames: middle('frames'),
    readyMs: middle('readyMs'),
    withConnectMs: middle('withConnectMs'),
  }
}

// Agents that talk: exchanges between two sessions, what a hop takes and costs, and a parent with
// many children. Beside each the same work without another session.

import type { Bench, Benchmark, Figures } from './benchmark.ts'
import type { Moment, Reply, Step } from './loopback-model.ts'
import { countWorkerdMs } from './processor.ts'
import { createSession, readEvents, readSettledStats } from './session-api.ts'
import { SessionSocket } from './session-socket.ts'
import { toP50P99 } from './statistics.ts'

/** Fewer than the steps of a run, and than the exchanges that one may begin. */
const EXCHANGES = 40
const WARM_UP = 5
const CHILDREN = 50

const sayLittle: Reply = (write) => write('Here it is.')

export const exchanges: Benchmark = {
  name: 'exchanges',
  bar: { hop: 'compare with tool', perSecond: 'compare with turns' },
  async measure(bench: Bench) {
    return { ...(await measurePair(bench)), children: await measureChildren(bench) }
  },
}

async function measurePair(bench: Bench): Promise<Figures> {
  const { origin } = bench.server
  const [askingId, askedId] = [
    await createSession(origin, 'Asks'),
    await createSession(origin, 'Is asked'),
  ]
  const asking = await SessionSocket.connect(origin, askingId)
  const asked = await SessionSocket.connect(origin, askedId)
  await askOneByOne(bench, asking, askedId, WARM_UP)
  await callTools(bench, asking, WARM_UP)
  const rows = await countRows(origin, [askingId, askedId])
  const oneByOne = await askOneByOne(bench, asking, askedId, EXCHANGES)
  const [askingRows, askedRows] = await rows.since()
  const begunBefore = await countExchanges(origin, askingId)
  const atOnce = await askAtOnce(bench, asking, askedId)
  const begun = (await countExchanges(origin, askingId)) - begunBefore
  // A refusal is quick, and no exchange.
  if (begun !== EXCHANGES) throw new Error(`${begun} of ${EXCHANGES} exchanges were begun`)
  const toolRows = await countRows(origin, [askingId])
  const tool = await callTools(bench, asking, EXCHANGES)
  const [callRows] = await toolRows.since()
  const turnRows = await countRows(origin, [askedId])
  const turns = await takeTurns(bench, asked)
  const [ownRows] = await turnRows.since()
  for (const socket of [asking, asked]) socket.close()
  return {
    perSecond: { oneByOne: oneByOne.perSecond, atOnce, turns },
    hop: { there: toP50P99(oneByOne.there), back: toP50P99(oneByOne.back), tool: toP50P99(tool) },
    rows: {
      asking: askingRows! / EXCHANGES,
      asked: askedRows! / EXCHANGES,
      toolCall: callRows! / EXCHANGES,
      turn: ownRows! / EXCHANGES,
    },
  }
}

async function countExchanges(origin: string, sessionId: string): Promise<number> {
  const events = await readEvents(origin, sessionId)
  return events.filter(({ type }) => type === 'exchange_started').length
}

/** `since`: rows that each session has written from here on, once it writes no more. */
async function countRows(
  origin: string,
  sessionIds: readonly string[],
): Promise<{ since: () => Promise<number[]> }> {
  const read = async (): Promise<number[]> => {
    const stats = await Promise.all(sessionIds.map((id) => readSettledStats(origin, id)))
    return stats.map(({ rowsWritten }) => rowsWritten)
  }
  const before = await read()
  return { since: async () => (await read()).map((rows, index) => rows - before[index]!) }
}

type Asked = { perSecond: number; there: number[]; back: number[] }

/** One run: a step for each exchange, which begins when the answer of the one before is there. */
async function askOneByOne(
  { model }: Bench,
  socket: SessionSocket,
  to: string,
  count: number,
): Promise<Asked> {
  const parts = Array.from({ length: count }, () => model.planRun([sayLittle]))
  const steps: Step[] = parts.map(({ message }) => [toMessage(to, message)])
  const { message, moments } = model.planRun([...steps, sayLittle])
  const startedAt = performance.now()
  const endedAt = await socket.run(message)
  const others = parts.map((part) => part.moments[0]!)
  return {
    perSecond: (count * 1000) / (endedAt - startedAt),
    there: others.map(({ askedAt }, index) => askedAt - moments[index]!.saidAt),
    back: others.map(({ saidAt }, index) => moments[index + 1]!.askedAt - saidAt),
  }
}

/** One step: all of them at once, which the other takes from its queue one after the other. */
async function askAtOnce({ model }: Bench, socket: SessionSocket, to: string): Promise<number> {
  const parts = Array.from({ length: EXCHANGES }, () => model.plan(sayLittle))
  const { message } = model.planRun([parts.map((part) => toMessage(to, part)), sayLittle])
  const startedAt = performance.now()
  const endedAt = await socket.run(message)
  return (EXCHANGES * 1000) / (endedAt - startedAt)
}

const toMessage = (to: string, message: string) => ({
  name: 'agents_message',
  input: { to, message, wait: true },
})

/** The same steps with a tool that this session has by itself: from each call to the next request. */
async function callTools(
  { model }: Bench,
  socket: SessionSocket,
  count: number,
): Promise<number[]> {
  const call: Step = [{ name: 'current_time', input: {} }]
  const { message, moments } = model.planRun([
    ...Array.from({ length: count }, () => call),
    sayLittle,
  ])
  await socket.run(message)
  return moments.slice(1).map(({ askedAt }, index) => askedAt - toSaid(moments, index))
}

const toSaid = (moments: readonly Moment[], index: number): number => moments[index]!.saidAt

/** What the other session does for an exchange, asked by a person. */
async function takeTurns({ model }: Bench, socket: SessionSocket): Promise<number> {
  const startedAt = performance.now()
  for (let turn = 0; turn < EXCHANGES; turn++) await socket.run(model.plan(sayLittle))
  return (EXCHANGES * 1000) / (performance.now() - startedAt)
}

async function measureChildren({ server, model }: Bench): Promise<Figures> {
  const { origin } = server
  const sessionId = await createSession(origin, 'A parent')
  const socket = await SessionSocket.connect(origin, sessionId)
  const rows = await countRows(origin, [sessionId])
  const tasks = Array.from({ length: CHILDREN }, () => model.planRun([sayLittle]))
  const calls = tasks.map(({ message }) => ({ name: 'agents_spawn', input: { task: message } }))
  const { message, moments } = model.planRun([calls, sayLittle])
  const startedAt = performance.now()
  const { result: endedAt, cpuMs } = await countWorkerdMs(server.processGroup, () =>
    socket.run(message),
  )
  const [parentRows] = await rows.since()
  socket.close()
  const spawned = (await readEvents(origin, sessionId)).filter(
    (event) => event.type === 'subagent_spawned',
  )
  if (spawned.length !== CHILDREN) throw new Error(`${spawned.length} children were started`)
  const child = await readSettledStats(origin, spawned[0]!.childSessionId)
  const begun = tasks.map((task) => task.moments[0]!.askedAt - moments[0]!.saidAt)
  return {
    count: CHILDREN,
    wallMs: endedAt - startedAt,
    cpuMs,
    /** From the calls to each child's own first request. */
    begun: toP50P99(begun),
    parentRows: parentRows!,
    parentRowsPerChild: parentRows! / CHILDREN,
    childRows: child.rowsWritten,
  }
}

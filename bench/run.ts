// npm run bench [-- --only name,name]: one line of JSON for each benchmark, from the production
// build in a real workerd on this machine. It fails when something does not work, never because
// something is slow.

import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Benchmark } from './benchmark.ts'
import { bundle } from './bundle.bench.ts'
import { withDeadline } from './deadline.ts'
import { deltasPerSecond } from './deltas-per-second.bench.ts'
import { exchanges } from './exchanges.bench.ts'
import { firstText } from './first-text.bench.ts'
import { fragmentDelay } from './fragment-delay.bench.ts'
import { historyIndependence } from './history-independence.bench.ts'
import { LoopbackModel } from './loopback-model.ts'
import { manySessions } from './many-sessions.bench.ts'
import { Neighbours } from './processor.ts'
import { openLong } from './open-long.bench.ts'
import { resume } from './resume.bench.ts'
import { startServer } from './start-server.ts'
import { roundFigures } from './statistics.ts'
import { turnCost } from './turn-cost.bench.ts'

const BENCHMARK_MS = 300_000

const BENCHMARKS: readonly Benchmark[] = [
  deltasPerSecond,
  firstText,
  fragmentDelay,
  turnCost,
  resume,
  historyIndependence,
  openLong,
  manySessions,
  exchanges,
  bundle,
]

const root = join(import.meta.dirname, '..')
const chosen = chooseBenchmarks()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  // By way of `exit`, so that the server goes too.
  process.once(signal, () => process.exit(130))
}
process.exitCode = (await runAll()) ? 0 : 1

function chooseBenchmarks(): readonly Benchmark[] {
  const { values } = parseArgs({ options: { only: { type: 'string' } } })
  if (values.only === undefined) return BENCHMARKS
  const names = values.only.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !BENCHMARKS.some((benchmark) => benchmark.name === name))
  if (unknown.length > 0) {
    console.error(`No benchmark is called ${unknown.join(', ')}. There is:`)
    console.error(BENCHMARKS.map(({ name }) => name).join(', '))
    process.exit(2)
  }
  return BENCHMARKS.filter(({ name }) => names.includes(name))
}

async function runAll(): Promise<boolean> {
  let isWorking = true
  for (const benchmark of chosen) {
    try {
      console.log(JSON.stringify(await runOne(benchmark)))
    } catch (error) {
      // The others still say what they have to say.
      isWorking = false
      console.error(`${benchmark.name}: ${error instanceof Error ? error.stack : String(error)}`)
    }
  }
  return isWorking
}

/** A server of its own for each, so that none pays for what another left behind. */
async function runOne({ name, bar, measure }: Benchmark) {
  const model = await LoopbackModel.start()
  try {
    const server = await startServer(root, model.url)
    try {
      const neighbours = new Neighbours()
      const work = measure({ root, server, model })
      // Also where it failed: a refusal is then the reason.
      const figures = await withDeadline(work, BENCHMARK_MS, name).finally(() => {
        model.requireNoRefusal()
      })
      // Beside the figures: whoever reads them must know how busy the machine was with other things.
      const others = neighbours.share()
      return { bench: name, ...roundFigures({ ...figures, othersCpu: others }), bar }
    } finally {
      await server.stop()
    }
  } finally {
    await model.close()
  }
}

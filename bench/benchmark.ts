// What a benchmark is given, and what it gives back: numbers for one line of JSON.

import type { LoopbackModel } from './loopback-model.ts'
import type { LocalServer } from './start-server.ts'

export type Figures = { [name: string]: number | string | null | Figures }

export type Bench = { root: string; server: LocalServer; model: LoopbackModel }

export type Benchmark = {
  name: string
  /** From PEERS.md, for the reader: nothing here fails because a machine is slow. */
  bar: Figures
  measure: (bench: Bench) => Promise<Figures>
}

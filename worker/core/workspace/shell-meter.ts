// The interpreter's bundle with the meter that scripts/meter-shell.ts puts into it. Each of its
// loops and functions takes a step, and somebody pays for every step: without a payer nothing runs,
// and neither does a bundle without a meter.

import { AsyncLocalStorage } from 'node:async_hooks'

type Bundle = typeof import('just-bash/browser')

/** Pays by returning and ends the work by throwing. One unit is about half a microsecond. */
export type Payer = { pay: (units: number, why: string) => void }

const STEPS_PER_UNIT = 8
/** Paid at once: small against every limit, and large against what the question costs. */
const STEPS_AT_ONCE = 4096
/** An expression is copied for each of its characters: one of 16 Ki takes a second or two. */
const SQUARE_CHARS_PER_UNIT = 64

// Commands of several sessions take turns in an isolate: each pays for itself.
const payers = new AsyncLocalStorage<Payer>()

export const runPaidBy = <Result>(payer: Payer, run: () => Result): Result => payers.run(payer, run)

export async function loadShellBundle(): Promise<Bundle> {
  const bundle: Bundle & { meterShell?: unknown } = await import('just-bash/browser')
  if (typeof bundle.meterShell !== 'function')
    throw new Error('the shell was built without a meter')
  bundle.meterShell(refuel, weigh)
  return bundle
}

function refuel(owed: number): number {
  pay((owed + STEPS_AT_ONCE) / STEPS_PER_UNIT, 'too many steps in one program')
  return STEPS_AT_ONCE
}

/** Patterns, arithmetic and scripts; the last cost a share of the first two. */
function weigh(text: string, share: number): void {
  pay(text.length ** 2 / SQUARE_CHARS_PER_UNIT / share, 'a pattern or expression is too large')
}

function pay(units: number, why: string): void {
  const payer = payers.getStore()
  if (payer === undefined) throw new Error('nobody pays for what the shell does')
  payer.pay(units, why)
}

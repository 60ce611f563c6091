import { expect, test } from 'vitest'
import { loadShellBundle, runPaidBy } from './shell-meter.ts'

const ENDLESS = 'while :; do :; done'

test('[SAF2] nothing runs where nobody pays', async () => {
  const { Bash } = await loadShellBundle()
  expect(() => new Bash({ commands: [] })).toThrow('nobody pays')
})

test('[SAF2] who does not pay ends the work, and the others go on', async () => {
  const { Bash } = await loadShellBundle()
  const limits = { executionLimits: { maxLoopIterations: 1e6, maxCommandCount: 1e6 } }
  const start = (command: string, units: number) => {
    let left = units
    const payer = {
      pay: (price: number) => {
        left -= price
        if (left < 0) throw new Error('no more')
      },
    }
    return runPaidBy(payer, () => new Bash({ ...limits, defenseInDepth: false }).exec(command))
  }
  const [poor, rich] = await Promise.allSettled([
    start(ENDLESS, 10_000),
    start('for i in $(seq 1 2000); do :; done; echo $i', 1e9),
  ])
  expect(poor).toMatchObject({ status: 'rejected', reason: { message: 'no more' } })
  expect(rich).toMatchObject({ status: 'fulfilled', value: { stdout: '2000\n' } })
})

test('[SAF2] a search through a long text is paid for by its length, not as one step', async () => {
  const { Bash } = await loadShellBundle()
  let most = 0
  let left = 1024 * 1024
  const payer = {
    pay: (units: number, why: string) => {
      if (why.includes('steps')) most = Math.max(most, units)
      left -= units
      if (left < 0) throw new Error('no more')
    },
  }
  const exec = (command: string) =>
    runPaidBy(payer, () => new Bash({ defenseInDepth: false }).exec(command))
  await exec('for i in $(seq 1 500); do :; done')
  const usual = most
  // What it prints before each command is read once more, and here it cannot be.
  await exec('x=$(printf "[:%.0s" $(seq 1 8000)); PS4="$x"; set -x; :').catch(() => {})
  expect(most).toBeGreaterThan(usual * 1.5)
})

// Processor time of the server. On a machine that others use it says more than a clock.

import { readdirSync, readFileSync } from 'node:fs'

/** Linux counts in hundredths of a second, whatever the processor. */
const MS_PER_TICK = 10

/** Milliseconds that the group's workerd has used so far; null where the system does not tell. */
export function readWorkerdCpu(processGroup: number): number | null {
  try {
    const times = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => readCpu(pid, processGroup) ?? [])
    return times.length === 0 ? null : Math.max(...times)
  } catch {
    return null
  }
}

function readCpu(pid: string, processGroup: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    if (!stat.includes('(workerd)')) return null
    // After the name in brackets: state, parent, group, …; user and system time are 12th and 13th.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(fields[2]) !== processGroup) return null
    return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK
  } catch {
    return null // it ended while the folder was read
  }
}

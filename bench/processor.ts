// Processor time, from Linux's own books; null where there are none. On a machine that others use,
// what the server used says more than a clock, and what the others used says how far to trust one.

import { readdirSync, readFileSync } from 'node:fs'

/** The books are kept in hundredths of a second, whatever the processor. */
const MS_PER_TICK = 10

type Process = { pid: number; parent: number; group: number; name: string; ms: number }

/** What the group's workerd has used so far, in milliseconds. */
export function readWorkerdMs(group: number): number | null {
  const found = listProcesses().find(
    (process) => process.group === group && process.name === 'workerd',
  )
  return found?.ms ?? null
}

/** What the group's workerd used for some work, in milliseconds. */
export async function countWorkerdMs<T>(
  group: number,
  work: () => Promise<T>,
): Promise<{ result: T; cpuMs: number | null }> {
  const before = readWorkerdMs(group)
  const result = await work()
  const after = readWorkerdMs(group)
  return { result, cpuMs: before === null || after === null ? null : after - before }
}

/** Watches what this benchmark has nothing to do with. */
export class Neighbours {
  private readonly before = readBusy()

  /** Share of all processors that others used since, from 0 to 1. */
  share(): number | null {
    const now = readBusy()
    if (now === null || this.before === null) return null
    const all = now.allMs - this.before.allMs
    const others = now.busyMs - this.before.busyMs - (now.ownMs - this.before.ownMs)
    return all === 0 ? null : Math.max(0, others / all)
  }
}

function readBusy(): { allMs: number; busyMs: number; ownMs: number } | null {
  try {
    const [line] = readFileSync('/proc/stat', 'utf8').split('\n')
    // user, nice, system, idle, iowait, irq, softirq, steal; what follows is counted in user too.
    const ticks = line!.trim().split(/\s+/).slice(1, 9).map(Number)
    const allMs = ticks.reduce((sum, tick) => sum + tick, 0) * MS_PER_TICK
    const idleMs = (ticks[3]! + ticks[4]!) * MS_PER_TICK
    return { allMs, busyMs: allMs - idleMs, ownMs: readOwnMs() }
  } catch {
    return null
  }
}

/** This process, what it started, what that started; those that ended count with their parents. */
function readOwnMs(): number {
  const processes = listProcesses()
  const own = new Set([process.pid])
  for (let size = 0; size !== own.size;) {
    size = own.size
    for (const { pid, parent } of processes) if (own.has(parent)) own.add(pid)
  }
  return processes.filter(({ pid }) => own.has(pid)).reduce((sum, { ms }) => sum + ms, 0)
}

function listProcesses(): Process[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => readProcess(Number(pid)) ?? [])
  } catch {
    return []
  }
}

function readProcess(pid: number): Process | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in brackets and may hold anything; after it state, parent, group, …
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    // User and system time, of the process and of its children that have ended.
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
    return {
      pid,
      parent: Number(fields[1]),
      group: Number(fields[2]),
      name,
      ms: ticks * MS_PER_TICK,
    }
  } catch {
    return null // it ended while the folder was read
  }
}

// A server that is killed outright cannot end its workerd, which would go on holding the port and
// the database. A small shell does it: it waits on a pipe that only closes when the server is gone.

import { spawn } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { basename } from 'node:path'

const SCRIPT = 'trap "" INT TERM HUP; while read -r pid; do last=$pid; done; kill -9 $last'

/** Call before workerd is started. The answer lets go, once workerd has been ended properly. */
export function guardWorkerd() {
  // No such shell on Windows, where a job object ends the children of a process anyway.
  if (process.platform === 'win32') return () => {}
  const guard = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'] })
  guard.unref()
  guard.stdin.unref()
  guard.stdin.on('error', () => {})
  guard.on('error', () => {})
  // Also fires when Miniflare starts it again after a crash.
  subscribe('child_process', ({ process: child }) => {
    process.nextTick(() => {
      if (basename(child.spawnfile ?? '') === 'workerd' && child.pid) {
        guard.stdin.write(`${child.pid}\n`)
      }
    })
  })
  return () => guard.kill('SIGKILL')
}

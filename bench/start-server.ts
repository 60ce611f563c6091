// The production build in a workerd of its own: `scripts/start.mjs` in its own process group, on a
// free port, with its state in a temporary folder.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { withDeadline } from './deadline.ts'
import { MODEL_ID } from './loopback-model.ts'

const START_MS = 60_000
const STOP_MS = 10_000

export type LocalServer = {
  /** Without a slash at the end. */
  origin: string
  /** Its processes, workerd among them. */
  processGroup: number
  stop: () => Promise<void>
}

export async function startServer(root: string, modelUrl: string): Promise<LocalServer> {
  const state = mkdtempSync(join(tmpdir(), 'parley-bench-'))
  const args = ['--host', '127.0.0.1', '--port', '0', '--state', state, '--no-build']
  const child = spawn(process.execPath, [join(root, 'scripts/start.mjs'), ...args], {
    cwd: root,
    env: { ...process.env, ...toSettings(modelUrl) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const processGroup = child.pid!
  const erase = (): void => {
    signalGroup(processGroup, 'SIGKILL')
    rmSync(state, { recursive: true, force: true })
  }
  // Whatever ends this process, nothing of the server stays behind.
  process.once('exit', erase)
  const stop = async (): Promise<void> => {
    await endChild(child, processGroup)
    erase()
    process.off('exit', erase)
  }
  try {
    const origin = await withDeadline(readOrigin(child), START_MS, 'the start of the server')
    return { origin, processGroup, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Empty over what a `.dev.vars` may say: a benchmark needs no token and knows no limit. */
const toSettings = (modelUrl: string): Record<string, string> => ({
  PARLEY_TOKEN: '',
  PARLEY_TOKENS: '',
  PARLEY_ACCESS_TEAM_DOMAIN: '',
  PARLEY_ACCESS_AUD: '',
  PARLEY_COMMANDS_PER_MINUTE: '',
  PARLEY_REQUESTS_PER_MINUTE: '',
  OPENAI_BASE_URL: modelUrl,
  OPENAI_API_KEY: 'none',
  OPENAI_MODEL: MODEL_ID,
})

async function readOrigin(child: ChildProcess): Promise<string> {
  let said = ''
  const origin = new Promise<string>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      said += String(chunk)
      const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(said) ?? []
      if (found !== undefined) resolve(found)
    }
    child.stdout!.on('data', read)
    // What the server complains of belongs to whoever runs the benchmark.
    child.stderr!.on('data', (chunk: Buffer) => process.stderr.write(chunk))
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${said}`)))
  })
  return origin
}

async function endChild(child: ChildProcess, group: number): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit')
    signalGroup(group, 'SIGTERM')
    await Promise.race([exited, wait(STOP_MS, undefined, { ref: false })])
  }
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-group, signal)
  } catch {
    // The group is gone already, which is what was wanted.
  }
}

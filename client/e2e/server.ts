// The real server as people start it: the production build, in a process group of its own, with a
// port, a state folder and a scripted model of its own. Nothing of it outlives the test file.

import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startModelServer, type ModelServer } from '../../worker/testing/node/model-server.ts'
import type { Violation } from '../../worker/testing/node/strict-openai.ts'

export type ServerOptions = {
  /** `demo`: no provider is configured at all. */
  model?: 'scripted' | 'demo'
  env?: Record<string, string>
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
// Below the range that the kernel takes for outgoing connections: while the server is down, a
// client that knocks at an ephemeral port can be given that very port and connect to itself.
const FIRST_PORT = 20_000
const PORTS = 4000
/** Files that run at once have ports of their own: a free one is taken only a second after it is found. */
const OWN_FIRST_PORT = FIRST_PORT + (Number(process.env.VITEST_POOL_ID ?? 1) % 3) * PORTS
const READY = 'Parley is ready'
const POLL_MS = 20

/** What a developer's own .dev.vars or shell says must not decide a test. */
const UNSET = {
  OPENAI_BASE_URL: '',
  OPENAI_API_KEY: '',
  OPENAI_MODEL: '',
  PARLEY_TOKEN: '',
  PARLEY_TOKENS: '',
}

/** Leaders of groups that are running; ended with this process, whatever ends it. */
const leaders = new Set<number>()
process.on('exit', () => {
  for (const pid of leaders) endGroup(pid)
})

export class TestServer {
  readonly port: number
  readonly origin: string
  readonly #model: ModelServer | null
  readonly #state = mkdtempSync(join(tmpdir(), 'parley-e2e-'))
  readonly #env: Record<string, string>
  #child: ChildProcess | null = null
  #output = ''

  private constructor(port: number, model: ModelServer | null, env: Record<string, string>) {
    this.port = port
    this.origin = `http://127.0.0.1:${port}`
    this.#model = model
    this.#env = env
  }

  static async start({ model = 'scripted', env = {} }: ServerOptions = {}): Promise<TestServer> {
    const provider = model === 'scripted' ? await startModelServer() : null
    const server = new TestServer(await findPort(), provider, {
      ...UNSET,
      ...(provider && {
        OPENAI_BASE_URL: provider.url,
        OPENAI_API_KEY: 'test-key',
        OPENAI_MODEL: 'strict',
      }),
      ...env,
    })
    try {
      // Builds what is stale, once; from then on what is built stays what is tested.
      await server.#spawn([])
      return server
    } catch (error) {
      await server.stop()
      throw error
    }
  }

  get model(): ModelServer {
    if (this.#model === null) throw new Error('this server has the demo model')
    return this.#model
  }

  /** Requests that a provider would have refused. */
  get violations(): Violation[] {
    return this.#model?.violations ?? []
  }

  /** Lines in which the Worker reports that something went wrong in it. */
  get failures(): string[] {
    return this.#output.split('\n').filter((line) => /"level":"error"|\buncaught\b/i.test(line))
  }

  /** As a power cut would: every process of the server at once, nothing said to anybody. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child?.pid === undefined) throw new Error('the server is not running')
    this.#child = null
    const isOver = child.exitCode !== null || child.signalCode !== null
    const exit = isOver ? null : once(child, 'exit')
    endGroup(child.pid)
    leaders.delete(child.pid)
    await exit
    await untilRefused(this.port)
  }

  /** The same port, the same state. */
  async restart(): Promise<void> {
    if (this.#child !== null) await this.kill()
    await this.#spawn(['--no-build'])
  }

  async stop(): Promise<void> {
    if (this.#child !== null) await this.kill()
    await this.#model?.close()
    rmSync(this.#state, { recursive: true, force: true })
  }

  async #spawn(options: string[]): Promise<void> {
    const place = ['--port', String(this.port), '--state', this.#state]
    const child = spawn(process.execPath, ['scripts/start.mjs', ...place, ...options], {
      cwd: ROOT,
      env: { ...process.env, ...this.#env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child = child
    if (child.pid !== undefined) leaders.add(child.pid)
    const from = this.#output.length
    await new Promise<void>((resolve, reject) => {
      const read = (chunk: Buffer): void => {
        this.#output += chunk.toString()
        if (this.#output.includes(READY, from)) resolve()
      }
      child.stdout.on('data', read)
      child.stderr.on('data', read)
      child.once('error', reject)
      child.once('exit', () => reject(new Error(`the server ended:\n${this.#output.slice(from)}`)))
    })
  }
}

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Gone already.
  }
}

async function findPort(): Promise<number> {
  const start = Math.floor(Math.random() * PORTS)
  for (let i = 0; i < PORTS; i++) {
    const port = OWN_FIRST_PORT + ((start + i) % PORTS)
    if (await isFree(port)) return port
  }
  throw new Error('there is no free port')
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer()
  const listening = once(probe, 'listening').then(
    () => true,
    () => false,
  )
  probe.listen(port, '127.0.0.1')
  if (!(await listening)) return false
  probe.close()
  await once(probe, 'close')
  return true
}

/** workerd ends a moment after its leader; a server that is started before that finds its port taken. */
async function untilRefused(port: number): Promise<void> {
  while (await answers(port)) await wait(POLL_MS)
}

async function answers(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

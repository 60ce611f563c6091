// npm start [-- --port N] [--host [ADDRESS]] [--state DIR] [--no-build]
// Builds what is stale, then serves the production build on this machine.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import module from 'node:module'
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const USAGE = 'npm start [-- --port N] [--host [ADDRESS]] [--state DIR] [--no-build]'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']
const root = resolve(fileURLToPath(new URL('..', import.meta.url)))

if (Number.parseInt(process.versions.node, 10) < 22) restartWithOwnNode()
else await start(parseOptions(process.argv.slice(2)))

/** Called without npm, which would have put the project's own Node first on the PATH. */
function restartWithOwnNode() {
  const node = join(root, 'node_modules/.bin/node')
  if (!existsSync(node)) fail('Packages are not installed. Run `npm start` or `npm ci`.')
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' })
  for (const signal of SIGNALS) {
    process.on(signal, () => child.kill(signal))
  }
  child.on('exit', (code) => process.exit(code ?? 1))
}

function parseOptions(args) {
  const options = { port: 8787, host: '127.0.0.1', state: '.parley/state', build: true }
  while (args.length > 0) {
    const [name, ...rest] = args.shift().split(/=(.*)/s)
    const value = () => rest[0] ?? args.shift() ?? fail(`${name} needs a value.\n${USAGE}`)
    const hasValue = rest.length > 0 || (args.length > 0 && !args[0].startsWith('--'))
    if (name === '--port') options.port = Number(value())
    else if (name === '--host') options.host = hasValue ? value() : '0.0.0.0'
    else if (name === '--state') options.state = value()
    else if (name === '--no-build') options.build = false
    else fail(`Unknown option ${name}.\n${USAGE}`)
  }
  const { port } = options
  if (!Number.isInteger(port) || port < 0 || port > 65535) fail(`--port: expected 0 to 65535.`)
  return { ...options, state: resolve(options.state) }
}

async function start({ port, host, state, build }) {
  // Miniflare is one file of 5 MB: compiling it anew is a third of the time to start.
  module.enableCompileCache?.(join(root, 'node_modules/.cache/parley-compile'))
  await prepareBuild(build)
  const { loadSettings } = await import('./local-settings.mjs')
  const settings = loadSettings(root, process.env)
  await requireFreePort(host, port)
  const { startServer } = await import('./local-server.mjs')
  const server = await startServer({ root, host, port, state, settings }).catch((error) =>
    fail(describeFailure(error, host, port)),
  )
  stopOnSignal(server)
  await announce(server.miniflare, host, settings)
}

function stopOnSignal(server) {
  const stop = async () => {
    await server.stop()
    process.exit(0)
  }
  for (const signal of SIGNALS) {
    // Miniflare's own handlers, which were right until here, end the process with an error.
    process.removeAllListeners(signal)
    process.once(signal, stop)
  }
  // npm passes a signal to its shell, which dies of it and tells nobody.
  if (process.env.npm_lifecycle_event === undefined) return
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    void stop()
  }, 250)
}

async function prepareBuild(mayBuild) {
  const { build, isBuilt, isStale } = await import('./build-if-stale.mjs')
  if (!mayBuild) {
    if (!isBuilt(root)) fail('There is no build yet. Run `npm run build`, or leave --no-build out.')
    return
  }
  if (!isStale(root)) return
  console.log('Building…')
  const problem = build(root)
  if (problem !== null) fail(`${problem}\nThe build failed.`)
}

async function announce(miniflare, host, settings) {
  const { firstToken, isLoopbackOnly } = await import('./local-settings.mjs')
  const { port } = await miniflare.ready
  const token = firstToken(settings)
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  // Asked of the server itself: it knows, and a server that cannot say so is not ready.
  const response = await miniflare.dispatchFetch('http://127.0.0.1/api/me', { headers })
  const me = await response.json()
  const model = me.defaultModel ? `Model: ${me.defaultModel}. ` : ''
  const access = isLoopbackOnly(settings)
    ? 'Open to this machine only; set PARLEY_TOKEN to use it from elsewhere.'
    : 'A token is needed.'
  const problem = response.status === 503 ? `Not usable yet: ${me.error.message}. ` : ''
  console.log(`Parley is ready on http://${host.includes(':') ? `[${host}]` : host}:${port}`)
  console.log(problem || `${model}${access}`)
}

/** Asked before workerd is: it would answer with a page of stack. */
async function requireFreePort(host, port) {
  const probe = createServer()
  probe.listen(port, host)
  await once(probe, 'listening').catch((error) => fail(describeFailure(error, host, port)))
  probe.close()
  await once(probe, 'close')
}

function describeFailure(error, host, port) {
  switch (error?.code) {
    case 'EADDRINUSE':
    case 'ERR_ADDRESS_IN_USE':
      return `Port ${port} is in use. Stop what runs there, or take another: npm start -- --port N`
    case 'EACCES':
      return `Port ${port} needs more rights than you have: npm start -- --port N`
    case 'EADDRNOTAVAIL':
      return `--host: ${host} is not an address of this machine.`
    default:
      return `Parley could not start: ${error?.message ?? error}`
  }
}

function fail(message) {
  console.error(message)
  process.exit(1)
}

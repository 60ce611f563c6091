// The production build, run by workerd on this machine through Miniflare.

import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare'
import { applyMigrations } from './apply-migrations.mjs'
import { guardWorkerd } from './workerd-guard.mjs'

/** Addresses of this machine and its network are out of reach, whatever name leads to them. */
const PUBLIC_WEB = { network: { allow: ['public'], tlsOptions: { trustBrowserCas: true } } }

/** Resolves when the server answers; rejects with Miniflare's error. */
export async function startServer({ root, host, port, state, settings }) {
  const worker = await loadWorkerOptions(root)
  const release = guardWorkerd()
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      host,
      port,
      cf: false,
      log: new Log(LogLevel.WARN),
      handleStructuredLogs: ({ message }) => process.stderr.write(`${message}\n`),
      telemetry: { enabled: false },
      // The folder that `wrangler … --persist-to` would use, so that its commands find the data.
      resourcePersistencePath: join(state, 'v3'),
      workers: [
        {
          ...worker,
          bindings: { ...worker.bindings, ...settings },
          serviceBindings: { ...worker.serviceBindings, PUBLIC_WEB },
        },
      ],
    }),
  )
  const stop = async () => {
    await miniflare.dispose()
    release()
  }
  try {
    await miniflare.ready
    await applyMigrations(await miniflare.getD1Database('DB'), join(root, 'migrations'))
    return { miniflare, stop }
  } catch (error) {
    await stop().catch(() => {})
    throw error
  }
}

/** What the built wrangler.json means to Miniflare, with the modules of the build. */
async function loadWorkerOptions(root) {
  const configFile = join(root, 'dist/parley/wrangler.json')
  const { main, modulesRules, ...options } = await loadConfig(root, configFile)
  const folder = dirname(main)
  const paths = modulesRules.flatMap(({ type, include }) =>
    globSync(include, { cwd: folder }).map((path) => ({ type, path })),
  )
  // Miniflare takes the first module as the entry.
  const entry = main.slice(folder.length + 1)
  const modules = [{ type: 'ESModule', path: entry }, ...paths.filter(({ path }) => path !== entry)]
  return { ...options, rootPath: folder, modules }
}

/** Wrangler takes a second to load, so its reading of the configuration is kept beside the build. */
async function loadConfig(root, configFile) {
  const text = readFileSync(configFile, 'utf8')
  const key = createHash('sha256').update(`${root}\n${text}`).digest('hex')
  const cacheFile = join(root, 'dist/start.json')
  const cached = existsSync(cacheFile) ? JSON.parse(readFileSync(cacheFile, 'utf8')) : null
  if (cached?.key === key) return cached.config
  const { unstable_getMiniflareWorkerOptions: readOptions } = await import('wrangler')
  const { main, workerOptions } = readOptions(configFile)
  const config = {
    ...workerOptions,
    main,
    name: JSON.parse(text).name,
    // Not what wrangler found in .dev.vars: secrets are read anew at every start, and never kept.
    bindings: JSON.parse(text).vars ?? {},
  }
  writeFileSync(cacheFile, JSON.stringify({ key, config }))
  return config
}

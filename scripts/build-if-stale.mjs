// Builds dist with Vite, unless dist is newer than everything it is made from.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const SOURCES = [
  'worker',
  'client',
  'index.html',
  'package.json',
  'package-lock.json',
  'vite.config.ts',
  'wrangler.toml',
]
const OUTPUTS = ['dist/parley/wrangler.json', 'dist/parley/index.js', 'dist/client/index.html']

/** Tests are not part of the build; editing one must not cost a build. */
const isSource = (name) => !/\.test\.tsx?$|\.e2e\.ts$|^testing$|^e2e$/.test(name)

export const isBuilt = (root) => OUTPUTS.every((path) => existsSync(join(root, path)))

export function isStale(root) {
  if (!isBuilt(root)) return true
  const builtAt = Math.min(...OUTPUTS.map((path) => statSync(join(root, path)).mtimeMs))
  return SOURCES.some((path) => newestIn(join(root, path)) > builtAt)
}

/** Folders count too: removing a file changes nothing but its folder. */
function newestIn(path) {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return 0
  if (!stat.isDirectory()) return stat.mtimeMs
  const names = readdirSync(path).filter(isSource)
  return Math.max(stat.mtimeMs, ...names.map((name) => newestIn(join(path, name))))
}

/** What went wrong; null when dist is ready. */
export function build(root) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/vite/bin/vite.js'), 'build'],
    { cwd: root, encoding: 'utf8' },
  )
  return status === 0 ? null : `${stdout}${stderr}`
}

// Installs the packages when they are missing or not those of package-lock.json. Runs before
// anything is installed: only what Node 20 brings.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const lockFile = `${root}package-lock.json`
const installedFile = `${root}node_modules/.package-lock.json`
const stampFile = `${root}node_modules/.parley-lock`

const lock = readFileSync(lockFile, 'utf8')
const wanted = createHash('sha256').update(lock).digest('hex')

if (readStamp() !== wanted) {
  if (!isInstalled()) install()
  writeFileSync(stampFile, wanted)
}

function readStamp() {
  return existsSync(stampFile) ? readFileSync(stampFile, 'utf8') : null
}

/** Somebody ran `npm ci` by hand: npm's own record says so, and nothing has to be done again. */
function isInstalled() {
  if (!existsSync(installedFile)) return false
  const installed = JSON.parse(readFileSync(installedFile, 'utf8')).packages
  return Object.entries(JSON.parse(lock).packages).every(([path, { version, optional }]) => {
    // Optional packages of other platforms are in the lock file and never on the disk.
    if (path === '' || (optional && !(path in installed))) return true
    return installed[path]?.version === version
  })
}

function install() {
  console.log('Installing packages (npm ci), once…')
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund', '--loglevel=error']
  const npm = process.env.npm_execpath
  const options = { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] }
  const { status, error } = npm
    ? spawnSync(process.execPath, [npm, ...args], options)
    : spawnSync('npm', args, { ...options, shell: process.platform === 'win32' })
  if (status === 0) return
  console.error(
    `Installing failed${error ? `: ${error.message}` : ''}. Without a network, put a filled npm ` +
      'cache in place and try again; after a change of package.json run `npm install` first, ' +
      'which brings package-lock.json up to date.',
  )
  process.exit(1)
}
